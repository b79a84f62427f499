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
    !bytes.is_empty() && bytes.iter().all(|&byte| TOKEN.get(usize::from(byte)).copied().unwrap_or(false))
}

/// Whether `bytes` holds no control byte but tab: a header's value, or a reason.
#[inline]
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    !bytes.iter().fold(false, |bad, &byte| bad | (((byte < 0x20) & (byte != b'\t')) | (byte == 0x7f)))
}

/// Whether `bytes` holds no control byte: the protocol's name.
#[inline]
pub(crate) fn is_proto(bytes: &[u8]) -> bool {
    !bytes.iter().fold(false, |bad, &byte| bad | ((byte < 0x20) | (byte == 0x7f)))
}

/// Whether `bytes` holds neither control byte nor space: a target.
#[inline]
pub(crate) fn is_target(bytes: &[u8]) -> bool {
    !bytes.iter().fold(false, |bad, &byte| bad | ((byte <= 0x20) | (byte == 0x7f)))
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
mod tests {
    use super::*;

    /// Every byte, against the sets as the RFC spells them.
    #[test]
    fn every_byte() {
        for byte in 0..=255_u8 {
            let one = [byte];
            let token = byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
            assert_eq!(is_token(&one), token, "{byte:#x}");
            assert_eq!(is_text(&one), byte == b'\t' || !byte.is_ascii_control(), "{byte:#x}");
            assert_eq!(is_proto(&one), !byte.is_ascii_control(), "{byte:#x}");
            assert_eq!(is_target(&one), byte != b' ' && !byte.is_ascii_control(), "{byte:#x}");
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
