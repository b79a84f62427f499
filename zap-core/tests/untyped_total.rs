//! The untyped layer is total: no bytes, offsets or order of calls make it panic, and what it answers is what the wire
//! page says, worked out here once more with numbers that cannot wrap.

#[path = "support/untyped.rs"]
mod untyped;

use proptest::collection::vec;
use proptest::prelude::*;
use untyped::{offsets, read_everything};
use zap_core::{Builder, Header, Limits, ListTarget, Message, Prefix, Target};

/// Bytes behind a valid header, whose root and size are near the interesting places.
fn message_like() -> impl Strategy<Value = Vec<u8>> {
    let root = prop_oneof![4 => 0..80_u32, 1 => any::<u32>()];
    // Small words make pointers that lead somewhere.
    let word = prop_oneof![3 => 0..64_u32, 1 => (0..64_u32).prop_map(|back| back.wrapping_neg()), 1 => any::<u32>()];
    (root, vec(word, 0..24), 0..4_usize, 0..12_u32, 1..=2_u16).prop_map(|(root, words, odd, past, version)| {
        let mut body = words.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<_>>();
        body.truncate(body.len().saturating_sub(odd));
        let size = (16 + body.len() as u32).saturating_sub(past);
        let mut bytes = Header { version, flags: 0, root, size }.to_bytes().to_vec();
        bytes.extend(body);
        bytes
    })
}

/// A message that the builder wrote, with text, a child, a scalar list, records and nested messages.
fn valid_message() -> impl Strategy<Value = Vec<u8>> {
    (any::<u64>(), ".{0,9}", vec(any::<u32>(), 0..5), vec(vec(any::<u8>(), 0..20), 0..4)).prop_map(
        |(number, text, numbers, elements)| {
            let mut builder = Builder::new();
            let root = builder.start_object(44).unwrap();
            builder.set_u64(&root, 0, number).unwrap();
            builder.set_text(&root, 8, &text).unwrap();
            let list = builder.start_list().unwrap();
            for number in numbers {
                builder.list_add_u32(&list, number).unwrap();
            }
            let list = builder.finish_list(list).unwrap();
            builder.set_list(&root, 16, list).unwrap();
            let list = builder.start_list().unwrap();
            for element in elements {
                builder.list_add_object_bytes(&list, &element).unwrap();
                let nested = Builder::new().into_vec();
                builder.list_add_object_bytes(&list, &nested).unwrap();
            }
            let list = builder.finish_list(list).unwrap();
            builder.set_list(&root, 24, list).unwrap();
            let child = builder.start_object(8).unwrap();
            builder.set_bytes(&child, 0, text.as_bytes()).unwrap();
            let child = builder.finish_object(child).unwrap();
            builder.set_object(&root, 32, child).unwrap();
            builder.finish_as_root(root).unwrap();
            builder.into_vec()
        },
    )
}

/// The wire page's rules for slots, in i128.
mod oracle {
    fn word(message: &[u8], at: i128) -> Option<u32> {
        let fits = at + 4 <= message.len() as i128;
        fits.then(|| u32::from_le_bytes(message[at as usize..][..4].try_into().unwrap()))
    }

    pub(super) fn bytes(message: &[u8], slot: i128) -> Option<&[u8]> {
        let (rel, len) = (i128::from(word(message, slot)?), i128::from(word(message, slot + 4)?));
        let target = slot + rel;
        let present = rel != 0 && target >= 16 && target + len <= message.len() as i128;
        present.then(|| &message[target as usize..(target + len) as usize])
    }

    pub(super) fn pointer(message: &[u8], slot: i128) -> Option<u32> {
        let rel = i128::from(word(message, slot)? as i32);
        let target = slot + rel;
        (rel != 0 && target >= 16 && target < message.len() as i128).then_some(target as u32)
    }

