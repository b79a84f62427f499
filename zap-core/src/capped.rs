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
        let mut writer = Writer { out: f, left: MAX_TEXT, is_cut: false };
        let written = if is_pretty { write!(writer, "{:#?}", self.0) } else { write!(writer, "{:?}", self.0) };
        // An error of the writer's own only says that the rest is not wanted.
        if writer.is_cut { f.write_char('…') } else { written }
    }
}

struct Writer<'a, 'f> {
    out: &'a mut fmt::Formatter<'f>,
    left: usize,
    is_cut: bool,
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
