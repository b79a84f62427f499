use zap_core::Zap;

#[derive(Zap)]
struct Record<'a> {
    name: &'a str,
}

fn name() -> &'static str {
    let bytes = Record { name: "x" }.to_vec().unwrap();
    Record::decode(&bytes).unwrap().name
}

fn main() {
    name();
}
