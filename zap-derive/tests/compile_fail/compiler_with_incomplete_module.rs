use zap_core::Zap;

mod seconds {
    pub type Wire = u32;

    pub fn to_wire(value: &std::time::Duration) -> u32 {
        value.as_secs() as u32
    }
}

#[derive(Zap)]
struct Job {
    #[zap(with = "seconds")]
    timeout: std::time::Duration,
}

#[derive(Zap)]
struct Holder {
    value: Job,
    list: Vec<Job>,
}

fn main() {}
