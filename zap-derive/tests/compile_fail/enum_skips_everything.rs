use zap_core::Zap;

#[derive(Zap)]
enum Cache {
    Hit(#[zap(skip)] u64),
    Miss,
}

#[derive(Zap)]
struct Holder {
    value: Cache,
    list: Vec<Cache>,
}

fn main() {}
