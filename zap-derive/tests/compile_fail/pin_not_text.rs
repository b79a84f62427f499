use zap_core::Zap;

#[derive(Zap)]
#[zap(pin = 16)]
struct Record {
    id: u64,
}

fn main() {
    let _ = Record { id: 1 }.to_vec();
}
