use zap_core::Zap;

#[derive(Zap)]
#[zap(dialect = "zapgen")]
enum Shape {
    Circle(f64),
}

fn main() {}
