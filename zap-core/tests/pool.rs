//! The buffer pool's bounds, the owning view across threads, and messages that arrive byte by byte.
#![cfg(all(feature = "std", feature = "derive"))]

use std::sync::mpsc;
use std::thread;

use bytes::Bytes;
use zap_core::{Buffer, BufferPool, DecodeErrorKind, EncodeError, Limits, OwnedView, PooledBuffer, Prefix, Zap};

#[derive(Zap, Clone, Debug, PartialEq)]
struct Note<'a> {
    id: u64,
    text: &'a str,
    tags: Vec<String>,
}

fn note(text: &str) -> Note<'_> {
    Note { id: 7, text, tags: vec!["a".into(), "bc".into()] }
}

const fn shareable<T: Send + Sync + 'static>() {}
const _: () = shareable::<OwnedView<Note<'static>>>();
const _: () = shareable::<BufferPool>();
const _: () = shareable::<PooledBuffer>();
const _: () = shareable::<Buffer>();

#[test]
fn the_number_of_idle_buffers_is_bounded() {
    let pool = BufferPool::with_bounds(3, 1 << 20, 1 << 10);
    let taken: Vec<_> = (0..10).map(|_| pool.encode(&note("x")).unwrap()).collect();
    assert_eq!((pool.idle(), pool.idle_bytes()), (0, 0));
    drop(taken);
    assert_eq!(pool.idle(), 3);
    // Taking one and giving it back changes nothing.
    drop(pool.take());
    assert_eq!(pool.idle(), 3);
    assert!(pool.take().is_empty() && pool.take().capacity() > 0);
}

#[test]
fn the_bytes_of_idle_buffers_are_bounded() {
    let pool = BufferPool::with_bounds(100, 1000, 400);
    let filled = |len: usize| {
        let mut buffer = pool.take();
        *buffer = Buffer::with_capacity(len);
        buffer
    };
    let taken: Vec<_> = (0..10).map(|_| filled(300)).collect();
    drop(taken);
    assert_eq!((pool.idle(), pool.idle_bytes()), (3, 900));
    // The hundred that are left take one of a hundred, not one more.
    drop((filled(300), filled(101)));
    assert!(pool.idle_bytes() <= 1000);
    let idle: Vec<_> = (0..pool.idle()).map(|_| pool.take()).collect();
    assert_eq!((pool.idle(), pool.idle_bytes()), (0, 0));
    drop(idle);
}

#[test]
fn buffers_that_grew_too_large_are_let_go() {
    let pool = BufferPool::with_bounds(10, 1 << 20, 256);
    drop(pool.encode(&note(&"x".repeat(10_000))).unwrap());
    assert_eq!((pool.idle(), pool.idle_bytes()), (0, 0));
    drop(pool.encode(&note("x")).unwrap());
    assert_eq!(pool.idle(), 1);
    // A buffer that grows while it is out.
    let mut buffer = pool.take();
    buffer.extend_from_slice(&[0; 10_000]);
    drop(buffer);
    assert_eq!((pool.idle(), pool.idle_bytes()), (0, 0));
    // And a pool that keeps nothing still works.
    let none = BufferPool::with_bounds(0, 0, 0);
    assert_eq!(Note::decode(&none.encode(&note("x")).unwrap()).unwrap(), note("x"));
    assert_eq!(none.idle(), 0);
}

#[test]
fn a_used_buffer_shows_nothing_of_its_past() {
    let pool = BufferPool::new();
    drop(pool.encode(&note(&"secret".repeat(50))).unwrap());
    let again = pool.encode(&note("")).unwrap();
    assert_eq!(&again[..], note("").to_vec().unwrap());
    // A refused value gives its buffer back as well.
    drop(again);
    let mut fixed = [0_u8; 4];
    assert!(matches!(note("x").encode_into(&mut fixed), Err(EncodeError::BufferTooSmall { .. })));
    assert_eq!(pool.idle(), 1);
}

#[test]
fn threads_share_a_pool() {
    let pool = BufferPool::with_bounds(4, 1 << 16, 1 << 12);
    let rounds = if cfg!(miri) { 5 } else { 500 };
    thread::scope(|scope| {
        for thread in 0..if cfg!(miri) { 3 } else { 8_u64 } {
            let pool = pool.clone();
            scope.spawn(move || {
                for round in 0..rounds {
                    let text = "y".repeat((round % 90) as usize);
                    let value = Note { id: thread << 32 | round, ..note(&text) };
                    let message = pool.encode(&value).unwrap();
                    assert_eq!(Note::decode(&message).unwrap(), value);
                }
            });
        }
    });
    assert!((1..=4).contains(&pool.idle()));
    assert!(pool.idle_bytes() <= 1 << 16);
}

#[test]
fn buffers_move_between_threads() {
    let pool = BufferPool::new();
    let (sender, receiver) = mpsc::channel::<PooledBuffer>();
    let reader = thread::spawn(move || receiver.iter().map(|message| Note::view(&message).unwrap().id()).sum::<u64>());
    for id in 0..20 {
        sender.send(pool.encode(&Note { id, ..note("z") }).unwrap()).unwrap();
    }
    drop(sender);
    assert_eq!(reader.join().unwrap(), 190);
    assert!(pool.idle() >= 1);
}

/// A panic while a buffer is out loses neither the buffer nor the pool.
#[test]
fn a_panic_leaves_the_pool_usable() {
    let pool = BufferPool::new();
    let inside = pool.clone();
    let panicked = thread::spawn(move || {
        let _buffer = inside.encode(&note("x")).unwrap();
        std::panic::resume_unwind(Box::new(()));
    });
    assert!(panicked.join().is_err());
    assert_eq!(pool.idle(), 1);
    assert!(pool.encode(&note("y")).is_ok());
}

