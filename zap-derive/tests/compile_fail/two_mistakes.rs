use zap_core::Zap;

#[derive(Zap)]
#[zap(version = 0)]
struct Record {
    id: usize,
    #[zap(offset)]
    value: Option<std::rc::Rc<u32>>,
}

fn main() {
    let bytes = [];
    let record = Record::decode(&bytes).unwrap();
    let _ = record.to_vec();
    let view = Record::view(&bytes).unwrap();
    let _ = view.id();
    let _ = view.value();
}
