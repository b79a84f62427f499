use zap_core::Zap;

#[derive(Zap)]
#[zap(transparent)]
struct Pair(u8, u16);

#[derive(Zap)]
struct Holder {
    value: Pair,
    list: Vec<Pair>,
}

fn main() {}
