//! The data sets of the public Rust serialization benchmark: log, mesh, `minecraft_savedata` and mk48, with the same
//! structs and the same values, through every codec.
//!
//! | op | what one operation is |
//! |---|---|
//! | `serialize` | encode the data set into a reused buffer |
//! | `access` | open the message in place, unchecked (rkyv) or lazily (ZAP) |
//! | `access-validated` | check the whole message, so that it can be read in place |
//! | `read` | open it as for `access` and do the data set's read operation; ZAP checks as it goes |
//! | `read-validated` | check the whole message and do the read operation |
//! | `deserialize` | decode the whole value into its struct, checked, and drop it |
//! | `size` | nothing that takes time: the bytes of the message |
//!
//! A codec that has no notion of an operation has no row there.

mod check;
pub(crate) mod codec;
pub(crate) mod generate;
mod log;
mod mesh;
mod messages;
mod minecraft_savedata;
mod mk48;
pub(crate) mod ops;
pub(crate) mod report;

pub use self::report::{Report, Row};

use self::codec::{Bitcode, Prost, Rkyv, SerdeJson, Wincode, WincodeConfig, Zap};
use self::generate::{Generate, random};
use self::messages::Wire;
use self::ops::Entry;
use crate::measure::{self, Plan};
use rkyv::api::high::{HighDeserializer, HighSerializer, HighValidator};
use rkyv::rancor::Error;
use rkyv::ser::allocator::ArenaHandle;
use rkyv::util::AlignedVec;
use std::fmt::Debug;
use zap_core::DecodeError;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Op {
    /// Encode the data set into a reused buffer.
    Serialize,
    /// Open the message in place.
    Access,
    /// Check the whole message.
    AccessValidated,
    /// Open the message and read.
    Read,
    /// Check the whole message and read.
    ReadValidated,
    /// Decode the whole value.
    Deserialize,
    /// The bytes of the message.
    Size,
}

impl Op {
    /// All of them, in the order in which they are printed.
    pub const ALL: [Self; 7] = [
        Self::Serialize,
        Self::Access,
        Self::AccessValidated,
        Self::Read,
        Self::ReadValidated,
        Self::Deserialize,
        Self::Size,
    ];

    /// The name in tables and in the JSON file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Serialize => "serialize",
            Self::Access => "access",
            Self::AccessValidated => "access-validated",
            Self::Read => "read",
            Self::ReadValidated => "read-validated",
            Self::Deserialize => "deserialize",
            Self::Size => "size",
        }
    }
}

/// Whose values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Data {
    /// 10,000 lines of a web server's log.
    Log,
    /// 125,000 triangles.
    Mesh,
    /// The saved state of 500 players.
    MinecraftSavedata,
    /// 1,000 updates of a game of ships.
    Mk48,
}

impl Data {
    /// All of them, in the order in which they are printed.
    pub const ALL: [Self; 4] = [Self::Log, Self::Mesh, Self::MinecraftSavedata, Self::Mk48];

    /// The name in tables, in the JSON file and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Log => log::Logs::NAME,
            Self::Mesh => mesh::Mesh::NAME,
            Self::MinecraftSavedata => minecraft_savedata::Players::NAME,
            Self::Mk48 => mk48::Updates::NAME,
        }
    }

    /// The sentence over its table.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Log => log::Logs::ABOUT,
            Self::Mesh => mesh::Mesh::ABOUT,
            Self::MinecraftSavedata => minecraft_savedata::Players::ABOUT,
            Self::Mk48 => mk48::Updates::ABOUT,
        }
    }

    /// Every row of the data set, by operation; within one, the order in which codecs are printed.
    fn entries(self) -> Vec<Entry> {
        match self {
            Self::Log => zap_and_peers::<log::Logs>(),
            Self::Mesh => zap_and_peers::<mesh::Mesh>(),
            Self::MinecraftSavedata => zap_and_peers::<minecraft_savedata::Players>(),
            Self::Mk48 => zap_and_peers::<mk48::Updates>(),
        }
    }

    /// Checks that every codec gives back what it was given.
    fn check(self) -> Result<(), String> {
        match self {
            Self::Log => check::zap_and_peers(&generate::<log::Logs>()),
            Self::Mesh => check::zap_and_peers(&generate::<mesh::Mesh>()),
            Self::MinecraftSavedata => check::zap_and_peers(&generate::<minecraft_savedata::Players>()),
            Self::Mk48 => check::zap_and_peers(&generate::<mk48::Updates>()),
        }
    }
}

