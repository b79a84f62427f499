//! One HTML file that needs nothing else: no network, no script; light or dark, as the reader's system is.

use super::document::{Document, Part, Section, Table};

const STYLE: &str = "
:root { color-scheme: light dark; --back: #fff; --fore: #1b1f24; --line: #d5dae1; --faint: #5a6472; }
@media (prefers-color-scheme: dark) { :root { --back: #14171b; --fore: #e4e8ee; --line: #343b45; --faint: #98a3b3; } }
body { background: var(--back); color: var(--fore); font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 1rem; }
h1 { font-size: 1.6rem; } h2 { border-top: 1px solid var(--line); font-size: 1.25rem; margin-top: 2.5rem; padding-top: 1rem; }
h3 { font-size: 1rem; margin-bottom: .3rem; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .7rem; text-align: right; white-space: nowrap; }
th { color: var(--faint); font-weight: 600; } th:first-child, td:first-child { text-align: left; }
.plot { display: block; height: auto; max-width: 100%; } .note { color: var(--faint); } code { font-size: .9em; }
dl { display: grid; grid-template-columns: max-content auto; gap: .1rem 1rem; } dt { color: var(--faint); } dd { margin: 0; }
";

/// The file.
pub(super) fn render(document: &Document, plots: &[String]) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, \
         initial-scale=1\">\n<title>ZAP for Rust: benchmarks</title>\n<style>{STYLE}</style>\n<h1>ZAP for Rust: benchmarks</h1>\n<dl>\n"
    );
    for (name, value) in &document.facts {
        out.push_str(&format!("<dt>{name}</dt><dd>{}</dd>\n", escaped(value)));
    }
    out.push_str("</dl>\n");
    let mut plots = plots.iter();
    for section in &document.sections {
        let Section { title, command, notes, parts } = section;
        out.push_str(&format!("<h2>{}</h2>\n", escaped(title)));
        if let Some(command) = command {
            out.push_str(&format!("<p class=\"note\"><code>{}</code></p>\n", escaped(command)));
        }
        for note in notes {
            out.push_str(&format!("<p class=\"note\">{}</p>\n", escaped(note)));
        }
        for part in parts {
            match part {
                Part::Table(table) => render_table(&mut out, table),
                Part::Plot(_) => out.push_str(plots.next().map_or("", String::as_str)),
            }
        }
    }
    out.push_str("</html>\n");
    out
}

fn render_table(out: &mut String, table: &Table) {
    let line = |cells: &[String], tag: &str| {
        let cells: String = cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell))).collect();
        format!("<tr>{cells}</tr>\n")
    };
    if !table.title.is_empty() {
        out.push_str(&format!("<h3>{}</h3>\n", escaped(&table.title)));
    }
    out.push_str("<div class=\"scroll\"><table>\n");
    out.push_str(&line(&table.head, "th"));
    table.rows.iter().for_each(|row| out.push_str(&line(row, "td")));
    out.push_str("</table></div>\n");
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
