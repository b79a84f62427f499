//! Derived enums, growable records, and structs whose fields are converted on their way.
#![allow(missing_docs)]

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::time::Duration;
use zap_core::{DecodeError, EnumView, Enumeration, Native, Slot, Zap};

use super::json::Json;
use super::{Derived, ReadJson};

/// A value that is one of several, by name: `{"Name": {fields}}`.
fn only_entry(value: &Value) -> Result<(&str, &Value), String> {
    match value.as_object().and_then(|object| object.iter().next()) {
        Some((name, fields)) => Ok((name, fields)),
        None => Err(format!("not a variant: {value}")),
    }
}

/// An enum without data, by the names of its variants.
macro_rules! plain_enum {
    ($(#[$repr:meta] $name:ident { $($variant:ident = $number:literal),* })*) => {$(
        #[derive(Zap, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[$repr]
        pub(crate) enum $name {
            $($variant = $number,)*
        }

        impl Json for $name {
            fn from_json(value: &Value) -> Result<Self, String> {
                match value.as_str() {
                    $(Some(stringify!($variant)) => Ok(Self::$variant),)*
                    _ => Err(format!("not a variant: {value}")),
                }
            }
            fn to_json(&self) -> Value {
                match self {
                    $(Self::$variant => json!(stringify!($variant)),)*
                }
            }
        }

        impl ReadJson for $name {
            fn read_json(&self) -> Result<Value, DecodeError> {
                Ok(self.to_json())
            }
        }
    )*};
}

plain_enum! {
    #[repr(u8)] Color { Red = 1, Blue = 9 }
    #[repr(u32)] Level { Low = 0, High = 0xffff_ffff }
    #[repr(u16)] Port { A = 258, B = 65535 }
}

