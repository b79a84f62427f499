//! `schema_layout.json`: fields to offsets by the rule of the public runtime's schemas.

use serde_json::{Value, json};
use zap_core::{Schema, SchemaKind};

use crate::core_parse::{allow, text};

/// Replays one case: the offset and slot size of every field, and the size.
///
/// # Errors
///
/// Says what differed, or what in the case is not understood.
pub fn replay(case: &Value) -> Result<(), String> {
    allow(case, &["name", "note", "inputs", "fields", "size"])?;
    let inputs = case.get("inputs").ok_or("the case has no `inputs`")?;
    allow(inputs, &["fields"])?;
    let inputs = inputs.get("fields").and_then(Value::as_array).ok_or("the case has no list `inputs.fields`")?;
    let schema = inputs.iter().try_fold(Schema::new(), |schema, field| {
        allow(field, &["name", "type"])?;
        Ok::<_, String>(schema.field(text(field, "name")?, kind(text(field, "type")?)?))
    })?;
    let fields = schema.fields().iter().zip(inputs).map(|(field, input)| {
        json!({
            "name": field.name(),
            "type": input["type"],
            "offset": field.offset(),
            "slot_size": field.slot_size(),
        })
    });
    let fields = fields.collect::<Value>();
    let wanted = case.get("fields").ok_or("the case has no `fields`")?;
    if &fields != wanted {
        return Err(format!("fields: wanted {wanted}, got {fields}"));
    }
    if Some(&json!(schema.size())) != case.get("size") {
        return Err(format!("size: wanted {:?}, got {}", case.get("size"), schema.size()));
    }
    Ok(())
}

fn kind(name: &str) -> Result<SchemaKind, String> {
    Ok(match name {
        "bool" => SchemaKind::Bool,
        "i32" => SchemaKind::I32,
        "u32" => SchemaKind::U32,
        "i64" => SchemaKind::I64,
        "u64" => SchemaKind::U64,
        "f64" => SchemaKind::F64,
        "text" => SchemaKind::Text,
        "bytes" => SchemaKind::Bytes,
        "struct" => SchemaKind::Struct,
        "list<u8>" | "list<u32>" | "list<u64>" | "list<text>" | "list<struct>" => SchemaKind::List,
        _ => return Err(format!("unknown field type `{name}`")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reads::tests::replay_all;

    #[test]
    fn all_cases() {
        replay_all("schema_layout.json", replay);
    }

    #[test]
    fn a_wrong_layout_is_an_error() {
        let case = |offset, kind, size| {
            let field = json!({ "name": "a", "type": kind, "offset": offset, "slot_size": 1 });
            json!({ "inputs": { "fields": [{ "name": "a", "type": kind }] }, "fields": [field], "size": size })
        };
        assert_eq!(replay(&case(0, "bool", 8)), Ok(()));
        assert!(replay(&case(1, "bool", 8)).is_err());
        assert!(replay(&case(0, "bool", 1)).is_err());
        assert!(replay(&case(0, "u24", 8)).is_err());
    }
}
