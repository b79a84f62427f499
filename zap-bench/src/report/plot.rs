//! Plots as SVG, in colours that are seen on white and on black: what is text or axis takes the colour of the page.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::document::{Bar, Plot};

const WIDTH: u32 = 720;
/// Height of one bar.
const BAR: u32 = 26;
const COLOURS: [RGBColor; 8] = [
    RGBColor(0x33, 0x88, 0xdd),
    RGBColor(0xdd, 0x77, 0x22),
    RGBColor(0x33, 0xa0, 0x55),
    RGBColor(0xcc, 0x44, 0x55),
    RGBColor(0x88, 0x66, 0xcc),
    RGBColor(0x99, 0x77, 0x55),
    RGBColor(0xcc, 0x66, 0xaa),
    RGBColor(0x77, 0x88, 0x99),
];

/// The picture.
pub(super) fn svg(plot: &Plot) -> Result<String, String> {
    let mut out = String::new();
    match plot {
        Plot::Bars { title, unit, bars } => draw_bars(&mut out, title, unit, bars)?,
        Plot::Lines { title, x, y, lines } => draw_lines(&mut out, title, (x, y), lines)?,
    }
    // The page's own colour, light or dark.
    Ok(out.replace("\"#000000\"", "\"currentColor\"").replacen("<svg ", "<svg class=\"plot\" ", 1))
}

type Area<'o> = DrawingArea<SVGBackend<'o>, Shift>;

/// Names on the left, figures on the right.
fn draw_bars(out: &mut String, title: &str, unit: &str, bars: &[Bar]) -> Result<(), String> {
    const LEFT: i32 = 190;
    const RIGHT: i32 = 90;
    let area: Area<'_> = SVGBackend::with_string(out, (WIDTH, BAR * (bars.len() as u32 + 1) + 10)).into_drawing_area();
    let text = |text: String, at: (i32, i32)| area.draw(&Text::new(text, at, ("sans-serif", 15))).map_err(say);
    text(format!("{title} ({unit})"), (4, 4))?;
    let most = bars.iter().map(|bar| bar.range.map_or(bar.value, |(_, high)| high.max(bar.value)));
    // One bar that is far longer than all others would make them invisible: it is cut, and its figure tells.
    let mut sorted: Vec<f64> = bars.iter().map(|bar| bar.value).collect();
    sorted.sort_by(f64::total_cmp);
    let median = sorted.get(sorted.len() / 2).copied().unwrap_or(1.0);
    let scale_end = most.fold(f64::MIN_POSITIVE, f64::max).min(median * 12.0);
    let x = |value: f64| LEFT + ((f64::from(WIDTH as i32 - LEFT - RIGHT)) * (value / scale_end).clamp(0.0, 1.0)) as i32;
    for (index, bar) in bars.iter().enumerate() {
        let y = (BAR * (index as u32 + 1)) as i32 + 6;
        let colour = if bar.label.starts_with("zap") { COLOURS[0] } else { COLOURS[7] };
        area.draw(&Rectangle::new([(LEFT, y), (x(bar.value), y + 16)], colour.filled())).map_err(say)?;
        if let Some((low, high)) = bar.range {
            let line = vec![(x(low), y + 8), (x(high), y + 8)];
            area.draw(&PathElement::new(line, BLACK.stroke_width(2))).map_err(say)?;
        }
        text(bar.label.clone(), (4, y))?;
        let cut = if bar.value > scale_end { " >" } else { "" };
        text(
            format!("{:.*}{cut}", if bar.value < 10.0 { 2 } else { 0 }, bar.value),
            (x(bar.value).max(bar.range.map_or(0, |range| x(range.1))) + 6, y),
        )?;
    }
    area.present().map_err(say)
}

fn draw_lines(
    out: &mut String,
    title: &str,
    axes: (&str, &str),
    lines: &[(String, Vec<(f64, f64)>)],
) -> Result<(), String> {
    let area: Area<'_> = SVGBackend::with_string(out, (WIDTH, 420)).into_drawing_area();
    let points = || lines.iter().flat_map(|(_, points)| points);
    let ends = |of: fn(&(f64, f64)) -> f64| {
        let (low, high) = points().map(of).fold((f64::INFINITY, 0.0_f64), |(low, high), v| (low.min(v), high.max(v)));
        if low < high { low / 1.2..high * 1.2 } else { low.clamp(0.1, 1e9) / 2.0..low.clamp(0.1, 1e9) * 2.0 }
    };
    let (x, y) = (ends(|point| point.0), ends(|point| point.1.max(0.1)));
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 16))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(70)
        .build_cartesian_2d(x.log_scale(), y.log_scale())
        .map_err(say)?;
    chart
        .configure_mesh()
        .disable_mesh()
        .x_desc(axes.0)
        .y_desc(axes.1)
        .label_style(("sans-serif", 13))
        .axis_style(BLACK)
        .draw()
        .map_err(say)?;
    for ((name, points), colour) in lines.iter().zip(COLOURS.iter().cycle()) {
        let points = points.iter().map(|&(x, y)| (x, y.max(0.1)));
        let (colour, legend) = (*colour, *colour);
        chart
            .draw_series(LineSeries::new(points, colour.stroke_width(2)).point_size(3))
            .map_err(say)?
            .label(name)
            .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 16, y)], legend.stroke_width(3)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .label_font(("sans-serif", 13))
        .draw()
        .map_err(say)?;
    drop(chart);
    area.present().map_err(say)
}

fn say(error: impl std::fmt::Display) -> String {
    format!("a plot cannot be drawn: {error}")
}
