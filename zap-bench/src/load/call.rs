//! A request in both protocols, and whether an answer is the right one.

use std::ops::Range;

use zap_http::proto::{Encoder, FrameLimits, MAX_FRAME_LEN, Response};

/// What the two ends speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    Zap,
    Http1,
}

/// A request, made again and again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Call {
    /// Its bytes on the wire.
    pub(crate) fn encode(&self, protocol: Protocol) -> Result<Vec<u8>, String> {
        match protocol {
            Protocol::Zap => self.zap(),
            Protocol::Http1 => Ok(self.http1()),
        }
    }

    fn zap(&self) -> Result<Vec<u8>, String> {
        let mut wire = Vec::new();
        let mut request = Encoder::frame(&mut wire).request(&self.method, &self.target).map_err(text)?;
        for (name, value) in &self.headers {
            request.header(name, value).map_err(text)?;
        }
        request.body(&self.body).map_err(text)?;
        request.finish().map_err(text)?;
        Ok(wire)
    }

    fn http1(&self) -> Vec<u8> {
        let mut wire = format!("{} {} HTTP/1.1\r\n", self.method, self.target);
        for (name, value) in &self.headers {
            wire.push_str(&format!("{name}: {value}\r\n"));
        }
        if !self.body.is_empty() {
            wire.push_str(&format!("content-length: {}\r\n", self.body.len()));
        }
        wire.push_str("\r\n");
        let mut wire = wire.into_bytes();
        wire.extend_from_slice(&self.body);
        wire
    }
}

/// What stands at the front of the bytes received. Lengths are those of the whole answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Front {
    Incomplete,
    Right(usize),
    WrongStatus(usize),
    WrongBody(usize),
}

/// Tells right answers from wrong ones.
///
/// The right body is given, or else that of the first answer of a good status. An answer equal to one that was right
/// before, but for an HTTP/1.1 date, is right; any other is taken apart, and its status and body compared.
#[derive(Clone, Debug)]
pub(crate) struct Checker {
    protocol: Protocol,
    body: Option<Vec<u8>>,
    known: Option<Known>,
}

/// An answer that was right.
#[derive(Clone, Debug)]
struct Known {
    bytes: Vec<u8>,
    /// Where the date stands, which changes from second to second.
    date: Range<usize>,
}

/// An answer, taken apart.
struct Answer<'b> {
    status: u16,
    body: &'b [u8],
    len: usize,
}

impl Checker {
    pub(crate) fn new(protocol: Protocol, body: Option<Vec<u8>>) -> Self {
        Self { protocol, body, known: None }
    }

    /// Bytes of a right answer, once there was one.
    pub(crate) fn answer_len(&self) -> Option<usize> {
        self.known.as_ref().map(|known| known.bytes.len())
    }

    /// Looks at the bytes received.
    ///
    /// # Errors
    ///
    /// They are no answer.
    pub(crate) fn front(&mut self, bytes: &[u8]) -> Result<Front, String> {
        if let Some(known) = &self.known
            && let Some(answer) = bytes.get(..known.bytes.len())
            && known.matches(answer)
        {
            return Ok(Front::Right(known.bytes.len()));
        }
        let answer = match self.protocol {
            Protocol::Zap => zap_answer(bytes)?,
            Protocol::Http1 => http1_answer(bytes)?,
        };
        let Some(Answer { status, body, len }) = answer else { return Ok(Front::Incomplete) };
        if !(200..300).contains(&status) {
            return Ok(Front::WrongStatus(len));
        }
        match &self.body {
            Some(right) if right != body => return Ok(Front::WrongBody(len)),
            Some(_) => (),
            None => self.body = Some(body.to_vec()),
        }
        self.known = bytes.get(..len).map(|bytes| Known::new(bytes, self.protocol));
        Ok(Front::Right(len))
    }
}

impl Known {
    fn new(bytes: &[u8], protocol: Protocol) -> Self {
        let head_len = find(bytes, b"\r\n\r\n").filter(|_| protocol == Protocol::Http1).unwrap_or(0);
        let head = String::from_utf8_lossy(&bytes[..head_len]).to_ascii_lowercase();
        let date = match head.find("\r\ndate: ") {
            Some(at) => at + 8..(at + 8 + 29).min(head_len),
            None => 0..0,
        };
        Self { bytes: bytes.to_vec(), date }
    }

    fn matches(&self, answer: &[u8]) -> bool {
        let (before, after) = (..self.date.start, self.date.end..);
        answer[before] == self.bytes[before] && answer[after.clone()] == self.bytes[after]
    }
}

