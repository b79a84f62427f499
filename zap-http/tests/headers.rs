//! What a block of headers says about itself: its number of pairs, equality, and what is printed.

use zap_http::proto::{Encoder, FrameLimits, Headers, Request};

fn with_headers<T>(pairs: &[(&str, &str)], read: impl FnOnce(Headers<'_>) -> T) -> T {
    let mut frame = Vec::new();
    let mut request = Encoder::message(&mut frame).request("GET", "/").unwrap();
    for (name, value) in pairs {
        request.header(name, value).unwrap();
    }
    request.finish().unwrap();
    read(Request::decode(&frame, &FrameLimits::new()).unwrap().headers())
}

#[test]
fn pairs_are_counted() {
    for pairs in [&[][..], &[("a", "1")], &[("a", "1"), ("b", ""), ("a", "2")]] {
        with_headers(pairs, |headers| {
            assert_eq!((headers.len(), headers.is_empty()), (pairs.len(), pairs.is_empty()));
            let mut left = headers.iter();
            for passed in 0..=pairs.len() {
                let remaining = pairs.len() - passed;
                assert_eq!((left.len(), left.size_hint()), (remaining, (remaining, Some(remaining))));
                assert_eq!(left.next().is_some(), remaining > 0);
            }
            assert_eq!(left.next(), None);
        });
    }
}

#[test]
fn blocks_are_equal_if_their_pairs_are() {
    let one = [("a", "1"), ("b", "2")];
    let equals = |other: &[(&str, &str)]| with_headers(&one, |one| with_headers(other, |other| one == other));
    assert!(equals(&one));
    for other in
        [&[("a", "1")][..], &[("b", "2"), ("a", "1")], &[("a", "1"), ("b", "3")], &[("A", "1"), ("b", "2")], &[]]
    {
        assert!(!equals(other), "{other:?}");
    }
}

/// Values may be secrets, in what is left of a block, too.
#[test]
fn names_are_printed_and_values_are_not() {
    with_headers(&[("authorization", "secret"), ("b", "2")], |headers| {
        assert_eq!(format!("{headers:?}"), r#"["authorization", "b"]"#);
        assert_eq!(format!("{:?}", headers.iter()), "HeadersIter { left: 2, .. }");
    });
}
