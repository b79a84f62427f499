use zap_core::Zap;

#[derive(Zap)]
#[zap(dialect = "zapgen", growable)]
struct Point {
    x: u32,
}

fn main() {}
