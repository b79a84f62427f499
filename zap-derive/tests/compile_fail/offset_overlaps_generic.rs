use zap_core::Zap;

#[derive(Zap)]
struct Record<const N: usize> {
    id: [u8; N],
    #[zap(offset = 8)]
    value: u64,
}

const _: u32 = <Record<9> as Zap>::LAYOUT.size;

fn main() {}
