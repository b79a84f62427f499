//! `core_build.json`: calls of the Go-shaped builder, what they return, and the bytes they make.

use std::collections::HashMap;

use serde_json::{Value, json};
use zap_core::{Builder, EncodeError, ListHandle, ListTarget, ObjectHandle, Target};

use crate::core_parse::{allow, check_parse, text};
use crate::{hex, reads::check_reads};

/// Replays one case: the steps and their results, every finished message, the verdict and the reads of the last one.
///
/// # Errors
///
/// Says what differed, or what in the case is not understood.
pub fn replay(case: &Value) -> Result<(), String> {
    allow(case, &["name", "note", "peer_defect", "inputs", "hex", "outputs", "parse", "reads"])?;
    let inputs = case.get("inputs").ok_or("the case has no `inputs`")?;
    allow(inputs, &["version", "capacity", "steps"])?;
    let builder = Builder::with_capacity(size(inputs, "capacity")?);
    let builder = match size(inputs, "version")? {
        1 => builder,
        2 => builder.version_2(),
        version => return Err(format!("unknown version {version}")),
    };
    let mut run =
        Run { builder, objects: HashMap::new(), lists: HashMap::new(), built: HashMap::new(), outputs: vec![] };
    let steps = inputs.get("steps").and_then(Value::as_array).ok_or("the case has no list `steps`")?;
    for (index, step) in steps.iter().enumerate() {
        run.step(step).map_err(|error| format!("step {index} {step}: {error}"))?;
    }
    let last = run.outputs.last().ok_or("no step finished a message")?;
    compare_hex("hex", &hex::encode(last), text(case, "hex")?)?;
    if let Some(outputs) = case.get("outputs") {
        let got = run.outputs.iter().map(|bytes| hex::encode(bytes)).collect::<Value>();
        if &got != outputs {
            return Err(format!("outputs: wanted {outputs}, got {got}"));
        }
    }
    check_parse(last, case.get("parse").ok_or("the case has no `parse`")?)?;
    check_reads(last, case)
}

/// The state of one case: what the names of its steps stand for.
struct Run<'c> {
    builder: Builder,
    objects: HashMap<&'c str, ObjectHandle>,
    lists: HashMap<&'c str, ListHandle>,
    built: HashMap<&'c str, Built>,
    outputs: Vec<Vec<u8>>,
}

/// Something a pointer can lead to.
#[derive(Clone, Copy)]
enum Built {
    /// A finished object or written bytes.
    Place(Target),
    List(ListTarget),
}

impl<'c> Run<'c> {
    fn step(&mut self, step: &'c Value) -> Result<(), String> {
        let op = text(step, "op")?;
        let returned = match op {
            "start_object" => {
                allow(step, &["op", "id", "data_size"])?;
                let object = self.builder.start_object(size(step, "data_size")?).map_err(refused)?;
                self.objects.insert(text(step, "id")?, object);
                None
            }
            "finish_object" | "finish_as_root" => Some(self.finish_object(step, op)?),
            "start_list" => {
                // The element size is the peer's bookkeeping; it shows nowhere in the bytes.
                allow(step, &["op", "id", "elem_size"])?;
                let list = self.builder.start_list().map_err(refused)?;
                self.lists.insert(text(step, "id")?, list);
                None
            }
            "finish_list" => Some(self.finish_list(step)?),
            "write_bytes" | "write_text" => Some(self.write(step, op)?),
            "finish" => {
                allow(step, &["op", "returns"])?;
                let message = self.builder.finish().to_vec();
                Some(self.output(message))
            }
            "finish_with_flags" => {
                allow(step, &["op", "flags", "returns"])?;
                let flags = u16::try_from(size(step, "flags")?).map_err(|_| "flags are more than u16 holds")?;
                let message = self.builder.finish_with_flags(flags).to_vec();
                Some(self.output(message))
            }
            "reset" => {
                allow(step, &["op"])?;
                self.builder.reset();
                None
            }
            _ if op.starts_with("set_") => self.set(step, op).map(|()| None)?,
            _ if op.starts_with("list_add_") => self.list_add(step, op).map(|()| None)?,
            _ => return Err(format!("unknown op `{op}`")),
        };
        if returned.as_ref() == step.get("returns") {
            return Ok(());
        }
        Err(format!("returned {}", returned.unwrap_or_default()))
    }

