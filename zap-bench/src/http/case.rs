//! What is asked, and what must be answered.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use bytes::Bytes;

use super::typed::Codec;
use crate::load::Call;

/// What `GET /health` answers.
pub(super) const HEALTHY: &str = "ok";

/// The body of `POST /readings`, and of its answer.
pub(super) const READINGS: &str = r#"{"station":"KLM-0417","taken":"2024-03-09T06:30:00Z","readings":[{"kind":"level","value":-3.5,"unit":"m"},{"kind":"flow","value":118.25,"unit":"m3/s"},{"kind":"temperature","value":4.1,"unit":"C"}],"battery":0.87}"#;

/// The headers of `POST /readings`.
const READINGS_HEADERS: [(&str, &str); 10] = [
    HOST,
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

const HOST: (&str, &str) = ("host", "survey.example:9999");

/// The longest body.
pub(super) const MAX_BODY_LEN: usize = 1 << 20;

/// What bodies are cut from: no run of equal bytes that anything could make easier.
static BYTES: LazyLock<Bytes> = LazyLock::new(|| (0..MAX_BODY_LEN).map(|at| (at * 31 + (at >> 8) * 7) as u8).collect());

/// A body of so many bytes, without a copy.
pub(super) fn body(len: usize) -> Bytes {
    BYTES.slice(..len.min(MAX_BODY_LEN))
}

/// A request that every server here answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// `GET /health`, one header; two bytes come back.
    Health,
    /// `POST /readings`, ten headers and a JSON body; the body comes back, with four headers.
    Realistic,
    /// `GET /body/LEN`: so many bytes come back.
    Body(usize),
    /// `POST /echo`: so many bytes go there, and come back.
    Echo(usize),
    /// `POST /rpc/CODEC`: the request of the record suite; its handler's answer comes back.
    Rpc(Codec),
    /// `POST /auction/CODEC`: a bid request of about 2 KB; bids come back.
    Auction(Codec),
}

impl Case {
    /// The name of the suite's rows.
    pub(super) fn name(self) -> String {
        match self {
            Self::Health => "health".to_owned(),
            Self::Realistic => "realistic".to_owned(),
            Self::Body(_) => "body".to_owned(),
            Self::Echo(_) => "echo".to_owned(),
            Self::Rpc(codec) => format!("rpc-{codec}"),
            Self::Auction(codec) => format!("auction-{codec}"),
        }
    }

    /// The one that a request is, by its target and the length of its body.
    pub(super) fn of(target: &str, body_len: usize) -> Option<Self> {
        match target {
            "/readings" => Some(Self::Realistic),
            "/echo" => Some(Self::Echo(body_len)),
            _ => target.strip_prefix('/')?.replacen('/', ":", 1).parse().ok(),
        }
    }

    /// Bytes of the answer's body, which rows are sorted by.
    pub(super) fn body_len(self) -> usize {
        match self {
            Self::Body(len) | Self::Echo(len) => len,
            _ => self.answer().len(),
        }
    }

    /// The request.
    pub(crate) fn call(self) -> Call {
        let call = |method: &str, target: String, headers: &[(&str, &str)], body: Vec<u8>| Call {
            method: method.to_owned(),
            target,
            headers: headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            body,
        };
        let typed = |codec: Codec| [HOST, ("content-type", codec.content_type())];
        match self {
            Self::Health => call("GET", "/health".to_owned(), &[HOST], Vec::new()),
            Self::Realistic => call("POST", "/readings".to_owned(), &READINGS_HEADERS, READINGS.into()),
            Self::Body(len) => call("GET", format!("/body/{len}"), &[HOST], Vec::new()),
            Self::Echo(len) => call("POST", "/echo".to_owned(), &[HOST], body(len).to_vec()),
            Self::Rpc(codec) => call("POST", format!("/rpc/{codec}"), &typed(codec), codec.rpc_request()),
            Self::Auction(codec) => call("POST", format!("/auction/{codec}"), &typed(codec), codec.auction_request()),
        }
    }

    /// The body of the right answer.
    pub(crate) fn answer(self) -> Vec<u8> {
        match self {
            Self::Health => HEALTHY.into(),
            Self::Realistic => READINGS.into(),
            Self::Body(len) | Self::Echo(len) => body(len).to_vec(),
            Self::Rpc(codec) => codec.rpc(&codec.rpc_request()).unwrap_or_default(),
            Self::Auction(codec) => codec.auction(&codec.auction_request()).unwrap_or_default(),
        }
    }
}

/// As on the command line.
impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Health => f.write_str("health"),
            Self::Realistic => f.write_str("realistic"),
            Self::Body(len) => write!(f, "body:{len}"),
            Self::Echo(len) => write!(f, "echo:{len}"),
            Self::Rpc(codec) => write!(f, "rpc:{codec}"),
            Self::Auction(codec) => write!(f, "auction:{codec}"),
        }
    }
}

impl FromStr for Case {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let len = |text: &str| match text.parse() {
            Ok(len @ 1..=MAX_BODY_LEN) => Ok(len),
            _ => Err(format!("{text} is no length from 1 to {MAX_BODY_LEN}")),
        };
        match text.split_once(':').unwrap_or((text, "")) {
            ("health", "") => Ok(Self::Health),
            ("realistic", "") => Ok(Self::Realistic),
            ("body", rest) => len(rest).map(Self::Body),
            ("echo", rest) => len(rest).map(Self::Echo),
            ("rpc", rest) => rest.parse().map(Self::Rpc),
            ("auction", rest) => rest.parse().map(Self::Auction),
            _ => Err("one of health, realistic, body:LEN, echo:LEN, rpc:CODEC, auction:CODEC".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Case;

    #[test]
    fn names_lead_back() {
        for text in ["health", "realistic", "body:64", "echo:1048576", "rpc:zap", "auction:simd-json"] {
            let case: Case = text.parse().unwrap();
            assert_eq!(case.to_string(), text);
            assert!(!case.answer().is_empty() && case.call().target.starts_with('/'));
        }
        for case in ["health", "realistic", "body:64", "echo:64", "rpc:zap", "auction:sonic-rs"] {
            let case: Case = case.parse().unwrap();
            let call = case.call();
            assert_eq!(Case::of(&call.target, call.body.len()), Some(case));
        }
        for text in ["", "body", "body:0", "echo:1048577", "rpc:xml", "health:1"] {
            assert!(text.parse::<Case>().is_err(), "{text}");
        }
    }
}
