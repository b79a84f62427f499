use zap_core::Zap;

#[derive(Zap, Clone, Copy, Debug)]
enum Color {
    Red = 0x1_0000_0000,
    Blue,
}

#[derive(Zap)]
struct Holder {
    value: Color,
    list: Vec<Color>,
}

fn main() {}