    pub(super) fn list(message: &[u8], slot: i128) -> Option<(u32, u32)> {
        let count = word(message, slot + 4)?;
        let start = pointer(message, slot)?;
        (i128::from(count) <= message.len() as i128).then_some((start, count))
    }

    pub(super) fn u64(message: &[u8], at: i128) -> u64 {
        let words = word(message, at).zip(word(message, at + 4));
        words.map_or(0, |(low, high)| u64::from(high) << 32 | u64::from(low))
    }
}

/// One call of the builder; numbers pick handles, offsets and values.
#[derive(Clone, Debug)]
enum Call {
    StartObject(usize),
    StartList,
    Set(u8, usize, usize, usize),
    Add(u8, usize, usize),
    FinishObject(usize, bool),
    FinishList(usize),
    Write(usize),
    Reset,
    Flags(u16),
}

fn call() -> impl Strategy<Value = Call> {
    let far =
        prop_oneof![30 => 0..40_usize, 1 => Just(u32::MAX as usize), 1 => Just(usize::MAX), 1 => Just(usize::MAX - 7)];
    let size = prop_oneof![30 => 0..40_usize, 1 => Just(u32::MAX as usize - 15), 1 => Just(usize::MAX)];
    let pick = 0..6_usize;
    prop_oneof![
        3 => size.prop_map(Call::StartObject),
        2 => Just(Call::StartList),
        8 => (0..14_u8, pick.clone(), far, 0..9_usize).prop_map(|(k, o, at, v)| Call::Set(k, o, at, v)),
        4 => (0..5_u8, pick.clone(), 0..9_usize).prop_map(|(k, l, v)| Call::Add(k, l, v)),
        2 => (pick.clone(), any::<bool>()).prop_map(|(o, root)| Call::FinishObject(o, root)),
        2 => pick.clone().prop_map(Call::FinishList),
        1 => (0..9_usize).prop_map(Call::Write),
        1 => Just(Call::Reset),
        1 => any::<u16>().prop_map(Call::Flags),
    ]
}

