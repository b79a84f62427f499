use zap_core::Zap;

#[derive(Zap)]
#[zap(pin = "Side(u8 Buy=0 Sell=1)")]
#[repr(u8)]
enum Side {
    Buy,
    Sell,
}

fn main() {
    let _ = Side::Buy.to_vec();
    let _ = Side::Sell;
}
