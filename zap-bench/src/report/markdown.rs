//! The same report as Markdown; its plots are files beside it.

use super::document::{Document, Part, Section, Table};

/// The file of a plot.
pub(super) fn plot_name(index: usize) -> String {
    format!("plot-{}.svg", index + 1)
}

/// The file.
pub(super) fn render(document: &Document) -> String {
    let mut out = "# ZAP for Rust: benchmarks\n\n".to_owned();
    for (name, value) in &document.facts {
        out.push_str(&format!("* {name}: {value}\n"));
    }
    let mut plot = 0;
    for section in &document.sections {
        let Section { title, command, notes, parts } = section;
        out.push_str(&format!("\n## {title}\n"));
        if let Some(command) = command {
            out.push_str(&format!("\n`{command}`\n"));
        }
        notes.iter().for_each(|note| out.push_str(&format!("\n{note}\n")));
        for part in parts {
            match part {
                Part::Table(table) => render_table(&mut out, table),
                Part::Plot(_) => {
                    out.push_str(&format!("\n![plot]({})\n", plot_name(plot)));
                    plot += 1;
                }
            }
        }
    }
    out
}

fn render_table(out: &mut String, table: &Table) {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | ").replace('\n', " "));
    if !table.title.is_empty() {
        out.push_str(&format!("\n### {}\n", table.title));
    }
    out.push('\n');
    out.push_str(&line(&table.head));
    let rule: Vec<String> =
        (0..table.head.len()).map(|column| if column == 0 { "---".to_owned() } else { "---:".to_owned() }).collect();
    out.push_str(&line(&rule));
    table.rows.iter().for_each(|row| out.push_str(&line(row)));
}
