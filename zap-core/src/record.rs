//! `Zap`: a struct that is a record on the wire, and everything a user does with it.

use core::fmt::{self, Debug};
use core::ops::Range;

use alloc::vec::Vec;
use bytes::Bytes;

use crate::capped::Capped;
use crate::encode::{self, EncodeTarget};
use crate::pin::Parts;
use crate::section::{Field, Section};
use crate::sink::{Counter, RootPlace, Sink};
use crate::update::SectionMut;
use crate::walk::Walk;
use crate::{
    DecodeError, DecodeErrorKind, DecodeSlot, Dialect, EncodeError, FieldLayout, Layout, Limits, Message, Place,
    Prefix, RecordViewMut, Slot, nested,
};

/// A struct that is a record on the ZAP wire. Implemented by `#[derive(Zap)]`.
///
/// # Examples
///
/// ```
/// use zap_core::Zap;
///
/// #[derive(Zap, Debug, PartialEq)]
/// struct Transfer<'a> {
///     id: u64,
///     amount: u64,
///     memo: &'a str,
/// }
///
/// let transfer = Transfer { id: 7, amount: 250, memo: "rent" };
/// let mut buffer = Vec::new();
/// transfer.encode_into(&mut buffer)?;
/// assert_eq!(buffer.len(), transfer.encoded_len());
///
/// // Read single fields in place ...
/// let view = Transfer::view(&buffer)?;
/// assert_eq!(view.amount(), 250);
/// assert_eq!(view.memo()?, "rent");
///
/// // ... or the whole value; `memo` borrows from the buffer.
/// assert_eq!(Transfer::decode(&buffer)?, transfer);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a ZAP record",
    label = "not a ZAP record",
    note = "put #[derive(Zap)] on it, with `use zap_core::Zap`"
)]
pub trait Zap: Sized + Slot<Self::Dialect> {
    /// Whose bytes the record equals.
    type Dialect: Dialect;
    /// The record read in place: one accessor per field.
    type View<'m>: RecordView<'m>;
    /// The record changed where it lies: one accessor per field.
    type ViewMut<'m>: RecordViewMut<'m>;
    /// Where each field lies.
    const LAYOUT: &'static Layout;

    #[doc(hidden)]
    const FIELDS: &'static [FieldLayout];
    /// [`Slot::PARTS`] of the fields, as far as any has some: what a pin needs besides the layout.
    #[doc(hidden)]
    const PARTS_OF_FIELDS: &'static [Parts] = &[];
    /// What errors name that are about the whole message.
    #[doc(hidden)]
    const ROOT_PLACE: &'static Place = &Place { record: Self::LAYOUT.name, field: "" };
    #[doc(hidden)]
    const ROOT: RootPlace = Self::Dialect::ROOT;

    /// On the wire the record is its only field.
    #[doc(hidden)]
    const TRANSPARENT: bool = false;

