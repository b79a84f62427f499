//! `mk48`: 1,000 updates of a game of ships, many small records with options and short lists.

use super::generate::{Generate, Random, list};
use super::{DataSet, ZapData, messages};
use rand::Rng;
use rand::distributions::{Distribution, WeightedIndex};
use zap_core::DecodeError;

every_codec! {
    pub(crate) struct Updates {
        pub(crate) updates: Vec<Update>,
    }

    pub(crate) struct Update {
        pub(crate) contacts: Vec<Contact>,
        pub(crate) score: u32,
        pub(crate) world_radius: f32,
        pub(crate) terrain_updates: Vec<TerrainUpdate>,
    }

    pub(crate) struct Contact {
        pub(crate) damage: u8,
        pub(crate) entity_id: u32,
        pub(crate) entity_type: Option<EntityType>,
        pub(crate) guidance: Guidance,
        pub(crate) player_id: Option<u16>,
        pub(crate) reloads: Vec<bool>,
        pub(crate) transform: Transform,
        pub(crate) turret_angles: Vec<u16>,
    }

    #[derive(Copy)]
    #[repr(u8)]
    pub(crate) enum EntityType {
        Destroyer,
        Battleship,
        Carrier,
        Frigate,
        Speedboat,
        Cruiser,
        Corvette,
        MissileBoat,
        Submarine,
        Hovercraft,
    }

    pub(crate) struct Guidance {
        pub(crate) angle: u16,
        pub(crate) submerge: bool,
        pub(crate) velocity: i16,
    }

    pub(crate) struct Transform {
        pub(crate) altitude: i8,
        pub(crate) angle: u16,
        pub(crate) position: (f32, f32),
        pub(crate) velocity: i16,
    }

    pub(crate) struct TerrainUpdate {
        pub(crate) chunk_id: (i8, i8),
        pub(crate) data: Vec<u8>,
    }
}

/// What a ship of each type carries.
struct Ship {
    entity_type: EntityType,
    /// How often it is drawn.
    weight: f32,
    reloads: usize,
    turrets: usize,
}

impl Ship {
    const fn new(entity_type: EntityType, weight: f32, reloads: usize, turrets: usize) -> Self {
        Self { entity_type, weight, reloads, turrets }
    }
}

/// The ships, in the order of their types.
const SHIPS: [Ship; 10] = [
    Ship::new(EntityType::Destroyer, 2.14, 20, 1),
    Ship::new(EntityType::Battleship, 0.52, 10, 4),
    Ship::new(EntityType::Carrier, 0.97, 16, 4),
    Ship::new(EntityType::Frigate, 1.46, 18, 4),
    Ship::new(EntityType::Speedboat, 13.16, 2, 0),
    Ship::new(EntityType::Cruiser, 1.55, 28, 3),
    Ship::new(EntityType::Corvette, 0.83, 15, 1),
    Ship::new(EntityType::MissileBoat, 7.25, 6, 2),
    Ship::new(EntityType::Submarine, 4.06, 14, 0),
    Ship::new(EntityType::Hovercraft, 12.92, 11, 3),
];

/// How likely a contact is near enough to tell what it is.
const VISIBLE: f64 = 0.7;

/// How likely a terrain update is a large one.
const LARGE: f64 = 0.02;

impl Generate for Guidance {
    fn generate(random: &mut Random) -> Self {
        Self {
            angle: Generate::generate(random),
            submerge: Generate::generate(random),
            velocity: Generate::generate(random),
        }
    }
}

impl Generate for Transform {
    fn generate(random: &mut Random) -> Self {
        Self {
            altitude: Generate::generate(random),
            angle: Generate::generate(random),
            position: Generate::generate(random),
            velocity: Generate::generate(random),
        }
    }
}

/// Whether it is visible, and if so its type, is drawn first.
impl Generate for Contact {
    fn generate(random: &mut Random) -> Self {
        let ship = random.gen_bool(VISIBLE).then(|| {
            let weights = WeightedIndex::new(SHIPS.iter().map(|ship| ship.weight)).expect("weights are positive");
            &SHIPS[weights.sample(random)]
        });
        let (reloads, turrets) = ship.map_or((0, 0), |ship| (ship.reloads, ship.turrets));
        Self {
            damage: Generate::generate(random),
            entity_id: Generate::generate(random),
            entity_type: ship.map(|ship| ship.entity_type),
            guidance: Guidance::generate(random),
            player_id: ship.map(|_| Generate::generate(random)),
            reloads: (0..reloads).map(|_| Generate::generate(random)).collect(),
            transform: Transform::generate(random),
            turret_angles: (0..turrets).map(|_| Generate::generate(random)).collect(),
        }
    }
}

impl Generate for TerrainUpdate {
    fn generate(random: &mut Random) -> Self {
        let chunk_id = Generate::generate(random);
        let len = if random.gen_bool(LARGE) { 900..1100 } else { 3..9 };
        Self { chunk_id, data: list(random, len) }
    }
}

impl Generate for Update {
    fn generate(random: &mut Random) -> Self {
        Self {
            contacts: list(random, 20..40),
            score: Generate::generate(random),
            world_radius: Generate::generate(random),
            terrain_updates: list(random, 3..10),
        }
    }
}

impl Generate for Updates {
    fn generate(random: &mut Random) -> Self {
        Self { updates: list(random, 1_000..1_001) }
    }
}

impl super::Value for Updates {}

impl DataSet for Updates {
    const NAME: &'static str = "mk48";
    const ABOUT: &'static str = "1,000 updates of a game of ships; read: the score of each";
    type Message = messages::mk48::Updates;

    fn read(&self, mut visit: impl FnMut(u64)) {
        for update in &self.updates {
            visit(update.score.into());
        }
    }

    #[inline(always)]
    fn read_archived(archived: &ArchivedUpdates, mut visit: impl FnMut(u64)) {
        for update in archived.updates.iter() {
            visit(update.score.to_native().into());
        }
    }
}

impl ZapData for Updates {
    #[inline(always)]
    fn read_view(view: UpdatesView<'_>, mut visit: impl FnMut(u64)) -> Result<(), DecodeError> {
        for update in view.updates()? {
            visit(update.score().into());
        }
        Ok(())
    }
}
