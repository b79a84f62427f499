//! Drawing values: the generator of the public benchmark, seeded as there, so that every run has the same data.

use rand::Rng;
use rand_pcg::Lcg64Xsh32;
use std::ops::Range;

/// The generator that all data sets draw from, each from a fresh one.
pub(crate) type Random = Lcg64Xsh32;

/// The public benchmark's seed.
const STATE: u64 = 3_141_592_653;
const STREAM: u64 = 5_897_932_384;

/// A fresh generator.
pub(crate) fn random() -> Random {
    Lcg64Xsh32::new(STATE, STREAM)
}

/// A type of which a value can be drawn. Fields are drawn in the order of their declaration unless said otherwise.
pub(crate) trait Generate: Sized {
    fn generate(random: &mut Random) -> Self;
}

macro_rules! generate_any {
    ($($scalar:ty),*) => {$(
        /// Integers over their whole range, floats between 0 and 1.
        impl Generate for $scalar {
            fn generate(random: &mut Random) -> Self {
                random.r#gen()
            }
        }
    )*};
}

generate_any!(u8, i8, u16, i16, u32, i32, i64, f32, f64);

impl Generate for bool {
    fn generate(random: &mut Random) -> Self {
        random.gen_bool(0.5)
    }
}

/// There with probability 1/2.
impl<T: Generate> Generate for Option<T> {
    fn generate(random: &mut Random) -> Self {
        random.gen_bool(0.5).then(|| T::generate(random))
    }
}

impl<T: Generate, const N: usize> Generate for [T; N] {
    fn generate(random: &mut Random) -> Self {
        std::array::from_fn(|_| T::generate(random))
    }
}

impl<A: Generate, B: Generate> Generate for (A, B) {
    fn generate(random: &mut Random) -> Self {
        (A::generate(random), B::generate(random))
    }
}

impl<A: Generate, B: Generate, C: Generate> Generate for (A, B, C) {
    fn generate(random: &mut Random) -> Self {
        (A::generate(random), B::generate(random), C::generate(random))
    }
}

/// As many values as a number out of `len` says, which is drawn first.
pub(crate) fn list<T: Generate>(random: &mut Random, len: Range<usize>) -> Vec<T> {
    list_of(random, len, T::generate)
}

/// As [`list`], of what `draw` draws.
pub(crate) fn list_of<T>(random: &mut Random, len: Range<usize>, mut draw: impl FnMut(&mut Random) -> T) -> Vec<T> {
    let len = random.gen_range(len);
    (0..len).map(|_| draw(random)).collect()
}

/// One of the choices.
pub(crate) fn one_of<T: Copy>(random: &mut Random, choices: &[T]) -> T {
    choices[random.gen_range(0..choices.len())]
}
