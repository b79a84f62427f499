use zap_core::Zap;

type Lock = std::sync::Mutex<u32>;

#[derive(Zap)]
struct Record {
    id: u64,
    value: Lock,
}

fn main() {
    let bytes = [];
    let record = Record::decode(&bytes).unwrap();
    let _ = record.to_vec();
    let view = Record::view(&bytes).unwrap();
    let _ = view.id();
}