/// An enum with data whose variants have named fields or none.
macro_rules! data_enum {
    ($($name:ident / $view:ident {
        $($(#[$tag:meta])? $variant:ident $({ $($field:ident: $ty:ty),* })?),*
    })*) => {$(
        #[derive(Zap, Clone, Debug, PartialEq)]
        pub(crate) enum $name {
            $($(#[$tag])? $variant $({ $($field: $ty),* })?,)*
        }

        impl Json for $name {
            fn from_json(value: &Value) -> Result<Self, String> {
                let (name, _fields) = only_entry(value)?;
                $(if name == stringify!($variant) {
                    return Ok(Self::$variant $({ $($field: Json::from_json(&_fields[stringify!($field)])?),* })?);
                })*
                Err(format!("not a variant: {name}"))
            }
            fn to_json(&self) -> Value {
                match self {
                    $(Self::$variant $({ $($field),* })? => json!({
                        stringify!($variant): { $($(stringify!($field): $field.to_json()),*)? }
                    }),)*
                }
            }
        }

        impl ReadJson for $view<'_> {
            fn read_json(&self) -> Result<Value, DecodeError> {
                let mut fields = Map::new();
                let name = match self {
                    $(data_enum!(@pattern $variant _view $($($field)*)?) => {
                        $($(fields.insert(stringify!($field).into(), ReadJson::read_json(&_view.$field())?);)*)?
                        stringify!($variant)
                    })*
                };
                Ok(json!({ name: fields }))
            }
        }
    )*};
    (@pattern $variant:ident $view:ident) => { Self::$variant };
    (@pattern $variant:ident $view:ident $($field:ident)+) => { Self::$variant($view) };
}

data_enum! {
    Action / ActionView {
        Stop,
        Move { x: u64, n: String },
        #[zap(tag = 40)] Say { w: String }
    }
    Small / SmallView {
        Stop,
        Move { x: u64 }
    }
    Hollow / HollowView {
        Holds { e: NoFields }
    }
}

/// A struct for each entry, with its attributes.
macro_rules! structs {
    ($($(#[$attribute:meta])* $name:ident / $view:ident { $($(#[$on_field:meta])* $field:ident: $ty:ty),* $(,)? })*) => {$(
        #[derive(Zap, Clone, Debug, Default, PartialEq)]
        $(#[$attribute])*
        pub(crate) struct $name {
            $($(#[$on_field])* $field: $ty,)*
        }

        impl Json for $name {
            fn from_json(_value: &Value) -> Result<Self, String> {
                Ok(Self { $($field: Json::from_json(&_value[stringify!($field)])?,)* })
            }
            fn to_json(&self) -> Value {
                json!({ $(stringify!($field): self.$field.to_json()),* })
            }
        }

        impl ReadJson for $view<'_> {
            fn read_json(&self) -> Result<Value, DecodeError> {
                Ok(json!({ $(stringify!($field): ReadJson::read_json(&self.$field())?),* }))
            }
        }
    )*};
}

structs! {
    NoFields / NoFieldsView {}
    Enums / EnumsView { a: Color, b: Level, c: Option<Color>, d: Vec<Color> }
    EnumAlone / EnumAloneView { a: Color }
    WideEnums / WideEnumsView { a: u8, b: Port, c: Vec<Port> }
    EnumsInMaps / EnumsInMapsView { m: BTreeMap<u8, Color>, o: Option<Port> }
    Actions / ActionsView { a: Action, b: Action, c: Action, d: String }
    ActionList / ActionListView { a: Vec<Action>, b: Option<Action> }
    SmallAlone / SmallAloneView { a: Small }
    HollowAlone / HollowAloneView { a: Hollow }
    #[zap(growable)] GrowableRoot / GrowableRootView { a: u8, b: u16 }
    #[zap(growable)] GrowablePart / GrowablePartView { a: u32, b: String, c: u8 }
    GrowableHolder / GrowableHolderView { x: GrowablePart, y: Vec<GrowablePart> }
    #[zap(growable)] GrowableThree / GrowableThreeView { a: u16, b: u32, c: String }
    #[zap(growable)] GrowableOne / GrowableOneView { a: u16 }
    #[zap(growable)] GrowableByte / GrowableByteView { x: u8 }
    GrowableList / GrowableListView { a: Vec<GrowableByte> }
    Converted / ConvertedView { id: Id, #[zap(with = "seconds")] timeout: Seconds, name: Name }
}

macro_rules! defaults {
    ($($name:ident: $value:expr;)*) => {$(
        impl Default for $name {
            fn default() -> Self {
                $value
            }
        }
    )*};
}

defaults! {
    Color: Self::Red;
    Level: Self::Low;
    Port: Self::A;
    Action: Self::Stop;
    Small: Self::Stop;
    Hollow: Self::Holds { e: NoFields {} };
}

/// Fields that stand for others on the wire.
#[derive(Zap, Clone, Debug, Default, PartialEq)]
#[zap(transparent)]
pub(crate) struct Id(u64);

#[derive(Zap, Clone, Debug, Default, PartialEq)]
#[zap(transparent)]
pub(crate) struct Name {
    text: String,
    #[zap(skip)]
    uses: usize,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Seconds(Duration);

mod seconds {
    use super::{Duration, Seconds};

    pub(super) type Wire = u32;

    pub(super) fn to_wire(seconds: &Seconds) -> u32 {
        u32::try_from(seconds.0.as_secs()).unwrap_or(u32::MAX)
    }

    pub(super) fn from_wire(seconds: u32) -> Result<Seconds, std::convert::Infallible> {
        Ok(Seconds(Duration::from_secs(seconds.into())))
    }
}

impl Json for Id {
    fn from_json(value: &Value) -> Result<Self, String> {
        Json::from_json(value).map(Self)
    }
    fn to_json(&self) -> Value {
        self.0.to_json()
    }
}

impl Json for Name {
    fn from_json(value: &Value) -> Result<Self, String> {
        Ok(Self { text: Json::from_json(value)?, uses: 0 })
    }
    fn to_json(&self) -> Value {
        self.text.to_json()
    }
}

impl Json for Seconds {
    fn from_json(value: &Value) -> Result<Self, String> {
        u32::from_json(value).map(|seconds| Self(Duration::from_secs(seconds.into())))
    }
    fn to_json(&self) -> Value {
        json!(self.0.as_secs().to_string())
    }
}

/// An enum as a root: a record of one field without a name.
impl<'m, T: Enumeration> ReadJson for EnumView<'m, T>
where
    <T as Slot<Native>>::Get<'m>: ReadJson,
{
    fn read_json(&self) -> Result<Value, DecodeError> {
        Ok(json!({ "": self.get().read_json()? }))
    }
}

pub(crate) static ALL: &[Derived] = &[
    Derived::of::<Enums>(),
    Derived::of::<EnumAlone>(),
    Derived::of::<WideEnums>(),
    Derived::of::<EnumsInMaps>(),
    Derived::of::<Actions>(),
    Derived::of::<ActionList>(),
    Derived::of::<SmallAlone>(),
    Derived::of::<HollowAlone>(),
    Derived::of::<GrowableRoot>(),
    Derived::of::<GrowableHolder>(),
    Derived::of::<GrowableThree>(),
    Derived::of::<GrowableOne>(),
    Derived::of::<GrowableList>(),
    Derived::of::<Converted>(),
    Derived::of_enum::<Color>(),
    Derived::of_enum::<Small>(),
];
