use zap_core::Zap;

#[derive(Zap)]
#[zap(growable)]
struct Point {
    #[zap(offset = 8)]
    x: u32,
}

#[derive(Zap)]
struct Holder {
    value: Point,
    list: Vec<Point>,
}

fn main() {}
