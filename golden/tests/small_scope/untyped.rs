//! The untyped layer: parsing, and every accessor of objects, texts and lists.

use std::ops::RangeInclusive;

use golden::oracle::{untyped as naive, wire};
use zap_core::{Header, Limits, List, Message, Object, Prefix};

use crate::scope::{HEADER, bodies, boundary, sum_of, with_header};

/// Compares every message of these lengths; how many.
pub(crate) fn compare(lens: RangeInclusive<usize>) -> u64 {
    let all = lens.flat_map(|len| boundary(len).into_iter().map(move |root| (len, root))).collect::<Vec<_>>();
    // The longest first, so that no thread is left with one at the end.
    let all = all.into_iter().rev().collect::<Vec<_>>();
    sum_of(&all, |(len, root)| of_root(*len, *root))
}

/// Compares headers of every version and some flags, as they are written and read; how many.
pub(crate) fn headers() -> u64 {
    let mut count = 0;
    for root in boundary(HEADER) {
        for (version, flags) in (0..=u16::MAX).zip([0, 1, 0x80, 0x8000, u16::MAX].into_iter().cycle()) {
            let header = Header { version, flags, root, size: HEADER as u32 };
            let bytes = header.to_bytes();
            match wire::Message::parse(&bytes) {
                Ok(by_oracle) => {
                    assert_eq!(Header::parse(&bytes), Ok(header));
                    assert_eq!((by_oracle.version(), by_oracle.flags()), (version, flags));
                    assert_eq!((by_oracle.root(), by_oracle.size()), (u64::from(root), HEADER as u64));
                }
                Err(_) => assert!(Header::parse(&bytes).is_err() && !(1..=2).contains(&version), "{header:?}"),
            }
            count += 1;
        }
    }
    count
}

/// Every size and body. What stands behind the size is not read, so that there one body does.
fn of_root(len: usize, root: u32) -> u64 {
    let words = boundary(len);
    let mut count = 0;
    for size in &words {
        let mut bytes = with_header(len, root, *size);
        if len < HEADER || *size as usize != len {
            parses_alike(&bytes);
            count += 1;
            continue;
        }
        bodies(&mut bytes, &words, |bytes| {
            reads_alike(bytes, &words);
            count += 1;
        });
    }
    count
}

/// Whether both accept, and the same bytes.
fn parses_alike(bytes: &[u8]) {
    let (parsed, by_oracle) = (Message::parse(bytes), wire::Message::parse(bytes));
    assert_eq!(parsed.is_ok(), by_oracle.is_ok(), "{bytes:x?}");
    let split = Message::split_first(bytes, &Limits::new());
    match (parsed, by_oracle) {
        (Ok(message), Ok(by_oracle)) => {
            assert_eq!(message.as_bytes(), &bytes[..by_oracle.size() as usize]);
            assert_eq!(u64::from(message.root_offset()), by_oracle.root());
            assert_eq!((message.version(), message.flags()), (by_oracle.version(), by_oracle.flags()));
            let Ok(Prefix::Complete { value, rest }) = split else { panic!("{split:?} {bytes:x?}") };
            assert_eq!((value, rest), (message, &bytes[by_oracle.size() as usize..]));
        }
        _ => assert!(!matches!(split, Ok(Prefix::Complete { .. })), "{bytes:x?}"),
    }
}

fn reads_alike(bytes: &[u8], offsets: &[u32]) {
    let message = Message::parse(bytes).expect("the header is right");
    let by_oracle = wire::Message::parse(bytes).expect("the header is right");
    let (root, position) = (message.root(), by_oracle.root());
    assert_eq!(root.is_null(), position < HEADER as u64);
    for offset in offsets {
        if position < HEADER as u64 || position >= by_oracle.size() {
            reads_nothing(root, *offset as usize, offsets);
        } else {
            object(root, *offset, &by_oracle, position, offsets);
        }
    }
}

/// Of the null object, and of one past the end: nothing but defaults.
fn reads_nothing(object: Object<'_>, offset: usize, offsets: &[u32]) {
    let unsigned = u64::from(object.u8(offset))
        | u64::from(object.u16(offset))
        | u64::from(object.u32(offset))
        | object.u64(offset);
    let signed = i64::from(object.i8(offset))
        | i64::from(object.i16(offset))
        | i64::from(object.i32(offset))
        | object.i64(offset);
    let floats = u64::from(object.f32(offset).to_bits()) | object.f64(offset).to_bits();
    assert!(unsigned == 0 && signed == 0 && floats == 0 && !object.bool(offset));
    assert!(object.bytes(offset).is_none() && object.text(offset).is_null() && object.object(offset).is_null());
    let list = object.list(offset);
    assert!(list.is_null() && list.is_empty() && list.list_bytes().is_none());
    assert!(offsets.iter().all(|len| object.bytes_fixed(offset, *len as usize).is_none_or(|_| false)));
}

