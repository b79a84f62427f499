//! Header, and the three kinds of slot, as the wire page states them (1.1 and 1.2).
//!
//! Positions are absolute, counted from the first header byte, and held in a u64: a u32 offset and a u32 length cannot
//! wrap there.

use super::value::little_endian;

/// Bytes of a header.
pub(super) const HEADER: u64 = 16;

/// A header as bytes.
pub(super) fn header(version: u16, flags: u16, root: u32, size: u32) -> Vec<u8> {
    let mut out = b"ZAP\0".to_vec();
    out.extend(version.to_le_bytes());
    out.extend(flags.to_le_bytes());
    out.extend(root.to_le_bytes());
    out.extend(size.to_le_bytes());
    out
}

/// A message whose header was accepted; anything after its own size is cut off.
#[derive(Clone, Copy, Debug)]
pub struct Message<'m> {
    bytes: &'m [u8],
}

/// Where a slot points: an absolute position and a length or a count.
pub(super) type Target = Option<(u64, u64)>;

impl<'m> Message<'m> {
    /// Checks the header, in the order of the wire page.
    ///
    /// # Errors
    ///
    /// The wire page's name of the first check that failed.
    pub fn parse(input: &'m [u8]) -> Result<Message<'m>, String> {
        let whole = Message { bytes: input };
        let Some(header) = whole.slice(0, HEADER) else { return Err("buffer_too_small".into()) };
        if !header.starts_with(&[0x5a, 0x41, 0x50, 0x00]) {
            return Err("invalid_magic".into());
        }
        if whole.version() != 1 && whole.version() != 2 {
            return Err("unsupported_version".into());
        }
        let size = whole.number(12, 4).unwrap_or(0);
        match whole.slice(0, size) {
            Some(bytes) if size >= HEADER => Ok(Message { bytes }),
            _ => Err("buffer_too_small".into()),
        }
    }

    /// The version word.
    pub fn version(&self) -> u16 {
        self.number(4, 2).unwrap_or(0) as u16
    }

    /// The flags word.
    pub fn flags(&self) -> u16 {
        self.number(6, 2).unwrap_or(0) as u16
    }

    /// The root's absolute offset, unchecked.
    pub fn root(&self) -> u64 {
        self.number(8, 4).unwrap_or(0)
    }

    /// The message's size, header included.
    pub fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// The whole message.
    pub(super) fn bytes(&self) -> &'m [u8] {
        self.bytes
    }

    /// `len` bytes at `at`, if the message has them.
    pub(super) fn slice(&self, at: u64, len: u64) -> Option<&'m [u8]> {
        let end = at.checked_add(len)?;
        self.bytes.get(usize::try_from(at).ok()?..usize::try_from(end).ok()?)
    }

    /// As [`slice`](Self::slice), or an error that says where.
    pub(super) fn need(&self, at: u64, len: u64) -> Result<&'m [u8], String> {
        self.slice(at, len).ok_or_else(|| format!("{len} bytes at {at} do not fit into {} bytes", self.size()))
    }

    /// An unsigned number of `width` bytes, at most 8.
    pub(super) fn number(&self, at: u64, width: u64) -> Option<u64> {
        self.slice(at, width).map(|bytes| little_endian(bytes) as u64)
    }

    fn words(&self, at: u64) -> Result<(u64, u64), String> {
        let slot = self.need(at, 8)?;
        let (rel, len) = slot.split_at(4);
        Ok((little_endian(rel) as u64, little_endian(len) as u64))
    }

    /// A text or bytes slot: null, or start and length; an error if it points nowhere.
    pub(super) fn bytes_slot(&self, at: u64) -> Result<Target, String> {
        let (rel, len) = self.words(at)?;
        let target = at + rel;
        match rel {
            0 => Ok(None),
            _ if target < HEADER || target + len > self.size() => Err(format!("bytes slot at {at} does not resolve")),
            _ => Ok(Some((target, len))),
        }
    }

    /// A list slot: null, or start and count; an error if it points nowhere.
    pub(super) fn list_slot(&self, at: u64) -> Result<Target, String> {
        let (rel, count) = self.words(at)?;
        match self.signed(at, rel) {
            Ok(None) => Ok(None),
            Ok(Some(target)) if count <= self.size() => Ok(Some((target, count))),
            _ => Err(format!("list slot at {at} does not resolve")),
        }
    }

    /// An object pointer: null, or the target; an error if it points nowhere.
    pub(super) fn pointer(&self, at: u64) -> Result<Option<u64>, String> {
        let rel = little_endian(self.need(at, 4)?) as u64;
        self.signed(at, rel).map_err(|()| format!("pointer at {at} does not resolve"))
    }

    /// The target of a signed `rel`: inside the message and behind the header.
    fn signed(&self, at: u64, rel: u64) -> Result<Option<u64>, ()> {
        let rel = i64::from(rel as u32 as i32);
        let target = at.checked_add_signed(rel).ok_or(())?;
        match rel {
            0 => Ok(None),
            _ if target < HEADER || target >= self.size() => Err(()),
            _ => Ok(Some(target)),
        }
    }
}

