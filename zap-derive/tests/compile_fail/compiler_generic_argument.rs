use zap_core::Zap;

#[derive(Zap)]
struct Pair<T> {
    left: T,
    right: Vec<T>,
}

struct Plain;

fn main() {
    let _ = Pair { left: Plain, right: vec![] }.to_vec();
}