    /// Checks the header and finds the root section.
    #[doc(hidden)]
    #[inline(always)]
    fn open_root(bytes: &[u8]) -> Result<Section<'_>, DecodeError> {
        Section::open(bytes, Self::LAYOUT.root_size(), Self::ROOT_PLACE)
    }
    /// Finds the root section that has been opened before.
    #[doc(hidden)]
    #[inline]
    fn reopen_root(bytes: &[u8], root: u32, depth: u8) -> Section<'_> {
        Section::reopen(bytes, root, Self::LAYOUT.root_size(), depth)
    }
    /// The section of a field that holds this record.
    #[doc(hidden)]
    fn field_section<'m>(section: Section<'m>, field: Field) -> Result<Section<'m>, DecodeError> {
        crate::dialect::required::<Self>(section, field)
    }
    /// The section if it has all fields of this record, as it must for them to be changed.
    #[doc(hidden)]
    fn whole(section: Section<'_>) -> Result<Section<'_>, DecodeError> {
        Ok(section)
    }
    #[doc(hidden)]
    fn check_fields<const METERED: bool>(section: Section<'_>, walk: &mut Walk<'_, METERED>)
    -> Result<(), DecodeError>;
    #[doc(hidden)]
    fn put_fields<S: Sink>(&self, sink: &mut S, section: &mut S::Section, base: usize);
    /// Whether the section holds this value's fields.
    #[doc(hidden)]
    fn equals_fields(&self, section: Section<'_>, walk: &mut Walk<'_, true>) -> bool;
    /// Whether every field holds its zero value: asked of zip records only.
    #[doc(hidden)]
    fn fields_are_zero(section: Section<'_>, _walk: &mut Walk<'_, true>) -> bool {
        section.bytes().iter().all(|byte| *byte == 0)
    }

    /// Reads the record in place: checks the header and that the root section is there, nothing else.
    ///
    /// # Errors
    ///
    /// The header is wrong, there is no root, or the root section does not fit.
    ///
    /// # Panics
    ///
    /// Never.
    ///
    /// # Cost
    ///
    /// O(1) whatever the size of the message; no allocation.
    #[inline(always)]
    fn view(bytes: &[u8]) -> Result<Self::View<'_>, DecodeError> {
        Self::open_root(bytes).map(RecordView::from_section)
    }

    /// Opens the record to change it where it lies: checks what [`Zap::view`] checks. Bytes after the message are
    /// neither read nor changed.
    ///
    /// # Errors
    ///
    /// As [`Zap::view`]; and a growable record whose writer did not know all its fields.
    ///
    /// # Panics
    ///
    /// Never.
    ///
    /// # Examples
    ///
    /// ```
    /// use zap_core::Zap;
    ///
    /// #[derive(Zap)]
    /// struct Account<'a> {
    ///     balance: u64,
    ///     owner: &'a str,
    /// }
    ///
    /// let mut bytes = Account { balance: 100, owner: "A. Smith" }.to_vec()?;
    /// let mut account = Account::view_mut(&mut bytes)?;
    /// let before = account.balance().get();
    /// account.balance().set(before + 50);
    /// assert_eq!(bytes, Account { balance: 150, owner: "A. Smith" }.to_vec()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn view_mut(bytes: &mut [u8]) -> Result<Self::ViewMut<'_>, DecodeError> {
        let location = Self::whole(Self::open_root(bytes)?)?.location();
        Ok(RecordViewMut::from_section(SectionMut::new(bytes, location)))
    }

    /// Decodes the whole value. Fields that borrow, borrow from `bytes`; owned fields are copied.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong with the bytes, with record, field and offset; or the budget of the default
    /// [`Limits`]. A message longer than 64 MiB is not refused here, since its bytes are already in memory.
    ///
    /// # Panics
    ///
    /// Never.
    #[inline(always)]
    fn decode<'m>(bytes: &'m [u8]) -> Result<Self, DecodeError>
    where
        Self: Decode<'m>,
    {
        let section = Self::open_root(bytes)?;
        decode_root(section, None)
    }

    /// As [`Zap::decode`], within `limits`.
    ///
    /// # Errors
    ///
    /// As [`Zap::decode`]; and `MessageTooLarge`, `DepthExceeded` or `BudgetExceeded` beyond the limits.
    fn decode_with<'m>(bytes: &'m [u8], limits: &Limits) -> Result<Self, DecodeError>
    where
        Self: Decode<'m>,
    {
        let section = open_within::<Self>(bytes, limits)?;
        Self::decode_root(section, &mut Walk::<true>::new(limits, section.message().len(), None))
    }

    /// Decodes a message out of a shared buffer: `Bytes` fields share it instead of copying.
    ///
    /// # Errors
    ///
    /// As [`Zap::decode`].
    ///
    /// # Examples
    ///
    /// ```
    /// use bytes::Bytes;
    /// use zap_core::Zap;
    ///
    /// #[derive(Zap)]
    /// struct Blob {
    ///     data: Bytes,
    /// }
    ///
    /// let message = Bytes::from(Blob { data: Bytes::from_static(b"payload") }.to_vec()?);
    /// let blob = Blob::decode_bytes(&message)?;
    /// assert_eq!(blob.data, "payload");
    /// assert!(message.as_ptr_range().contains(&blob.data.as_ptr()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn decode_bytes(bytes: &Bytes) -> Result<Self, DecodeError>
    where
        Self: DecodeOwned,
    {
        let section = Self::open_root(bytes)?;
        decode_root(section, Some(bytes))
    }

    /// Checks a whole message once, deeply. After it, no accessor of the view fails.
    ///
    /// # Errors
    ///
    /// The first thing that some accessor would refuse, or what is beyond the limits.
    ///
    /// # Panics
    ///
    /// Never.
    ///
    /// # Cost
    ///
    /// O(message); visits at most as many bytes as the limits allow. No allocation.
    #[inline(always)]
    fn validate<'m>(bytes: &'m [u8], limits: &Limits) -> Result<Self::View<'m>, DecodeError> {
        let mut run = NO_RUN;
        // A growable record's root is as long as its own length says.
        if !Self::LAYOUT.growable
            && let Some(section) = Section::open_canonical(bytes, Self::LAYOUT.root_size(), limits.message_len())
        {
            let (section, message) = (section.with_depth(limits.depth()), section.message());
            let mut walk = Walk::<true>::deferring(Self::NESTED, limits, message.len());
            let is_fine = Self::check_fields(section, &mut walk).is_ok();
            if is_fine && walk.deferred(message).is_some_and(<[u8]>::is_ascii) {
                return Ok(RecordView::from_section(section));
            }
            run = walk.run();
        }
        validate_unusual::<Self>(bytes, *limits, run).map(RecordView::from_section)
    }

    /// Takes one message off the front of `bytes` and views it; tells exactly what follows, or how much is missing.
    ///
    /// # Errors
    ///
    /// As [`Zap::view`]; `MessageTooLarge` if the header announces more than `limits` allow.
    ///
    /// # Examples
    ///
    /// ```
    /// use zap_core::{Limits, Prefix, Zap};
    ///
    /// #[derive(Zap)]
    /// struct Tick {
    ///     at: u64,
    /// }
    ///
    /// let mut stream = Vec::new();
    /// Tick { at: 1 }.encode_into(&mut stream)?;
    /// Tick { at: 2 }.encode_into(&mut stream)?;
    ///
    /// let Prefix::Complete { value, rest } = Tick::view_prefix(&stream, &Limits::new())? else {
    ///     panic!("a whole message is there");
    /// };
    /// assert_eq!((value.at(), rest.len()), (1, 24));
    /// assert!(matches!(Tick::view_prefix(&rest[..20], &Limits::new())?, Prefix::Incomplete { needed: 4 }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn view_prefix<'m>(bytes: &'m [u8], limits: &Limits) -> Result<Prefix<'m, Self::View<'m>>, DecodeError> {
        split::<Self, _>(bytes, limits, |message| open_within::<Self>(message, limits).map(RecordView::from_section))
    }

    /// Takes one message off the front of `bytes` and decodes it within `limits`.
    ///
    /// # Errors
    ///
    /// As [`Zap::decode_with`].
    fn decode_prefix<'m>(bytes: &'m [u8], limits: &Limits) -> Result<Prefix<'m, Self>, DecodeError>
    where
        Self: Decode<'m>,
    {
        split::<Self, _>(bytes, limits, |message| Self::decode_with(message, limits))
    }

    /// Appends the value as one complete message and returns where it is.
    ///
    /// `buffer` is a `Vec<u8>`, a `BytesMut` or our own [`Buffer`](crate::Buffer), which grow, or a fixed `[u8]`, which
    /// is written from its start.
    ///
    /// # Errors
    ///
    /// The value does not fit the wire or the fixed buffer; the buffer is then as it was.
    ///
    /// # Cost
    ///
    /// One pass to count, at most one allocation (none where the capacity suffices), one pass to write. In the `zapgen`
    /// and `zip` dialects a record inside another is counted once more per level it is down.
    #[inline(always)]
    fn encode_into<B: EncodeTarget + ?Sized>(&self, buffer: &mut B) -> Result<Range<usize>, EncodeError> {
        self.encode_with_flags(0, buffer)
    }

    /// As [`Zap::encode_into`], with the header's flags word: protocols put their message type in its upper byte.
    ///
    /// # Errors
    ///
    /// As [`Zap::encode_into`].
    #[inline(always)]
    fn encode_with_flags<B: EncodeTarget + ?Sized>(
        &self,
        flags: u16,
        buffer: &mut B,
    ) -> Result<Range<usize>, EncodeError> {
        encode::append(self, flags, buffer)
    }

    /// Bytes of the encoded message: exact. Saturates at `usize::MAX`, which no message reaches.
    #[inline(always)]
    #[must_use]
    fn encoded_len(&self) -> usize {
        usize::try_from(Counter::encoded_len(self)).unwrap_or(usize::MAX)
    }

    /// The value as one complete message in a vector of exactly its size.
    ///
    /// # Errors
    ///
    /// The value does not fit the wire.
    #[inline(always)]
    fn to_vec(&self) -> Result<Vec<u8>, EncodeError> {
        encode::to_vec(self)
    }
}

