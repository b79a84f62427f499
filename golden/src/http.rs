//! One case of `http_frames.json` or `http_hostile.json`, in both directions, through the oracle and through `zap-http`.

use crate::core_parse::{allow, text};
use crate::hex;
use crate::oracle::http::{self as oracle, body_bytes, text_bytes, text_value};
use crate::oracle::sha256::sha256;
use serde_json::{Value, json};
use zap_http::proto::{
    Data, Deframer, EncodeError, Encoded, Encoder, End, Frame, FrameErrorKind, FrameLimits, FramingFault, Headers,
    MessageWriter, Request, Response, ResponseHead, StreamEnd,
};

/// Bytes from each end that are tried as splits of a stream.
const STEPS: [usize; 5] = [1, 2, 3, 7, usize::MAX];

/// A case of `http_frames.json`.
///
/// # Errors
///
/// Says what differed, or what in the case is not understood.
pub fn replay_frame(case: &Value) -> Result<(), String> {
    let kind = text(case, "kind")?;
    if kind == "sequence" {
        return replay_sequence(case);
    }
    let keys = ["name", "note", "kind", "inputs", "hex", "decoded", "reencode_identical"];
    allow(case, &[&keys[..], &["frame_len", "sha256", "prefix_hex"]].concat())?;
    let inputs = case.get("inputs").ok_or("the case has no `inputs`")?;
    let wanted = stated_frame(case, kind, inputs)?;
    same_bytes("the oracle's frame", &wanted, &oracle::encode(kind, inputs)?)?;
    for pieces in [false, true] {
        same_bytes("the frame", &wanted, &encode(kind, inputs, pieces)?)?;
    }
    let inputs = spelled_out(inputs)?;
    same("the oracle's content", &inputs, &oracle::decode(kind, &wanted)?)?;
    same("the content", &with_defaults(&inputs), &decode(kind, &wanted).map_err(|kind| format!("{kind:?}"))?)
}

/// The frame that a case states: all of it, or what is before its body, the body's rule and a digest of all.
fn stated_frame(case: &Value, kind: &str, inputs: &Value) -> Result<Vec<u8>, String> {
    if case.get("hex").is_some() {
        return hex::decode(text(case, "hex")?);
    }
    let body = inputs.get(if kind == "data" { "chunk" } else { "body" }).ok_or("there is no body")?;
    let frame = [hex::decode(text(case, "prefix_hex")?)?, body_bytes(body)?].concat();
    same("frame_len", &case["frame_len"], &json!(frame.len()))?;
    same("sha256", &case["sha256"], &json!(hex::encode(&sha256(&frame))))?;
    Ok(frame)
}

/// The frames of a connection: with their prefixes they are the stream, however it is split.
fn replay_sequence(case: &Value) -> Result<(), String> {
    allow(case, &["name", "note", "kind", "frame_kinds", "frames", "stream_hex"])?;
    let list = |key: &str| -> Result<Vec<&str>, String> {
        let items = case[key].as_array().ok_or_else(|| format!("no list `{key}`"))?;
        items.iter().map(|item| item.as_str().ok_or_else(|| format!("{key}: not text: {item}"))).collect()
    };
    let kinds = list("frame_kinds")?;
    let frames = list("frames")?.into_iter().map(hex::decode).collect::<Result<Vec<_>, _>>()?;
    same("frame_kinds", &json!(kinds.len()), &json!(frames.len()))?;
    let stream = hex::decode(text(case, "stream_hex")?)?;
    let mut written = Vec::new();
    for (kind, frame) in kinds.iter().zip(&frames) {
        let content = oracle::decode(kind, frame)?;
        same("the content", &with_defaults(&content), &decode(kind, frame).map_err(|kind| format!("{kind:?}"))?)?;
        same_bytes("a frame", frame, &encode(kind, &content, false)?)?;
        append(kind, &content, Encoder::frame(&mut written), false)?;
    }
    same_bytes("the stream", &stream, &written)?;
    same("the oracle's frames", &json!([frames.len(), "eof"]), &json!([oracle::frames(&stream).0.len(), "eof"]))?;
    for step in STEPS {
        let (found, end) = deframe(&stream, step);
        if found != frames || end != "eof" {
            return Err(format!("in steps of {step} bytes: {} frames, then {end}", found.len()));
        }
    }
    Ok(())
}