/// The object at `position`, whose field is at `offset`.
fn object(object: Object<'_>, offset: u32, naive: &wire::Message<'_>, position: u64, lens: &[u32]) {
    let (at, offset) = (position + u64::from(offset), offset as usize);
    scalars(object, offset, naive, at);
    for len in lens {
        let wanted = naive::inline(naive, at, u64::from(*len)).filter(|_| *len > 0);
        assert_eq!(object.bytes_fixed(offset, *len as usize), wanted);
    }
    let (wanted, text) = (naive::tail(naive, at), object.text(offset));
    assert_eq!(object.bytes(offset), wanted.map(|(_, bytes)| bytes));
    assert_eq!(text.is_null(), wanted.is_none());
    if let Some((start, bytes)) = wanted {
        assert_eq!(text.as_bytes(), bytes);
        match (text.to_str(), std::str::from_utf8(bytes)) {
            (Ok(text), Ok(by_std)) => assert_eq!(text, by_std),
            (Err(error), Err(by_std)) => assert_eq!(u64::from(error.offset()), start + by_std.valid_up_to() as u64),
            _ => panic!("UTF-8 or not: {bytes:x?}"),
        }
    }
    let (child, wanted) = (object.object(offset), naive::pointer(naive, at));
    assert_eq!((child.is_null(), u64::from(child.position())), (wanted.is_none(), wanted.unwrap_or(0)));
    if let Some(position) = wanted {
        for offset in [0_u8, 1, 8] {
            let at = position + u64::from(offset);
            scalars(child, offset.into(), naive, at);
            assert_eq!(child.bytes(offset.into()), naive::tail(naive, at).map(|(_, bytes)| bytes));
            assert_eq!(u64::from(child.object(offset.into()).position()), naive::pointer(naive, at).unwrap_or(0));
        }
    }
    let (found, wanted) = (object.list(offset), naive::list(naive, at));
    assert_eq!((found.is_null(), found.len() as u64), (wanted.is_none(), wanted.map_or(0, |(_, count)| count)));
    if let Some((start, count)) = wanted {
        list(found, naive, start, count, lens);
    }
}

fn scalars(object: Object<'_>, offset: usize, naive: &wire::Message<'_>, at: u64) {
    let [one, two, four, eight] = [1, 2, 4, 8].map(|width| naive::scalar(naive, at, width));
    assert!(object.bool(offset) == (one != 0) && u64::from(object.u8(offset)) == one);
    assert!(
        u64::from(object.u16(offset)) == two && u64::from(object.u32(offset)) == four && object.u64(offset) == eight
    );
    assert!(object.i8(offset) == one as i8 && object.i16(offset) == two as i16);
    assert!(object.i32(offset) == four as i32 && object.i64(offset) == eight as i64);
    assert!(object.f32(offset).to_bits() == four as u32 && object.f64(offset).to_bits() == eight);
}

/// Every accessor of a list, at the indexes and strides of the boundary.
fn list(list: List<'_>, naive: &wire::Message<'_>, start: u64, count: u64, numbers: &[u32]) {
    assert_eq!(list.list_bytes(), naive::inline(naive, start, count));
    let wanted = naive::elements(naive, start, count);
    assert!(list.iter_bytes().eq(wanted));
    assert!(list.iter_objects().all(|object| object.is_null()), "no element here holds a magic number");
    for index in numbers {
        let (i, index) = (u64::from(*index), *index as usize);
        let packed = |width: u64| if i < count { naive::scalar(naive, start + i * width, width) } else { 0 };
        assert_eq!(u64::from(list.u8_at(index)), packed(1));
        assert_eq!(u64::from(list.u32_at(index)), packed(4));
        assert_eq!(list.u64_at(index), packed(8));
        assert_eq!(list.bytes_at(index), naive::elements(naive, start, count).nth(index));
        assert!(list.object_at(index).is_null());
        for stride in numbers {
            let record = list.record_at(index, *stride as usize);
            if i >= count {
                assert!(record.is_null());
                continue;
            }
            // A record past the last position says the last position, where no message has a byte.
            let at = start + i * u64::from(*stride);
            assert_eq!(u64::from(record.position()), at.min(u32::MAX.into()));
            assert_eq!(record.u32(0), naive::scalar(naive, at, 4) as u32);
        }
    }
}