/// A record that can be decoded into a value that borrows from the message for `'m`. Implemented for every record all
/// of whose fields can.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a ZAP record that can be decoded",
    label = "cannot be decoded",
    note = "put #[derive(Zap)] on it, with `use zap_core::Zap`"
)]
pub trait Decode<'m>: Zap + DecodeSlot<'m, Self::Dialect> {
    #[doc(hidden)]
    fn decode_root<const METERED: bool>(
        section: Section<'m>,
        walk: &mut Walk<'m, METERED>,
    ) -> Result<Self, DecodeError>;
}

/// A record that can be decoded into a value that borrows nothing.
pub trait DecodeOwned: for<'m> Decode<'m> {}
impl<T: for<'m> Decode<'m>> DecodeOwned for T {}

/// What every view has besides its accessors. A trait, so that a field may have any name.
pub trait RecordView<'m>: Copy + Debug + PartialEq {
    /// The record that it shows; where the record has lifetimes, they are the message's.
    type Record: Zap;
    /// The layout of that record.
    #[doc(hidden)]
    const LAYOUT: &'static Layout = <Self::Record as Zap>::LAYOUT;

    /// The record as a value: its borrowed fields borrow from the message, its owned fields are copied. Works on any
    /// view, that of a nested record or a list element as well.
    ///
    /// It is not called `to_owned`, because every view is `Clone` and so has the standard library's method of that name
    /// already, which gives the view again.
    ///
    /// # Errors
    ///
    /// As [`Zap::decode`]: the first thing that is wrong with the bytes, or the budget.
    ///
    /// # Panics
    ///
    /// Never.
    fn to_record(&self) -> Result<Self::Record, DecodeError>
    where
        Self::Record: Decode<'m>,
    {
        decode_root(self.section(), None)
    }

    #[doc(hidden)]
    fn from_section(section: Section<'m>) -> Self;
    /// The fixed section that the view reads.
    #[doc(hidden)]
    fn section(&self) -> Section<'m>;
}