/// A case of `http_hostile.json`.
///
/// # Errors
///
/// Says what differed, or what in the case is not understood.
pub fn replay_hostile(case: &Value) -> Result<(), String> {
    let kind = text(case, "decode_as")?;
    let bytes = hex::decode(text(case, "hex")?)?;
    if kind == "stream" {
        return replay_stream(case, &bytes);
    }
    let keys = ["name", "note", "decode_as", "hex", "ok", "error", "wire", "decoded", "peer_defect", "safe"];
    allow(case, &keys)?;
    let ours = decode(kind, &bytes).map_err(|error| error_name(error).to_owned());
    if Frame::decode(&bytes, &FrameLimits::new()).is_ok() != ours.is_ok() && case["error"] != "wrong_frame_type" {
        return Err("the decoder of any type does not agree with the decoder of this type".into());
    }
    let oracles = oracle::decode(kind, &bytes);
    let wire = case.get("wire").map(spelled_out).transpose()?;
    verdict(case, wire.as_ref(), oracles).map_err(|error| format!("oracle: {error}"))?;
    verdict(case, wire.map(|wire| with_defaults(&wire)).as_ref(), ours)
}

/// Compares a result with what the case wants of a safe decoder.
fn verdict(case: &Value, wire: Option<&Value>, got: Result<Value, String>) -> Result<(), String> {
    let accepted = case["ok"].as_bool().ok_or("no verdict `ok`")?;
    let safe = case.get("safe").and_then(Value::as_str).unwrap_or_default();
    if case.get("peer_defect").is_some_and(|defect| defect == true) == safe.is_empty() {
        return Err("`peer_defect` and `safe` go together".into());
    }
    match got {
        Err(error) if !accepted => same("the error", &case["error"], &json!(error)),
        Ok(content) if !accepted => Err(format!("must be refused, but reads as {content}")),
        Ok(content) if safe.starts_with("error") || safe.starts_with("drop") => {
            Err(format!("must be refused ({safe}), but reads as {content}"))
        }
        Err(_) if safe.starts_with("error") || safe.contains("reject") => Ok(()),
        Err(error) => Err(format!("must be read, but is refused: {error}")),
        Ok(content) => same("the content", wire.ok_or("no `wire`")?, &content),
    }
}

/// A connection's bytes: complete frames, and how it ends.
fn replay_stream(case: &Value, bytes: &[u8]) -> Result<(), String> {
    allow(case, &["name", "note", "decode_as", "hex", "frame_lengths", "end"])?;
    let wanted = json!([case["frame_lengths"], case["end"]]);
    let (lengths, end) = oracle::frames(bytes);
    same("the oracle's frames", &wanted, &json!([lengths, end]))?;
    for step in STEPS {
        let (frames, end) = deframe(bytes, step);
        let lengths: Vec<usize> = frames.iter().map(Vec::len).collect();
        same(&format!("in steps of {step} bytes"), &wanted, &json!([lengths, end]))?;
    }
    Ok(())
}

/// The frames of a stream given in pieces of `step` bytes, and its end as the vector files name it.
fn deframe(stream: &[u8], step: usize) -> (Vec<Vec<u8>>, &'static str) {
    let mut deframer = Deframer::new(zap_http::proto::MAX_FRAME_LEN);
    let (mut frames, mut spare) = (Vec::new(), Vec::new());
    for piece in stream.chunks(step.min(stream.len().max(1))) {
        deframer.recv(piece);
        let mut batch = deframer.take_batch(spare);
        while let Some(frame) = batch.next_frame() {
            frames.push(frame.to_vec());
        }
        spare = batch.into_spare();
    }
    let end = match (deframer.fault(), deframer.end()) {
        (Some(FramingFault::ZeroLength), _) => "zero_length_frame",
        (Some(_), _) => "frame_too_large",
        (None, StreamEnd::InsideFrame) => "short_frame",
        // The vectors' peer cannot tell a cut prefix from a clean end.
        (None, StreamEnd::InsidePrefix | StreamEnd::Clean) => "eof",
    };
    (frames, end)
}

/// The frame by `zap-http`; with its body copied, or sent from elsewhere.
fn encode(kind: &str, content: &Value, pieces: bool) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let encoded = append(kind, content, Encoder::message(&mut out), pieces)?;
    if let Some(at) = encoded.body_at {
        let body = content.get("body").or(content.get("chunk")).ok_or("there is no body")?;
        out.splice(at..at, body_bytes(body)?);
    }
    Ok(out)
}

