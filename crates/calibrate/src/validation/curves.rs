//! Times over sizes of a collective, in an SVG: measured dots, predicted lines, a panel for each job.

use super::figures::bytes;
use super::outcome::{Predicted, Standing, Validation};
use crate::output::picture::{COLOURS, begin, escaped, power, put};

/// Width and height of a panel, and the room left of it, above it and below it, in pixels.
const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 380.0;
const LEFT: f64 = 70.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 60.0;
const LEGEND: f64 = 190.0;
/// Lines that have a colour of their own; those after them are broken.
const DASHES: [&str; 3] = ["none", "6 3", "2 3"];

/// Places of a panel: logarithms of sizes (to base 2) and seconds (to base 10).
struct Panel {
    left: f64,
    sizes: (f64, f64),
    seconds: (f64, f64),
}

impl Panel {
    fn x(&self, bytes: u64) -> f64 {
        let part = ((bytes as f64).log2() - self.sizes.0) / (self.sizes.1 - self.sizes.0);
        self.left + WIDTH * part
    }

    fn y(&self, log: f64) -> f64 {
        TOP + HEIGHT * (self.seconds.1 - log) / (self.seconds.1 - self.seconds.0)
    }
}

/// How an algorithm is drawn, by its place in the legend.
fn style(place: usize) -> (&'static str, &'static str) {
    (COLOURS[place % COLOURS.len()], DASHES[place / COLOURS.len() % DASHES.len()])
}

/// The picture of a collective; `None` without rows that count.
pub(super) fn curves(validation: &Validation, collective: &str) -> Option<String> {
    let rows: Vec<&Predicted> =
        validation.rows.iter().filter(|predicted| predicted.row.operation.name() == collective).collect();
    let mut names: Vec<&str> = Vec::new();
    for predicted in &rows {
        if let Some(name) = predicted.row.algorithm.as_deref().filter(|name| !names.contains(name)) {
            names.push(name);
        }
    }
    names.sort_unstable();
    let jobs: Vec<String> = validation.jobs();
    let jobs: Vec<&String> = jobs
        .iter()
        .filter(|job| {
            rows.iter().any(|predicted| predicted.row.job == **job && predicted.standing == Standing::Counts)
        })
        .collect();
    if names.is_empty() || jobs.is_empty() {
        return None;
    }
    let sizes = range(rows.iter().map(|predicted| (predicted.row.bytes.max(1) as f64).log2()));
    let logs = rows.iter().flat_map(|predicted| [predicted.row.seconds.log10(), predicted.seconds.log10()]);
    let (least, most) = range(logs);
    let seconds = (least.floor(), most.ceil().max(least.floor() + 1.0));
    let width = (LEFT + WIDTH) * jobs.len() as f64 + LEGEND;
    let mut svg = begin(width, TOP + HEIGHT + BOTTOM);
    for (place, job) in jobs.iter().enumerate() {
        let left = LEFT + (LEFT + WIDTH) * place as f64;
        let panel = Panel { left, sizes: (sizes.0 - 0.5, sizes.1 + 0.5), seconds };
        let of_job: Vec<&Predicted> =
            rows.iter().copied().filter(|predicted| predicted.row.job == **job).collect();
        frame(&mut svg, &panel, &format!("{collective}, {job}"), &of_job);
        for (place, name) in names.iter().enumerate() {
            line(&mut svg, &panel, &of_job, name, style(place));
        }
        let own = of_job.iter().filter(|predicted| predicted.standing == Standing::LibraryChoice);
        for predicted in own {
            let (x, y) = (panel.x(predicted.row.bytes.max(1)), panel.y(predicted.row.seconds.log10()));
            let path = format!("M{:.1} {:.1}l6 6m0 -6l-6 6", x - 3.0, y - 3.0);
            put(&mut svg, format_args!("<path d=\"{path}\" stroke=\"#444\" fill=\"none\"/>"));
        }
    }
    legend(&mut svg, width - LEGEND + 16.0, &names);
    Some(svg + "</svg>\n")
}

fn range(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    (values.clone().fold(f64::INFINITY, f64::min), values.fold(f64::NEG_INFINITY, f64::max))
}

