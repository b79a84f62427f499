//! The Protocol Buffers messages of `mk48`.

use super::{enumeration, messages, tuples};
use crate::datasets::mk48 as plain;

enumeration!(EntityType { Destroyer = 0, Battleship = 1, Carrier = 2, Frigate = 3, Speedboat = 4, Cruiser = 5, Corvette = 6, MissileBoat = 7, Submarine = 8, Hovercraft = 9 });

tuples! {
    Chunk as (i8, i8) { #[prost(sint32, tag = "1")] x: i32, #[prost(sint32, tag = "2")] y: i32, }
    Floats as (f32, f32) { #[prost(float, tag = "1")] x: f32, #[prost(float, tag = "2")] y: f32, }
}

messages! {
    Updates {
        #[prost(message, repeated, tag = "1")]
        updates: Vec<Update>,
    }
    Update {
        #[prost(message, repeated, tag = "1")]
        contacts: Vec<Contact>,
        #[prost(uint32, tag = "2")]
        score: u32,
        #[prost(float, tag = "3")]
        world_radius: f32,
        #[prost(message, repeated, tag = "4")]
        terrain_updates: Vec<TerrainUpdate>,
    }
    Contact {
        #[prost(uint32, tag = "1")]
        damage: u32,
        #[prost(uint32, tag = "2")]
        entity_id: u32,
        #[prost(enumeration = "EntityType", optional, tag = "3")]
        entity_type: Option<i32>,
        #[prost(message, optional, tag = "4")]
        guidance: Option<Guidance>,
        #[prost(uint32, optional, tag = "5")]
        player_id: Option<u32>,
        #[prost(bool, repeated, tag = "6")]
        reloads: Vec<bool>,
        #[prost(message, optional, tag = "7")]
        transform: Option<Transform>,
        #[prost(uint32, repeated, tag = "8")]
        turret_angles: Vec<u32>,
    }
    Guidance {
        #[prost(uint32, tag = "1")]
        angle: u32,
        #[prost(bool, tag = "2")]
        submerge: bool,
        #[prost(sint32, tag = "3")]
        velocity: i32,
    }
    Transform {
        #[prost(sint32, tag = "1")]
        altitude: i32,
        #[prost(uint32, tag = "2")]
        angle: u32,
        #[prost(message, optional, tag = "3")]
        position: Option<Floats>,
        #[prost(sint32, tag = "4")]
        velocity: i32,
    }
    TerrainUpdate {
        #[prost(message, optional, tag = "1")]
        chunk_id: Option<Chunk>,
        #[prost(bytes = "vec", tag = "2")]
        data: Vec<u8>,
    }
}
