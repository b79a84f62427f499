use zap_core::Zap;

#[derive(Zap, Clone, Copy, Debug)]
#[repr(u16)]
enum Color {
    Red,
    #[zap(other)]
    Other(u8),
}

#[derive(Zap)]
struct Holder {
    value: Color,
    list: Vec<Color>,
}

fn main() {}