    fn output(&mut self, message: Vec<u8>) -> Value {
        let size = message.len();
        self.outputs.push(message);
        json!({ "size": size })
    }

    fn finish_object(&mut self, step: &'c Value, op: &str) -> Result<Value, String> {
        allow(step, &["op", "obj", "returns"])?;
        let name = text(step, "obj")?;
        let object = self.objects.remove(name).ok_or_else(|| format!("no open object `{name}`"))?;
        let finish = if op == "finish_as_root" { Builder::finish_as_root } else { Builder::finish_object };
        let target = finish(&mut self.builder, object).map_err(refused)?;
        self.built.insert(name, Built::Place(target));
        Ok(json!({ "offset": target.offset() }))
    }

    fn finish_list(&mut self, step: &'c Value) -> Result<Value, String> {
        allow(step, &["op", "list", "returns"])?;
        let name = text(step, "list")?;
        let list = self.lists.remove(name).ok_or_else(|| format!("no open list `{name}`"))?;
        let list = self.builder.finish_list(list).map_err(refused)?;
        self.built.insert(name, Built::List(list));
        Ok(json!({ "offset": list.target().offset(), "count": list.count() }))
    }

    fn write(&mut self, step: &'c Value, op: &str) -> Result<Value, String> {
        allow(step, &["op", "id", "value", "returns"])?;
        let value = text(step, "value")?;
        let target = match op {
            "write_text" => self.builder.write_text(value),
            _ => self.builder.write_bytes(&hex::decode(value)?),
        };
        let target = target.map_err(refused)?;
        self.built.insert(text(step, "id")?, Built::Place(target));
        Ok(json!({ "offset": target.offset() }))
    }

    fn set(&mut self, step: &Value, op: &str) -> Result<(), String> {
        let pointer = op == "set_object" || op == "set_list";
        let own = if pointer { ["target", "length"] } else { ["value", "value"] };
        allow(step, &["op", "obj", "offset", own[0], own[1]])?;
        let name = text(step, "obj")?;
        let object = self.objects.get(name).ok_or_else(|| format!("no open object `{name}`"))?;
        let at = size(step, "offset")?;
        let builder = &mut self.builder;
        let set = match op {
            "set_bool" => builder.set_bool(object, at, step["value"].as_bool().ok_or("no bool `value`")?),
            "set_u8" => builder.set_u8(object, at, integer(step)?),
            "set_u16" => builder.set_u16(object, at, integer(step)?),
            "set_u32" => builder.set_u32(object, at, integer(step)?),
            "set_u64" => builder.set_u64(object, at, integer(step)?),
            "set_i8" => builder.set_i8(object, at, integer(step)?),
            "set_i16" => builder.set_i16(object, at, integer(step)?),
            "set_i32" => builder.set_i32(object, at, integer(step)?),
            "set_i64" => builder.set_i64(object, at, integer(step)?),
            "set_f32" => builder.set_f32(object, at, f32::from_bits(bits(step, u32::from_str_radix)?)),
            "set_f64" => builder.set_f64(object, at, f64::from_bits(bits(step, u64::from_str_radix)?)),
            "set_text" => builder.set_text(object, at, text(step, "value")?),
            "set_bytes" => builder.set_bytes(object, at, &hex::decode(text(step, "value")?)?),
            "set_bytes_fixed" => builder.set_bytes_fixed(object, at, &hex::decode(text(step, "value")?)?),
            "set_object" => builder.set_object(object, at, place(target(step, &self.built)?)?),
            "set_list" => builder.set_list(object, at, list(step, target(step, &self.built)?)?),
            _ => return Err(format!("unknown op `{op}`")),
        };
        set.map_err(refused)
    }

