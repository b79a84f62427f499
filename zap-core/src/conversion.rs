//! The conversions of `#[zap(with = "module")]` fields.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use crate::section::Section;
use crate::slot::field;
use crate::{DecodeError, DecodeErrorKind, Zap};

/// What `from_wire` has made of field `index` of record `R`.
///
/// # Errors
///
/// It has refused the value.
#[inline]
pub fn converted<R: Zap, T, E>(value: Result<T, E>, section: Section<'_>, index: usize) -> Result<T, DecodeError> {
    value.map_err(|_| section.error(DecodeErrorKind::ConversionRefused, field::<R>(index)))
}
