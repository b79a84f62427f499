use zap_core::Zap;

#[derive(Zap, Clone, Copy, Debug)]
enum Color {
    Red,
}

#[derive(Zap)]
#[zap(growable)]
struct Point {
    x: u32,
    color: Color,
}

#[derive(Zap)]
struct Holder {
    value: Point,
    list: Vec<Point>,
}

fn main() {}
