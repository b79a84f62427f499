use zap_core::Zap;

#[derive(Zap)]
enum Shape {
    Circle(f64),
    #[zap(tag = 0)]
    Square(f64),
}

#[derive(Zap)]
struct Holder {
    value: Shape,
    list: Vec<Shape>,
}

fn main() {}
