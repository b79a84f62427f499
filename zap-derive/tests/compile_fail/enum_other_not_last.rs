use zap_core::Zap;

#[derive(Zap, Clone, Copy, Debug)]
enum Color {
    #[zap(other)]
    Other(u32),
    Red,
}

#[derive(Zap)]
struct Holder {
    value: Color,
    list: Vec<Color>,
}

fn main() {}
