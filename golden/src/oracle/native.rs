//! Our own dialect: sections at fixed offsets, lists at a fixed stride, all text and bytes in one range at the end.
//!
//! The rules in short; each part states its own in full:
//!
//! * `layout`: fields take slots in declaration order at their own alignment. A section's size is rounded up to its
//!   largest alignment, the root's to 8. Nested records are inline.
//! * `write`: one visit in pre-order. A section's fields in order; at a list its body is reserved, then its elements are
//!   visited; at a pointer the section is reserved and visited. List bodies and sections go to the structure region, text
//!   and bytes (and lists of u8) to the tail region, unpadded, and the tail follows the structure at once.
//! * `read`: null text, bytes and lists are empty; every slot that is not null must resolve, and outside the section that
//!   holds it; text is checked as UTF-8.
//!
//! Where the rules leave a choice, this reader takes the strict one: each list element is a section of its own, the root's
//! section includes its rounding, a growable length below its own 4 bytes is an error, and a unit variant may not have a
//! pointer.

mod layout;
mod order;
mod read;
mod write;

pub use read::decode;
pub use write::encode;
