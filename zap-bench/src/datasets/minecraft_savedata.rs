//! `minecraft_savedata`: the saved state of 500 players of a game, records of many fields, options and short texts.

use super::generate::{Generate, Random, list, list_of, one_of};
use super::{DataSet, ZapData, messages};
use rand::Rng;
use zap_core::DecodeError;

every_codec! {
    pub(crate) struct Players {
        pub(crate) players: Vec<Player>,
    }

    pub(crate) struct Player {
        pub(crate) game_type: GameType,
        pub(crate) previous_game_type: GameType,
        pub(crate) score: i64,
        pub(crate) dimension: String,
        pub(crate) selected_item_slot: u32,
        pub(crate) selected_item: Item,
        pub(crate) spawn_dimension: Option<String>,
        pub(crate) spawn_x: i64,
        pub(crate) spawn_y: i64,
        pub(crate) spawn_z: i64,
        pub(crate) spawn_forced: Option<bool>,
        pub(crate) sleep_timer: u16,
        pub(crate) food_exhaustion_level: f32,
        pub(crate) food_saturation_level: f32,
        pub(crate) food_tick_timer: u32,
        pub(crate) xp_level: u32,
        pub(crate) xp_p: f32,
        pub(crate) xp_total: i32,
        pub(crate) xp_seed: i32,
        pub(crate) inventory: Vec<Item>,
        pub(crate) ender_items: Vec<Item>,
        pub(crate) abilities: Abilities,
        pub(crate) entered_nether_position: Option<(f64, f64, f64)>,
        pub(crate) root_vehicle: Option<([u32; 4], Entity)>,
        pub(crate) shoulder_entity_left: Option<Entity>,
        pub(crate) shoulder_entity_right: Option<Entity>,
        pub(crate) seen_credits: bool,
        pub(crate) recipe_book: RecipeBook,
    }

    #[derive(Copy)]
    #[repr(u8)]
    pub(crate) enum GameType {
        Survival,
        Creative,
        Adventure,
        Spectator,
    }

    pub(crate) struct Item {
        pub(crate) count: i8,
        pub(crate) slot: u8,
        pub(crate) id: String,
    }

    pub(crate) struct Abilities {
        pub(crate) walk_speed: f32,
        pub(crate) fly_speed: f32,
        pub(crate) may_fly: bool,
        pub(crate) flying: bool,
        pub(crate) invulnerable: bool,
        pub(crate) may_build: bool,
        pub(crate) instabuild: bool,
    }

    pub(crate) struct Entity {
        pub(crate) id: String,
        pub(crate) pos: (f64, f64, f64),
        pub(crate) motion: (f64, f64, f64),
        pub(crate) rotation: (f32, f32),
        pub(crate) fall_distance: f32,
        pub(crate) fire: u16,
        pub(crate) air: u16,
        pub(crate) on_ground: bool,
        pub(crate) no_gravity: bool,
        pub(crate) invulnerable: bool,
        pub(crate) portal_cooldown: i32,
        pub(crate) uuid: [u32; 4],
        pub(crate) custom_name: Option<String>,
        pub(crate) custom_name_visible: bool,
        pub(crate) silent: bool,
        pub(crate) glowing: bool,
    }

    pub(crate) struct RecipeBook {
        pub(crate) recipes: Vec<String>,
        pub(crate) to_be_displayed: Vec<String>,
        pub(crate) is_filtering_craftable: bool,
        pub(crate) is_gui_open: bool,
        pub(crate) is_furnace_filtering_craftable: bool,
        pub(crate) is_furnace_gui_open: bool,
        pub(crate) is_blasting_furnace_filtering_craftable: bool,
        pub(crate) is_blasting_furnace_gui_open: bool,
        pub(crate) is_smoker_filtering_craftable: bool,
        pub(crate) is_smoker_gui_open: bool,
    }
}

const DIMENSIONS: [&str; 3] = ["overworld", "nether", "end"];
const ITEMS: [&str; 8] = ["dirt", "stone", "pickaxe", "sand", "gravel", "shovel", "chestplate", "steak"];
const ENTITIES: [&str; 8] = ["cow", "sheep", "zombie", "skeleton", "spider", "creeper", "parrot", "bee"];
const NAMES: [&str; 8] = ["rainbow", "princess", "steve", "johnny", "missy", "coward", "fairy", "howard"];
const RECIPES: [&str; 8] = ["pickaxe", "torch", "bow", "crafting table", "furnace", "shears", "arrow", "tnt"];

fn recipe(random: &mut Random) -> String {
    one_of(random, &RECIPES).to_owned()
}

impl Generate for GameType {
    fn generate(random: &mut Random) -> Self {
        one_of(random, &[Self::Survival, Self::Creative, Self::Adventure, Self::Spectator])
    }
}

