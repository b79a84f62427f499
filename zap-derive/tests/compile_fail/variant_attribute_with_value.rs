use zap_core::Zap;

#[derive(Zap, Clone, Copy, Debug)]
enum Color {
    Red,
    #[zap(other = true)]
    Other(u32),
}

#[derive(Zap)]
struct Holder {
    value: Color,
    list: Vec<Color>,
}

fn main() {}
