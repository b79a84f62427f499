use zap_core::Zap;

type Maybe = Option<String>;

#[derive(Zap)]
struct Record {
    id: u64,
    value: Option<Maybe>,
}

fn main() {
    let bytes = [];
    let record = Record::decode(&bytes).unwrap();
    let _ = record.to_vec();
    let view = Record::view(&bytes).unwrap();
    let _ = view.id();
}
