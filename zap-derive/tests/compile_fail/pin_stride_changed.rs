use zap_core::Zap;

#[derive(Zap)]
#[zap(
    rename = "order",
    pin = "at:{x:f32@0 y:f32@4 size:8}@0 lines:list<Line/8>@8 size:16"
)]
struct Order {
    at: Point,
    lines: Vec<Line>,
}

#[derive(Zap)]
struct Point {
    x: f32,
    y: f32,
}

#[derive(Zap)]
struct Line {
    article: u32,
    count: u32,
    price: u32,
}

fn main() {}