#[inline(always)]
pub(crate) fn decode_root<'m, T: Decode<'m>>(
    section: Section<'m>,
    source: Option<&'m Bytes>,
) -> Result<T, DecodeError> {
    let (limits, message_len) = (Limits::new(), section.message().len());
    // A transparent record is nested as its field is, which as a field of its own would have been counted.
    if const { T::NESTED || T::TAILS > nested::MAX_UNMETERED } {
        T::decode_root(section, &mut Walk::<true>::new(&limits, message_len, source))
    } else {
        T::decode_root(section, &mut Walk::<false>::new(&limits, message_len, source))
    }
}

#[inline(always)]
fn open_within<'m, T: Zap>(bytes: &'m [u8], limits: &Limits) -> Result<Section<'m>, DecodeError> {
    let section = T::open_root(bytes)?;
    if section.message().len() > limits.message_len() as usize {
        return Err(DecodeError::new(DecodeErrorKind::MessageTooLarge, 12).at(T::ROOT_PLACE));
    }
    Ok(section.with_depth(limits.depth()))
}

/// No run of texts is known.
const NO_RUN: (usize, usize) = (0, 0);

/// [`Zap::validate`] of a message whose header is not the canonical one, whose texts are not all ASCII, or in which
/// something is wrong.
///
/// Texts are many where there are lists, and looking at each by itself is most of the cost of a check: so the first try
/// only notes where they lie, and looks at all of them at once. Where that has been done already, they are the `run`.
#[cold]
#[inline(never)]
fn validate_unusual<R: Zap>(bytes: &[u8], limits: Limits, run: (usize, usize)) -> Result<Section<'_>, DecodeError> {
    let section = open_within::<R>(bytes, &limits)?;
    let message = section.message();
    let mut run = run;
    if run == NO_RUN && R::NESTED {
        let mut walk = Walk::<true>::deferring(true, &limits, message.len());
        let is_fine = R::check_fields(section, &mut walk).is_ok();
        if is_fine && walk.deferred(message).is_some_and(<[u8]>::is_ascii) {
            return Ok(section);
        }
        run = walk.run();
    }
    if let Some(texts) = message.get(run.0..run.1)
        && let Ok(known) = simdutf8::basic::from_utf8(texts)
        && let Some(mut walk) = Walk::<true>::knowing(run.0, known, &limits, message.len())
        && R::check_fields(section, &mut walk).is_ok()
    {
        return Ok(section);
    }
    // Bytes may lie between the texts, or texts overlap; or this tells what is wrong, and where.
    R::check_fields(section, &mut Walk::<true>::new(&limits, message.len(), None))?;
    Ok(section)
}