#[test]
fn an_owned_view_crosses_threads() {
    let mut bytes = note("hello").to_vec().unwrap();
    let len = bytes.len();
    bytes.extend(b"what follows");
    let view = OwnedView::<Note<'static>>::new(bytes).unwrap();
    // It lets go of the bytes behind its message.
    assert_eq!(view.as_bytes().len(), len);
    let threads: Vec<_> = (0..3)
        .map(|_| {
            let view = view.clone();
            thread::spawn(move || {
                let note = view.view();
                (note.id(), note.text().map(str::to_owned), note.tags().map(|tags| tags.len()))
            })
        })
        .collect();
    for thread in threads {
        assert_eq!(thread.join().unwrap(), (7, Ok("hello".to_owned()), Ok(2)));
    }
    assert!(format!("{view:?}").contains("hello"));
    assert_eq!(Note::decode(&view.into_bytes()).unwrap(), note("hello"));
}

#[test]
fn an_owned_view_checks_as_the_view_does() {
    let good = note("hello").to_vec().unwrap();
    assert!(OwnedView::<Note<'static>>::validated(good.clone(), &Limits::new()).is_ok());
    let mut bad = good.clone();
    *bad.last_mut().unwrap() = 0xff;
    let bad = Bytes::from(bad);
    assert!(OwnedView::<Note<'static>>::new(bad.clone()).is_ok());
    let error = OwnedView::<Note<'static>>::validated(bad, &Limits::new()).unwrap_err();
    assert_eq!(error.kind(), DecodeErrorKind::InvalidUtf8);
    let error = OwnedView::<Note<'static>>::new(good[..good.len() - 1].to_vec()).unwrap_err();
    assert_eq!(error.kind(), DecodeErrorKind::BufferTooSmall);
}

/// A message behind the header whose root is elsewhere is found again there.
#[test]
fn an_owned_view_finds_a_moved_root() {
    #[derive(Zap, Debug, PartialEq)]
    #[zap(dialect = "zip")]
    struct Last {
        list: Vec<u32>,
        text: String,
    }
    let value = Last { list: vec![1, 2, 3], text: "behind".into() };
    let view = OwnedView::<Last>::new(value.to_vec().unwrap()).unwrap();
    assert_eq!(view.view().text(), Ok("behind"));
    assert_eq!(view.view().list().unwrap().iter().collect::<Result<Vec<_>, _>>().unwrap(), [1, 2, 3]);
}

#[test]
fn a_message_grows_byte_by_byte() {
    let limits = Limits::new();
    let value = note("growing");
    let message = value.to_vec().unwrap();
    let mut stream = message.clone();
    stream.extend(&message[..10]);
    for len in 0..=stream.len() {
        let bytes = &stream[..len];
        let view = Note::view_prefix(bytes, &limits).unwrap();
        let decoded = Note::decode_prefix(bytes, &limits).unwrap();
        if len < message.len() {
            // Until the header is there, it is what is needed; then exactly the rest of the message.
            let expected = if len < 16 { 16 - len } else { message.len() - len };
            assert!(matches!(view, Prefix::Incomplete { needed } if needed == expected), "{len} bytes");
            assert_eq!(decoded, Prefix::Incomplete { needed: expected });
        } else {
            assert_eq!(decoded, Prefix::Complete { value: value.clone(), rest: &stream[message.len()..len] });
            assert!(matches!(view, Prefix::Complete { rest, .. } if rest == &stream[message.len()..len]));
        }
    }
}

/// What is wrong is refused as soon as the bytes that prove it are there.
#[test]
fn a_wrong_start_is_refused_early() {
    let limits = Limits::new();
    let message = note("x").to_vec().unwrap();
    let first_refusal = |bytes: &[u8]| {
        (0..=bytes.len())
            .find_map(|len| Note::view_prefix(&bytes[..len], &limits).err().map(|error| (len, error.kind())))
    };
    assert_eq!(first_refusal(&message), None);
    for at in 0..4 {
        let mut wrong = message.clone();
        wrong[at] ^= 0x20;
        assert_eq!(first_refusal(&wrong), Some((at + 1, DecodeErrorKind::InvalidMagic)));
    }
    for (at, byte) in [(4, 0), (4, 3), (5, 1), (5, 0xff)] {
        let mut wrong = message.clone();
        wrong[at] = byte;
        let (len, kind) = first_refusal(&wrong).unwrap();
        assert_eq!((len, kind), (at + 1, DecodeErrorKind::UnsupportedVersion));
    }
    let with_size = |size: u32| {
        let mut wrong = message.clone();
        wrong[12..16].copy_from_slice(&size.to_le_bytes());
        wrong
    };
    assert_eq!(first_refusal(&with_size(15)), Some((16, DecodeErrorKind::BufferTooSmall)));
    assert_eq!(first_refusal(&with_size(u32::MAX)), Some((16, DecodeErrorKind::MessageTooLarge)));
    assert_eq!(first_refusal(&with_size((64 << 20) + 1)), Some((16, DecodeErrorKind::MessageTooLarge)));
    assert_eq!(first_refusal(&with_size(64 << 20)), None);
    // A complete message whose root does not fit is refused, not waited for.
    assert_eq!(first_refusal(&with_size(16)), Some((16, DecodeErrorKind::SectionOutOfBounds)));
    let small = limits.max_message_len(message.len() as u32 - 1);
    assert_eq!(Note::decode_prefix(&message, &small).unwrap_err().kind(), DecodeErrorKind::MessageTooLarge);
}
