//! Aligned text tables.

/// The columns' names and the rows, as lines: the first column to the left, all others to the right.
pub(crate) fn render(head: &[&str], rows: &[Vec<String>]) -> String {
    let mut widths: Vec<usize> = head.iter().map(|name| name.chars().count()).collect();
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut out = String::new();
    line(&mut out, &widths, head.iter().copied());
    let rule: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
    line(&mut out, &widths, rule.iter().map(String::as_str));
    for row in rows {
        line(&mut out, &widths, row.iter().map(String::as_str));
    }
    out
}

fn line<'a>(out: &mut String, widths: &[usize], cells: impl Iterator<Item = &'a str>) {
    let mut text = String::new();
    for (index, (cell, &width)) in cells.zip(widths).enumerate() {
        if index == 0 {
            text.push_str(&format!("{cell:<width$}"));
        } else {
            text.push_str(&format!("  {cell:>width$}"));
        }
    }
    out.push_str(text.trim_end());
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::render;

    #[test]
    fn columns_line_up() {
        let rows = vec![vec!["a".to_owned(), "1.5".to_owned()], vec!["longer".to_owned(), "12.25".to_owned()]];
        let text = render(&["codec", "ns"], &rows);
        assert_eq!(text, "codec      ns\n------  -----\na         1.5\nlonger  12.25\n");
    }

    #[test]
    fn an_empty_table_has_its_head() {
        assert_eq!(render(&["codec", "ns"], &[]), "codec  ns\n-----  --\n");
    }
}
