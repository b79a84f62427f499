//! What the tests of the typed layer share: a spread of records, values drawn from bytes, and readers that touch
//! everything that a view can reach.
#![allow(dead_code, unreachable_pub)]

pub mod attack;
#[macro_use]
mod family;
mod make;
mod read;
pub mod records;

pub use family::Family;
pub use make::{Dice, Make, not_zero};
pub use read::{Same, Seen, Touch};

/// Calls a macro once for every record: `$call!(test_name, Family)`.
#[macro_export]
macro_rules! for_every_record {
    ($call:ident) => {
        $crate::for_every_record_without_hashes!($call);
        $call!(hash_maps, HashMaps);
        $call!(hash_sets, HashSets);
    };
}

/// As [`for_every_record`], without those whose keys are put in order for writing.
#[macro_export]
macro_rules! for_every_record_without_hashes {
    ($call:ident) => {
        $call!(scalars, Scalars);
        $call!(arrays, Arrays);
        $call!(texts, Texts<'static>);
        $call!(nested, Nested);
        $call!(lists, Lists);
        $call!(borrowed_lists, BorrowedLists<'static>);
        $call!(lists_of_lists, ListsOfLists);
        $call!(tree, Tree);
        $call!(empty, Empty);
        $call!(tuples, Tuples);
        $call!(tuple, Pair);
        $call!(newtype, Metres);
        $call!(newtype_of_list, Path);
        $call!(version_two, VersionTwo);
        $call!(placed, Placed);
        $call!(generic, Generic<u16, String>);
        $call!(generic_nested, Generic<Inner, Vec<char>>);
        $call!(generic_everything, Tagged<'static, i32, 5>);
        $call!(presences, Presences);
        $call!(null_slots, NullSlots<'static>);
        $call!(pointers, Pointers);
        $call!(option_lists, OptionLists);
        $call!(chain, Chain);
        $call!(branches, Branches);
        $call!(tuple_fields, TupleFields);
        $call!(tuple_root, TupleRoot);
        $call!(arrays_of_all, ArraysOfAll);
        $call!(fixed, Fixed);
        $call!(shared_tails, SharedTails);
        $call!(maps, Maps);
        $call!(sets, Sets);
        #[cfg(all(feature = "uuid", feature = "rust_decimal"))]
        $call!(foreign, Foreign);
        $call!(zapgen_marked, GMarked);
        $call!(zip_marked, ZMarked);
        $call!(enums, Enums);
        $call!(growable, Growing);
        $call!(growable_in_others, HoldsGrowing);
        $call!(zapgen_scalars, GScalars);
        $call!(zapgen_enums, GEnums);
        $call!(zip_enums, ZEnums);
        $call!(zapgen_texts, GTexts<'static>);
        $call!(zapgen_nested, GNested);
        $call!(zapgen_lists, GLists);
        $call!(zapgen_tree, GTree);
        $call!(zapgen_placed, GPlaced);
        $call!(zip_scalars, ZScalars);
        $call!(zip_texts, ZTexts<'static>);
        $call!(zip_nested, ZNested);
        $call!(zip_lists, ZLists);
        $call!(zip_options, ZOptions);
        $call!(zip_option_lists, ZOptionLists);
        $call!(zip_tree, ZTree);
    };
}
