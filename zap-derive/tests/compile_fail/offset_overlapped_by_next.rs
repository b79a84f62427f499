use zap_core::Zap;

#[derive(Zap)]
#[zap(dialect = "zapgen")]
struct Record {
    #[zap(offset = 8)]
    late: u64,
    #[zap(offset = 4)]
    early: u16,
    follows: u32,
}

fn main() {
    let bytes = [];
    let record = Record::decode(&bytes).unwrap();
    let _ = record.to_vec();
    let view = Record::view(&bytes).unwrap();
    let _ = view.late();
    let _ = view.early();
    let _ = view.follows();
}
