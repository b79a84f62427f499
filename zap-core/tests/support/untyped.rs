//! Every accessor of the untyped layer.

#![allow(unreachable_pub)]

use zap_core::Object;

/// Offsets near the beginning, and far ones; fewer under Miri.
pub fn offsets() -> impl Iterator<Item = usize> {
    let far = [usize::MAX, usize::MAX - 1, usize::MAX - 8, usize::MAX / 2, u32::MAX as usize, 1 << 31, (1 << 31) - 17];
    (0..50).step_by(if cfg!(miri) { 8 } else { 1 }).chain(far)
}

/// Calls every accessor, and follows what it finds `depth` levels down.
pub fn read_everything(object: Object<'_>, depth: u32) {
    for offset in offsets() {
        let scalars =
            (object.bool(offset), object.u8(offset), object.u16(offset), object.u32(offset), object.u64(offset));
        let signed = (object.i8(offset), object.i16(offset), object.i32(offset), object.i64(offset));
        if object.is_null() {
            assert_eq!((scalars, signed), Default::default());
        }
        let _ = (object.f32(offset), object.f64(offset));
        let text = object.text(offset);
        assert_eq!(text.to_str().is_ok(), std::str::from_utf8(text.as_bytes()).is_ok());
        assert_eq!(text.to_string(), String::from_utf8_lossy(text.as_bytes()));
        assert_eq!(object.bytes(offset), (!text.is_null()).then_some(text.as_bytes()));
        for n in [0, 1, 16, usize::MAX] {
            let bytes = object.bytes_fixed(offset, n);
            assert!(bytes.is_none_or(|bytes| bytes.len() == n && n > 0));
        }
        let list = object.list(offset);
        let _ = format!("{object:?} {text:?} {list:?}");
        let indexes = (0..4).chain([list.len().wrapping_sub(1), list.len(), usize::MAX]);
        for index in indexes {
            let _ = (list.u8_at(index), list.u32_at(index), list.u64_at(index));
            assert_eq!(list.bytes_at(index), list.iter_bytes().nth(index));
            assert!(index < list.len() || (list.bytes_at(index).is_none() && list.record_at(index, 8).is_null()));
            for stride in [0, 1, 8, usize::MAX] {
                let record = list.record_at(index, stride);
                let _ = (record.u64(0), record.text(8).to_str(), record.list(usize::MAX).len(), record.position());
            }
            let _ = list.object_at(index).u64(0);
        }
        assert!(list.list_bytes().is_none_or(|bytes| bytes.len() == list.len()));
        assert!(list.iter_bytes().count() <= list.len());
        assert_eq!(list.iter_objects().count(), list.iter_bytes().count());
        if depth > 0 {
            read_everything(object.object(offset), depth - 1);
        }
    }
}