/// Makes the calls, the handles and targets shared between two builders, and checks that a refused call changes nothing.
fn build(calls: Vec<(bool, Call)>) {
    let mut builders = [Builder::new(), Builder::with_capacity(64).version_2()];
    let (mut objects, mut lists) = (vec![], vec![]);
    let (mut targets, mut list_targets) = (vec![Target::NULL], vec![ListTarget::NULL]);
    for (which, call) in calls {
        let builder = &mut builders[usize::from(which)];
        let before = builder.finish().to_vec();
        let text = |len: usize| &"ä text b"[..if len == 1 { 0 } else { len }];
        let done = match call {
            Call::StartObject(size) => builder.start_object(size).map(|object| objects.push(object)),
            Call::StartList => builder.start_list().map(|list| lists.push(list)),
            Call::Set(kind, object, at, value) => {
                let Some(object) = objects.get(object) else { continue };
                match kind {
                    0 => builder.set_bool(object, at, value > 4),
                    1 => builder.set_u8(object, at, value as u8),
                    2 => builder.set_u16(object, at, value as u16),
                    3 => builder.set_u32(object, at, value as u32),
                    4 => builder.set_u64(object, at, value as u64),
                    5 => builder.set_i8(object, at, -(value as i8)),
                    6 => builder.set_i64(object, at, -(value as i64)),
                    7 => builder.set_f32(object, at, value as f32),
                    8 => builder.set_f64(object, at, value as f64),
                    9 => builder.set_bytes_fixed(object, at, text(value).as_bytes()),
                    10 | 11 => builder.set_text(object, at, text(value)),
                    12 => builder.set_object(object, at, targets[value % targets.len()]),
                    _ => {
                        let list = list_targets[value % list_targets.len()];
                        builder.set_list(object, at, if value > 6 { list.with_count(u32::MAX) } else { list })
                    }
                }
            }
            Call::Add(kind, list, value) => {
                let Some(list) = lists.get(list) else { continue };
                match kind {
                    0 => builder.list_add_u8(list, value as u8),
                    1 => builder.list_add_u32(list, value as u32),
                    2 => builder.list_add_u64(list, value as u64),
                    3 => builder.list_add_bytes(list, text(value).as_bytes()),
                    _ => builder.list_add_object_bytes(list, text(value).as_bytes()),
                }
            }
            Call::FinishObject(object, root) => {
                if object >= objects.len() {
                    continue;
                }
                let object = objects.remove(object);
                let target = if root { builder.finish_as_root(object) } else { builder.finish_object(object) };
                target.map(|target| targets.push(target))
            }
            Call::FinishList(list) => {
                if list >= lists.len() {
                    continue;
                }
                builder.finish_list(lists.remove(list)).map(|list| list_targets.push(list))
            }
            Call::Write(len) => builder.write_text(text(len)).map(|target| targets.push(target)),
            Call::Reset => {
                builder.reset();
                Ok(())
            }
            Call::Flags(flags) => {
                builder.finish_with_flags(flags);
                Ok(())
            }
        };
        let after = builder.finish();
        assert!(done.is_ok() || after == before, "a refused call changed the message");
        let message = Message::parse(after).unwrap();
        assert_eq!(message.as_bytes(), after);
    }
    for builder in builders {
        read_everything(Message::parse(&builder.into_vec()).unwrap().root(), 0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn random_bytes(bytes in vec(any::<u8>(), 0..64)) {
        prop_assert!(Message::parse(&bytes).is_err() || bytes.starts_with(b"ZAP\0"));
        let split = Message::split_first(&bytes, &Limits::new());
        let complete = matches!(split, Ok(Prefix::Complete { .. }));
        prop_assert!(!complete || bytes.starts_with(b"ZAP\0"));
    }

    #[test]
    fn random_slots(bytes in message_like()) {
        if let Ok(message) = Message::parse(&bytes) {
            read_everything(message.root(), 1);
        }
    }

    #[test]
    fn mutated_messages(bytes in valid_message(), changes in vec((any::<prop::sample::Index>(), any::<u8>()), 0..4), cut in any::<prop::sample::Index>()) {
        let mut bytes = bytes;
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        for len in [bytes.len(), cut.index(bytes.len())] {
            if let Ok(message) = Message::parse(&bytes[..len]) {
                read_everything(message.root(), 1);
            }
        }
    }

    #[test]
    fn slots_read_as_the_wire_page_says(bytes in message_like()) {
        let Ok(message) = Message::parse(&bytes) else { return Ok(()) };
        let (root, own) = (message.root(), message.as_bytes());
        for offset in offsets() {
            let slot = i128::from(message.root_offset()) + offset as i128;
            let no_root = root.is_null();
            prop_assert_eq!(root.bytes(offset), oracle::bytes(own, slot).filter(|_| !no_root));
            let child = oracle::pointer(own, slot).filter(|_| !no_root);
            prop_assert_eq!(root.object(offset).position(), child.unwrap_or(0));
            prop_assert_eq!(root.object(offset).is_null(), child.is_none());
            prop_assert_eq!(root.u64(offset), if no_root { 0 } else { oracle::u64(own, slot) });
            let list = root.list(offset);
            match oracle::list(own, slot).filter(|_| !no_root) {
                None => prop_assert!(list.is_null() && list.is_empty()),
                Some((start, count)) => {
                    prop_assert!(!list.is_null());
                    prop_assert_eq!(list.len(), count as usize);
                    for index in 0..list.len() {
                        let at = i128::from(start) + index as i128 * 8;
                        prop_assert_eq!(list.u64_at(index), oracle::u64(own, at));
                        prop_assert_eq!(i128::from(list.record_at(index, 8).position()), at);
                    }
                }
            }
        }
    }

    #[test]
    fn any_order_of_calls(calls in vec((any::<bool>(), call()), 0..60)) {
        build(calls);
    }
}
