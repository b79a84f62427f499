use zap_core::Zap;

#[derive(Zap, Clone, Copy, Debug)]
enum Color<const N: usize> {
    Red,
}

#[derive(Zap)]
struct Holder {
    value: Color<1>,
    list: Vec<Color<1>>,
}

fn main() {}
