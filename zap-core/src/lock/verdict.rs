//! The differences between two lock files, and what they mean for those who read and write.

use std::fmt::Write;

use super::block::{Block, Line};

/// The differing blocks with a verdict each, and whether all are compatible. Empty, if there is none.
pub(super) fn report(old: &[Block], new: &[Block]) -> (String, bool) {
    let (mut report, mut compatible) = (String::new(), true);
    let changed_old: Vec<_> = old.iter().filter(|block| !new.contains(block)).collect();
    let mut changed_new: Vec<_> = new.iter().filter(|block| !old.contains(block)).collect();
    for old in changed_old {
        // Of several blocks of one name the first is taken for the same record.
        let same = changed_new.iter().position(|new| new.name == old.name && new.kind == old.kind);
        let new = same.map(|index| changed_new.remove(index));
        compatible &= write_change(&mut report, Some(old), new);
    }
    for new in changed_new {
        compatible &= write_change(&mut report, None, Some(new));
    }
    (report, compatible)
}

fn write_change(report: &mut String, old: Option<&Block>, new: Option<&Block>) -> bool {
    let Some(block) = new.or(old) else { return true };
    let verdict = match (old, new) {
        (Some(old), Some(new)) => judge(old, new),
        (None, _) => Ok("new".to_owned()),
        (_, None) => Err("gone, or renamed: compatible only if nobody reads or wrote it".to_owned()),
    };
    let (compatible, word, verdict) = match &verdict {
        Ok(text) => (true, "compatible", text),
        Err(text) => (false, "breaking", text),
    };
    // Writing to a String does not fail.
    let _ = writeln!(report, "{} {}: {word}: {verdict}", block.kind, block.name);
    let lines = |block: Option<&Block>| block.map(|block| block.lines.clone()).unwrap_or_default();
    if let (Some(old), Some(new)) = (old, new)
        && old.attributes != new.attributes
    {
        let _ = writeln!(report, "  - ({})\n  + ({})", old.attributes, new.attributes);
    }
    write_lines(report, &lines(old), &lines(new));
    report.push('\n');
    compatible
}

/// Old and new lines in one list: what both have once.
fn write_lines(report: &mut String, old: &[Line], new: &[Line]) {
    let mut left = new.iter().peekable();
    for line in old {
        if !new.contains(line) {
            let _ = writeln!(report, "  - {line}");
            continue;
        }
        for added in std::iter::from_fn(|| left.next_if(|added| *added != line && !old.contains(added))) {
            let _ = writeln!(report, "  + {added}");
        }
        let _ = writeln!(report, "    {line}");
        left.next_if(|same| *same == line);
    }
    for added in left.filter(|added| !old.contains(added)) {
        let _ = writeln!(report, "  + {added}");
    }
}

/// Whether the change is compatible, in words.
fn judge(old: &Block, new: &Block) -> Result<String, String> {
    let versionless = |block: &Block| block.attributes.replace("version:2", "").replace("  ", " ").trim().to_owned();
    if versionless(old) != versionless(new) {
        return Err(format!("it was `{}` and is `{}`", described(old), described(new)));
    }
    match new.kind.as_str() {
        "enum" => judge_enum(old, new),
        _ => judge_record(old, new),
    }
}

fn described(block: &Block) -> String {
    format!("{} {}", block.kind, block.attributes).trim_end().to_owned()
}

/// The fields, without the line of the size.
fn fields(block: &Block) -> &[Line] {
    block.lines.split_last().map_or(&[], |(_, fields)| fields)
}

fn judge_record(old: &Block, new: &Block) -> Result<String, String> {
    let (before, after) = (fields(old), fields(new));
    for (was, is) in before.iter().zip(after) {
        let is_known = |name: &str, among: &[Line]| among.iter().any(|line| line.name == name);
        if was.value != is.value {
            return Err(if was.name == is.name {
                format!("`{}` was `{}` and is `{}`", was.name, was.value, is.value)
            } else {
                format!("where `{}` was `{}`, there is `{}` `{}`", was.name, was.value, is.name, is.value)
            });
        }
        // A renamed field is the same bytes; two that changed places are not the same values.
        if was.name != is.name && (is_known(&was.name, after) || is_known(&is.name, before)) {
            return Err(format!("`{}` took the place of `{}`", is.name, was.name));
        }
    }
    let is_growable = new.attributes.contains("growable");
    match (after.get(before.len()), before.get(after.len())) {
        (Some(added), _) if is_growable => {
            let offset = |line: &Line| line.value.rsplit('@').next().and_then(|offset| offset.parse::<u32>().ok());
            let known = before.iter().filter_map(offset).max();
            match after.iter().skip(before.len()).all(|line| offset(line) > known) {
                true => Ok(format!("growth: `{}` is appended to a growable record", added.name)),
                false => Err(format!("`{}` lies before the end of what was known", added.name)),
            }
        }
        (Some(added), _) => Err(format!("`{}` is added to a record that is not growable", added.name)),
        (_, Some(removed)) if is_growable => {
            Ok(format!("`{}` is removed from the end of a growable record: old readers get its default", removed.name))
        }
        (_, Some(removed)) => Err(format!("`{}` is removed: old readers have nothing to read there", removed.name)),
        (None, None) if old.lines.last() != new.lines.last() => Err("its size changed".to_owned()),
        (None, None) if before != after => Ok("only names changed".to_owned()),
        (None, None) => Ok("readers take either version".to_owned()),
    }
}

fn judge_enum(old: &Block, new: &Block) -> Result<String, String> {
    for was in &old.lines {
        match new.lines.iter().find(|line| line.name == was.name) {
            Some(is) if is == was => {}
            Some(is) => return Err(format!("`{}` was `{}` and is `{}`", was.name, was.value, is.value)),
            None => return Err(format!("`{}` is gone, or renamed: old messages may hold it", was.name)),
        }
    }
    // With data, each variant's fields are lines as well: `Circle.radius: f32 @0`.
    let field_of_old = |line: &Line| {
        line.name.split_once('.').is_some_and(|(variant, _)| old.lines.iter().any(|was| was.name == variant))
    };
    match new.lines.iter().find(|line| !old.lines.contains(line)) {
        Some(added) if field_of_old(added) => Err(format!("`{}` is added to a variant that was there", added.name)),
        Some(added) => Ok(format!(
            "growth: `{}` is new; let readers know it, or have an #[zap(other)] variant, before anybody writes it",
            added.name
        )),
        None => Ok("only the order of its variants changed".to_owned()),
    }
}
