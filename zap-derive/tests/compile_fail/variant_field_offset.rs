use zap_core::Zap;

#[derive(Zap)]
enum Shape {
    Circle {
        #[zap(offset = 8)]
        radius: f64,
    },
}

#[derive(Zap)]
struct Holder {
    value: Shape,
    list: Vec<Shape>,
}

fn main() {}
