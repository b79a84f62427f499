use zap_core::Zap;

#[derive(Zap)]
#[zap(dialect = "zapgen")]
struct Record {
    a: u64,
    #[zap(offset = 0)]
    z: [u8; 0],
    c: u64,
}

fn main() {}
