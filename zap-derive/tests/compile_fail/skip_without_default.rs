use zap_core::Zap;

struct Handle(u8);

#[derive(Zap)]
struct Point {
    x: u32,
    #[zap(skip)]
    handle: Handle,
}

#[derive(Zap)]
struct Holder {
    value: Point,
    list: Vec<Point>,
}

fn main() {}
