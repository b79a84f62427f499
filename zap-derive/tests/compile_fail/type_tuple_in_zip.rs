use zap_core::Zap;

#[derive(Zap)]
#[zap(dialect = "zip")]
struct Record {
    id: u64,
    value: (u32, u32),
}

fn main() {
    let bytes = [];
    let record = Record::decode(&bytes).unwrap();
    let _ = record.to_vec();
    let view = Record::view(&bytes).unwrap();
    let _ = view.id();
    let _ = view.value();
}
