//! The rows of LIMITS.md that no other test holds: the defaults, and the last value inside each.
#![cfg(feature = "derive")]

use zap_core::{DecodeError, DecodeErrorKind as Kind, EncodeError, Header, Limits, Message, Prefix, Zap};

#[derive(Zap, Debug, PartialEq)]
struct Tick {
    at: u64,
}

#[derive(Zap, Debug, Default, PartialEq)]
struct Tree {
    children: Vec<Tree>,
}

fn message(body: &[u32]) -> Vec<u8> {
    let body: Vec<u8> = body.iter().flat_map(|word| word.to_le_bytes()).collect();
    let header = Header { version: 1, flags: 0, root: 16, size: 16 + body.len() as u32 };
    [&header.to_bytes()[..], &body].concat()
}

/// `levels` lists, one inside the other: 8 bytes a level, each the only child of the one before.
fn nested(levels: usize) -> Vec<u8> {
    let mut body = [8, 1].repeat(levels);
    body.extend([0, 0]);
    message(&body)
}

#[test]
fn the_defaults() {
    let limits = Limits::default();
    assert_eq!(limits, Limits::new());
    assert_eq!((limits.message_len(), limits.depth()), (64 << 20, 64));
    assert_eq!((limits.budget_for(0), limits.budget_for(100)), (1024, 1824));
    // The largest factors overflow nothing.
    assert!(Limits::new().budget(u32::MAX, u32::MAX).budget_for(usize::MAX) > 1 << 60);
}

/// 64 MiB are accepted, one byte more is not; without `Limits`, no length is refused.
#[test]
fn message_length() {
    let limits = Limits::new();
    let announced = |size| Header { version: 1, flags: 0, root: 16, size }.to_bytes();
    let largest = announced(64 << 20);
    let needed = (64 << 20) - 16;
    assert!(matches!(Tick::view_prefix(&largest, &limits), Ok(Prefix::Incomplete { needed: n }) if n == needed));
    assert_eq!(Tick::decode_prefix(&largest, &limits), Ok(Prefix::Incomplete { needed }));
    assert_eq!(Message::split_first(&largest, &limits), Ok(Prefix::Incomplete { needed }));
    let larger = announced((64 << 20) + 1);
    let refused = DecodeError::new(Kind::MessageTooLarge, 12);
    assert_eq!(Tick::view_prefix(&larger, &limits).unwrap_err(), refused);
    assert_eq!(Tick::decode_prefix(&larger, &limits), Err(refused));
    assert_eq!(Message::split_first(&larger, &limits), Err(refused));

    if cfg!(miri) {
        return;
    }
    let mut bytes = larger.to_vec();
    bytes.resize((64 << 20) + 1, 0);
    assert_eq!(Tick::validate(&bytes, &limits).unwrap_err(), refused);
    assert_eq!(Tick::decode_with(&bytes, &limits), Err(refused));
    assert!(Tick::view(&bytes).is_ok() && Tick::decode(&bytes).is_ok() && Message::parse(&bytes).is_ok());
    assert!(Tick::validate(&bytes, &limits.max_message_len(u32::MAX)).is_ok());
    bytes[..16].copy_from_slice(&largest);
    assert!(Tick::validate(&bytes, &limits).is_ok());
}

#[test]
fn depth() {
    let kind = |result: Result<Tree, DecodeError>| result.err().map(DecodeError::kind);
    for (levels, expected) in [(63, None), (64, None), (65, Some(Kind::DepthExceeded))] {
        let bytes = nested(levels);
        assert_eq!(kind(Tree::decode(&bytes)), expected, "{levels}");
        assert_eq!(Tree::validate(&bytes, &Limits::new()).err().map(DecodeError::kind), expected);
        let mut view = Tree::view(&bytes).unwrap();
        for _ in 0..levels.min(64) {
            view = view.children().unwrap().get(0).unwrap();
        }
        assert_eq!(view.children().err().map(DecodeError::kind), expected);
    }
    let limits = |levels| Limits::new().max_depth(levels);
    assert_eq!(kind(Tree::decode_with(&nested(0), &limits(0))), None);
    assert_eq!(kind(Tree::decode_with(&nested(1), &limits(0))), Some(Kind::DepthExceeded));
    assert_eq!(kind(Tree::decode_with(&nested(200), &limits(200))), None);
    // The view that a deep check returns follows as far as the check did.
    let bytes = nested(100);
    let mut view = Tree::validate(&bytes, &limits(100)).unwrap();
    for _ in 0..100 {
        view = view.children().unwrap().get(0).unwrap();
    }
    assert!(view.children().unwrap().is_empty());
}

/// Ten slots that share one text: at 888 bytes exactly what the default budget allows.
#[test]
fn budget() {
    #[derive(Zap, Debug)]
    struct Texts<'a> {
        list: Vec<&'a str>,
    }
    for (len, accepted) in [(888, true), (889, false)] {
        let mut body = vec![8, 10];
        for index in 0..10 {
            body.extend([8 * (10 - index), len]);
        }
        let mut bytes = message(&body);
        bytes.resize(bytes.len() + len as usize, b'x');
        let size = bytes.len() as u32;
        bytes[12..16].copy_from_slice(&size.to_le_bytes());
        let visited = 10 * 8 + 10 * u64::from(len);
        assert_eq!(visited <= Limits::new().budget_for(bytes.len()), accepted);
        let expected = (!accepted).then_some(Kind::BudgetExceeded);
        assert_eq!(Texts::validate(&bytes, &Limits::new()).err().map(DecodeError::kind), expected);
        assert_eq!(Texts::decode(&bytes).err().map(DecodeError::kind), expected);
        // A view has no budget: it pays for what it is asked for.
        assert!(Texts::view(&bytes).unwrap().list().unwrap().iter().all(|text| text.is_ok()));
    }
}

