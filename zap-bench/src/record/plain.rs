//! `zap-plain`: the request on the same wire by the same path, written by hand with what everybody reaches for:
//! `std`'s UTF-8 check and one `memcpy` per field. It is a good baseline, not a straw man: header and fixed section are
//! arrays read at constant offsets, each slot costs one range check, and encoding makes room once and writes in place.
//! `zap-appends` is its encoder as one would write it in safe code: an append per part.
#![allow(unsafe_code)] // as the codec's own path: the length is set after writing

/// A request as the caller holds it.
pub(crate) struct PlainRequest<'a> {
    pub(crate) id: u64,
    pub(crate) block: u64,
    pub(crate) method: &'a str,
    pub(crate) account: &'a [u8],
}

/// Magic, version 1, no flags, root 16.
const HEADER: [u8; 12] = [0x5a, 0x41, 0x50, 0x00, 1, 0, 0, 0, 16, 0, 0, 0];

/// Header and fixed section: where the tail begins.
const FIXED: usize = 48;

impl<'a> PlainRequest<'a> {
    /// Bounds and UTF-8 checked; text and bytes borrow from the message.
    #[inline(always)]
    pub(crate) fn decode(bytes: &'a [u8]) -> Option<Self> {
        let (header, _) = bytes.split_first_chunk::<16>()?;
        if header[..12] != HEADER {
            return None;
        }
        let message = bytes.get(..word(header, 12) as usize)?;
        let fixed = message.first_chunk::<FIXED>()?;
        Some(Self {
            id: long(fixed, 16),
            block: long(fixed, 24),
            method: std::str::from_utf8(slot(message, fixed, 32)?).ok()?,
            account: slot(message, fixed, 40)?,
        })
    }

    /// Appends the message as the codec does: count, make room once, write in place, take the bytes into use.
    #[inline(always)]
    pub(crate) fn encode_into(&self, out: &mut Vec<u8>) {
        let (method, account) = (self.method.as_bytes(), self.account);
        let size = FIXED + method.len() + account.len();
        out.reserve(size);
        let room = &mut out.spare_capacity_mut()[..size];
        let (fixed, tail) = room.split_at_mut(FIXED);
        fixed[..12].write_copy_of_slice(&HEADER);
        fixed[12..16].write_copy_of_slice(&(size as u32).to_le_bytes());
        fixed[16..24].write_copy_of_slice(&self.id.to_le_bytes());
        fixed[24..32].write_copy_of_slice(&self.block.to_le_bytes());
        fixed[32..40].write_copy_of_slice(&slot_word(FIXED - 32, method.len()));
        fixed[40..48].write_copy_of_slice(&slot_word(FIXED - 40 + method.len(), account.len()));
        tail[..method.len()].write_copy_of_slice(method);
        tail[method.len()..].write_copy_of_slice(account);
        // SAFETY: `reserve` made room for `size` bytes behind those in use, and the lines above wrote all of them.
        unsafe { out.set_len(out.len() + size) };
    }

    /// Appends the message with a growing append per part, in safe code.
    #[inline(always)]
    pub(crate) fn append_into(&self, out: &mut Vec<u8>) {
        let (method, account) = (self.method.as_bytes(), self.account);
        let size = FIXED + method.len() + account.len();
        let mut fixed = [0; FIXED];
        fixed[..12].copy_from_slice(&HEADER);
        fixed[12..16].copy_from_slice(&(size as u32).to_le_bytes());
        fixed[16..24].copy_from_slice(&self.id.to_le_bytes());
        fixed[24..32].copy_from_slice(&self.block.to_le_bytes());
        fixed[32..40].copy_from_slice(&slot_word(FIXED - 32, method.len()));
        fixed[40..48].copy_from_slice(&slot_word(FIXED - 40 + method.len(), account.len()));
        out.reserve(size);
        out.extend_from_slice(&fixed);
        out.extend_from_slice(method);
        out.extend_from_slice(account);
    }
}

/// A slot: how far from it its data starts, and how long that is.
#[inline(always)]
fn slot_word(rel: usize, len: usize) -> [u8; 8] {
    (rel as u64 | (len as u64) << 32).to_le_bytes()
}

/// The little-endian `u32` at a constant offset of an array.
#[inline(always)]
fn word<const N: usize>(array: &[u8; N], at: usize) -> u32 {
    u32::from_le_bytes([array[at], array[at + 1], array[at + 2], array[at + 3]])
}

/// The little-endian `u64` at a constant offset of an array.
#[inline(always)]
fn long<const N: usize>(array: &[u8; N], at: usize) -> u64 {
    u64::from(word(array, at)) | u64::from(word(array, at + 4)) << 32
}

/// What the slot at `at` points to. A target inside the fixed section is refused; a sum of two `u32` and a constant
/// cannot overflow 64 bits.
#[inline(always)]
fn slot<'a>(message: &'a [u8], fixed: &[u8; FIXED], at: usize) -> Option<&'a [u8]> {
    let start = at as u64 + u64::from(word(fixed, at));
    let end = start + u64::from(word(fixed, at + 4));
    if start < FIXED as u64 || end > message.len() as u64 {
        return None;
    }
    Some(&message[start as usize..end as usize])
}
