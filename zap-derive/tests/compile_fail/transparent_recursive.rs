use zap_core::Zap;

#[derive(Zap)]
#[zap(transparent)]
struct Tree(Vec<Tree>);

#[derive(Zap)]
struct Holder {
    value: Tree,
    list: Vec<Tree>,
}

fn main() {}
