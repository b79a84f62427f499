use zap_core::Zap;

#[derive(Zap)]
struct Record<'a> {
    id: u64,
    values: &'a [u32],
}

#[derive(Zap)]
struct Holder<'a> {
    record: Record<'a>,
}

fn main() {
    // These two are fine.
    let bytes = Record { id: 1, values: &[1, 2] }.to_vec().unwrap();
    let _ = Record::view(&bytes).unwrap().values();
    let bytes = Holder { record: Record { id: 1, values: &[1, 2] } }.to_vec().unwrap();
    let _ = Holder::view(&bytes).unwrap().record().values();

    let _ = Record::decode(&bytes);
    let _ = Holder::decode(&bytes);
}
