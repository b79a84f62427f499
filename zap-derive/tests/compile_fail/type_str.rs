use zap_core::Zap;

#[derive(Zap)]
struct Record {
    id: u64,
    value: str,
}

fn main() {}