fn append(kind: &str, content: &Value, encoder: Encoder<'_>, pieces: bool) -> Result<Encoded, String> {
    let says = |error: EncodeError| error.to_string();
    let text = |key: &str| text_bytes(&content[key]);
    let proto = text("proto").unwrap_or_default();
    let encoder = encoder.proto(&proto);
    let status = || content["status"].as_u64().and_then(|status| u16::try_from(status).ok()).ok_or("not a status");
    let mut writer = match kind {
        "request" => encoder.request(text("method")?, text("target")?).map_err(says)?,
        "response" => encoder.response(status()?, text("reason")?).map_err(says)?,
        "response_head" => encoder.response_head(status()?, text("reason")?).map_err(says)?,
        "end" => encoder.end().map_err(says)?,
        "data" => {
            let chunk = body_bytes(&content["chunk"])?;
            return if pieces { encoder.data_elsewhere(chunk.len()) } else { encoder.data(&chunk) }.map_err(says);
        }
        _ => return Err(format!("no such kind of frame: {kind}")),
    };
    for_pairs(content, "headers", &mut writer, |writer, name, value| writer.header(name, value).map(drop))?;
    if let Some(body) = content.get("body") {
        let body = body_bytes(body)?;
        if pieces { writer.body_elsewhere(body.len()) } else { writer.body(&body) }.map_err(says)?;
    }
    for_pairs(content, "trailers", &mut writer, |writer, name, value| writer.trailer(name, value).map(drop))?;
    writer.finish().map_err(says)
}

fn for_pairs(
    content: &Value,
    key: &str,
    writer: &mut MessageWriter<'_>,
    append: impl Fn(&mut MessageWriter<'_>, &[u8], &[u8]) -> Result<(), EncodeError>,
) -> Result<(), String> {
    for pair in content.get(key).and_then(Value::as_array).into_iter().flatten() {
        append(writer, &text_bytes(&pair[0])?, &text_bytes(&pair[1])?).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// The content of a frame of one kind by `zap-http`.
fn decode(kind: &str, frame: &[u8]) -> Result<Value, FrameErrorKind> {
    let limits = FrameLimits::new();
    let content = match kind {
        "request" => Request::decode(frame, &limits).map(|request| {
            json!({
                "method": text_value(request.method()),
                "target": text_value(request.target()),
                "proto": text_value(request.proto()),
                "headers": pairs(request.headers()),
                "body": hex::encode(request.body()),
                "trailers": pairs(request.trailers()),
            })
        }),
        "response" => Response::decode(frame, &limits).map(|response| {
            let mut content = head(response.head());
            content["body"] = json!(hex::encode(response.body()));
            content["trailers"] = pairs(response.trailers());
            content
        }),
        "response_head" => ResponseHead::decode(frame, &limits).map(head),
        "data" => Data::decode(frame, &limits).map(|data| json!({ "chunk": hex::encode(data.chunk()) })),
        _ => End::decode(frame, &limits).map(|end| json!({ "trailers": pairs(end.trailers()) })),
    };
    content.map_err(|error| error.kind())
}

fn head(head: ResponseHead<'_>) -> Value {
    json!({
        "status": head.status(),
        "reason": text_value(head.reason()),
        "proto": text_value(head.proto()),
        "headers": pairs(head.headers()),
    })
}

fn pairs(headers: Headers<'_>) -> Value {
    headers.iter().map(|(name, value)| json!([text_value(name), text_value(value)])).collect()
}

/// What the vector files call an error; what only a strict decoder refuses has no name there.
fn error_name(kind: FrameErrorKind) -> &'static str {
    match kind {
        FrameErrorKind::BufferTooSmall => "buffer_too_small",
        FrameErrorKind::InvalidMagic => "invalid_magic",
        FrameErrorKind::UnsupportedVersion => "unsupported_version",
        FrameErrorKind::WrongFrameType => "wrong_frame_type",
        FrameErrorKind::InvalidRoot => "invalid_offset",
        FrameErrorKind::TruncatedHeaders => "truncated_headers",
        FrameErrorKind::TruncatedTrailers => "truncated_trailers",
        _ => "error",
    }
}

/// The content with bodies as hex instead of rules.
fn spelled_out(content: &Value) -> Result<Value, String> {
    let mut content = content.clone();
    for key in ["body", "chunk"] {
        if let Some(body) = content.get(key) {
            content[key] = json!(hex::encode(&body_bytes(body)?));
        }
    }
    Ok(content)
}

/// The content as it is read where null has a meaning.
fn with_defaults(content: &Value) -> Value {
    let mut content = content.clone();
    for (key, default) in [("method", "GET"), ("target", "/"), ("proto", "HTTP/1.1")] {
        if content.get(key).is_some_and(|value| value == "") {
            content[key] = json!(default);
        }
    }
    content
}

fn same(what: &str, wanted: &Value, got: &Value) -> Result<(), String> {
    if wanted == got { Ok(()) } else { Err(format!("{what}: wanted {wanted}, got {got}")) }
}

fn same_bytes(what: &str, wanted: &[u8], got: &[u8]) -> Result<(), String> {
    let at = wanted.iter().zip(got).position(|(a, b)| a != b).unwrap_or(wanted.len().min(got.len()));
    if wanted == got { Ok(()) } else { Err(format!("{what} differs at byte {at}")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reads::tests::replay_all;

    #[test]
    fn all_cases() {
        replay_all("http_frames.json", replay_frame);
        replay_all("http_hostile.json", replay_hostile);
    }
}
