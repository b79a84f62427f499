use zap_core::Zap;

#[derive(Zap)]
#[zap(pin = "id:u64@0 name:text@8 size:16")]
struct Record {
    id: u32,
    name: String,
}

fn main() {
    let bytes = [];
    let record = Record::decode(&bytes).unwrap();
    let _ = record.to_vec();
    let view = Record::view(&bytes).unwrap();
    let _ = view.id();
}
