use zap_core::Zap;

#[derive(Zap, Clone, Copy, Debug)]
enum Color {
    #[zap(name = "rot")]
    Red,
}

#[derive(Zap)]
struct Holder {
    value: Color,
    list: Vec<Color>,
}

fn main() {}
