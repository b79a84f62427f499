use zap_core::Zap;

#[derive(Zap)]
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
