use zap_core::Zap;

#[derive(Zap)]
struct Record {
    a: u8,
    b: u64,
    #[zap(offset = 4)]
    c: u32,
    d: u32,
}

fn main() {}
