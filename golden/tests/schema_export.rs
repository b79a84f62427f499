//! The schemas exported from derived structs are those that the generator's vectors were made from.

use std::collections::BTreeMap;
use std::fs;

use golden::derived;
use golden::oracle::Dialect;
use serde_json::Value;
use zap_core::schema_text;

/// Field, type and offset, by the name of the struct.
type Structs = BTreeMap<String, Vec<(String, String, u64)>>;

/// Parses the brace form, naively: words, and comments to the end of the line.
fn parse(schema: &str) -> Structs {
    let lines = schema.lines().map(|line| line.split('#').next().unwrap_or_default());
    let words: Vec<_> = lines.flat_map(str::split_whitespace).collect();
    let mut words = words.into_iter();
    assert_eq!((words.next(), words.next()), (Some("package"), Some("vectors")));
    let mut structs = Structs::new();
    while let Some(word) = words.next() {
        assert_eq!(word, "struct");
        let name = words.next().unwrap();
        assert_eq!(words.next(), Some("{"));
        let mut fields = Vec::new();
        while let Some(field) = words.next().filter(|word| *word != "}") {
            let ty = words.next().unwrap();
            let offset = words.next().and_then(|offset| offset.strip_prefix('@')).unwrap();
            fields.push((field.to_owned(), ty.to_owned(), offset.parse().unwrap()));
        }
        assert!(structs.insert(name.to_owned(), fields).is_none(), "{name} twice");
    }
    structs
}

/// The vectors' spelling of a type as the schema's.
fn spelled(ty: &Value) -> String {
    match ty {
        Value::String(name) => name.clone(),
        ty if ty.get("list").is_some() => format!("list<{}>", spelled(&ty["list"])),
        ty if ty.get("struct").is_some() => spelled(&ty["struct"]),
        ty => format!("bytes_fixed[{}]", ty["bytes_fixed"]),
    }
}

#[test]
fn schemas_are_those_of_the_vectors() {
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/zapgen.json")).unwrap();
    let cases: Vec<Value> = serde_json::from_str(&text).unwrap();
    let expected: Structs = cases
        .iter()
        .map(|case| {
            let fields = case["shape"]["fields"].as_array().unwrap().iter();
            let fields = fields.map(|field| {
                let text = |key: &str| field[key].as_str().unwrap().to_owned();
                (text("name"), spelled(&field["type"]), field["offset"].as_u64().unwrap())
            });
            (case["struct"].as_str().unwrap().to_owned(), fields.collect())
        })
        .collect();
    assert!(expected.len() >= 6, "{expected:?}");

    let layouts: Vec<_> =
        derived::all().filter(|derived| derived.dialect() == Dialect::Zapgen).map(|derived| derived.layout).collect();
    let schema = schema_text("vectors", &layouts).unwrap();
    assert_eq!(parse(&schema), expected, "{schema}");
}

#[test]
fn what_a_schema_refuses_says_why() {
    for derived in derived::all() {
        match derived.layout.to_schema("vectors") {
            // A tuple's name begins with a capital there.
            Ok(schema) => {
                let records = parse(&schema);
                assert!(records.keys().any(|name| name.eq_ignore_ascii_case(derived.layout.name)), "{schema}");
            }
            Err(error) => {
                assert_ne!(derived.dialect(), Dialect::Zapgen, "{error}");
                let text = error.to_string();
                assert!(text.starts_with(error.record) && text.len() > 40, "{text}");
            }
        }
    }
}