fn frame(svg: &mut String, panel: &Panel, title: &str, rows: &[&Predicted]) {
    let (left, bottom) = (panel.left, TOP + HEIGHT);
    let title = escaped(title);
    let middle = left + WIDTH / 2.0;
    put(
        svg,
        format_args!("<text x=\"{middle}\" y=\"24\" text-anchor=\"middle\" font-size=\"15\">{title}</text>"),
    );
    let decades = (panel.seconds.1 - panel.seconds.0).round() as i32;
    for decade in 0..=decades {
        let log = panel.seconds.0 + f64::from(decade);
        let (y, name) = (panel.y(log), power(log));
        put(svg, format_args!("<path d=\"M{left} {y:.1}h{WIDTH}\" stroke=\"#ddd\"/>"));
        put(
            svg,
            format_args!("<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{name}</text>", left - 6.0, y + 4.0),
        );
    }
    let mut sizes: Vec<u64> = rows.iter().map(|predicted| predicted.row.bytes.max(1)).collect();
    sizes.sort_unstable();
    sizes.dedup();
    for size in sizes {
        let (x, name) = (panel.x(size), bytes(size));
        put(svg, format_args!("<path d=\"M{x:.1} {TOP}v{HEIGHT}\" stroke=\"#eee\"/>"));
        put(
            svg,
            format_args!(
                "<text transform=\"translate({:.1} {}) rotate(-35)\" text-anchor=\"end\" font-size=\"11\">{name}</text>",
                x + 4.0,
                bottom + 14.0
            ),
        );
    }
    put(
        svg,
        format_args!(
            "<rect x=\"{left}\" y=\"{TOP}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"none\" stroke=\"#444\"/>"
        ),
    );
}

fn line(svg: &mut String, panel: &Panel, rows: &[&Predicted], name: &str, (colour, dash): (&str, &str)) {
    let mut mine: Vec<&&Predicted> =
        rows.iter().filter(|predicted| predicted.row.algorithm.as_deref() == Some(name)).collect();
    mine.sort_by_key(|predicted| predicted.row.bytes);
    let place =
        |predicted: &Predicted, seconds: f64| (panel.x(predicted.row.bytes.max(1)), panel.y(seconds.log10()));
    let points: Vec<String> = mine
        .iter()
        .map(|predicted| {
            let (x, y) = place(predicted, predicted.seconds);
            format!("{x:.1},{y:.1}")
        })
        .collect();
    if points.len() > 1 {
        let points = points.join(" ");
        put(
            svg,
            format_args!(
                "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\" stroke-dasharray=\"{dash}\"/>"
            ),
        );
    }
    for predicted in mine {
        let (x, y) = place(predicted, predicted.row.seconds);
        let (title, percent) = (escaped(&predicted.row.name()), 100.0 * (predicted.ratio() - 1.0));
        put(
            svg,
            format_args!(
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\" fill=\"{colour}\" fill-opacity=\"0.75\"><title>{title}: {percent:+.1} %</title></circle>"
            ),
        );
    }
}

fn legend(svg: &mut String, x: f64, names: &[&str]) {
    for (place, name) in names.iter().enumerate() {
        let (y, (colour, dash)) = (TOP + 14.0 + 20.0 * place as f64, style(place));
        put(
            svg,
            format_args!(
                "<path d=\"M{x} {y}h22\" stroke=\"{colour}\" stroke-width=\"1.5\" stroke-dasharray=\"{dash}\"/><circle cx=\"{}\" cy=\"{y}\" r=\"3.5\" fill=\"{colour}\"/>",
                x + 11.0
            ),
        );
        put(svg, format_args!("<text x=\"{}\" y=\"{}\">{}</text>", x + 28.0, y + 4.0, escaped(name)));
    }
    let below = TOP + 14.0 + 20.0 * names.len() as f64 + 10.0;
    for (place, words) in
        ["lines: predicted", "dots: measured", "crosses: the library's", "own choice, measured"]
            .into_iter()
            .enumerate()
    {
        let y = below + 16.0 * place as f64;
        put(svg, format_args!("<text x=\"{x}\" y=\"{y}\" font-size=\"12\" fill=\"#444\">{words}</text>"));
    }
}
