use zap_core::Zap;

#[derive(Zap, Clone, Copy, Debug)]
enum Color {
    Red,
    #[zap(other)]
    Other,
}

#[derive(Zap)]
struct Holder {
    value: Color,
    list: Vec<Color>,
}

fn main() {}
