use zap_core::Zap;

#[derive(Zap)]
enum Shape {
    Circle { radius: usize },
}

#[derive(Zap)]
struct Holder {
    value: Shape,
    list: Vec<Shape>,
}

fn main() {}