impl Generate for Players {
    fn generate(random: &mut Random) -> Self {
        Self { players: list(random, 500..501) }
    }
}

impl Generate for Player {
    fn generate(random: &mut Random) -> Self {
        Self {
            game_type: Generate::generate(random),
            previous_game_type: Generate::generate(random),
            score: Generate::generate(random),
            dimension: one_of(random, &DIMENSIONS).to_owned(),
            selected_item_slot: Generate::generate(random),
            selected_item: Generate::generate(random),
            spawn_dimension: random.gen_bool(0.5).then(|| one_of(random, &DIMENSIONS).to_owned()),
            spawn_x: Generate::generate(random),
            spawn_y: Generate::generate(random),
            spawn_z: Generate::generate(random),
            spawn_forced: Generate::generate(random),
            sleep_timer: Generate::generate(random),
            food_exhaustion_level: Generate::generate(random),
            food_saturation_level: Generate::generate(random),
            food_tick_timer: Generate::generate(random),
            xp_level: Generate::generate(random),
            xp_p: Generate::generate(random),
            xp_total: Generate::generate(random),
            xp_seed: Generate::generate(random),
            inventory: list(random, 0..40),
            ender_items: list(random, 0..27),
            abilities: Generate::generate(random),
            entered_nether_position: Generate::generate(random),
            root_vehicle: Generate::generate(random),
            shoulder_entity_left: Generate::generate(random),
            shoulder_entity_right: Generate::generate(random),
            seen_credits: Generate::generate(random),
            recipe_book: Generate::generate(random),
        }
    }
}

impl Generate for Item {
    fn generate(random: &mut Random) -> Self {
        Self {
            count: Generate::generate(random),
            slot: Generate::generate(random),
            id: one_of(random, &ITEMS).to_owned(),
        }
    }
}

impl Generate for Abilities {
    fn generate(random: &mut Random) -> Self {
        Self {
            walk_speed: Generate::generate(random),
            fly_speed: Generate::generate(random),
            may_fly: Generate::generate(random),
            flying: Generate::generate(random),
            invulnerable: Generate::generate(random),
            may_build: Generate::generate(random),
            instabuild: Generate::generate(random),
        }
    }
}

impl Generate for Entity {
    fn generate(random: &mut Random) -> Self {
        Self {
            id: one_of(random, &ENTITIES).to_owned(),
            pos: Generate::generate(random),
            motion: Generate::generate(random),
            rotation: Generate::generate(random),
            fall_distance: Generate::generate(random),
            fire: Generate::generate(random),
            air: Generate::generate(random),
            on_ground: Generate::generate(random),
            no_gravity: Generate::generate(random),
            invulnerable: Generate::generate(random),
            portal_cooldown: Generate::generate(random),
            uuid: Generate::generate(random),
            custom_name: random.gen_bool(0.5).then(|| one_of(random, &NAMES).to_owned()),
            custom_name_visible: Generate::generate(random),
            silent: Generate::generate(random),
            glowing: Generate::generate(random),
        }
    }
}

impl Generate for RecipeBook {
    fn generate(random: &mut Random) -> Self {
        Self {
            recipes: list_of(random, 0..30, recipe),
            to_be_displayed: list_of(random, 0..10, recipe),
            is_filtering_craftable: Generate::generate(random),
            is_gui_open: Generate::generate(random),
            is_furnace_filtering_craftable: Generate::generate(random),
            is_furnace_gui_open: Generate::generate(random),
            is_blasting_furnace_filtering_craftable: Generate::generate(random),
            is_blasting_furnace_gui_open: Generate::generate(random),
            is_smoker_filtering_craftable: Generate::generate(random),
            is_smoker_gui_open: Generate::generate(random),
        }
    }
}

impl super::Value for Players {}

impl DataSet for Players {
    const NAME: &'static str = "minecraft_savedata";
    const ABOUT: &'static str = "the saved state of 500 players; read: the game type of each";
    type Message = messages::minecraft_savedata::Players;

    fn read(&self, mut visit: impl FnMut(u64)) {
        for player in &self.players {
            visit(player.game_type as u64);
        }
    }

    #[inline(always)]
    fn read_archived(archived: &ArchivedPlayers, mut visit: impl FnMut(u64)) {
        for player in archived.players.iter() {
            visit(match player.game_type {
                ArchivedGameType::Survival => 0,
                ArchivedGameType::Creative => 1,
                ArchivedGameType::Adventure => 2,
                ArchivedGameType::Spectator => 3,
            });
        }
    }
}

impl ZapData for Players {
    #[inline(always)]
    fn read_view(view: PlayersView<'_>, mut visit: impl FnMut(u64)) -> Result<(), DecodeError> {
        for player in view.players()? {
            visit(player.game_type()? as u64);
        }
        Ok(())
    }
}
