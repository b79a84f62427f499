use zap_core::Zap;

#[derive(Zap)]
struct Point {
    x: u32,
    #[zap(skip, rename = "z")]
    y: u32,
}

#[derive(Zap)]
struct Holder {
    value: Point,
    list: Vec<Point>,
}

fn main() {}
