use zap_core::Zap;

#[derive(Zap)]
enum Shape {
    Circle(f64),
    #[zap(other, tag = 4)]
    Other(u32),
}

#[derive(Zap)]
struct Holder {
    value: Shape,
    list: Vec<Shape>,
}

fn main() {}
