//! The Protocol Buffers messages of `minecraft_savedata`.

use super::{Wire, enumeration, messages, required, tuples};
use crate::datasets::minecraft_savedata as plain;

enumeration!(GameType { Survival = 0, Creative = 1, Adventure = 2, Spectator = 3 });

tuples! {
    Doubles as (f64, f64, f64) { #[prost(double, tag = "1")] x: f64, #[prost(double, tag = "2")] y: f64, #[prost(double, tag = "3")] z: f64, }
    Floats as (f32, f32) { #[prost(float, tag = "1")] x: f32, #[prost(float, tag = "2")] y: f32, }
    Vehicle as ([u32; 4], plain::Entity) { #[prost(message, optional, tag = "1")] uuid: Option<Words>, #[prost(message, optional, tag = "2")] entity: Option<Entity>, }
}

messages! {
    Players {
        #[prost(message, repeated, tag = "1")]
        players: Vec<Player>,
    }
    Player {
        #[prost(enumeration = "GameType", tag = "1")]
        game_type: i32,
        #[prost(enumeration = "GameType", tag = "2")]
        previous_game_type: i32,
        #[prost(sint64, tag = "3")]
        score: i64,
        #[prost(string, tag = "4")]
        dimension: String,
        #[prost(uint32, tag = "5")]
        selected_item_slot: u32,
        #[prost(message, optional, tag = "6")]
        selected_item: Option<Item>,
        #[prost(string, optional, tag = "7")]
        spawn_dimension: Option<String>,
        #[prost(sint64, tag = "8")]
        spawn_x: i64,
        #[prost(sint64, tag = "9")]
        spawn_y: i64,
        #[prost(sint64, tag = "10")]
        spawn_z: i64,
        #[prost(bool, optional, tag = "11")]
        spawn_forced: Option<bool>,
        #[prost(uint32, tag = "12")]
        sleep_timer: u32,
        #[prost(float, tag = "13")]
        food_exhaustion_level: f32,
        #[prost(float, tag = "14")]
        food_saturation_level: f32,
        #[prost(uint32, tag = "15")]
        food_tick_timer: u32,
        #[prost(uint32, tag = "16")]
        xp_level: u32,
        #[prost(float, tag = "17")]
        xp_p: f32,
        #[prost(sint32, tag = "18")]
        xp_total: i32,
        #[prost(sint32, tag = "19")]
        xp_seed: i32,
        #[prost(message, repeated, tag = "20")]
        inventory: Vec<Item>,
        #[prost(message, repeated, tag = "21")]
        ender_items: Vec<Item>,
        #[prost(message, optional, tag = "22")]
        abilities: Option<Abilities>,
        #[prost(message, optional, tag = "23")]
        entered_nether_position: Option<Doubles>,
        #[prost(message, optional, tag = "24")]
        root_vehicle: Option<Vehicle>,
        #[prost(message, optional, tag = "25")]
        shoulder_entity_left: Option<Entity>,
        #[prost(message, optional, tag = "26")]
        shoulder_entity_right: Option<Entity>,
        #[prost(bool, tag = "27")]
        seen_credits: bool,
        #[prost(message, optional, tag = "28")]
        recipe_book: Option<RecipeBook>,
    }
    Item {
        #[prost(sint32, tag = "1")]
        count: i32,
        #[prost(uint32, tag = "2")]
        slot: u32,
        #[prost(string, tag = "3")]
        id: String,
    }
    Abilities {
        #[prost(float, tag = "1")]
        walk_speed: f32,
        #[prost(float, tag = "2")]
        fly_speed: f32,
        #[prost(bool, tag = "3")]
        may_fly: bool,
        #[prost(bool, tag = "4")]
        flying: bool,
        #[prost(bool, tag = "5")]
        invulnerable: bool,
        #[prost(bool, tag = "6")]
        may_build: bool,
        #[prost(bool, tag = "7")]
        instabuild: bool,
    }
    Entity {
        #[prost(string, tag = "1")]
        id: String,
        #[prost(message, optional, tag = "2")]
        pos: Option<Doubles>,
        #[prost(message, optional, tag = "3")]
        motion: Option<Doubles>,
        #[prost(message, optional, tag = "4")]
        rotation: Option<Floats>,
        #[prost(float, tag = "5")]
        fall_distance: f32,
        #[prost(uint32, tag = "6")]
        fire: u32,
        #[prost(uint32, tag = "7")]
        air: u32,
        #[prost(bool, tag = "8")]
        on_ground: bool,
        #[prost(bool, tag = "9")]
        no_gravity: bool,
        #[prost(bool, tag = "10")]
        invulnerable: bool,
        #[prost(sint32, tag = "11")]
        portal_cooldown: i32,
        #[prost(message, optional, tag = "12")]
        uuid: Option<Words>,
        #[prost(string, optional, tag = "13")]
        custom_name: Option<String>,
        #[prost(bool, tag = "14")]
        custom_name_visible: bool,
        #[prost(bool, tag = "15")]
        silent: bool,
        #[prost(bool, tag = "16")]
        glowing: bool,
    }
    RecipeBook {
        #[prost(string, repeated, tag = "1")]
        recipes: Vec<String>,
        #[prost(string, repeated, tag = "2")]
        to_be_displayed: Vec<String>,
        #[prost(bool, tag = "3")]
        is_filtering_craftable: bool,
        #[prost(bool, tag = "4")]
        is_gui_open: bool,
        #[prost(bool, tag = "5")]
        is_furnace_filtering_craftable: bool,
        #[prost(bool, tag = "6")]
        is_furnace_gui_open: bool,
        #[prost(bool, tag = "7")]
        is_blasting_furnace_filtering_craftable: bool,
        #[prost(bool, tag = "8")]
        is_blasting_furnace_gui_open: bool,
        #[prost(bool, tag = "9")]
        is_smoker_filtering_craftable: bool,
        #[prost(bool, tag = "10")]
        is_smoker_gui_open: bool,
    }
}

/// Four words, as an array is spelled.
#[derive(Clone, PartialEq, ::prost::Message)]
pub(crate) struct Words {
    #[prost(uint32, tag = "1")]
    x0: u32,
    #[prost(uint32, tag = "2")]
    x1: u32,
    #[prost(uint32, tag = "3")]
    x2: u32,
    #[prost(uint32, tag = "4")]
    x3: u32,
}

impl Wire<[u32; 4]> for Words {
    fn wrap(&[x0, x1, x2, x3]: &[u32; 4]) -> Self {
        Self { x0, x1, x2, x3 }
    }
    fn unwrap(self) -> [u32; 4] {
        [self.x0, self.x1, self.x2, self.x3]
    }
}

required!(Words, [u32; 4]);
