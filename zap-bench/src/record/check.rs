//! The equivalence check: before anything is timed, every codec must give back the values it was given, on the very
//! functions that are timed. Nobody skips work.

use super::codec::{Codec, PairCodec};
use super::ops::{self, FIXTURE, message, request_of, response_of};
use super::sample::{Blob, ETHER, NONCE, RequestValues, ResponseValues};

/// Says which codec returned what instead of what.
fn expect<T: PartialEq + std::fmt::Debug>(codec: &str, what: &str, got: &T, want: &T) -> Result<(), String> {
    if got == want { Ok(()) } else { Err(format!("{codec}: {what} is {got:?}, not {want:?}")) }
}

/// The bytes as this codec carries them.
fn carried<C: Codec>(blob: &Blob) -> Vec<u8> {
    if C::HEX { blob.hex.clone().into_bytes() } else { blob.raw.clone() }
}

fn check_request<C: Codec>(codec: &str, bytes: &[u8], values: &RequestValues) -> Result<(), String> {
    C::read_request(&mut C::Scratch::default(), bytes, |got| {
        expect(codec, "id", &got.id, &values.id)?;
        expect(codec, "block", &got.block, &values.block)?;
        expect(codec, "method", &got.method, &values.method.as_str())?;
        expect(codec, "account", &got.account.to_vec(), &carried::<C>(&values.account))
    })
}

fn check_response<C: PairCodec>(
    codec: &str,
    bytes: &[u8],
    values: &ResponseValues,
    balance: u64,
) -> Result<(), String> {
    C::read_response(&mut C::Scratch::default(), bytes, |got| {
        expect(codec, "id", &got.id, &values.id)?;
        expect(codec, "balance", &got.balance, &balance)?;
        expect(codec, "nonce", &got.nonce, &NONCE)?;
        expect(codec, "blockHash", &got.block_hash.to_vec(), &carried::<C>(&values.block_hash))
    })
}

/// The pair, encoded in both ways, and the handler's answer.
pub(crate) fn pair<C: PairCodec>(codec: &str) -> Result<(), String> {
    let (request, response) = (&FIXTURE.request, &FIXTURE.response);
    let mut out = C::Out::default();
    check_request::<C>(codec, C::encode_request(&mut out, &request_of::<C>(request)), request)?;
    check_request::<C>(codec, &C::fresh_request(&request_of::<C>(request)), request)?;
    check_response::<C>(codec, C::encode_response(&mut out, &response_of::<C>(response)), response, response.balance)?;
    check_response::<C>(codec, &C::fresh_response(&response_of::<C>(response)), response, response.balance)?;

    let bytes = message(C::encode_request(&mut out, &request_of::<C>(request)));
    let answer = ops::handle::<C>(&mut C::Scratch::default(), &mut out, &bytes, &response.block_hash);
    let account = carried::<C>(&request.account);
    let balance = ETHER ^ request.block ^ request.method.len() as u64 ^ account.len() as u64 ^ u64::from(account[0]);
    check_response::<C>(codec, answer, response, balance)
}

/// Every request of unpredictable lengths.
pub(crate) fn lengths<C: Codec>(codec: &str) -> Result<(), String> {
    let mut out = C::Out::default();
    FIXTURE
        .lengths
        .values
        .iter()
        .try_for_each(|values| check_request::<C>(codec, C::encode_request(&mut out, &request_of::<C>(values)), values))
}

#[cfg(test)]
mod tests {
    use super::super::json::SonicRs;
    use super::super::sample;
    use super::super::zap::ZapView;
    use super::*;

    #[test]
    fn a_codec_that_returns_another_value_is_named() {
        let mut values = sample::request();
        let mut out = Vec::new();
        let bytes = ZapView::encode_request(&mut out, &request_of::<ZapView>(&values)).to_vec();
        values.block += 1;
        let error = check_request::<ZapView>("zap-view", &bytes, &values).expect_err("block differs");
        assert_eq!(error, "zap-view: block is 68943, not 68944");
    }

    #[test]
    fn json_is_checked_by_its_text() {
        let values = sample::request();
        let text = String::from_utf8(carried::<SonicRs>(&values.account)).expect("hex");
        assert!(text.starts_with("0x4e73") && text.len() == 42);
    }
}
