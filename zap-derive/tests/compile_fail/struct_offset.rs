use zap_core::Zap;

#[derive(Zap)]
#[zap(offset = 8)]
struct Record {
    id: u64,
}

fn main() {
    let bytes = [];
    let record = Record::decode(&bytes).unwrap();
    let _ = record.to_vec();
    let view = Record::view(&bytes).unwrap();
    let _ = view.id();
}
