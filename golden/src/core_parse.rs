//! `core_parse.json`: the parse verdict of some bytes, and the reads of what parses.

use serde_json::{Value, json};
use zap_core::{DecodeErrorKind, Message};

use crate::{hex, reads::check_reads};

/// Replays one case: the verdict, and the reads if there is a message.
///
/// # Errors
///
/// Says what differed, or what in the case is not understood.
pub fn replay(case: &Value) -> Result<(), String> {
    allow(case, &["name", "note", "peer_defect", "hex", "parse", "reads"])?;
    let message = hex::decode(text(case, "hex")?)?;
    let verdict = case.get("parse").ok_or("the case has no `parse`")?;
    check_parse(&message, verdict)?;
    match (verdict["ok"].as_bool(), case.get("reads")) {
        (Some(true), _) => check_reads(&message, case),
        (_, Some(Value::Array(reads))) if !reads.is_empty() => Err("a message that does not parse has reads".into()),
        _ => Ok(()),
    }
}

/// Compares what parsing `message` gives with a `parse` verdict of the vector files.
///
/// # Errors
///
/// Says what differed, or what in the verdict is not understood.
pub fn check_parse(message: &[u8], verdict: &Value) -> Result<(), String> {
    let got = match Message::parse(message) {
        Err(error) => json!({ "ok": false, "error": error_name(error.kind())? }),
        Ok(message) => json!({
            "ok": true,
            "version": message.version(),
            "flags": message.flags(),
            "size": message.size(),
            "root_offset": message.root_offset(),
            "root_is_null": message.root().is_null(),
        }),
    };
    let mut wanted = verdict.as_object().ok_or("`parse` is not an object")?.clone();
    // Roots inside the header: the peer reads header bytes there, we have no root.
    if let Some(safe) = wanted.remove("safe_root_is_null") {
        wanted.insert("root_is_null".into(), safe);
    }
    let wanted = Value::Object(wanted);
    if got == wanted { Ok(()) } else { Err(format!("parse: wanted {wanted}, got {got}")) }
}

/// The name that the vector files give an error of parsing.
fn error_name(kind: DecodeErrorKind) -> Result<&'static str, String> {
    match kind {
        DecodeErrorKind::BufferTooSmall => Ok("buffer_too_small"),
        DecodeErrorKind::InvalidMagic => Ok("invalid_magic"),
        DecodeErrorKind::UnsupportedVersion => Ok("unsupported_version"),
        other => Err(format!("parse: an error that the wire page does not have: {other:?}")),
    }
}

/// Refuses keys that nothing would check.
pub(crate) fn allow(value: &Value, keys: &[&str]) -> Result<(), String> {
    let object = value.as_object().ok_or_else(|| format!("not an object: {value}"))?;
    match object.keys().find(|key| !keys.contains(&key.as_str())) {
        Some(key) => Err(format!("unknown key `{key}` in {value}")),
        None => Ok(()),
    }
}

pub(crate) fn text<'c>(value: &'c Value, key: &str) -> Result<&'c str, String> {
    value.get(key).and_then(Value::as_str).ok_or_else(|| format!("no text `{key}` in {value}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reads::tests::replay_all;

    #[test]
    fn all_cases() {
        replay_all("core_parse.json", replay);
    }

    #[test]
    fn a_wrong_verdict_is_an_error() {
        let message = zap_core::Builder::new().into_vec();
        let verdict = |size| json!({ "ok": true, "version": 1, "flags": 0, "size": size, "root_offset": 0, "root_is_null": true });
        assert_eq!(check_parse(&message, &verdict(16)), Ok(()));
        assert!(check_parse(&message, &verdict(17)).is_err());
        assert!(check_parse(&message, &json!({ "ok": true })).is_err());
        assert!(check_parse(b"", &json!({ "ok": false, "error": "invalid_magic" })).is_err());
    }
}
