//! The messages: which numbers, in which places, and the walk through all of them.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Bytes of the largest message: a header and six words, which is a slot, what it points at, and a slot there.
pub(crate) const MAX_LEN: usize = 40;
/// Bytes of a header.
pub(crate) const HEADER: usize = 16;

/// The numbers at which readers go wrong, in a message of `len` bytes; each once.
pub(crate) fn boundary(len: usize) -> Vec<u32> {
    let len = len as u32;
    let near = [0, 1, 7, 8, 15, 16, 17, len.wrapping_sub(1), len, len + 1];
    let mut all = [&near[..], &[(1 << 31) - 1, 1 << 31, u32::MAX - 7, u32::MAX]].concat();
    all.sort_unstable();
    all.dedup();
    all
}

/// A header of version 1 with this root and size, and zeros up to `len`; cut, if that is shorter.
pub(crate) fn with_header(len: usize, root: u32, size: u32) -> Vec<u8> {
    let mut bytes = b"ZAP\0\x01\0\0\0".to_vec();
    bytes.extend(root.to_le_bytes());
    bytes.extend(size.to_le_bytes());
    bytes.resize(len, 0);
    bytes
}

/// Every body of `bytes`, in place: each of its words is every number of `words`, the last one cut to the bytes there are.
pub(crate) fn bodies(bytes: &mut [u8], words: &[u32], mut each: impl FnMut(&[u8])) {
    let places = (HEADER..bytes.len()).step_by(4).map(|at| at..bytes.len().min(at + 4)).collect::<Vec<_>>();
    let choices = places.iter().map(|place| {
        let mut choices = words.iter().map(|word| word.to_le_bytes()[..place.len()].to_vec()).collect::<Vec<_>>();
        choices.sort_unstable();
        choices.dedup();
        choices
    });
    let choices = choices.collect::<Vec<_>>();
    let mut picks = vec![0; places.len()];
    for (place, choices) in places.iter().zip(&choices) {
        bytes[place.clone()].copy_from_slice(&choices[0]);
    }
    loop {
        each(bytes);
        // The next number in the first place that has one; the places before begin again.
        let next = picks.iter_mut().enumerate().try_for_each(|(i, pick)| {
            *pick = (*pick + 1) % choices[i].len();
            bytes[places[i].clone()].copy_from_slice(&choices[i][*pick]);
            if *pick == 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        if next.is_continue() {
            return;
        }
    }
}

/// Does all the work on as many threads as the machine has; the sum of what `work` counts.
pub(crate) fn sum_of<T: Sync>(all: &[T], work: impl Fn(&T) -> u64 + Sync) -> u64 {
    let next = AtomicUsize::new(0);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let take = || std::iter::from_fn(|| all.get(next.fetch_add(1, Ordering::Relaxed))).map(&work).sum::<u64>();
    thread::scope(|scope| {
        let workers = (0..threads).map(|_| scope.spawn(take)).collect::<Vec<_>>();
        workers.into_iter().map(|worker| worker.join().expect("a message that the readers disagree on")).sum()
    })
}
