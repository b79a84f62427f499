use zap_core::Zap;

struct Plain {
    x: u32,
}

fn main() {
    let _ = Plain { x: 1 }.to_vec();
    let _ = Plain::view(&[]);
}
