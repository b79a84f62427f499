use zap_core::Zap;

mod text {
    pub type Wire<'a> = &'a str;
}

#[derive(Zap)]
#[zap(transparent)]
struct Name(#[zap(with = "text")] std::path::PathBuf);

#[derive(Zap)]
struct Holder {
    value: Name,
    list: Vec<Name>,
}

fn main() {}