/// A struct that every codec but prost derives.
pub(crate) trait Value:
    Clone
    + PartialEq
    + Debug
    + 'static
    + serde::Serialize
    + serde::de::DeserializeOwned
    + bitcode::Encode
    + bitcode::DecodeOwned
    + wincode::SchemaWrite<WincodeConfig, Src = Self>
    + for<'de> wincode::SchemaRead<'de, WincodeConfig, Dst = Self>
    + for<'a> rkyv::Serialize<HighSerializer<AlignedVec, ArenaHandle<'a>, Error>>
    + rkyv::Archive<
        Archived: for<'a> rkyv::bytecheck::CheckBytes<HighValidator<'a, Error>>
                      + rkyv::Deserialize<Self, HighDeserializer<Error>>,
    >
{
}

/// A data set: the root struct, which every codec can carry.
pub(crate) trait DataSet: Generate + Value {
    /// Its name in tables, in the JSON file and on the command line.
    const NAME: &'static str;
    /// The sentence over its table.
    const ABOUT: &'static str;
    /// Its Protocol Buffers message.
    type Message: prost::Message + Default + Wire<Self>;

    /// The read operation on the struct: what the others must give.
    fn read(&self, visit: impl FnMut(u64));
    /// The read operation on rkyv's archived struct. `visit` takes each value by itself, so that nobody reads several in
    /// one vector register.
    fn read_archived(archived: &Self::Archived, visit: impl FnMut(u64));
}

/// A data set that ZAP carries.
pub(crate) trait ZapData: DataSet + zap_core::Zap + zap_core::DecodeOwned {
    /// The read operation on the view.
    fn read_view(view: Self::View<'_>, visit: impl FnMut(u64)) -> Result<(), DecodeError>;
}

/// The data set's values, the same every time.
fn generate<T: DataSet>() -> T {
    T::generate(&mut random())
}

fn zap_and_peers<T: ZapData>() -> Vec<Entry> {
    let value = generate::<T>();
    let mut entries = ops::whole::<T, Zap>(&value);
    entries.extend(ops::in_place::<T, Zap>(&value));
    entries.push(ops::memcpy::<T, Zap>(&value));
    entries.extend(peers(&value));
    entries.sort_by_key(|entry| entry.op);
    entries
}

fn peers<T: DataSet>(value: &T) -> Vec<Entry> {
    let mut entries = ops::whole::<T, Rkyv>(value);
    entries.extend(ops::in_place::<T, Rkyv>(value));
    entries.extend(ops::whole::<T, Wincode>(value));
    entries.extend(ops::whole::<T, Bitcode>(value));
    entries.extend(ops::whole::<T, Prost>(value));
    entries.extend(ops::whole::<T, SerdeJson>(value));
    entries.sort_by_key(|entry| entry.op);
    entries
}

/// Checks that every codec returns the values it was given, on the functions that are timed.
///
/// # Errors
///
/// Names the first codec that disagrees.
pub fn check(sets: &[Data]) -> Result<(), String> {
    sets.iter().try_for_each(|data| data.check())
}

/// Measures the given data sets; `smoke` shows that everything runs, with figures that mean nothing.
///
/// # Errors
///
/// What [`check()`] says.
pub fn run(sets: &[Data], smoke: bool) -> Result<Report, String> {
    check(sets)?;
    let plan = if smoke { Plan::SMOKE } else { Plan::DATA_SETS };
    let mut report = Report::new("datasets", smoke);
    for &data in sets {
        let (drafts, mut groups) = report::draft(data.entries());
        let outcomes = measure::measure(&mut groups, &plan);
        report.add(data.name(), data.about(), drafts, &outcomes);
    }
    Ok(report)
}

#[cfg(test)]
mod tests;