/// Cuts one message off the front of `bytes` and reads it.
fn split<'m, R: Zap, T>(
    bytes: &'m [u8],
    limits: &Limits,
    read: impl FnOnce(&'m [u8]) -> Result<T, DecodeError>,
) -> Result<Prefix<'m, T>, DecodeError> {
    match Message::split_first(bytes, limits).map_err(|error| error.at(R::ROOT_PLACE))? {
        Prefix::Complete { value, rest } => Ok(Prefix::Complete { value: read(value.as_bytes())?, rest }),
        Prefix::Incomplete { needed } => Ok(Prefix::Incomplete { needed }),
    }
}

/// Builds a view's `Debug` text: what each accessor returned, in the order of the fields.
#[doc(hidden)]
pub struct DebugView<'a, 'b> {
    out: fmt::DebugStruct<'a, 'b>,
    fields: core::slice::Iter<'static, FieldLayout>,
}

impl<'a, 'b> DebugView<'a, 'b> {
    /// Begins the text of a view of `R`.
    pub fn new<R: Zap>(f: &'a mut fmt::Formatter<'b>, view: &str) -> Self {
        Self { out: f.debug_struct(view), fields: R::FIELDS.iter() }
    }

    /// Adds the next field.
    #[must_use]
    pub fn field<V: Debug>(mut self, value: V) -> Self {
        if let Some(field) = self.fields.next() {
            self.out.field(field.name, &Capped(value));
        }
        self
    }

    /// Ends the text.
    ///
    /// # Errors
    ///
    /// The formatter's.
    pub fn finish(mut self) -> fmt::Result {
        self.out.finish()
    }
}