/// `at` moved up to a multiple of `align`.
pub(super) fn align_up(at: u64, align: u64) -> u64 {
    at.div_ceil(align) * align
}

/// Appends zeros up to a multiple of `align`; `out` begins with the header, so positions are absolute.
pub(super) fn pad(out: &mut Vec<u8>, align: u64) {
    out.resize(align_up(out.len() as u64, align) as usize, 0);
}

/// Overwrites bytes that exist.
pub(super) fn put(out: &mut [u8], at: u64, bytes: &[u8]) -> Result<(), String> {
    let start = at as usize;
    let place = out.get_mut(start..start + bytes.len()).ok_or_else(|| format!("no room for a field at {at}"))?;
    place.copy_from_slice(bytes);
    Ok(())
}

/// Overwrites an 8-byte slot: the distance from the slot to `target`, and a length or count.
pub(super) fn put_slot(out: &mut [u8], at: u64, target: u64, len: u64) -> Result<(), String> {
    put_pointer(out, at, target)?;
    put(out, at + 4, &u32::try_from(len).map_err(|_| "longer than the wire can hold")?.to_le_bytes())
}

/// Overwrites a 4-byte pointer with the distance from itself to `target`.
pub(super) fn put_pointer(out: &mut [u8], at: u64, target: u64) -> Result<(), String> {
    let rel = i32::try_from(target as i64 - at as i64).map_err(|_| "farther than the wire can point")?;
    put(out, at, &rel.to_le_bytes())
}

/// Puts the header before a finished body; `out` begins with 16 bytes kept free for it.
pub(super) fn finish(mut out: Vec<u8>, version: u16, flags: u16, root: u64) -> Result<Vec<u8>, String> {
    let too_large = |_| "larger than the wire can hold";
    let size = u32::try_from(out.len()).map_err(too_large)?;
    let header = header(version, flags, u32::try_from(root).map_err(too_large)?, size);
    put(&mut out, 0, &header)?;
    Ok(out)
}

/// A stream of variable elements: each a u32 length and so many bytes (wire page 1.3).
pub(super) fn stream<'m>(message: &Message<'m>, start: u64, count: u64) -> Result<Vec<&'m [u8]>, String> {
    let mut at = start;
    let mut elements = Vec::new();
    for i in 0..count {
        let short = || format!("list shorter than its count: element {i} of {count}");
        let len = message.number(at, 4).ok_or_else(short)?;
        elements.push(message.slice(at + 4, len).ok_or_else(short)?);
        at += 4 + len;
    }
    Ok(elements)
}

/// Appends one variable element.
pub(super) fn push_element(out: &mut Vec<u8>, element: &[u8]) -> Result<(), String> {
    let len = u32::try_from(element.len()).map_err(|_| "an element longer than the wire can hold")?;
    out.extend(len.to_le_bytes());
    out.extend(element);
    Ok(())
}
