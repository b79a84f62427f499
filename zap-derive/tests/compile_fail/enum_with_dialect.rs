use zap_core::Zap;

#[derive(Zap, Clone, Copy, Debug)]
#[zap(dialect = "zip")]
enum Color {
    Red,
}

fn main() {}
