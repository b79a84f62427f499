use zap_core::Zap;

#[derive(Zap, PartialEq, Eq, Hash)]
struct Point {
    x: u32,
}

#[derive(Zap)]
struct Record {
    id: u64,
    value: std::collections::HashMap<Point, u32>,
}

fn main() {
    let bytes = [];
    let record = Record::decode(&bytes).unwrap();
    let _ = record.to_vec();
    let view = Record::view(&bytes).unwrap();
    let _ = view.id();
}
