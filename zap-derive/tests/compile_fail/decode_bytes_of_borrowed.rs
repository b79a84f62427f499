use zap_core::Zap;

#[derive(Zap)]
struct Record<'a> {
    name: &'a str,
}

fn main() {
    let _ = Record::decode_bytes(&bytes::Bytes::new());
}
