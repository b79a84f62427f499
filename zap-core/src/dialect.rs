//! The three dialects: whose alignment, and how a record sits in a slot of another record.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::fmt::Debug;

use crate::section::{Field, Section};
use crate::sink::{RootPlace, Sink};
use crate::{DecodeError, DecodeErrorKind, DialectKind, RecordView, Zap};

/// Whose bytes a record equals: [`Native`], [`Zapgen`] or [`Zip`]. Sealed.
pub trait Dialect: Sized + Copy + Debug + 'static + sealed::Sealed {
    /// The dialect as a value.
    const KIND: DialectKind;
    /// The largest alignment of a scalar in bytes.
    const MAX_ALIGN: usize;
    /// Alignment of text, bytes and list slots in bytes.
    const SLOT_ALIGN: usize;
    /// Where a message's root section lies among its lists.
    #[doc(hidden)]
    const ROOT: RootPlace;
    /// Width and alignment of a record in a slot; `None` = inline, with its own.
    #[doc(hidden)]
    const RECORD: Option<(usize, usize)>;

    /// What the accessor of a nested record returns: the view, or a `Result` where it lies behind a pointer.
    type Nested<V: Copy + Debug>: Copy + Debug;

    #[doc(hidden)]
    fn view_nested<'m, R: Zap<Dialect = Self>>(section: Section<'m>, field: Field) -> Self::Nested<R::View<'m>>;
    #[doc(hidden)]
    fn nested_section<'m, R: Zap<Dialect = Self>>(
        section: Section<'m>,
        field: Field,
    ) -> Result<Option<Section<'m>>, DecodeError>;
    #[doc(hidden)]
    fn put_nested<R: Zap<Dialect = Self>, S: Sink>(record: &R, sink: &mut S, section: &mut S::Section, offset: usize);
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Native {}
    impl Sealed for super::Zapgen {}
    impl Sealed for super::Zip {}
}

/// This crate's own dialect, the default: aligned fields, inline records, fixed-stride lists with O(1) access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Native {}

/// The Go schema compiler's dialect: packed or explicit offsets, nested records behind pointers, length-prefixed lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zapgen {}

/// The Go struct encoder's dialect: every nested record a complete message, length-prefixed lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zip {}

/// A dialect whose lists are streams of length-prefixed elements.
pub trait StreamDialect: Dialect {}

impl StreamDialect for Zapgen {}
impl StreamDialect for Zip {}

impl Dialect for Native {
    const KIND: DialectKind = DialectKind::Native;
    const MAX_ALIGN: usize = 8;
    const SLOT_ALIGN: usize = 4;
    const ROOT: RootPlace = RootPlace::First;
    const RECORD: Option<(usize, usize)> = None;

    type Nested<V: Copy + Debug> = V;

    #[inline]
    fn view_nested<'m, R: Zap<Dialect = Self>>(section: Section<'m>, field: Field) -> R::View<'m> {
        RecordView::from_section(section.part(field.offset, R::LAYOUT.size as usize))
    }
    #[inline]
    fn nested_section<'m, R: Zap<Dialect = Self>>(
        section: Section<'m>,
        field: Field,
    ) -> Result<Option<Section<'m>>, DecodeError> {
        Ok(Some(section.part(field.offset, R::LAYOUT.size as usize)))
    }
    #[inline]
    fn put_nested<R: Zap<Dialect = Self>, S: Sink>(record: &R, sink: &mut S, section: &mut S::Section, offset: usize) {
        record.put_fields(sink, section, offset);
    }
}

impl Dialect for Zapgen {
    const KIND: DialectKind = DialectKind::Zapgen;
    const MAX_ALIGN: usize = 1;
    const SLOT_ALIGN: usize = 1;
    const ROOT: RootPlace = RootPlace::First;
    const RECORD: Option<(usize, usize)> = Some((4, 1));

    type Nested<V: Copy + Debug> = Result<V, DecodeError>;

    fn view_nested<'m, R: Zap<Dialect = Self>>(section: Section<'m>, field: Field) -> Result<R::View<'m>, DecodeError> {
        required::<R>(section, field).map(RecordView::from_section)
    }
    fn nested_section<'m, R: Zap<Dialect = Self>>(
        section: Section<'m>,
        field: Field,
    ) -> Result<Option<Section<'m>>, DecodeError> {
        section.pointed_section(R::LAYOUT.size as usize, field)
    }
    fn put_nested<R: Zap<Dialect = Self>, S: Sink>(record: &R, sink: &mut S, section: &mut S::Section, offset: usize) {
        const {
            assert!(
                R::LAYOUT.size > 0,
                "a zapgen record without fields cannot be nested: at a message's end, its pointer would read as null"
            );
        }
        sink.embed(section, offset, record);
    }
}

impl Dialect for Zip {
    const KIND: DialectKind = DialectKind::Zip;
    const MAX_ALIGN: usize = 8;
    const SLOT_ALIGN: usize = 8;
    const ROOT: RootPlace = RootPlace::Last;
    const RECORD: Option<(usize, usize)> = Some((8, 8));

    type Nested<V: Copy + Debug> = Result<V, DecodeError>;

    fn view_nested<'m, R: Zap<Dialect = Self>>(section: Section<'m>, field: Field) -> Result<R::View<'m>, DecodeError> {
        required::<R>(section, field).map(RecordView::from_section)
    }
    fn nested_section<'m, R: Zap<Dialect = Self>>(
        section: Section<'m>,
        field: Field,
    ) -> Result<Option<Section<'m>>, DecodeError> {
        match section.tail_section(field)? {
            None => Ok(None),
            Some(data) => data.embedded(R::LAYOUT.size as usize).map(Some).map_err(|error| error.at(field.place)),
        }
    }
    fn put_nested<R: Zap<Dialect = Self>, S: Sink>(record: &R, sink: &mut S, section: &mut S::Section, offset: usize) {
        sink.tail_message(section, offset, record);
    }
}

/// The section of a nested record that may not be absent.
#[inline]
pub(crate) fn required<'m, R: Zap>(section: Section<'m>, field: Field) -> Result<Section<'m>, DecodeError> {
    match R::Dialect::nested_section::<R>(section, field)? {
        Some(nested) => Ok(nested),
        None => Err(section.error(DecodeErrorKind::NullPointer, field)),
    }
}