    fn list_add(&mut self, step: &Value, op: &str) -> Result<(), String> {
        allow(step, &["op", "list", "value"])?;
        let name = text(step, "list")?;
        let list = self.lists.get(name).ok_or_else(|| format!("no open list `{name}`"))?;
        let builder = &mut self.builder;
        let add = match op {
            "list_add_u8" => builder.list_add_u8(list, integer(step)?),
            "list_add_u32" => builder.list_add_u32(list, integer(step)?),
            "list_add_u64" => builder.list_add_u64(list, integer(step)?),
            "list_add_bytes" => builder.list_add_bytes(list, &hex::decode(text(step, "value")?)?),
            "list_add_object_bytes" => builder.list_add_object_bytes(list, &hex::decode(text(step, "value")?)?),
            _ => return Err(format!("unknown op `{op}`")),
        };
        add.map_err(refused)
    }
}

fn refused(error: EncodeError) -> String {
    format!("the builder refused: {error}")
}

fn size(value: &Value, key: &str) -> Result<usize, String> {
    let size = value.get(key).and_then(Value::as_u64).and_then(|size| usize::try_from(size).ok());
    size.ok_or_else(|| format!("no number `{key}` in {value}"))
}

fn integer<T: std::str::FromStr>(step: &Value) -> Result<T, String> {
    text(step, "value")?.parse().map_err(|_| "`value` is not a number of the field's type".into())
}

fn bits<T>(step: &Value, parse: fn(&str, u32) -> Result<T, std::num::ParseIntError>) -> Result<T, String> {
    parse(text(&step["value"], "bits")?, 16).map_err(|error| format!("bits: {error}"))
}

/// What the step's `target` stands for; `None` is null.
fn target(step: &Value, built: &HashMap<&str, Built>) -> Result<Option<Built>, String> {
    match step.get("target") {
        Some(Value::Null) => Ok(None),
        Some(Value::String(name)) => built
            .get(name.as_str())
            .map(|&built| Some(built))
            .ok_or_else(|| format!("nothing finished is called `{name}`")),
        _ => Err("no `target`".into()),
    }
}

fn place(target: Option<Built>) -> Result<Target, String> {
    match target {
        None => Ok(Target::NULL),
        Some(Built::Place(target)) => Ok(target),
        Some(Built::List(_)) => Err("a list is no object".into()),
    }
}

fn list(step: &Value, target: Option<Built>) -> Result<ListTarget, String> {
    let length = match step.get("length") {
        None => None,
        Some(_) => Some(u32::try_from(size(step, "length")?).map_err(|_| "`length` is more than u32 holds")?),
    };
    match (target, length) {
        (None, None) => Ok(ListTarget::NULL),
        (None, Some(length)) => Ok(ListTarget::NULL.with_count(length)),
        (Some(Built::List(list)), None) => Ok(list),
        (Some(Built::List(list)), Some(length)) => Ok(list.with_count(length)),
        (Some(Built::Place(target)), Some(length)) => Ok(target.list_of(length)),
        (Some(Built::Place(_)), None) => Err("records or bytes need a `length`".into()),
    }
}

fn compare_hex(what: &str, got: &str, wanted: &str) -> Result<(), String> {
    if got == wanted {
        return Ok(());
    }
    let same = got.bytes().zip(wanted.bytes()).take_while(|(got, wanted)| got == wanted).count();
    Err(format!("{what}: differs from byte {}\nwanted {wanted}\ngot    {got}", same / 2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reads::tests::{cases, replay_all};

    #[test]
    fn all_cases() {
        replay_all("core_build.json", replay);
    }

    #[test]
    fn any_change_of_a_case_is_noticed() {
        let cases = cases("core_build.json");
        let case = cases.iter().find(|case| case["name"] == "text_reverse_order").unwrap();
        assert_eq!(replay(case), Ok(()));
        let changes: [fn(&mut Value); 8] = [
            |case| case["hex"] = json!("5a41"),
            |case| case["inputs"]["version"] = json!(3),
            |case| case["inputs"]["steps"][1]["op"] = json!("set_u24"),
            |case| case["inputs"]["steps"][1]["more"] = json!(1),
            |case| case["inputs"]["steps"][4]["returns"]["offset"] = json!(17),
            |case| case["parse"]["size"] = json!(56),
            |case| case["reads"][0]["value"]["hex"] = json!("00"),
            |case| case["outputs"] = json!([]),
        ];
        for (index, change) in changes.iter().enumerate() {
            let mut case = case.clone();
            change(&mut case);
            assert!(replay(&case).is_err(), "change {index} went unnoticed");
        }
    }
}
