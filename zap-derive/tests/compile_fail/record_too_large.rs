use zap_core::Zap;

#[derive(Zap)]
struct Record {
    pages: [u8; 5_000_000_000],
    count: u32,
}

fn main() {
    let bytes = [];
    let view = Record::view(&bytes).unwrap();
    let _ = view.pages();
    let _ = view.count();
}
