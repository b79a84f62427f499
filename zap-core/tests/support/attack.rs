//! Everything that can be done with bytes of unknown origin, and what must hold whatever they are.

use std::fmt::Write as _;

use zap_core::{Header, Limits, Prefix, Zap, json};

use super::{Family, Seen};

/// Values that a reader may look at in one message.
const PATIENCE: u32 = 4096;

/// Everything that can be done with bytes of unknown origin. True if they are a valid record.
pub fn read_all<F: Family>(bytes: &[u8]) -> bool {
    let limits = Limits::new();
    let validated = F::Of::validate(bytes, &limits);
    let decoded = F::Of::decode(bytes);
    match (&validated, &decoded) {
        (Ok(_), Ok(_)) => {}
        (Err(validated), Err(decoded)) => assert_eq!(validated, decoded, "{bytes:02x?}"),
        other => panic!("validate and decode disagree on {bytes:02x?}: {other:?}"),
    }
    // The lazy view opens whatever has a root section, and its accessors fail one by one.
    let mut seen = Seen::new(PATIENCE);
    if let Ok(view) = F::Of::view(bytes) {
        F::touch(view, &mut seen);
        let mut text = String::new();
        write!(text, "{view:?}").unwrap();
        assert!(text.len() < 1 << 16, "{} characters", text.len());
        assert!(F::display(view).len() <= (64 << 10) + 8);
        let again = F::to_record(view).map(|value| F::shows(view, &value) == F::equal(&value, &value));
        assert_eq!(again, decoded.as_ref().map(|_| true).map_err(|error| *error), "{bytes:02x?}");
        assert_eq!(
            json::to_string(view).map(drop),
            validated.as_ref().map(drop).map_err(|error| *error),
            "{bytes:02x?}"
        );
    }
    if let Ok(view) = validated {
        assert_eq!(seen.error, None, "validate accepted {bytes:02x?}");
        let value = decoded.unwrap();
        // A NaN equals nothing.
        let is_itself = F::equal(&value, &value);
        let again = view;
        assert_eq!((F::shows(view, &value), view == again), (is_itself, is_itself), "{bytes:02x?}");
        let again = value.to_vec().unwrap();
        assert_eq!(F::Of::decode(&again).unwrap().to_vec().unwrap(), again, "{bytes:02x?}");
        let mut seen = Seen::new(PATIENCE);
        F::touch(view, &mut seen);
        return true;
    }
    false
}

/// Taking one message off the front.
pub fn prefixes<F: Family>(bytes: &[u8]) {
    let limits = Limits::new();
    if let Ok(Prefix::Complete { rest, .. }) = F::Of::view_prefix(bytes, &limits) {
        let size = Header::parse(bytes).unwrap().size as usize;
        assert_eq!(rest.len(), bytes.len() - size);
    }
    let _ = F::Of::decode_prefix(bytes, &limits);
}
