use zap_core::Zap;

#[derive(Zap)]
#[zap(pin = "value:u32@0 size:4")]
struct Record<T> {
    value: T,
}

fn main() {
    let bytes = [];
    let record = Record::<u32>::decode(&bytes).unwrap();
    let _ = record.to_vec();
}
