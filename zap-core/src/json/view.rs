//! What can be written as JSON: every view.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::write::Root;
use crate::dynamic::{DynamicList, DynamicRecord, Value};
use crate::{
    Element, FieldType, FieldView, FixedStride, ListView, MapKey, MapView, Native, NativeSlot, RecordView, SetView,
    Slot, StreamDialect, StreamView,
};

/// A view, as JSON is written of it: of a record, tuple or enum, of a list, map or set, of a variant's field. The derive
/// implements it.
///
/// # Examples
///
/// ```
/// use zap_core::{Zap, json};
///
/// #[derive(Zap)]
/// enum Shape {
///     Circle(f64),
///     Line { points: Vec<u32> },
/// }
///
/// #[derive(Zap)]
/// struct Drawing {
///     shape: Shape,
/// }
///
/// let bytes = Drawing { shape: Shape::Line { points: vec![1, 2] } }.to_vec()?;
/// let shape = Drawing::view(&bytes)?.shape()?;
/// assert_eq!(json::to_string(shape)?, r#"{"Line":{"points":[1,2]}}"#);
/// if let ShapeView::Line(line) = shape {
///     assert_eq!(json::to_string(line.points()?)?, "[1,2]");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait JsonView<'m> {
    #[doc(hidden)]
    fn json_root(&self) -> Root<'m>;
}

impl<'m, V: RecordView<'m>> JsonView<'m> for V {
    fn json_root(&self) -> Root<'m> {
        Root::of_record(DynamicRecord::of_view(self))
    }
}

impl<'m, T: Slot<Native>> JsonView<'m> for FieldView<'m, T> {
    fn json_root(&self) -> Root<'m> {
        Root::Slot(self.to_dynamic(), self.section().message().len())
    }
}

impl<'m, T: FixedStride> JsonView<'m> for ListView<'m, T> {
    fn json_root(&self) -> Root<'m> {
        of_list(self.to_dynamic(&<T as Slot<Native>>::TYPE))
    }
}

impl<'m, T: Element<D>, D: StreamDialect> JsonView<'m> for StreamView<'m, T, D> {
    fn json_root(&self) -> Root<'m> {
        of_list(self.to_dynamic(&<T as Slot<D>>::TYPE))
    }
}

impl<'m, K: MapKey, V: NativeSlot> JsonView<'m> for MapView<'m, K, V> {
    fn json_root(&self) -> Root<'m> {
        let map = self.to_dynamic();
        Root::Value(Value::Map(map), map.body().message().len())
    }
}

impl<'m, K: MapKey> JsonView<'m> for SetView<'m, K> {
    fn json_root(&self) -> Root<'m> {
        let elements = self.elements();
        match &<K as Slot<Native>>::TYPE {
            FieldType::U8 => Root::Value(Value::Bytes(elements.body().bytes()), 0),
            element => of_list(elements.to_dynamic(element)),
        }
    }
}

fn of_list(list: DynamicList<'_>) -> Root<'_> {
    Root::Value(Value::List(list), list.message_len())
}
