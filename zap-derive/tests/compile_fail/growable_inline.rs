use zap_core::Zap;

#[derive(Zap, Clone, Copy, Debug, Default)]
#[repr(u8)]
enum Color {
    #[default]
    Red = 1,
}

#[derive(Zap, Default)]
struct Pen {
    color: Color,
}

#[derive(Zap)]
#[zap(growable)]
struct Drawing {
    color: Color,
    pen: Pen,
    pair: (u8, Color),
    pens: Vec<Pen>,
}

fn main() {}
