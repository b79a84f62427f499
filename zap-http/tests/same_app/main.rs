//! The same axum app over HTTP/1.1 and over every way that ZAP goes: handlers see the same requests, callers the same
//! answers, and no byte of a body differs.
//!
//! The reference is `axum::serve`, called by hyper's client. Left out of the comparison is what belongs to one connection or
//! to HTTP/1.1's framing (`date`, `content-length`, `transfer-encoding`, `connection`, and `trailer`, which announces what a
//! frame simply holds), and the order of headers of different names; of requests through gateways also what these say
//! themselves of where they come from, and cookies are joined.
#![cfg(all(feature = "gateway", feature = "tls", unix))]

mod app;
mod carriers;
mod exchange;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use app::{Plans, Seen};
use carriers::{Carriers, Way};
use exchange::{Exchange, exchanges};

/// What each way carries for an exchange, beside the reference.
async fn compare(carriers: &Carriers, plans: &Plans, exchange: &Exchange) -> Result<(), TestCaseError> {
    let reference = carriers.call(Way::Reference, plans, exchange).await;
    let (seen, received) = &reference;
    // The reference says what was asked for, so that equality is not that of nothing.
    prop_assert_eq!(&seen.method, exchange.method());
    prop_assert_eq!(&seen.target, exchange.target());
    prop_assert!(seen.body == exchange.request_body(), "the reference changed the request's body");
    prop_assert_eq!(received.status, exchange.status());
    prop_assert!(received.body == exchange.expected_body(), "the reference changed the answer's body");
    for way in Way::OTHERS {
        let other = carriers.call(way, plans, exchange).await;
        prop_assert!(other.0.body == seen.body, "{:?}: the request's body differs", way);
        prop_assert!(other.1.body == received.body, "{:?}: the answer's body differs", way);
        match way.is_gateway() {
            true => {
                prop_assert_eq!(beyond_gateways(other.0), beyond_gateways(seen.clone()), "the request by {:?}", way)
            }
            false => prop_assert_eq!(&other.0, seen, "the request by {:?}", way),
        }
        prop_assert_eq!(&other.1, received, "the answer by {:?}", way);
    }
    Ok(())
}

/// A request without what gateways say themselves, and with its cookies as they join them.
fn beyond_gateways(mut seen: Seen) -> Seen {
    for name in ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"] {
        seen.headers.remove(name);
    }
    if let Some(cookies) = seen.headers.get_mut("cookie") {
        // Where the last one is empty, the space before it is one at the end of a value, which does not cross.
        *cookies = vec![cookies.join(&b"; "[..]).trim_ascii().to_vec()];
    }
    seen
}

#[test]
fn an_app_is_the_same_over_zap_and_http() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let plans = Plans::default();
    let carriers = runtime.block_on(Carriers::start(&plans));
    // More if asked for, never so few that a kind of answer is missing.
    let cases = std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok())
        .map_or(96, |cases: u32| cases.max(96));
    let config = ProptestConfig { cases, max_shrink_iters: 200, failure_persistence: None, ..Default::default() };
    let outcome =
        TestRunner::new(config).run(&exchanges(), |exchange| runtime.block_on(compare(&carriers, &plans, &exchange)));
    outcome.unwrap_or_else(|error| panic!("{error}"));
    // Every kind of answer was among them.
    let kinds = plans.kinds();
    assert!(kinds.sized > 0 && kinds.ready > 0 && kinds.waiting > 0 && kinds.bodiless > 0, "{kinds:?}");
}
