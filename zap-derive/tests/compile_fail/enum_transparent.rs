use zap_core::Zap;

#[derive(Zap, Clone, Copy, Debug)]
#[zap(transparent)]
enum Color {
    Red,
}

#[derive(Zap)]
struct Holder {
    value: Color,
    list: Vec<Color>,
}

fn main() {}
