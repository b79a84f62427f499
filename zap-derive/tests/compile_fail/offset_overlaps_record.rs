use zap_core::Zap;

#[derive(Zap)]
struct Inner {
    a: u64,
    b: u64,
}

#[derive(Zap)]
struct Record {
    inner: Inner,
    #[zap(offset = 8)]
    value: u64,
}

#[derive(Zap)]
struct Holder {
    record: Record,
    many: Vec<Record>,
}

fn main() {
    let bytes = [];
    let record = Record::decode(&bytes).unwrap();
    let _ = record.to_vec();
    let view = Record::view(&bytes).unwrap();
    let _ = view.inner();
    let _ = view.value();
}
