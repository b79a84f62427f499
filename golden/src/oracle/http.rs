//! HTTP frames as the wire page states them (1.10), and the strictness it asks of a safe decoder.
//!
//! Values are the vector files' literal content: `method`, `target`, `proto`, `status`, `reason`, `headers`, `body`,
//! `trailers`, `chunk`; a null slot reads as `""` or `[]`.

use super::value::{hex, little_endian, unhex};
use super::wire::{Message, finish, put, put_slot};
use serde_json::{Map, Value, json};

/// One slot of a section.
enum Part {
    Text(&'static str),
    Bytes(&'static str),
    Pairs(&'static str),
    Status,
}

/// Type number, bytes of the section, and the parts by offset, in the order of the tail.
type Kind = (u16, u64, &'static [(u64, Part)]);

fn kind(name: &str) -> Result<Kind, String> {
    use Part::{Bytes, Pairs, Status, Text};
    Ok(match name {
        "request" => (
            1,
            48,
            &[
                (0, Text("method")),
                (8, Text("target")),
                (16, Text("proto")),
                (24, Pairs("headers")),
                (32, Bytes("body")),
                (40, Pairs("trailers")),
            ],
        ),
        "response" => (
            2,
            48,
            &[
                (0, Status),
                (8, Text("reason")),
                (16, Text("proto")),
                (24, Pairs("headers")),
                (32, Bytes("body")),
                (40, Pairs("trailers")),
            ],
        ),
        "response_head" => (3, 48, &[(0, Status), (8, Text("reason")), (16, Text("proto")), (24, Pairs("headers"))]),
        "data" => (4, 8, &[(0, Bytes("chunk"))]),
        "end" => (5, 8, &[(0, Pairs("trailers"))]),
        _ => return Err(format!("no such kind of frame: {name}")),
    })
}

/// The frame of a kind, without length prefix, that has this content.
///
/// # Errors
///
/// What is missing in the content, or not understood.
pub fn encode(kind_name: &str, content: &Value) -> Result<Vec<u8>, String> {
    let (number, section, parts) = kind(kind_name)?;
    let mut out = vec![0; 16 + section as usize];
    for (offset, part) in parts {
        let at = 16 + offset;
        let tail = match part {
            Part::Status => {
                let status = member(content, "status")?.as_u64().and_then(|status| u16::try_from(status).ok());
                put(&mut out, at, &status.ok_or("status: not a u16")?.to_le_bytes())?;
                continue;
            }
            Part::Text(name) => text_bytes(member(content, name)?)?,
            Part::Bytes(name) => body_bytes(member(content, name)?)?,
            Part::Pairs(name) => block(member(content, name)?)?,
        };
        if !tail.is_empty() {
            let target = out.len() as u64;
            put_slot(&mut out, at, target, tail.len() as u64)?;
            out.extend(tail);
        }
    }
    let mut message = finish(out, 1, 0, 16)?;
    put(&mut message, 6, &(number << 8).to_le_bytes())?;
    Ok(message)
}

/// The content of a frame that must be of this kind.
///
/// # Errors
///
/// The wire page's name of the first check that failed; or `error: ` and words for what only a strict decoder refuses.
pub fn decode(kind_name: &str, frame: &[u8]) -> Result<Value, String> {
    let (number, section, parts) = kind(kind_name)?;
    let message = Message::parse(frame)?;
    if message.flags() >> 8 != number {
        return Err("wrong_frame_type".into());
    }
    let root = message.root();
    if root < 16 || root >= message.size() {
        return Err("invalid_offset".into());
    }
    message.need(root, section).map_err(|_| "error: root object is truncated")?;

    // First what the parts point at, then the blocks' structure, then what HTTP has to say.
    let mut raw = Vec::new();
    for (offset, part) in parts {
        let bytes = match part {
            Part::Status => message.need(root, 2)?,
            _ => match message.bytes_slot(root + offset).map_err(|_| "error: slot points outside the message")? {
                None => &[],
                Some((at, len)) => message.need(at, len)?,
            },
        };
        raw.push((part, bytes));
    }
    let mut content = Map::new();
    for (part, bytes) in &raw {
        if let Part::Pairs(name) = part {
            let pairs = pairs(bytes).ok_or(format!("truncated_{name}"))?;
            content.insert(
                (*name).into(),
                pairs.into_iter().map(|(n, v)| json!([text_value(n), text_value(v)])).collect(),
            );
        }
    }
    for (part, bytes) in raw {
        match part {
            Part::Status => {
                let status = little_endian(bytes) as u64;
                if !(100..=999).contains(&status) {
                    return Err("error: status outside 100..999".into());
                }
                content.insert("status".into(), json!(status));
            }
            Part::Text(name) => {
                check_text(name, bytes)?;
                content.insert((*name).into(), text_value(bytes));
            }
            Part::Bytes(name) => {
                content.insert((*name).into(), json!(hex(bytes)));
            }
            Part::Pairs(name) => check_pairs(name, &pairs(bytes).unwrap_or_default())?,
        }
    }
    Ok(Value::Object(content))
}

/// The lengths of the complete frames at the front of a connection's bytes, and how the bytes end.
#[must_use]
pub fn frames(stream: &[u8]) -> (Vec<u64>, &'static str) {
    let mut rest = stream;
    let mut lengths = Vec::new();
    loop {
        // Fewer than four bytes cannot be told from a clean end.
        let Some((prefix, after)) = rest.split_at_checked(4) else { return (lengths, "eof") };
        let len = prefix.iter().fold(0_u64, |len, byte| len * 256 + u64::from(*byte));
        if len == 0 {
            return (lengths, "zero_length_frame");
        }
        if len > 67_108_864 {
            return (lengths, "frame_too_large");
        }
        let Some(after) = after.get(len as usize..) else { return (lengths, "short_frame") };
        lengths.push(len);
        rest = after;
    }
}

fn check_text(name: &str, bytes: &[u8]) -> Result<(), String> {
    match name {
        "method" if !bytes.is_empty() && !is_token(bytes) => Err("error: method is not a token".into()),
        "target" if bytes.iter().any(|byte| is_control(*byte) || *byte == b' ') => {
            Err("error: target has a control byte or space".into())
        }
        "reason" if bytes.iter().any(|byte| is_control(*byte) && *byte != b'\t') => {
            Err("error: reason has a control byte".into())
        }
        "proto" if bytes.iter().any(|byte| is_control(*byte)) => Err("error: proto has a control byte".into()),
        _ => Ok(()),
    }
}

fn check_pairs(block: &str, pairs: &[(&[u8], &[u8])]) -> Result<(), String> {
    let forbidden = "authorization, connection, content-encoding, content-length, content-range, content-type, cookie, \
        expect, host, keep-alive, location, max-forwards, proxy-authenticate, proxy-authorization, proxy-connection, \
        range, set-cookie, te, trailer, transfer-encoding, www-authenticate";
    for (name, value) in pairs {
        if !is_token(name) {
            return Err(format!("error: a name in {block} is not a token"));
        }
        if value.iter().any(|byte| is_control(*byte) && *byte != b'\t') {
            return Err(format!("error: a value in {block} has a control byte"));
        }
        let lower = String::from_utf8_lossy(name).to_lowercase();
        if block == "trailers" && forbidden.split(", ").any(|forbidden| forbidden == lower) {
            return Err("error: forbidden trailer".into());
        }
    }
    Ok(())
}

fn is_token(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().all(|byte| byte.is_ascii_graphic() && !b"\"(),/:;<=>?@[\\]{}".contains(byte))
}

fn is_control(byte: u8) -> bool {
    byte < 32 || byte == 127
}

/// The pairs that a block counts.
fn pairs(block: &[u8]) -> Option<Vec<(&[u8], &[u8])>> {
    if block.is_empty() {
        return Some(Vec::new());
    }
    let (count, mut rest) = block.split_at_checked(4)?;
    let mut pairs = Vec::new();
    for _ in 0..little_endian(count) {
        let name = piece(&mut rest)?;
        pairs.push((name, piece(&mut rest)?));
    }
    Some(pairs)
}

fn piece<'b>(rest: &mut &'b [u8]) -> Option<&'b [u8]> {
    let (len, after) = rest.split_at_checked(4)?;
    let (piece, after) = after.split_at_checked(little_endian(len) as usize)?;
    *rest = after;
    Some(piece)
}

/// A block; no bytes if there are no pairs.
fn block(pairs: &Value) -> Result<Vec<u8>, String> {
    let pairs = pairs.as_array().ok_or("pairs are not an array")?;
    if pairs.is_empty() {
        return Ok(Vec::new());
    }
    let mut out = (pairs.len() as u32).to_le_bytes().to_vec();
    for pair in pairs {
        let [name, value] = pair.as_array().map(Vec::as_slice).unwrap_or_default() else {
            return Err(format!("not a pair: {pair}"));
        };
        for text in [name, value] {
            let bytes = text_bytes(text)?;
            out.extend((bytes.len() as u32).to_le_bytes());
            out.extend(bytes);
        }
    }
    Ok(out)
}

fn member<'v>(content: &'v Value, name: &str) -> Result<&'v Value, String> {
    content.get(name).ok_or_else(|| format!("{name} is missing"))
}

/// The bytes of a string, or of `{"hex": ...}` where they are not UTF-8.
pub(crate) fn text_bytes(value: &Value) -> Result<Vec<u8>, String> {
    match (value.as_str(), value.get("hex").and_then(Value::as_str)) {
        (Some(text), _) => Ok(text.as_bytes().to_vec()),
        (_, Some(hex)) => unhex(hex),
        _ => Err(format!("neither a string nor hex: {value}")),
    }
}

/// The reverse of [`text_bytes`].
pub(crate) fn text_value(bytes: &[u8]) -> Value {
    std::str::from_utf8(bytes).map_or_else(|_| json!({ "hex": hex(bytes) }), Value::from)
}

/// The bytes of a body: hex, or a rule.
pub(crate) fn body_bytes(value: &Value) -> Result<Vec<u8>, String> {
    if let Some(text) = value.as_str() {
        return unhex(text);
    }
    let number = |key| member(value, key)?.as_u64().ok_or_else(|| format!("{key}: not a number"));
    let (mul, add, len) = (number("mul")?, number("add")?, number("len")?);
    Ok((0..len).map(|i| (i * mul + add) as u8).collect())
}
