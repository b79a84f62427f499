//! Which bytes may stand where: the rules of RFC 9110 that the wire page asks of a strict end.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

/// Names that a trailer block must not hold, in lower case (wire 1.10).
const FORBIDDEN_TRAILERS: [&str; 21] = [
    "authorization",
    "connection",
    "content-encoding",
    "content-length",
    "content-range",
    "content-type",
    "cookie",
    "expect",
    "host",
    "keep-alive",
    "location",
    "max-forwards",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "range",
    "set-cookie",
    "te",
    "trailer",
    "transfer-encoding",
    "www-authenticate",
];

/// Whether each byte may stand in a token.
const TOKEN: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    loop {
        let punctuation = matches!(
            byte,
            b'!' | b'#' | b'$' | b'%' | b'&' | b'\'' | b'*' | b'+' | b'-' | b'.' | b'^' | b'_' | b'`' | b'|' | b'~'
        );
        // The index is below 256.
        #[allow(clippy::indexing_slicing)]
        {
            table[byte as usize] = punctuation || byte.is_ascii_alphanumeric();
        }
        match byte.checked_add(1) {
            Some(next) => byte = next,
            None => break table,
        }
    }
};

/// Whether `bytes` is a token: a method, or the name of a header.
#[inline]
pub(crate) fn is_token(bytes: &[u8]) -> bool {
    // No early end: names are short, and the loop is unrolled without it.
    let all = bytes.iter().fold(true, |all, &byte| all & TOKEN.get(usize::from(byte)).copied().unwrap_or(false));
    all & !bytes.is_empty()
}

/// Whether `bytes` holds no control byte but tab: a header's value, or a reason.
#[inline]
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    is_plain::<0x20>(bytes) || is_text_with_tabs(bytes)
}

#[cold]
fn is_text_with_tabs(bytes: &[u8]) -> bool {
    bytes.iter().all(|&byte| byte == b'\t' || (byte >= 0x20 && byte != 0x7f))
}

/// Whether `bytes` holds no control byte: the protocol's name.
#[inline]
pub(crate) fn is_proto(bytes: &[u8]) -> bool {
    bytes == b"HTTP/1.1" || is_plain::<0x20>(bytes)
}

/// Whether `bytes` holds neither control byte nor space: a target.
#[inline]
pub(crate) fn is_target(bytes: &[u8]) -> bool {
    is_plain::<0x21>(bytes)
}

/// Whether no byte is below `LOW` (at most 0x80) or 0x7f; eight bytes at a time.
#[inline]
fn is_plain<const LOW: u8>(bytes: &[u8]) -> bool {
    // The last word may overlap the one before it.
    if let Some(last) = bytes.last_chunk() {
        let words = bytes.as_chunks().0.iter().chain([last]);
        return words.fold(0, |flags, word| flags | flag_bytes::<LOW>(u64::from_le_bytes(*word))) == 0;
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let word = u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last));
        return flag_bytes::<LOW>(word) == 0;
    }
    !bytes.iter().fold(false, |bad, &byte| bad | (byte < LOW) | (byte == 0x7f))
}

/// Zero if no byte of `word` is below `LOW` or 0x7f.
///
/// Subtracting `n` from each byte sets the upper bit of one that is below `n`, unless it was set before. A borrow into the
/// next byte only comes from one that is flagged itself.
#[inline]
fn flag_bytes<const LOW: u8>(word: u64) -> u64 {
    const fn each(byte: u8) -> u64 {
        u64::from_le_bytes([byte; 8])
    }
    let below = |word: u64, low| word.wrapping_sub(low) & !word & each(0x80);
    below(word, each(LOW)) | below(word ^ each(0x7f), each(1))
}

/// Whether a status is one: 100 to 999.
#[inline]
pub(crate) const fn is_status(status: u16) -> bool {
    100 <= status && status <= 999
}

/// Whether a name, however spelled, must not be a trailer's.
pub(crate) fn is_forbidden_trailer(name: &[u8]) -> bool {
    FORBIDDEN_TRAILERS.iter().any(|forbidden| name.eq_ignore_ascii_case(forbidden.as_bytes()))
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::*;

    /// Every byte, against the sets as the RFC spells them.
    #[test]
    fn every_byte() {
        for byte in 0..=255_u8 {
            let one = [byte];
            // Alone, and in any place of a word, and of the word at the end.
            let among = |at: usize| {
                let mut bytes = [b'a'; 19];
                bytes[at] = byte;
                bytes
            };
            let token = byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
            assert_eq!(is_token(&one), token, "{byte:#x}");
            assert_eq!(is_text(&one), byte == b'\t' || !byte.is_ascii_control(), "{byte:#x}");
            assert_eq!(is_proto(&one), !byte.is_ascii_control(), "{byte:#x}");
            assert_eq!(is_target(&one), byte != b' ' && !byte.is_ascii_control(), "{byte:#x}");
            for bytes in (0..19).map(among) {
                let long = (is_token(&bytes), is_text(&bytes), is_proto(&bytes), is_target(&bytes));
                assert_eq!(long, (is_token(&one), is_text(&one), is_proto(&one), is_target(&one)), "{bytes:x?}");
                // Behind all shorter starts, too.
                for start in 0..19 {
                    let part = &bytes[start..];
                    let alone = !part.contains(&byte) || byte == b'a' || is_target(&one);
                    assert_eq!(is_target(part), alone, "{part:x?}");
                    assert_eq!(is_token(part), !part.contains(&byte) || is_token(&one), "{part:x?}");
                }
            }
        }
        assert!(!is_token(b"") && is_text(b"") && is_proto(b"") && is_target(b""));
    }

    #[test]
    fn trailers_are_compared_without_case() {
        assert!(is_forbidden_trailer(b"Content-LENGTH") && is_forbidden_trailer(b"TE"));
        assert!(!is_forbidden_trailer(b"X-Sum") && !is_forbidden_trailer(b""));
    }

    #[test]
    fn statuses() {
        assert!(is_status(100) && is_status(999) && !is_status(99) && !is_status(1000) && !is_status(0));
    }
}
