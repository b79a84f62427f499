//! One struct for all codecs.

/// Puts the derives of every codec on each struct and enum.
macro_rules! every_codec {
    ($($(#[$attribute:meta])* $visibility:vis $kind:ident $name:ident { $($body:tt)* })*) => {$(
        #[derive(Clone, Debug, PartialEq, zap_core::Zap, bitcode::Encode, bitcode::Decode)]
        #[derive(serde::Serialize, serde::Deserialize, rkyv::Archive, rkyv::Serialize, rkyv::Deserialize)]
        #[derive(wincode::SchemaRead, wincode::SchemaWrite)]
        $(#[$attribute])*
        $visibility $kind $name { $($body)* }
    )*};
}
