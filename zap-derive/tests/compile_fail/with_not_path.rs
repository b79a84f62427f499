use zap_core::Zap;

#[derive(Zap)]
struct Job {
    #[zap(with = "my module")]
    timeout: u32,
}

#[derive(Zap)]
struct Holder {
    value: Job,
    list: Vec<Job>,
}

fn main() {}
