use zap_core::Zap;

#[derive(Zap)]
enum Color {
    Red,
    Green,
}

#[derive(Zap)]
struct Pixel {
    color: Color,
    path: Vec<Color>,
}

fn main() {
    let bytes = [];
    let record = Color::decode(&bytes).unwrap();
    let _ = record.to_vec();
    let _ = Color::view(&bytes).unwrap();
    let _ = Pixel::view(&bytes).unwrap().color();
}
