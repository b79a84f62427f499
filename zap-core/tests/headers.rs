//! Every way into a message looks at the whole header, and at nothing behind the size that it says.
//!
//! Opening has a fast path for the common header and a slow one for all others; mutation testing showed that most tests
//! would not notice a condition that is missing in the fast one.

use zap_core::{DecodeErrorKind as Kind, Limits, Zap};

#[derive(Zap, Debug, PartialEq)]
struct Reading {
    id: u64,
    level: u64,
    flags: u64,
}

const READING: Reading = Reading { id: 7, level: 8, flags: 9 };

/// What each way in says of these bytes.
fn every_way_in(bytes: &[u8]) -> [Option<Kind>; 4] {
    let limits = Limits::new();
    [
        Reading::view(bytes).err().map(|error| error.kind()),
        Reading::decode(bytes).err().map(|error| error.kind()),
        Reading::validate(bytes, &limits).err().map(|error| error.kind()),
        Reading::decode_with(bytes, &limits).err().map(|error| error.kind()),
    ]
}

#[test]
fn each_byte_of_magic_and_version_counts() {
    let good = READING.to_vec().unwrap();
    assert_eq!(every_way_in(&good), [None; 4]);
    let changes: [fn(u8) -> u8; 4] = [|byte| byte ^ 1, |byte| byte ^ 0x80, |byte| !byte, |byte| byte ^ 0x20];
    for at in 0..6 {
        for change in changes {
            let mut bytes = good.clone();
            bytes[at] = change(bytes[at]);
            let wanted = if at < 4 { Kind::InvalidMagic } else { Kind::UnsupportedVersion };
            assert_eq!(every_way_in(&bytes), [Some(wanted); 4], "byte {at}");
        }
    }
    let mut inverted = good;
    inverted[..6].iter_mut().for_each(|byte| *byte = !*byte);
    assert_eq!(every_way_in(&inverted), [Some(Kind::InvalidMagic); 4]);
}

/// The bytes are there, but they are not the message's.
#[test]
fn a_section_ends_where_its_message_does() {
    let good = READING.to_vec().unwrap();
    assert_eq!(good.len(), 40);
    for size in 16..40_u8 {
        for behind in [0, 8, 64] {
            let mut bytes = good.clone();
            bytes[12] = size;
            bytes.resize(40 + behind, 0xff);
            assert_eq!(every_way_in(&bytes), [Some(Kind::SectionOutOfBounds); 4], "size {size}");
        }
    }
    // A message that is whole may be followed by anything.
    let followed = [good, vec![0xff; 64]].concat();
    assert_eq!((every_way_in(&followed), Reading::decode(&followed)), ([None; 4], Ok(READING)));
}

/// Another root, or version 2, is no reason to see less: the slow path finds the same.
#[test]
fn a_root_may_lie_anywhere_behind_the_header() {
    let good = READING.to_vec().unwrap();
    let mut moved = [&good[..16], &[0xff; 8], &good[16..]].concat();
    (moved[8], moved[12]) = (24, 48);
    assert_eq!((every_way_in(&moved), Reading::decode(&moved)), ([None; 4], Ok(READING)));
    for (root, wanted) in [(15, Kind::MissingRoot), (25, Kind::SectionOutOfBounds), (255, Kind::SectionOutOfBounds)] {
        moved[8] = root;
        assert_eq!(every_way_in(&moved), [Some(wanted); 4], "root {root}");
    }
}
