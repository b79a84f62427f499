//! One report of everything that was measured: a self-contained HTML file, and the same as Markdown with its plots beside it.
//!
//! * `results`: what a run of `all` leaves behind: the machine, and the rows of each suite, or why there are none.
//! * `document`: which tables and plots the rows make; what was not measured says so.
//! * `html`, `markdown`: how they are written down; `plot`: the pictures.

mod document;
mod html;
mod machine;
mod markdown;
mod plot;
mod results;
#[cfg(test)]
mod tests;

use std::fs;
use std::path::Path;

pub use machine::Machine;
pub use results::{Outcome, Results};

/// Writes `report.html`, `report.md` and the plots of the latter into a folder.
///
/// # Errors
///
/// A file cannot be written, or a plot not drawn.
pub fn write(results: &Results, against: Option<&Results>, folder: &Path) -> Result<(), String> {
    let document = document::document(results, against);
    let plots = document.plots().map(plot::svg).collect::<Result<Vec<String>, String>>()?;
    let put = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
    };
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    put("report.html", &html::render(&document, &plots))?;
    put("report.md", &markdown::render(&document))?;
    plots.iter().enumerate().try_for_each(|(index, svg)| put(&markdown::plot_name(index), svg))
}
