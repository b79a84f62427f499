use zap_core::Zap;

#[derive(Zap)]
#[zap(dialect = "zapgen", transparent)]
struct Id(u32);

#[derive(Zap)]
#[zap(dialect = "zapgen")]
struct Scene {
    id: Option<Id>,
}

fn main() {}
