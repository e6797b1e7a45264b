//! A map of the best algorithms over sizes and ranks, in an SVG of a few kilobytes.

use super::table::{axes, cell, operations, size};
use std::fmt::{Arguments, Write};
use weir_scenario::contest::{Cell, Contest};

/// Width and height of a field of the map, and its distance from the edges, in pixels.
const FIELD: (f64, f64) = (96.0, 40.0);
const LEFT: f64 = 90.0;
const TOP: f64 = 34.0;
const LEGEND: f64 = 240.0;
/// Below a map: its sizes and what they are.
const FOOT: f64 = 56.0;
/// A colour for each algorithm of a collective (Okabe and Ito 2008, which the colour-blind can read, then lighter ones).
const COLOURS: [&str; 16] = [
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999", "#7fb8d8",
    "#f2cf7f", "#7fceb9", "#e5bcd3", "#aad9f4", "#eaae7f", "#f7f1a0", "#cccccc",
];

/// A map for each collective, one below the other: sizes to the right, ranks upwards, each field with the name of the best
/// algorithm and how much slower `auto` is.
pub(super) fn picture(contest: &Contest) -> String {
    let operations = operations(contest);
    let shape = |operation: &&str| {
        let (sizes, ranks) = axes(contest, operation);
        (
            sizes.len() as f64 * FIELD.0,
            (ranks.len() as f64 * FIELD.1).max(legend(contest, operation).len() as f64 * 20.0),
        )
    };
    let shapes: Vec<(f64, f64)> = operations.iter().map(shape).collect();
    let width = LEFT + shapes.iter().map(|shape| shape.0).fold(0.0, f64::max) + LEGEND;
    let height: f64 = shapes.iter().map(|shape| TOP + shape.1 + FOOT).sum();
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    let mut top = 0.0;
    for (operation, (across, down)) in operations.iter().zip(shapes) {
        map(&mut svg, contest, operation, (top + TOP, across));
        top += TOP + down + FOOT;
    }
    svg + "</svg>\n"
}

fn put(svg: &mut String, line: Arguments<'_>) {
    writeln!(svg, "{line}").expect("a text takes all");
}

/// The algorithms that are best somewhere.
fn legend(contest: &Contest, operation: &str) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    for cell in contest.cells.iter().filter(|cell| cell.operation == operation) {
        names.extend(cell.best().map(|(name, _)| name).filter(|name| !names.contains(name)));
    }
    names
}

fn map(svg: &mut String, contest: &Contest, operation: &str, (top, across): (f64, f64)) {
    let (sizes, ranks) = axes(contest, operation);
    let names = legend(contest, operation);
    let bottom = top + ranks.len() as f64 * FIELD.1;
    put(svg, format_args!("<text x=\"{LEFT}\" y=\"{}\" font-weight=\"bold\">{operation}</text>", top - 12.0));
    for (row, &count) in ranks.iter().enumerate() {
        let y = bottom - (row + 1) as f64 * FIELD.1;
        let middle = y + FIELD.1 / 2.0 + 4.0;
        put(
            svg,
            format_args!(
                "<text x=\"{}\" y=\"{middle}\" text-anchor=\"end\">{count} ranks</text>",
                LEFT - 8.0
            ),
        );
        for (column, &bytes) in sizes.iter().enumerate() {
            let x = LEFT + column as f64 * FIELD.0;
            if let Some(cell) = cell(contest, operation, bytes, count) {
                field(svg, cell, &names, (x, y));
            }
        }
    }
    for (column, &bytes) in sizes.iter().enumerate() {
        let x = LEFT + (column as f64 + 0.5) * FIELD.0;
        put(
            svg,
            format_args!(
                "<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                bottom + 18.0,
                size(bytes)
            ),
        );
    }
    put(
        svg,
        format_args!(
            "<text x=\"{}\" y=\"{}\" fill=\"#444\">in a field: how much longer auto takes</text>",
            LEFT,
            bottom + 38.0
        ),
    );
    for (place, name) in names.iter().enumerate() {
        let (x, y) = (LEFT + across + 16.0, top + 20.0 * place as f64);
        let colour = COLOURS[place % COLOURS.len()];
        put(svg, format_args!("<rect x=\"{x}\" y=\"{y}\" width=\"14\" height=\"14\" fill=\"{colour}\"/>"));
        put(svg, format_args!("<text x=\"{}\" y=\"{}\">{name}</text>", x + 20.0, y + 12.0));
    }
}

/// One field, with all times in its title.
fn field(svg: &mut String, cell: &Cell, names: &[&str], (x, y): (f64, f64)) {
    let ranked = cell.ranked();
    let Some(&(best, time)) = ranked.first() else { return };
    let place = names.iter().position(|name| *name == best).unwrap_or(0);
    let (width, height) = FIELD;
    let times: Vec<String> = ranked.iter().map(|(name, time)| format!("{name} {time}")).collect();
    let colour = COLOURS[place % COLOURS.len()];
    put(
        svg,
        format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{colour}\" stroke=\"white\"><title>{}, {} \
             ranks: {}</title></rect>",
            size(cell.bytes),
            cell.ranks,
            times.join(", ")
        ),
    );
    let Ok(auto) = cell.auto else { return };
    let percent = 100.0 * (auto.as_ps() as f64 / (time.as_ps() as f64).max(1.0) - 1.0);
    let (middle, line) = (x + width / 2.0, y + height / 2.0 + 4.0);
    put(
        svg,
        format_args!(
            "<text x=\"{middle}\" y=\"{line}\" text-anchor=\"middle\" pointer-events=\"none\">+{percent:.0} %</text>"
        ),
    );
}
