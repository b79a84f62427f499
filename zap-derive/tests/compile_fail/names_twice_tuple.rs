use zap_core::Zap;

#[derive(Zap)]
struct Record(#[zap(rename = "1")] u64, u32);

fn main() {
    let bytes = [];
    let record = Record::decode(&bytes).unwrap();
    let _ = record.to_vec();
    let view = Record::view(&bytes).unwrap();
    let _ = view.field_0();
    let _ = view.field_1();
}
