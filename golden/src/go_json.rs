//! The spelling that Go's `encoding/json` gives a flat record, for the sizes that `record_eth.json` compares.

/// One value of a flat record.
pub(crate) enum Item {
    /// An unsigned integer.
    Number(u64),
    /// Text.
    Text(String),
    /// Bytes, spelled as `0x` and hex, given as hex.
    Bytes(String),
}

/// How integers are spelled.
#[derive(Clone, Copy)]
pub(crate) enum Integers {
    /// As JSON numbers.
    Numbers,
    /// As strings of minimal hex with `0x` before them.
    Quantities,
}

/// The record as one JSON object, without white space.
pub(crate) fn spell(record: &[(String, Item)], integers: Integers) -> String {
    let members: Vec<String> = record
        .iter()
        .map(|(name, item)| {
            let item = match (item, integers) {
                (Item::Number(n), Integers::Numbers) => n.to_string(),
                (Item::Number(n), Integers::Quantities) => format!("\"{n:#x}\""),
                (Item::Text(text), _) => quote(text),
                (Item::Bytes(hex), _) => format!("\"0x{hex}\""),
            };
            format!("{}:{item}", quote(name))
        })
        .collect();
    format!("{{{}}}", members.join(","))
}

/// A JSON string as Go writes it: besides what JSON demands, `<`, `>`, `&` and two line separators are escaped.
fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..='\u{1f}' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_as_go_does() {
        assert_eq!(quote("a<\u{1}\u{2028}\"\\\u{7f}ö"), "\"a\\u003c\\u0001\\u2028\\\"\\\\\u{7f}ö\"");
    }

    #[test]
    fn quantities_are_minimal_hex() {
        let record = [("n".to_owned(), Item::Number(256)), ("b".to_owned(), Item::Bytes("0a".into()))];
        assert_eq!(spell(&record, Integers::Quantities), r#"{"n":"0x100","b":"0x0a"}"#);
        assert_eq!(spell(&record, Integers::Numbers), r#"{"n":256,"b":"0x0a"}"#);
    }
}
