//! Lowercase hex, as the vector files write bytes.

use std::fmt::Write as _;

/// The bytes that `text` spells.
///
/// # Errors
///
/// Says what is wrong: an odd number of digits, or a digit that is none.
pub fn decode(text: &str) -> Result<Vec<u8>, String> {
    if !text.len().is_multiple_of(2) {
        return Err(format!("hex of {} digits", text.len()));
    }
    text.as_bytes()
        .chunks(2)
        .map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?))
        .collect::<Option<_>>()
        .ok_or_else(|| format!("not lowercase hex: {text:?}"))
}

/// `bytes` as lowercase hex.
#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        assert_eq!(decode("00ff1a"), Ok(vec![0, 255, 26]));
        assert_eq!(encode(&[0, 255, 26]), "00ff1a");
        assert!(decode("0").is_err() && decode("0G").is_err() && decode("FF").is_err() && decode("é").is_err());
    }
}
