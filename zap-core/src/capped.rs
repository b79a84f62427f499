//! `Debug` text of values from untrusted bytes, cut off: a small message must not fill a log.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::fmt::{self, Write};

/// Bytes of text printed of one field or element.
const MAX_TEXT: usize = 1024;

/// A value whose `Debug` text ends with "…" after 1 KiB. What is cut off is not formatted either.
pub(crate) struct Capped<V>(pub(crate) V);

impl<V: fmt::Debug> fmt::Debug for Capped<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_pretty = f.alternate();
        let mut writer = Writer::new(f, MAX_TEXT);
        let written = if is_pretty { write!(writer, "{:#?}", self.0) } else { write!(writer, "{:?}", self.0) };
        writer.end(written)
    }
}

/// Writes up to a number of bytes, and then an error, so that no more is formatted.
pub(crate) struct Writer<'a, 'f> {
    out: &'a mut fmt::Formatter<'f>,
    left: usize,
    is_cut: bool,
}

impl<'a, 'f> Writer<'a, 'f> {
    pub(crate) const fn new(out: &'a mut fmt::Formatter<'f>, max_len: usize) -> Self {
        Self { out, left: max_len, is_cut: false }
    }

    /// Ends text that was cut with "…". `written` is what writing gave.
    pub(crate) fn end(self, written: fmt::Result) -> fmt::Result {
        // An error of the writer's own only says that the rest is not wanted.
        if self.is_cut { self.out.write_char('…') } else { written }
    }
}

impl Write for Writer<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if let Some(left) = self.left.checked_sub(text.len()) {
            self.left = left;
            return self.out.write_str(text);
        }
        self.is_cut = true;
        let end = text.floor_char_boundary(self.left);
        self.out.write_str(text.get(..end).unwrap_or_default())?;
        Err(fmt::Error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_text_is_whole_and_long_text_is_cut() {
        assert_eq!(alloc::format!("{:?}", Capped("ab")), "\"ab\"");
        assert_eq!(alloc::format!("{:#?}", Capped(Some(1))), "Some(\n    1,\n)");
        let long = alloc::format!("{:?}", Capped("ä".repeat(4096)));
        assert!(long.len() <= MAX_TEXT.saturating_add('…'.len_utf8()) && long.ends_with('…'), "{}", long.len());
    }
}
