use zap_core::Zap;

type Map = std::collections::HashMap<String, u32>;

#[derive(Zap)]
#[zap(dialect = "zip")]
struct Record {
    id: u64,
    value: Map,
}

fn main() {
    let bytes = [];
    let record = Record::decode(&bytes).unwrap();
    let _ = record.to_vec();
    let view = Record::view(&bytes).unwrap();
    let _ = view.id();
}
