use zap_core::Zap;

#[derive(Zap)]
enum Shape {
    #[zap(dialect = "native")]
    Circle(f64),
}

#[derive(Zap)]
struct Holder {
    value: Shape,
    list: Vec<Shape>,
}

fn main() {}
