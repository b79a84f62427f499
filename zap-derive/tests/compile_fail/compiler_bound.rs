use zap_core::Zap;

struct Plain;

fn send<T: Zap>(_: &T) {}

fn main() {
    send(&Plain);
}
