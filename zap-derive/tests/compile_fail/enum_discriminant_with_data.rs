use zap_core::Zap;

#[derive(Zap)]
#[repr(u32)]
enum Shape {
    Circle(f64) = 4,
}

#[derive(Zap)]
struct Holder {
    value: Shape,
    list: Vec<Shape>,
}

fn main() {}
