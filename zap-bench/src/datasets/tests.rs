use super::codec::Codec;
use super::minecraft_savedata::Players;
use super::mk48::Updates;
use super::*;
use std::sync::LazyLock;

/// One data set stands for all: in a debug build, each takes a while.
static SMOKE: LazyLock<Report> = LazyLock::new(|| run(&[Data::Log], true).expect("all codecs agree"));

fn len<T: DataSet, C: Codec<T>>() -> usize {
    ops::message::<T, C>(&generate()).len()
}

#[test]
fn the_data_sets_have_their_counts() {
    let logs = generate::<log::Logs>().logs;
    assert_eq!(logs.len(), 10_000);
    assert!(logs.iter().all(|log| log.identity == "-" && log.size < 100_000_000));
    assert_eq!(generate::<mesh::Mesh>().triangles.len(), 125_000);
    let players = generate::<Players>().players;
    assert_eq!(players.len(), 500);
    assert!(players.iter().all(|player| player.inventory.len() < 40 && player.ender_items.len() < 27));
    let updates = generate::<Updates>().updates;
    assert_eq!(updates.len(), 1_000);
    assert!(updates.iter().all(|update| (20..40).contains(&update.contacts.len())));
    assert!(updates.iter().all(|update| (3..10).contains(&update.terrain_updates.len())));
}

#[test]
fn the_data_sets_are_the_same_every_time() {
    assert_eq!(generate::<log::Logs>(), generate::<log::Logs>());
    assert_eq!(generate::<Players>(), generate::<Players>());
    assert_eq!(generate::<Updates>(), generate::<Updates>());
}

#[test]
fn every_codec_returns_the_same_values() {
    assert_eq!(check(&[Data::Log, Data::MinecraftSavedata, Data::Mk48]), Ok(()));
}

#[test]
fn bytes_of_the_messages() {
    assert_eq!((len::<log::Logs, Zap>(), len::<log::Logs, Rkyv>()), (1_067_055, 1_012_712));
    assert_eq!((len::<mesh::Mesh, Zap>(), len::<mesh::Mesh, Rkyv>()), (6_000_024, 6_000_008));
    assert_eq!((len::<Players, Zap>(), len::<Players, Rkyv>()), (629_320, 605_720));
    assert_eq!((len::<Updates, Zap>(), len::<Updates, Rkyv>()), (2_034_297, 2_035_784));
}

#[test]
fn every_op_has_the_codecs_that_know_it() {
    const WHOLE: [&str; 6] = ["zap", "rkyv", "wincode", "bitcode", "prost", "serde_json"];
    for op in Op::ALL {
        let codecs: Vec<&str> = SMOKE.rows().iter().filter(|row| row.op == op.name()).map(|row| row.codec).collect();
        match op {
            Op::Serialize => {
                assert_eq!(codecs, ["zap", "memcpy", "rkyv", "wincode", "bitcode", "prost", "serde_json"]);
            }
            Op::Deserialize | Op::Size => assert_eq!(codecs, WHOLE),
            _ => assert_eq!(codecs, ["zap", "rkyv"]),
        }
    }
}

#[test]
fn zap_allocates_only_where_it_makes_values() {
    for row in SMOKE.rows().iter().filter(|row| row.codec == "zap") {
        match row.op {
            "deserialize" => assert!(row.allocs > Some(0)),
            "size" => assert_eq!((row.allocs, row.ns), (None, None)),
            _ => assert_eq!(row.allocs, Some(0), "{} {}", row.data, row.op),
        }
    }
}

#[test]
fn the_json_has_every_field_of_every_row() {
    let text = serde_json::to_string(SMOKE.rows()).expect("plain data");
    let rows: Vec<serde_json::Map<String, serde_json::Value>> =
        serde_json::from_str(&text).expect("an array of objects");
    assert_eq!(rows.len(), SMOKE.rows().len());
    for row in &rows {
        assert_eq!(row["suite"], "datasets");
        assert!(row["data"].is_string() && row["codec"].is_string() && row["bytes"].is_u64());
        let is_timed = row["op"] != "size";
        assert_eq!((row["ns"].is_number(), row["allocs"].is_u64()), (is_timed, is_timed));
        if row["codec"] == "zap" {
            assert_eq!(row["ratio"].as_f64(), Some(1.0));
        }
    }
}

#[test]
fn the_table_shows_its_data_set_and_says_that_it_was_a_smoke_run() {
    let text = SMOKE.to_string();
    assert!(text.starts_with("log: 10,000 lines"));
    assert_eq!(text.matches("\nserialize ").count(), 7);
    assert!(text.contains("!!! SMOKE RUN"));
}
