use zap_core::Zap;

#[derive(Zap)]
union Word {
    bits: u32,
    float: f32,
}

fn main() {
    let bytes = [];
    let record = Word::decode(&bytes).unwrap();
    let _ = record.to_vec();
    let _ = Word::view(&bytes).unwrap();
}
