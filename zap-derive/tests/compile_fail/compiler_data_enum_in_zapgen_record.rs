use zap_core::Zap;

#[derive(Zap)]
enum Shape {
    Circle(f64),
}

#[derive(Zap)]
#[zap(dialect = "zapgen")]
struct Scene {
    shape: Shape,
}

fn main() {}
