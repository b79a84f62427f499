use zap_core::Zap;

const START: isize = -5;

#[derive(Zap, Clone, Copy, Debug)]
enum Color {
    Red = START + 1,
    Blue = 3,
}

#[derive(Zap)]
struct Holder {
    value: Color,
    list: Vec<Color>,
}

fn main() {}