/// The first frame. A streamed answer is more than one, and no answer here.
fn zap_answer(bytes: &[u8]) -> Result<Option<Answer<'_>>, String> {
    let Some((prefix, rest)) = bytes.split_first_chunk::<4>() else { return Ok(None) };
    let len = u32::from_be_bytes(*prefix) as usize;
    if len > MAX_FRAME_LEN as usize {
        return Err(format!("a frame of {len} bytes"));
    }
    let Some(frame) = rest.get(..len) else { return Ok(None) };
    let response = Response::decode(frame, &FrameLimits::new()).map_err(text)?;
    Ok(Some(Answer { status: response.status(), body: response.body(), len: 4 + len }))
}

/// The first answer, which must have its length as a header.
fn http1_answer(bytes: &[u8]) -> Result<Option<Answer<'_>>, String> {
    let Some(end) = find(bytes, b"\r\n\r\n") else { return Ok(None) };
    let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
    let status = head.strip_prefix("http/1.1 ").and_then(|rest| rest.get(..3)).and_then(|code| code.parse().ok());
    let status = status.ok_or_else(|| format!("not an answer: {head:?}"))?;
    let len = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    let len: usize = match len {
        Some(len) => len.trim().parse().map_err(text)?,
        None if status == 204 || status == 304 => 0,
        None => return Err("an answer without content-length".to_owned()),
    };
    let end = end + 4;
    let body = end.checked_add(len).and_then(|until| bytes.get(end..until));
    Ok(body.map(|body| Answer { status, body, len: end + len }))
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::{Call, Checker, Front, Protocol};

    const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nDate: Sat, 09 Mar 2024 06:30:00 GMT\r\n\r\nok";

    fn replaced(from: &str, to: &str) -> Vec<u8> {
        String::from_utf8_lossy(ANSWER).replace(from, to).into_bytes()
    }

    #[test]
    fn answers_are_told_apart() {
        let mut checker = Checker::new(Protocol::Http1, Some(b"ok".to_vec()));
        for cut in 0..ANSWER.len() {
            assert_eq!(checker.front(&ANSWER[..cut]), Ok(Front::Incomplete));
        }
        let len = ANSWER.len();
        assert_eq!(checker.front(ANSWER), Ok(Front::Right(len)));
        assert_eq!(checker.answer_len(), Some(len));
        assert_eq!(checker.front(&replaced("06:30:00", "06:30:01")), Ok(Front::Right(len)));
        assert_eq!(checker.front(&replaced("\r\n\r\nok", "\r\n\r\nno")), Ok(Front::WrongBody(len)));
        assert_eq!(checker.front(&replaced("200", "503")), Ok(Front::WrongStatus(len)));
        assert_eq!(checker.front(&replaced(" OK\r", " Yes\r")), Ok(Front::Right(len + 1)), "headers may differ");
        assert!(checker.front(b"SSH-2.0\r\n\r\n").is_err());
    }

    #[test]
    fn without_a_given_body_the_first_answer_is_right() {
        let mut checker = Checker::new(Protocol::Http1, None);
        assert_eq!(checker.front(&replaced("200", "404")), Ok(Front::WrongStatus(ANSWER.len())));
        assert_eq!(checker.front(ANSWER), Ok(Front::Right(ANSWER.len())));
        assert_eq!(checker.front(&replaced("\r\n\r\nok", "\r\n\r\nno")), Ok(Front::WrongBody(ANSWER.len())));
    }

    #[test]
    fn frames_are_answers() {
        let mut wire = Vec::new();
        let mut response = zap_http::proto::Encoder::frame(&mut wire).response(200, "OK").unwrap();
        response.header("x-a", "b").unwrap();
        response.body(b"ok").unwrap();
        response.finish().unwrap();
        let (mut right, mut wrong) =
            (Checker::new(Protocol::Zap, Some(b"ok".to_vec())), Checker::new(Protocol::Zap, Some(b"no".to_vec())));
        for cut in 0..wire.len() {
            assert_eq!(right.front(&wire[..cut]), Ok(Front::Incomplete));
        }
        assert_eq!(right.front(&wire), Ok(Front::Right(wire.len())));
        assert_eq!(wrong.front(&wire), Ok(Front::WrongBody(wire.len())));
        assert!(right.front(&[255; 8]).is_err());
    }

    #[test]
    fn both_spellings_of_a_request_are_one() {
        let call = Call {
            method: "POST".to_owned(),
            target: "/a?b".to_owned(),
            headers: vec![("host".to_owned(), "c".to_owned()), ("x-d".to_owned(), "e".to_owned())],
            body: b"f".to_vec(),
        };
        let http1 = call.encode(Protocol::Http1).unwrap();
        assert_eq!(http1, b"POST /a?b HTTP/1.1\r\nhost: c\r\nx-d: e\r\ncontent-length: 1\r\n\r\nf");
        let zap = call.encode(Protocol::Zap).unwrap();
        let request = zap_http::proto::Request::decode(&zap[4..], &zap_http::proto::FrameLimits::new()).unwrap();
        assert_eq!((request.method(), request.target(), request.body()), (&b"POST"[..], &b"/a?b"[..], &b"f"[..]));
        assert_eq!(request.headers().len(), 2);
    }
}
