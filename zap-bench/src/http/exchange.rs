//! The bytes of a request, in both protocols, and what its answer must be.

use zap_http::proto::{Deframer, Encoder, FrameLimits, MAX_FRAME_LEN, Response};

use super::Scenario;

/// What `GET /health` answers.
pub(super) const HEALTHY: &str = "ok";

/// The body of `POST /readings`, and of its answer.
pub(super) const READINGS: &str = r#"{"station":"KLM-0417","taken":"2024-03-09T06:30:00Z","readings":[{"kind":"level","value":-3.5,"unit":"m"},{"kind":"flow","value":118.25,"unit":"m3/s"},{"kind":"temperature","value":4.1,"unit":"C"}],"battery":0.87}"#;

/// The headers of `POST /readings`.
const READINGS_HEADERS: [(&str, &str); 10] = [
    ("host", "survey.example:9999"),
    ("user-agent", "station-uplink/2.14 (linux; armv7)"),
    ("accept", "application/json"),
    ("accept-encoding", "gzip, br"),
    ("content-type", "application/json"),
    ("authorization", "Bearer 3f9c2b7a51e84d06b1c2a7f09e6d5c48"),
    ("x-request-id", "7d0b4c9e-52a1-4e0f-9b36-1f8e2c7a6d35"),
    ("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),
    ("x-forwarded-for", "192.0.2.44"),
    ("cache-control", "no-cache"),
];

impl Scenario {
    fn request(self) -> (&'static str, &'static str, &'static [(&'static str, &'static str)], &'static str) {
        match self {
            Self::Health => ("GET", "/health", &[("host", "survey.example:9999")], ""),
            Self::Readings => ("POST", "/readings", &READINGS_HEADERS, READINGS),
        }
    }

    fn answer_body(self) -> &'static str {
        match self {
            Self::Health => HEALTHY,
            Self::Readings => READINGS,
        }
    }

    /// The request as a frame with its length prefix.
    pub(super) fn zap(self) -> Result<Vec<u8>, String> {
        let (method, target, headers, body) = self.request();
        let mut wire = Vec::new();
        let mut request = Encoder::frame(&mut wire).request(method, target).map_err(text)?;
        for (name, value) in headers {
            request.header(name, value).map_err(text)?;
        }
        request.body(body.as_bytes()).map_err(text)?;
        request.finish().map_err(text)?;
        Ok(wire)
    }

    /// The request in HTTP/1.1.
    pub(super) fn http1(self) -> Vec<u8> {
        let (method, target, headers, body) = self.request();
        let mut wire = format!("{method} {target} HTTP/1.1\r\n");
        for (name, value) in headers {
            wire.push_str(&format!("{name}: {value}\r\n"));
        }
        if !body.is_empty() {
            wire.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        wire.push_str("\r\n");
        wire.push_str(body);
        wire.into_bytes()
    }
}

/// The first answer of a connection, which all further ones must equal.
#[derive(Debug)]
pub(super) struct Template {
    bytes: Vec<u8>,
    /// Where the date stands, which changes from second to second.
    date: std::ops::Range<usize>,
}

impl Template {
    /// The answer at the front of `bytes`, once it is complete; it must be the right one.
    pub(super) fn of(bytes: &[u8], scenario: Scenario, is_http1: bool) -> Result<Option<Self>, String> {
        let Some((len, body)) = (if is_http1 { http1_answer(bytes)? } else { zap_answer(bytes)? }) else {
            return Ok(None);
        };
        if body != scenario.answer_body().as_bytes() {
            return Err(format!("{} is answered {:?}", scenario.name(), String::from_utf8_lossy(&body)));
        }
        let bytes = bytes[..len].to_vec();
        let date = match find(&bytes, b"\r\ndate: ").filter(|_| is_http1) {
            Some(at) => at + 8..at + 8 + 29,
            None => 0..0,
        };
        Ok(Some(Self { bytes, date }))
    }

    /// Bytes of an answer.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether an answer is the right one.
    pub(super) fn matches(&self, answer: &[u8]) -> bool {
        let (before, after) = (..self.date.start, self.date.end..);
        answer.len() == self.bytes.len()
            && answer[before] == self.bytes[before]
            && answer[after.clone()] == self.bytes[after]
    }
}

/// Length and body of the first frame.
fn zap_answer(bytes: &[u8]) -> Result<Option<(usize, Vec<u8>)>, String> {
    let mut input = Deframer::new(MAX_FRAME_LEN);
    input.recv(bytes);
    let mut batch = input.take_batch(Vec::new());
    let Some(frame) = batch.next_frame() else { return Ok(None) };
    let response = Response::decode(frame, &FrameLimits::new()).map_err(text)?;
    if response.status() != 200 {
        return Err(format!("status {}", response.status()));
    }
    Ok(Some((4 + frame.len(), response.body().to_vec())))
}

/// Length and body of the first answer, which must have its length as a header.
fn http1_answer(bytes: &[u8]) -> Result<Option<(usize, Vec<u8>)>, String> {
    let Some(end) = find(bytes, b"\r\n\r\n") else { return Ok(None) };
    let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
    if !head.starts_with("http/1.1 200 ") {
        return Err(format!("answer {head:?}"));
    }
    let len = head.lines().find_map(|line| line.strip_prefix("content-length: ")).ok_or("no content-length")?;
    let len: usize = len.parse().map_err(text)?;
    let body = bytes.get(end + 4..end + 4 + len);
    Ok(body.map(|body| (end + 4 + len, body.to_vec())))
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::{Scenario, Template};

    const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ndate: Sat, 09 Mar 2024 06:30:00 GMT\r\n\r\nok";

    #[test]
    fn only_the_date_may_differ() {
        let template = Template::of(ANSWER, Scenario::Health, true).unwrap().unwrap();
        assert_eq!(template.len(), ANSWER.len());
        let later = String::from_utf8_lossy(ANSWER).replace("06:30:00", "06:30:01");
        assert!(template.matches(ANSWER) && template.matches(later.as_bytes()));
        let wrong = String::from_utf8_lossy(ANSWER).replace("ok", "no");
        assert!(!template.matches(wrong.as_bytes()) && !template.matches(&ANSWER[1..]));
    }

    #[test]
    fn answers_are_recognised() {
        for cut in 0..ANSWER.len() {
            assert!(Template::of(&ANSWER[..cut], Scenario::Health, true).unwrap().is_none());
        }
        assert!(Template::of(ANSWER, Scenario::Readings, true).is_err());
        assert!(Template::of(b"HTTP/1.1 500 Oh\r\n\r\n", Scenario::Health, true).is_err());
    }

    #[test]
    fn both_spellings_of_a_request_are_one() {
        for scenario in Scenario::ALL {
            let (zap, http1) = (scenario.zap().unwrap(), scenario.http1());
            let (method, target, headers, body) = scenario.request();
            assert!(http1.starts_with(format!("{method} {target} ").as_bytes()) && http1.ends_with(body.as_bytes()));
            let request = zap_http::proto::Request::decode(&zap[4..], &zap_http::proto::FrameLimits::new()).unwrap();
            assert_eq!(request.headers().len(), headers.len());
            assert_eq!(request.body(), body.as_bytes());
        }
    }
}
