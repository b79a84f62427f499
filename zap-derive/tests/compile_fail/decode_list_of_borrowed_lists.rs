use zap_core::Zap;

#[derive(Zap)]
struct Record<'a> {
    values: Vec<&'a [u32]>,
}

fn main() {
    let _ = Record::decode(&[]);
}
