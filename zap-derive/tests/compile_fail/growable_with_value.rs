use zap_core::Zap;

#[derive(Zap)]
#[zap(growable = "yes")]
struct Point {
    x: u32,
}

#[derive(Zap)]
struct Holder {
    value: Point,
    list: Vec<Point>,
}

fn main() {}
