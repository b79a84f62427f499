use zap_core::Zap;

#[derive(Zap, Clone, Copy, Debug)]
#[repr(u64)]
enum Color {
    Red = 1,
    Blue,
}

#[derive(Zap)]
struct Holder {
    value: Color,
    list: Vec<Color>,
}

fn main() {}
