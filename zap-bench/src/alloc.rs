//! The counting allocator: the system's allocator, and a count of the calls this thread made while somebody counts.
//!
//! Counting is a separate pass: outside it the price is one relaxed load per allocation, the same for every codec.
#![allow(unsafe_code)] // `GlobalAlloc` is an unsafe trait; every method forwards to `System`.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// How many counts are under way, on any thread.
static COUNTING: AtomicUsize = AtomicUsize::new(0);

/// Allocations and reallocations of all threads while `COUNTING` was not zero.
static ALL: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// Allocations and reallocations of this thread while `COUNTING` was not zero.
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[inline(always)]
fn note() {
    if COUNTING.load(Ordering::Relaxed) != 0 {
        // A thread that is being torn down has no counter left, and nobody who reads it.
        let _ = CALLS.try_with(|calls| calls.set(calls.get() + 1));
        ALL.fetch_add(1, Ordering::Relaxed);
    }
}

// SAFETY: every method passes its arguments unchanged to `System`, which upholds the contract, and returns its answer
// unchanged. `note` neither allocates (a `const` thread local without a destructor) nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note();
        // SAFETY: the caller's promise about `layout` is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note();
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        note();
        // SAFETY: `ptr` came from `System` through this allocator; the rest is the caller's promise.
        unsafe { System.realloc(ptr, layout, new_size) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: `ptr` came from `System` through this allocator with this layout.
        unsafe { System.dealloc(ptr, layout) }
    }
}

/// The number of allocations and reallocations that `work` makes on this thread.
pub(crate) fn count(work: impl FnOnce()) -> u64 {
    COUNTING.fetch_add(1, Ordering::SeqCst);
    let before = CALLS.get();
    work();
    let after = CALLS.get();
    COUNTING.fetch_sub(1, Ordering::SeqCst);
    after - before
}

/// From here on, or no longer, the allocations of all threads are counted. Says how many were since the last call.
#[cfg(target_os = "linux")]
pub(crate) fn count_all(on: bool) -> u64 {
    COUNTING.store(on.into(), Ordering::SeqCst);
    ALL.swap(0, Ordering::SeqCst)
}

#[cfg(test)]
mod tests {
    use super::count;
    use std::hint::black_box;

    #[test]
    fn counts_allocations_and_reallocations_and_nothing_else() {
        assert_eq!(count(|| ()), 0);
        assert_eq!(count(|| drop(black_box(Box::new(1)))), 1);
        let mut vec: Vec<u8> = Vec::with_capacity(4);
        assert_eq!(count(|| black_box(&mut vec).extend_from_slice(&[0; 4])), 0);
        assert_eq!(count(|| black_box(&mut vec).push(0)), 1);
    }
}
