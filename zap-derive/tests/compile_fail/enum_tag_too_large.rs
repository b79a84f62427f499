use zap_core::Zap;

#[derive(Zap)]
enum Shape {
    #[zap(tag = 4294967296)]
    Circle(f64),
}

#[derive(Zap)]
struct Holder {
    value: Shape,
    list: Vec<Shape>,
}

fn main() {}
