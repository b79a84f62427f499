//! The buffer pool under every order in which threads can meet.
//!
//! `RUSTFLAGS="--cfg loom" cargo test --release -p zap-core --test interleavings`; without it nothing is here. The pool is
//! all that threads share in this crate.
#![cfg(loom)]

use loom::thread;
use zap_core::BufferPool;

/// Takes a buffer, fills it, gives it back.
fn use_a_buffer(pool: &BufferPool, byte: u8, len: usize) {
    let mut buffer = pool.take();
    assert!(buffer.as_slice().is_empty(), "a used buffer shows its past");
    buffer.extend_from_slice(&vec![byte; len]);
    assert!(buffer.as_slice().iter().all(|other| *other == byte), "two threads hold one buffer");
}

#[test]
fn bounds_hold_and_buffers_have_one_owner() {
    loom::model(|| {
        let pool = BufferPool::with_bounds(1, 1 << 10, 1 << 9);
        let other = pool.clone();
        let other = thread::spawn(move || use_a_buffer(&other, 1, 32));
        use_a_buffer(&pool, 2, 16);
        assert!(pool.idle() <= 1 && pool.idle_bytes() <= 1 << 10);
        other.join().unwrap();
        // Of two buffers at most one is kept, and its bytes are counted.
        assert_eq!((pool.idle(), pool.idle_bytes() > 0), (1, true));
        let last = pool.take();
        assert_eq!((pool.idle(), pool.idle_bytes()), (0, 0));
        drop(last);
        assert_eq!(pool.idle(), 1);
    });
}

/// The pool's handle goes before the buffers on loan.
#[test]
fn buffers_outlive_the_handle() {
    loom::model(|| {
        let pool = BufferPool::new();
        let buffer = pool.take();
        let other = thread::spawn({
            let pool = pool.clone();
            move || use_a_buffer(&pool, 1, 16)
        });
        drop(pool);
        drop(buffer);
        other.join().unwrap();
    });
}
