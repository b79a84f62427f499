use zap_core::Zap;

#[derive(Zap)]
#[zap(version = 1)]
#[zap(rename = "R")]
#[zap(version = 2)]
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
