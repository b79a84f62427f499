use zap_core::Zap;

struct RecordView;

#[derive(Zap)]
struct Record {
    id: u64,
}

fn main() {
    let _ = RecordView;
}
