//! A bounded pool of buffers that threads share.

use core::fmt;
use core::ops::{Deref, DerefMut};

use std::sync::PoisonError;
#[cfg(not(loom))]
use std::sync::{Arc, Mutex, MutexGuard};
use std::vec::Vec;

// Their copies that try every order of threads, for tests/interleavings.rs.
#[cfg(loom)]
use loom::sync::{Arc, Mutex, MutexGuard};

use crate::{Buffer, EncodeError, Zap};

/// A pool of [`Buffer`]s: bounded in count and in bytes, and shared between threads by cloning the handle.
///
/// A buffer goes back when its [`PooledBuffer`] is dropped, unless it grew beyond the largest size kept or the pool is
/// full; then its memory is freed. Once the pool is warm, encoding through it allocates nothing.
///
/// # Examples
///
/// ```
/// use zap_core::{BufferPool, Zap};
///
/// #[derive(Zap)]
/// struct Tick {
///     at: u64,
/// }
///
/// let pool = BufferPool::new();
/// let message = pool.encode(&Tick { at: 9 })?;
/// assert_eq!(Tick::view(&message)?.at(), 9);
/// drop(message);
/// assert_eq!(pool.idle(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct BufferPool {
    shared: Arc<Shared>,
}

struct Shared {
    max_buffers: usize,
    max_bytes: usize,
    max_buffer_len: usize,
    idle: Mutex<Idle>,
}

struct Idle {
    buffers: Vec<Buffer>,
    bytes: usize,
}

impl BufferPool {
    /// A pool with the default bounds: 256 buffers, 16 MiB in all, 1 MiB a buffer.
    #[must_use]
    pub fn new() -> Self {
        Self::with_bounds(256, 16 << 20, 1 << 20)
    }

    /// A pool that keeps at most `max_buffers` idle buffers of together at most `max_bytes` bytes of capacity, and no
    /// buffer with a capacity above `max_buffer_len` bytes.
    #[must_use]
    pub fn with_bounds(max_buffers: usize, max_bytes: usize, max_buffer_len: usize) -> Self {
        let idle = Mutex::new(Idle { buffers: Vec::with_capacity(max_buffers.min(1024)), bytes: 0 });
        Self { shared: Arc::new(Shared { max_buffers, max_bytes, max_buffer_len, idle }) }
    }

    /// An empty buffer: a used one if there is one.
    #[must_use]
    pub fn take(&self) -> PooledBuffer {
        let mut idle = self.shared.lock();
        let buffer = idle.buffers.pop().unwrap_or_default();
        idle.bytes = idle.bytes.saturating_sub(buffer.capacity());
        drop(idle);
        PooledBuffer { buffer, shared: Arc::clone(&self.shared) }
    }

    /// Encodes a value into a buffer of the pool.
    ///
    /// # Errors
    ///
    /// The value does not fit the wire.
    pub fn encode<T: Zap>(&self, value: &T) -> Result<PooledBuffer, EncodeError> {
        let mut buffer = self.take();
        value.encode_into(&mut buffer)?;
        Ok(buffer)
    }

    /// Buffers that wait to be taken.
    #[must_use]
    pub fn idle(&self) -> usize {
        self.shared.lock().buffers.len()
    }

    /// Bytes of capacity that wait to be taken.
    #[must_use]
    pub fn idle_bytes(&self) -> usize {
        self.shared.lock().bytes
    }
}

impl Default for BufferPool {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for BufferPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let idle = self.shared.lock();
        f.debug_struct("BufferPool").field("idle", &idle.buffers.len()).field("idle_bytes", &idle.bytes).finish()
    }
}

impl Shared {
    /// A thread that panicked while it held the lock left whole buffers behind: they stay usable.
    fn lock(&self) -> MutexGuard<'_, Idle> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn give_back(&self, mut buffer: Buffer) {
        let capacity = buffer.capacity();
        if capacity == 0 || capacity > self.max_buffer_len {
            return;
        }
        buffer.clear();
        let mut idle = self.lock();
        let bytes = idle.bytes.saturating_add(capacity);
        if idle.buffers.len() < self.max_buffers && bytes <= self.max_bytes {
            idle.bytes = bytes;
            idle.buffers.push(buffer);
        }
    }
}

/// A [`Buffer`] on loan from a [`BufferPool`]; it goes back when it is dropped.
pub struct PooledBuffer {
    buffer: Buffer,
    shared: Arc<Shared>,
}

impl Deref for PooledBuffer {
    type Target = Buffer;

    fn deref(&self) -> &Buffer {
        &self.buffer
    }
}

impl DerefMut for PooledBuffer {
    fn deref_mut(&mut self) -> &mut Buffer {
        &mut self.buffer
    }
}

impl AsRef<[u8]> for PooledBuffer {
    fn as_ref(&self) -> &[u8] {
        self.buffer.as_slice()
    }
}

impl fmt::Debug for PooledBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.buffer.fmt(f)
    }
}

impl Drop for PooledBuffer {
    fn drop(&mut self) {
        self.shared.give_back(core::mem::take(&mut self.buffer));
    }
}
