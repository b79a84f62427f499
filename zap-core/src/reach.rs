//! Every record and enum that a layout leads to.

use alloc::vec::Vec;

use crate::{EnumLayout, FieldType, Layout};

/// Records and enums, each once, those that are led to before those that lead to them (as far as there are no cycles).
#[derive(Default)]
pub(crate) struct Reach {
    pub(crate) records: Vec<&'static Layout>,
    pub(crate) enums: Vec<&'static EnumLayout>,
}

/// What is left to do with a layout or an enum.
enum Task {
    /// The fields of a section that is no record of its own: a tuple, a map entry, a variant.
    Section(&'static Layout),
    Enter(&'static Layout),
    Leave(&'static Layout),
    Enum(&'static EnumLayout),
}

impl Reach {
    /// Of all of them. On a list instead of the stack, since types nest as deep as their author likes.
    pub(crate) fn of(layouts: &[&'static Layout]) -> Self {
        let (mut reach, mut entered) = (Self::default(), Vec::new());
        let mut tasks: Vec<_> = layouts.iter().rev().copied().map(Task::Enter).collect();
        while let Some(task) = tasks.pop() {
            let fields = match task {
                Task::Section(layout) => layout.fields,
                Task::Leave(layout) => {
                    reach.records.push(layout);
                    continue;
                }
                Task::Enter(layout) => {
                    if entered.iter().any(|other| core::ptr::eq(*other, layout)) {
                        continue;
                    }
                    entered.push(layout);
                    tasks.push(Task::Leave(layout));
                    layout.fields
                }
                Task::Enum(layout) => {
                    if !reach.enums.iter().any(|other| core::ptr::eq(*other, layout)) {
                        reach.enums.push(layout);
                        let sections = layout.variants.iter().filter_map(|variant| variant.fields);
                        tasks.extend(sections.map(|fields| Task::Section(fields())));
                    }
                    continue;
                }
            };
            tasks.extend(fields.iter().rev().filter_map(|field| led_to(&field.field_type)));
        }
        reach
    }
}

/// What a type leads to: at most one other layout.
fn led_to(mut field_type: &FieldType) -> Option<Task> {
    loop {
        field_type = match field_type {
            FieldType::Array { element: inner, .. }
            | FieldType::List(inner)
            | FieldType::Set(inner)
            | FieldType::Option(inner)
            | FieldType::Pointer(inner)
            | FieldType::NonZero(inner) => inner,
            FieldType::Record(layout) => return Some(Task::Enter(layout())),
            FieldType::Tuple(layout) | FieldType::Map(layout) => return Some(Task::Section(layout())),
            FieldType::Enum(layout) => return Some(Task::Enum(layout())),
            _ => return None,
        };
    }
}
