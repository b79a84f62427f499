//! The equivalence check: before anything is timed, every codec must give back the values it was given, on the very
//! functions that are timed.

use super::codec::{Bitcode, Codec, Prost, Reader, Rkyv, SerdeJson, Wincode, Zap};
use super::{DataSet, ZapData, ops};

/// The whole value, there and back.
fn whole<T: DataSet, C: Codec<T>>(value: &T) -> Result<(), String> {
    let message = ops::message::<T, C>(value);
    let decoded = C::restore(C::decode(&mut C::Scratch::default(), &message));
    if decoded == *value {
        return Ok(());
    }
    let (got, want) = (format!("{decoded:#?}"), format!("{value:#?}"));
    let difference = got.lines().zip(want.lines()).find(|(got, want)| got != want);
    Err(format!("{}: {} decodes to other values: {difference:?}", T::NAME, C::NAME))
}

/// The read operation, in both ways.
fn in_place<T: DataSet, C: Reader<T>>(value: &T) -> Result<(), String> {
    let message = ops::message::<T, C>(value);
    let mut want = Vec::new();
    value.read(|word| want.push(word));
    let (mut lazy, mut validated) = (Vec::new(), Vec::new());
    C::read(&message, |word| lazy.push(word));
    C::read_validated(&message, |word| validated.push(word));
    if C::access(&message) == 0 || C::access_validated(&message) == 0 || lazy != want || validated != want {
        return Err(format!("{}: {} reads other values", T::NAME, C::NAME));
    }
    Ok(())
}

pub(super) fn peers<T: DataSet>(value: &T) -> Result<(), String> {
    whole::<T, Rkyv>(value)?;
    in_place::<T, Rkyv>(value)?;
    whole::<T, Wincode>(value)?;
    whole::<T, Bitcode>(value)?;
    whole::<T, Prost>(value)?;
    whole::<T, SerdeJson>(value)
}

pub(super) fn zap_and_peers<T: ZapData>(value: &T) -> Result<(), String> {
    whole::<T, Zap>(value)?;
    in_place::<T, Zap>(value)?;
    peers(value)
}
