//! Random requests, and the answers that the app is to give to them.

use bytes::Bytes;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use http::{Method, StatusCode};
use proptest::prelude::*;

/// A request and its answer.
#[derive(Clone, Debug)]
pub(crate) struct Exchange {
    method: Method,
    target: String,
    status: StatusCode,
    pub(crate) request: Content,
    pub(crate) answer: Content,
}

/// Headers, a body in chunks, and trailers.
#[derive(Clone)]
pub(crate) struct Content {
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    pub(crate) chunks: Vec<Bytes>,
    pub(crate) trailers: Vec<(HeaderName, HeaderValue)>,
    pub(crate) delivery: Delivery,
}

/// How a body comes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Delivery {
    /// At once, with its length told before.
    Sized,
    /// At once, without.
    Ready,
    /// After some waiting for each chunk.
    Waiting,
}

impl std::fmt::Debug for Content {
    /// Without the bytes, which nobody would read.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let chunk_lens: Vec<_> = self.chunks.iter().map(Bytes::len).collect();
        f.debug_struct("Content")
            .field("headers", &self.headers)
            .field("chunk_lens", &chunk_lens)
            .field("trailers", &self.trailers)
            .field("delivery", &self.delivery)
            .finish()
    }
}

impl Content {
    pub(crate) fn body(&self) -> Vec<u8> {
        self.chunks.concat()
    }

    pub(crate) fn header_map(&self) -> HeaderMap {
        map_of(&self.headers)
    }

    /// With `trailer`, without which hyper sends no trailers.
    pub(crate) fn announcing_header_map(&self) -> HeaderMap {
        let mut headers = self.header_map();
        for (name, _) in &self.trailers {
            headers.append(http::header::TRAILER, HeaderValue::from_name(name.clone()));
        }
        headers
    }

    pub(crate) fn trailer_map(&self) -> Option<HeaderMap> {
        Some(map_of(&self.trailers)).filter(|trailers| !trailers.is_empty())
    }
}

fn map_of(pairs: &[(HeaderName, HeaderValue)]) -> HeaderMap {
    let mut map = HeaderMap::new();
    for (name, value) in pairs {
        map.append(name.clone(), value.clone());
    }
    map
}

impl Exchange {
    pub(crate) fn method(&self) -> &Method {
        &self.method
    }

    pub(crate) fn target(&self) -> &str {
        &self.target
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }

    /// The answer has no body, whatever the handler gives.
    pub(crate) fn is_bodiless(&self) -> bool {
        self.method == Method::HEAD || matches!(self.status.as_u16(), 204 | 304)
    }

    pub(crate) fn request_body(&self) -> Vec<u8> {
        self.request.body()
    }

    pub(crate) fn expected_body(&self) -> Vec<u8> {
        if self.is_bodiless() { Vec::new() } else { self.answer.body() }
    }
}

pub(crate) fn exchanges() -> impl Strategy<Value = Exchange> {
    (methods(), targets(), statuses(), contents(), contents()).prop_map(|(method, target, status, request, answer)| {
        let mut exchange = Exchange { method, target, status, request, answer };
        if exchange.target == "*" {
            exchange.method = Method::OPTIONS;
        }
        // hyper's client sends no body of unknown length with these, as HTTP has no use for it; trailers need chunks.
        if matches!(exchange.method, Method::GET | Method::HEAD) {
            exchange.request.delivery = Delivery::Sized;
        }
        for content in [&mut exchange.request, &mut exchange.answer] {
            if content.delivery == Delivery::Sized {
                content.chunks = vec![content.body().into()];
                content.trailers.clear();
            }
        }
        // hyper's server sends trailers to who asks for them.
        exchange.request.headers.push((http::header::TE, HeaderValue::from_static("trailers")));
        exchange.request.headers.push((http::header::HOST, HeaderValue::from_static("survey.example")));
        exchange
    })
}

fn methods() -> impl Strategy<Value = Method> {
    let known = prop::sample::select(vec!["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "PURGE"]);
    let odd = "[A-Z][A-Za-z0-9!#$%&'*+.^_`|~-]{0,20}".prop_filter("a tunnel", |name| name != "CONNECT");
    prop_oneof![6 => known.prop_map(str::to_owned), 1 => odd]
        .prop_map(|name| Method::from_bytes(name.as_bytes()).unwrap())
}

/// Paths and queries as `http::Uri` takes them: empty segments, escapes, and what only looks like one.
fn targets() -> impl Strategy<Value = String> {
    let path = r"/([A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2}|/|%){0,40}";
    let query = r"([A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2}){0,60}";
    let of_parts = (path, prop::option::of(query)).prop_map(|(path, query)| match query {
        Some(query) => format!("{path}?{query}"),
        None => path,
    });
    prop_oneof![20 => of_parts, 1 => Just("*".to_owned())]
}

fn statuses() -> impl Strategy<Value = StatusCode> {
    let known = prop::sample::select(vec![200, 201, 204, 206, 301, 304, 400, 404, 418, 429, 500, 503]);
    prop_oneof![3 => known, 1 => 200_u16..=999].prop_map(|code| StatusCode::from_u16(code).unwrap())
}

/// Headers that say nothing about the connection: repeated, empty, with tabs, spaces, and bytes beyond ASCII.
fn headers() -> impl Strategy<Value = Vec<(HeaderName, HeaderValue)>> {
    let known = prop::sample::select(vec![
        "accept",
        "authorization",
        "cache-control",
        "content-type",
        "cookie",
        "etag",
        "link",
        "set-cookie",
        "user-agent",
        "vary",
        "x-forwarded-for",
    ]);
    let name = prop_oneof![known.prop_map(str::to_owned), own_names()];
    prop::collection::vec((name.prop_map(|name| name.parse().unwrap()), values()), 0..20)
}

fn own_names() -> impl Strategy<Value = String> {
    // Few enough to be repeated.
    prop_oneof!["x-[a-c]", "x-[a-z0-9!#$%&'*+.^_`|~-]{1,30}"]
}

fn values() -> impl Strategy<Value = HeaderValue> {
    let byte = prop_oneof![8 => 0x20_u8..=0x7e, 1 => Just(b'\t'), 1 => 0x80_u8..=0xff];
    let value = prop_oneof![
        8 => prop::collection::vec(byte, 0..60),
        1 => Just(Vec::new()),
        1 => Just(b"  \t spaces around \t ".to_vec()),
        1 => (1_usize..2_000).prop_map(|len| vec![b'v'; len]),
    ];
    value.prop_map(|value| HeaderValue::from_bytes(&value).unwrap())
}

fn contents() -> impl Strategy<Value = Content> {
    let lens = prop_oneof![
        2 => Just(Vec::new()),
        3 => prop::collection::vec(1_usize..300, 1..20),
        2 => prop::collection::vec(1_usize..70_000, 1..4),
        1 => prop::collection::vec(1_usize..=200_000, 1),
    ];
    let trailers = prop::collection::vec((own_names().prop_map(|name| name.parse().unwrap()), values()), 0..4);
    let delivery = prop::sample::select(vec![Delivery::Sized, Delivery::Ready, Delivery::Waiting]);
    (headers(), lens, any::<u64>(), trailers, delivery).prop_map(|(headers, lens, seed, trailers, delivery)| {
        let mut bytes = bytes_from(seed);
        let chunks = lens.into_iter().map(|len| bytes.by_ref().take(len).collect()).collect();
        Content { headers, chunks, trailers, delivery }
    })
}

/// Bytes without a pattern (xorshift).
fn bytes_from(seed: u64) -> impl Iterator<Item = u8> {
    let mut state = seed | 1;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[3]
    })
}
