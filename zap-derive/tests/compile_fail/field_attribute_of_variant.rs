use zap_core::Zap;

#[derive(Zap)]
struct Circle {
    #[zap(tag = 1)]
    radius: f64,
}

#[derive(Zap)]
struct Holder {
    value: Circle,
    list: Vec<Circle>,
}

fn main() {}
