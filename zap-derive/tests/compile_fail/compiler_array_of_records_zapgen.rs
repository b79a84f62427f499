use zap_core::Zap;

#[derive(Zap)]
#[zap(dialect = "zapgen")]
struct Point {
    x: u32,
}

#[derive(Zap)]
#[zap(dialect = "zapgen")]
struct Record {
    id: u64,
    value: [Point; 2],
}

fn main() {
    let bytes = [];
    let record = Record::decode(&bytes).unwrap();
    let _ = record.to_vec();
    let view = Record::view(&bytes).unwrap();
    let _ = view.id();
}
