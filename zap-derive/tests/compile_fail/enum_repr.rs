use zap_core::Zap;

#[derive(Zap, Clone, Copy, Debug)]
#[repr(i8)]
enum Color {
    Red,
    Blue,
}

#[derive(Zap)]
struct Holder {
    value: Color,
    list: Vec<Color>,
}

fn main() {}