#[test]
fn an_error_takes_sixteen_bytes() {
    assert!(size_of::<DecodeError>() <= 16);
}

/// Of a list, sixteen elements are printed; of a list that holds further lists, only its length.
#[test]
fn printed_elements() {
    #[derive(Zap)]
    struct Numbers {
        list: Vec<u32>,
        lists: Vec<Vec<u32>>,
    }
    let bytes = Numbers { list: vec![7; 1000], lists: vec![vec![7]; 1000] }.to_vec().unwrap();
    let text = format!("{:?}", Numbers::view(&bytes).unwrap());
    assert_eq!(text.matches('7').count(), 16);
    assert!(text.contains("[1000 elements]"), "{text}");
}

/// The wire says lengths in 32 bits and follows signed pointers. The bytes are counted, never allocated: all elements
/// are the same slice.
#[test]
fn what_the_wire_cannot_say_is_not_written() {
    #[derive(Zap)]
    struct Blobs<'a> {
        list: Vec<&'a [u8]>,
    }
    #[derive(Zap)]
    struct Lists<T> {
        list: Vec<T>,
    }
    #[derive(Zap)]
    #[zap(dialect = "zapgen")]
    struct Inner<'a> {
        data: Vec<&'a [u8]>,
    }
    #[derive(Zap)]
    #[zap(dialect = "zapgen")]
    struct Outer<'a> {
        inner: Inner<'a>,
        list: Vec<Inner<'a>>,
    }

    let large = vec![0_u8; 1 << 20];
    let mut buffer = vec![1, 2, 3];
    // 4,095 MiB of bytes and what is needed around them fit; 4,096 do not. A 32-bit machine has room for half of it.
    let most = if cfg!(target_pointer_width = "64") { 4095 } else { 2047 };
    let len = |count| 24 + count * (8 + (1 << 20));
    let mut blobs = Blobs { list: vec![&large; most] };
    assert_eq!(blobs.encoded_len() as u64, len(most as u64));
    assert_eq!(
        blobs.encode_into(&mut [0; 8]).unwrap_err(),
        EncodeError::BufferTooSmall { needed: blobs.encoded_len(), available: 8 }
    );
    blobs.list.push(&large);
    assert_eq!(blobs.encode_into(&mut buffer), Err(EncodeError::TooLarge { len: len(most as u64 + 1) }));
    assert_eq!(blobs.to_vec(), Err(EncodeError::TooLarge { len: len(most as u64 + 1) }));

    // Lists lie in the structure region, which ends where a signed pointer does.
    let numbers = vec![0_u64; 1 << 17];
    let mut words = Lists { list: vec![&numbers[..]; 2047] };
    assert!(matches!(words.encode_into(&mut [0; 8]), Err(EncodeError::BufferTooSmall { .. })));
    words.list.push(&numbers);
    assert!(matches!(words.encode_into(&mut buffer), Err(EncodeError::TooLarge { .. })));

    // So do messages inside messages.
    let inner = || Inner { data: vec![&large; 2048] };
    let small = || Inner { data: vec![] };
    for outer in [Outer { inner: inner(), list: vec![] }, Outer { inner: small(), list: vec![inner()] }] {
        assert!(matches!(outer.encode_into(&mut buffer), Err(EncodeError::TooLarge { .. })));
    }
    assert_eq!(buffer, [1, 2, 3]);
}

/// A count has 32 bits.
#[test]
#[ignore = "asks for 4 GiB of zeroed memory, though it touches none"]
#[cfg(target_pointer_width = "64")]
fn elements_of_a_list() {
    #[derive(Zap)]
    struct Flags<'a> {
        list: &'a [bool],
    }
    let flags = vec![false; 1 << 32];
    let mut buffer = vec![1, 2, 3];
    let expected = Err(EncodeError::TooManyElements { count: 1 << 32 });
    assert_eq!(Flags { list: &flags }.encode_into(&mut buffer), expected);
    assert_eq!(buffer, [1, 2, 3]);
}

#[test]
fn depth_of_what_is_written() {
    let mut tree = Tree::default();
    for _ in 0..64 {
        tree = Tree { children: vec![tree] };
    }
    assert_eq!(tree.to_vec().unwrap(), nested(64));
    tree = Tree { children: vec![tree] };
    assert_eq!(tree.to_vec(), Err(EncodeError::TooDeep));
}

#[cfg(feature = "std")]
#[test]
fn the_pool_by_default() {
    use zap_core::{Buffer, BufferPool};

    let pool = BufferPool::new();
    let filled = |count: usize, len: usize| {
        let taken: Vec<_> = (0..count)
            .map(|_| {
                let mut buffer = pool.take();
                *buffer = Buffer::with_capacity(len);
                buffer
            })
            .collect();
        drop(taken);
        let held = (pool.idle(), pool.idle_bytes());
        let emptied: Vec<_> = (0..held.0).map(|_| core::mem::take(&mut *pool.take())).collect();
        drop(emptied);
        held
    };
    assert_eq!(filled(300, 64), (256, 256 * 64));
    if !cfg!(miri) {
        assert_eq!(filled(20, 1 << 20), (16, 16 << 20));
    }
    assert_eq!(filled(1, (1 << 20) + 1), (0, 0));
}
