//! Messages to look at: a table of every byte with the field it belongs to and the value it stands for.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod rows;

use core::fmt::{self, Write};

use alloc::string::String;
use alloc::vec::Vec;

use crate::dynamic::DynamicRecord;
use crate::json::spell::Hex;
use crate::{HEADER_LEN, Header, Layout, MAGIC};
use rows::{Row, Rows};

/// Bytes shown of a row.
const MAX_BYTES: usize = 8;
/// Columns that [`MAX_BYTES`] take, and the mark that there are more.
const BYTES_WIDTH: usize = 25;
/// The widest column of fields; longer names move their value to the right.
const MAX_FIELD_WIDTH: usize = 48;

/// A table of a message's bytes: where they are, what they are, which field they belong to, and its value.
///
/// For people: print it with `{}`. Any bytes can be shown. What is wrong is said at the field that finds it, and the
/// others follow; bytes that no field claims are listed as padding or unreferenced, bytes after the message's size as
/// such. At most some thousand rows are printed, and long bytes and texts are cut.
///
/// # Examples
///
/// ```
/// use zap_core::{Zap, annotate};
///
/// #[derive(Zap)]
/// struct Order {
///     id: u16,
///     item: String,
///     sizes: Vec<u32>,
/// }
///
/// let bytes = Order { id: 7, item: "green tea".into(), sizes: vec![1, 20, 300] }.to_vec()?;
/// assert_eq!(
///     annotate(&bytes, Order::LAYOUT).to_string(),
///     "\
/// Order: native, 61 bytes
/// offset  bytes                      field                value
///      0  5a 41 50 00                magic                ZAP
///      4  01 00                      version              1
///      6  00 00                      flags                0x0000
///      8  10 00 00 00                root                 at 16
///     12  3d 00 00 00                size                 61 bytes
///     16  07 00                      id: u16              7
///     18  00 00                      (padding)
///     20  20 00 00 00 09 00 00 00    item: text           9 bytes at 52
///     28  0c 00 00 00 03 00 00 00    sizes: list<u32>     3 elements at 40
///     36  00 00 00 00                (padding)
///     40  01 00 00 00 14 00 00 00 …  sizes[0..3]          1, 20, 300
///     52  67 72 65 65 6e 20 74 65 …  item                 \"green tea\"
/// "
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub const fn annotate<'m>(bytes: &'m [u8], layout: &'static Layout) -> Annotated<'m> {
    Annotated { bytes, layout }
}

/// What [`annotate`] returns: its `Display` is the table.
#[derive(Clone, Copy, Debug)]
pub struct Annotated<'m> {
    bytes: &'m [u8],
    layout: &'static Layout,
}

impl fmt::Display for Annotated<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Layout { name, dialect, .. } = self.layout;
        writeln!(f, "{name}: {dialect}, {}", Bytes(self.bytes.len()))?;
        let mut rows = Rows::new(self.bytes);
        header_rows(&mut rows, self.bytes);
        match DynamicRecord::open(self.bytes, self.layout) {
            Ok(record) => rows.record(record),
            Err(error) => rows.push(Row::note(error.offset() as usize, "(error)", &error.kind())),
        }
        let size = Header::parse(self.bytes).map_or(self.bytes.len(), |header| header.size as usize);
        print(f, &rows, size)
    }
}

/// The parts of the header, as far as there are bytes.
fn header_rows<'m>(rows: &mut Rows<'m>, bytes: &'m [u8]) {
    let Some(raw) = bytes.first_chunk::<HEADER_LEN>() else {
        return;
    };
    let [m0, m1, m2, m3, v0, v1, f0, f1, r0, r1, r2, r3, s0, s1, s2, s3] = *raw;
    let magic = if [m0, m1, m2, m3] == MAGIC { "ZAP" } else { "not the magic" };
    let version = u16::from_le_bytes([v0, v1]);
    let flags = u16::from_le_bytes([f0, f1]);
    let (root, size) = (u32::from_le_bytes([r0, r1, r2, r3]), u32::from_le_bytes([s0, s1, s2, s3]));
    let parts: [(usize, usize, &str, &dyn fmt::Display); 5] = [
        (0, 4, "magic", &magic),
        (4, 2, "version", &version),
        (6, 2, "flags", &format_args!("{flags:#06x}")),
        (8, 4, "root", &format_args!("at {root}")),
        (12, 4, "size", &format_args!("{size} bytes")),
    ];
    for (start, len, name, value) in parts {
        rows.push(Row::new(start, rows.slice(start, len), name, value));
    }
}

/// A number of bytes.
struct Bytes(usize);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} byte{}", self.0, if self.0 == 1 { "" } else { "s" })
    }
}

/// Prints the rows in the order of their bytes, and what lies between them.
fn print(f: &mut fmt::Formatter<'_>, rows: &Rows<'_>, size: usize) -> fmt::Result {
    let mut sorted: Vec<&Row<'_>> = rows.rows.iter().collect();
    sorted.sort_by_key(|row| row.start);
    let width = sorted.iter().map(|row| row.field.chars().count()).max().unwrap_or(0);
    let width = width.clamp("(after the message)".len(), MAX_FIELD_WIDTH);
    writeln!(f, "offset  {:BYTES_WIDTH$}  {:width$}  value", "bytes", "field")?;
    let mut covered = 0;
    for row in sorted {
        gap(f, rows, covered, row.start.min(size), width)?;
        print_row(f, row, width)?;
        covered = covered.max(row.end());
    }
    if rows.is_cut {
        writeln!(f, "     …  more rows than are shown")?;
    } else {
        gap(f, rows, covered, size, width)?;
    }
    let after = rows.slice(size, rows.bytes.len().saturating_sub(size));
    if !after.is_empty() {
        let value = format_args!("{} after the message's size", Bytes(after.len()));
        print_row(f, &Row::new(size, after, "(after the message)", &value), width)?;
    }
    Ok(())
}

/// The bytes that no field claims. Zeros up to the next multiple of eight are padding.
fn gap(f: &mut fmt::Formatter<'_>, rows: &Rows<'_>, start: usize, end: usize, width: usize) -> fmt::Result {
    let bytes = rows.slice(start, end.saturating_sub(start));
    if bytes.is_empty() {
        return Ok(());
    }
    if bytes.len() < 8 && bytes.iter().all(|byte| *byte == 0) {
        return print_row(f, &Row::new(start, bytes, "(padding)", &""), width);
    }
    let is_header = bytes.starts_with(&MAGIC) && bytes.len() == HEADER_LEN;
    let name = if is_header { "(header of a message inside)" } else { "(unreferenced)" };
    print_row(f, &Row::new(start, bytes, name, &Bytes(bytes.len())), width)
}

fn print_row(f: &mut fmt::Formatter<'_>, row: &Row<'_>, width: usize) -> fmt::Result {
    let mut bytes = String::new();
    for (index, byte) in row.bytes.iter().take(MAX_BYTES).enumerate() {
        let space = if index > 0 { " " } else { "" };
        write!(bytes, "{space}{}", Hex(&[*byte]))?;
    }
    if row.bytes.len() > MAX_BYTES {
        bytes.push_str(" …");
    }
    let line = if row.value.is_empty() {
        alloc::format!("{:6}  {bytes:BYTES_WIDTH$}  {}", row.start, row.field)
    } else {
        alloc::format!("{:6}  {bytes:BYTES_WIDTH$}  {:width$}  {}", row.start, row.field, row.value)
    };
    writeln!(f, "{line}")
}
