//! A block of the lock file: from layouts, from text, and to text.

use std::fmt;

use crate::line::{Detail, TypeLine, write_head};
use crate::reach::Reach;
use crate::{EnumLayout, FieldType, Layout};

/// What the file says of one record or enum.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Block {
    /// Behind the kind in the text, in front of it in the order of blocks.
    pub(super) name: String,
    /// `record` or `enum`.
    pub(super) kind: String,
    /// What else stands in the first line.
    pub(super) attributes: String,
    /// The lines below it, without what they are indented by.
    pub(super) lines: Vec<Line>,
}

/// `name: type @offset` of a field, `name = number` of a variant, `size: bytes`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Line {
    pub(super) name: String,
    /// `": "` or `" = "`.
    pub(super) between: &'static str,
    pub(super) value: String,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, between, value } = self;
        write!(f, "{name}{between}{value}")
    }
}

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", format!("{} {} {}", self.kind, self.name, self.attributes).trim_end())?;
        self.lines.iter().try_for_each(|line| writeln!(f, "  {line}"))
    }
}

/// The blocks of all that these lead to, sorted, each once.
pub(super) fn of_layouts(layouts: &[&'static Layout]) -> Vec<Block> {
    let reach = Reach::of(layouts);
    let mut blocks: Vec<_> = reach.records.into_iter().map(of_record).collect();
    blocks.extend(reach.enums.into_iter().map(of_enum));
    blocks.sort();
    blocks.dedup();
    blocks
}

fn of_record(layout: &Layout) -> Block {
    let mut attributes = String::new();
    // Writing to a String does not fail.
    let _ = write_head(layout, &mut attributes);
    Block {
        name: word(layout.name),
        kind: "record".to_owned(),
        attributes: attributes.trim_end().to_owned(),
        lines: lines_of(layout),
    }
}

fn lines_of(layout: &Layout) -> Vec<Line> {
    let line = |name: &str, value| Line { name: word(name), between: ": ", value };
    let fields = layout.fields.iter().map(|field| {
        let field_type = TypeLine(&field.field_type, Detail::Named);
        line(field.name, format!("{field_type} @{}", field.offset))
    });
    fields.chain([line("size", layout.size.to_string())]).collect()
}

fn of_enum(layout: &EnumLayout) -> Block {
    let line =
        |name: &str, value: &dyn fmt::Display| Line { name: word(name), between: " = ", value: value.to_string() };
    let mut lines = Vec::new();
    for variant in layout.variants {
        lines.push(line(variant.name, &variant.number));
        for field in variant.fields.iter().flat_map(|fields| lines_of(fields())) {
            lines.push(Line { name: format!("{}.{}", word(variant.name), field.name), ..field });
        }
    }
    lines.extend(layout.other.map(|other| line(other, &"_")));
    let data = if layout.has_data { " with data" } else { "" };
    Block {
        name: word(layout.name),
        kind: "enum".to_owned(),
        attributes: format!("{}{data}", spelled(&layout.number)),
        lines,
    }
}

fn spelled(field_type: &FieldType) -> String {
    TypeLine(field_type, Detail::Named).to_string()
}

/// A name as one word, whatever `#[zap(rename)]` says.
fn word(name: &str) -> String {
    name.chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect()
}

/// Reads a file. What is no block is part of none, and shows as a difference.
pub(super) fn parse(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        match (line.strip_prefix("  "), blocks.last_mut()) {
            (Some(line), Some(block)) => block.lines.push(parse_line(line.trim_end())),
            _ => {
                let mut words = line.trim_end().splitn(3, ' ').map(str::to_owned);
                let mut next = || words.next().unwrap_or_default();
                let (kind, name, attributes) = (next(), next(), next());
                blocks.push(Block { name, kind, attributes, lines: Vec::new() });
            }
        }
    }
    // By hand, or by a merge, they may have got out of order.
    blocks.sort();
    blocks
}

fn parse_line(line: &str) -> Line {
    for between in [": ", " = "] {
        if let Some((name, value)) = line.split_once(between) {
            return Line { name: name.to_owned(), between, value: value.to_owned() };
        }
    }
    Line { name: line.to_owned(), between: "", value: String::new() }
}
