//! A study file: which experiment is run at which points, and what is drawn of it.
//!
//! ```text
//!   [[study.points]], [study.zip], [study.grid], [study.random], seeds ---> a block each (design.rs) ---> their product
//! ```

use super::design::{Block, Design, LABEL, values_of};
use super::same::Same;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use toml::{Table, Value};
use weir_experiment::Found;
use weir_units::mix;

/// The key of a machine file, which stands beside the study or has a name that weir knows.
const MACHINE: &str = "machine";

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Study {
    pub(super) experiment: PathBuf,
    /// `key=value` for all points.
    pub(super) sets: Vec<String>,
    pub(super) design: Design,
    /// True if blocks say which of their values is best: not where points are drawn or repeated.
    pub(super) has_best: bool,
    /// The quantity that the machines of all points are to have as much of.
    pub(super) same: Option<Same>,
    pub(super) picture: PictureKeys,
    /// Text of the experiment, where that is built in.
    pub(super) text: Option<&'static str>,
    /// Fields of the summary that are kept of each point.
    pub(super) shows: Vec<String>,
}

/// Keys and numbers that are drawn; those that are not given are chosen.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PictureKeys {
    /// The key to the right.
    pub(super) x: Option<String>,
    /// A number of the summary: upwards, or the color of a heat map.
    pub(super) value: Option<String>,
    /// The key upwards in a heat map; without it there are lines.
    pub(super) rows: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    study: Keys,
    /// Keys that take the place of keys of the study in `weir papers --full`.
    #[serde(default)]
    full: Full,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    experiment: PathBuf,
    #[serde(default)]
    set: Vec<String>,
    seeds: Option<Seeds>,
    same: Option<Same>,
    #[serde(default)]
    grid: Table,
    #[serde(default)]
    zip: Table,
    #[serde(default)]
    points: Vec<Table>,
    random: Option<Random>,
    #[serde(default)]
    picture: PictureKeys,
}

/// The keys that `[full]` may replace.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Full {
    grid: Table,
    points: Vec<Table>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "must be a number of seeds, 1 or more, or a list of seeds")]
enum Seeds {
    Count(u32),
    Listed(Vec<u64>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Random {
    points: u32,
    #[serde(default)]
    seed: u64,
    keys: Vec<RandomKey>,
}

/// A key whose values are drawn: evenly from a range, or from its logarithms, or from a list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RandomKey {
    key: String,
    from: Option<f64>,
    to: Option<f64>,
    #[serde(default)]
    unit: String,
    #[serde(default)]
    log: bool,
    #[serde(default)]
    whole: bool,
    #[serde(default)]
    among: Vec<Value>,
}

/// Returns whether a file is a study: it has a table of that name.
pub(super) fn is_study(found: &Found) -> bool {
    let text = found.read().unwrap_or_default();
    String::from_utf8_lossy(&text).lines().any(|line| {
        let line = line.trim_start().trim_start_matches('[');
        line.strip_prefix("study").is_some_and(|rest| rest.starts_with([']', '.']))
    })
}

/// Reads a study file.
///
/// # Errors
/// Describes its mistakes.
pub(super) fn read(found: &Found) -> Result<Study, String> {
    let path = found.path();
    let file = path.display();
    let text = found.read().map_err(|error| format!("{file}: {error}"))?;
    let keys: File = toml::from_slice(&text).map_err(|error| format!("{file}: {error}"))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    of_keys(keys.study, folder).map_err(|mistakes| {
        let all: Vec<String> = mistakes.iter().map(|mistake| format!("{file}: {mistake}")).collect();
        all.join("\n")
    })
}

impl Study {
    /// The study in a text, with the points of its table `full` if these are asked for.
    ///
    /// # Errors
    /// The mistakes in the text.
    pub(super) fn of_text(text: &str, full: bool) -> Result<Self, String> {
        let mut file: File = toml::from_str(text).map_err(|error| error.to_string())?;
        if full {
            file.study.grid.extend(file.full.grid);
            if !file.full.points.is_empty() {
                file.study.points = file.full.points;
            }
        }
        of_keys(file.study, Path::new("")).map_err(|mistakes| mistakes.join("\n"))
    }
}

fn of_keys(keys: Keys, folder: &Path) -> Result<Study, Vec<String>> {
    let mut mistakes = Vec::new();
    let mut blocks = Vec::new();
    let mut take = |block: Result<Block, String>| match block {
        Ok(block) => blocks.push(block),
        Err(mistake) => mistakes.push(mistake),
    };
    let beside = |block: &mut Block| {
        let values = block.rows.iter_mut().flatten().filter(|(key, _)| key == MACHINE);
        for (_, machine) in values {
            let file = folder.join(machine.as_str());
            if file.is_file() || matches!(Found::of(&file), Found::Shipped(_)) {
                *machine = file.to_string_lossy().into_owned();
            }
        }
    };
    // The first block is the one whose best row is looked for.
    if !keys.points.is_empty() {
        take(listed(&keys.points));
    }
    if !keys.zip.is_empty() {
        take(zipped(&keys.zip));
    }
    for (key, value) in &keys.grid {
        take(values(key, value, "grid").map(|values| Block::of_key(key, values)));
    }
    let has_best = keys.random.is_none() && keys.seeds.is_none();
    if let Some(random) = &keys.random {
        take(drawn(random));
    }
    match keys.seeds {
        Some(Seeds::Count(0)) => take(Err("study.seeds = 0: must be 1 or more".to_owned())),
        Some(Seeds::Listed(seeds)) if seeds.is_empty() => {
            take(Err("study.seeds = []: has no seed".to_owned()))
        }
        Some(Seeds::Count(count)) => {
            take(Ok(Block::of_key("seed", (1..=count).map(|seed| seed.to_string()).collect())));
        }
        Some(Seeds::Listed(seeds)) => {
            take(Ok(Block::of_key("seed", seeds.iter().map(ToString::to_string).collect())));
        }
        None => (),
    }
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    blocks.iter_mut().for_each(beside);
    let hint =
        "write [study.grid] and below it a key with its values, such as \"node.packet_gap\" = \"0:4:0.5\"";
    let design = Design::new(blocks).map_err(|what| vec![format!("study: {what}\n\nhint: {hint}")])?;
    let picture = keys.picture;
    let keys_of_picture = [("x", &picture.x), ("rows", &picture.rows)];
    for (name, key) in keys_of_picture.into_iter().filter_map(|(name, key)| Some((name, key.as_ref()?))) {
        if !design.keys().contains(&key.as_str()) {
            let known = design.keys().join(", ");
            mistakes
                .push(format!("study.picture.{name} = \"{key}\": is not varied\n\nhint: there are {known}"));
        }
    }
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    Ok(Study {
        experiment: folder.join(keys.experiment),
        sets: keys.set,
        has_best: has_best && design.is_choice(),
        design,
        same: keys.same,
        picture,
        text: None,
        shows: Vec::new(),
    })
}

/// The values of a key: a list, or a text as behind `--vary`.
fn values(key: &str, value: &Value, table: &str) -> Result<Vec<String>, String> {
    let wrong = |what: &str| {
        let hint = format!("write \"{key}\" = [1, 2, 4], or a range: \"{key}\" = \"0:4:0.5\"");
        format!("study.{table}.\"{key}\" = {value}: {what}\n\nhint: {hint}")
    };
    match value {
        Value::Array(list) if list.is_empty() => Err(wrong("has no value")),
        Value::Array(list) => Ok(list.iter().map(written).collect()),
        Value::String(text) => values_of(text).map_err(wrong),
        _ => Err(wrong("must be a list, or a text as behind --vary")),
    }
}

/// A value as behind `--set`: a text without its quotes, unless it would be something else then.
fn written(value: &Value) -> String {
    let Value::String(text) = value else { return value.to_string() };
    let is_other = toml::from_str::<Table>(&format!("value = {text}")).is_ok();
    if is_other { value.to_string() } else { text.clone() }
}

fn zipped(keys: &Table) -> Result<Block, String> {
    let mut columns = Vec::new();
    for (key, value) in keys {
        columns.push((key, values(key, value, "zip")?));
    }
    let rows = columns.iter().map(|(_, values)| values.len()).max().unwrap_or(0);
    if let Some((key, values)) = columns.iter().find(|(_, values)| values.len() != rows) {
        let (longest, _) = columns.iter().find(|(_, values)| values.len() == rows).unwrap_or(&columns[0]);
        return Err(format!(
            "study.zip.\"{key}\": has {} values, and \"{longest}\" has {rows}\n\nhint: the first of each go together, then the \
             second; keys that are combined belong into [study.grid]",
            values.len()
        ));
    }
    let row =
        |row: usize| columns.iter().map(|(key, values)| ((*key).clone(), values[row].clone())).collect();
    Ok(Block { rows: (0..rows).map(row).collect() })
}

fn listed(points: &[Table]) -> Result<Block, String> {
    if let Some(number) = points.iter().position(Table::is_empty) {
        return Err(format!("[[study.points]] number {}: sets no key", number + 1));
    }
    let is_text = |point: &Table| point.get(LABEL).is_none_or(Value::is_str);
    if let Some(number) = points.iter().position(|point| !is_text(point)) {
        return Err(format!("[[study.points]] number {}: {LABEL} must be a text in quotes", number + 1));
    }
    let row = |point: &Table| {
        let value = |(key, value): (&String, &Value)| match value {
            Value::String(text) if key == LABEL => (key.clone(), text.clone()),
            value => (key.clone(), written(value)),
        };
        point.iter().map(value).collect()
    };
    Ok(Block { rows: points.iter().map(row).collect() })
}

/// Points drawn at random, the same for the same seed; further ones leave the first as they are.
fn drawn(random: &Random) -> Result<Block, String> {
    if random.points == 0 || random.keys.is_empty() {
        let hint = "write points = 100, and keys = [{ key = \"node.packet_gap\", from = 0, to = 4 }]";
        return Err(format!("[study.random]: needs points and keys\n\nhint: {hint}"));
    }
    for drawn in &random.keys {
        let wrong = |what: &str| Err(format!("[study.random]: {}: {what}", drawn.key));
        match (drawn.from, drawn.to) {
            (None, None) if !drawn.among.is_empty() => (),
            (Some(from), Some(to)) if drawn.among.is_empty() => {
                if !(from <= to && to.is_finite() && from.is_finite()) {
                    return wrong("from must not be above to");
                }
                if drawn.log && from <= 0.0 {
                    return wrong("log needs numbers above 0");
                }
            }
            _ => return wrong("needs from and to, or among = [...], not both"),
        }
    }
    let row = |point: u32| {
        let value = |(number, drawn): (usize, &RandomKey)| {
            let draw = mix(mix(random.seed ^ 0x5eed) ^ mix(u64::from(point) << 8 | number as u64));
            (drawn.key.clone(), drawn.value(draw))
        };
        random.keys.iter().enumerate().map(value).collect()
    };
    Ok(Block { rows: (0..random.points).map(row).collect() })
}

impl RandomKey {
    /// The value that a random number stands for.
    fn value(&self, draw: u64) -> String {
        if !self.among.is_empty() {
            return written(&self.among[(draw % self.among.len() as u64) as usize]);
        }
        // 53 bits are what a number between 0 and 1 has.
        let part = (draw >> 11) as f64 / (1_u64 << 53) as f64;
        let (from, to) = (self.from.unwrap_or(0.0), self.to.unwrap_or(0.0));
        let value = if self.log { from * (to / from).powf(part) } else { from + (to - from) * part };
        let value = if self.whole { value.round() } else { value };
        // Six digits, as a number that somebody has written.
        let value: f64 = format!("{value:.5e}").parse().unwrap_or(value);
        if self.unit.is_empty() { value.to_string() } else { format!("{value} {}", self.unit) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn study(text: &str) -> Result<Study, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("study.toml");
        std::fs::write(&path, text).unwrap();
        let path = Found::File(path);
        assert!(is_study(&path) || text.contains("[study"), "{text}");
        read(&path)
    }

    fn points(text: &str) -> Vec<String> {
        let design = study(text).unwrap().design;
        let point = |point| {
            design.values(point).map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(" ")
        };
        (0..design.points()).map(point).collect()
    }

    #[test]
    fn blocks_are_multiplied() {
        let found = points(
            "[study]\nexperiment = 'e.toml'\nseeds = 2\n[study.grid]\n'a.b' = '0:1:1'\n[study.zip]\n'c.d' = [[4, 4], '1 us']\n\
             'e.f' = ['3', 'x']\n",
        );
        assert_eq!(
            found,
            [
                "c.d=[4, 4] e.f=\"3\" a.b=0 seed=1",
                "c.d=1 us e.f=x a.b=0 seed=1",
                "c.d=[4, 4] e.f=\"3\" a.b=1 seed=1",
                "c.d=1 us e.f=x a.b=1 seed=1",
                "c.d=[4, 4] e.f=\"3\" a.b=0 seed=2",
                "c.d=1 us e.f=x a.b=0 seed=2",
                "c.d=[4, 4] e.f=\"3\" a.b=1 seed=2",
                "c.d=1 us e.f=x a.b=1 seed=2",
            ]
        );
    }

    #[test]
    fn random_points_stay_and_lie_in_their_ranges() {
        let text = |count| {
            format!(
                "[study]\nexperiment = 'e.toml'\n[study.random]\npoints = {count}\nkeys = [\n{{ key = 'a', from = 1, to = 1000, \
                 log = true, unit = 'ns' }},\n{{ key = 'b', among = ['x', 7] }}, {{ key = 'c', from = 2, to = 4, whole = true }}]\n"
            )
        };
        let (few, many) = (points(&text(5)), points(&text(300)));
        assert_eq!(few, many[..5]);
        let below = many.iter().filter(|point| {
            let ns: f64 = point.split(['=', ' ']).nth(1).unwrap().parse().unwrap();
            assert!((1.0..=1000.0).contains(&ns), "{point}");
            ns < 31.6
        });
        assert!((120..180).contains(&below.count()), "half of the logarithms are below the middle");
        for part in ["b=x", "b=7", "c=2", "c=3", "c=4"] {
            assert!(many.iter().filter(|point| point.contains(part)).count() > 40, "{part}");
        }
    }

    #[test]
    fn mistakes_are_named() {
        for (text, expected) in [
            ("seeds = 0", "study.seeds = 0"),
            ("seeds = []", "has no seed"),
            ("seeds = 'x'", "must be a number of seeds"),
            ("same = 'price'", "unknown variant `price`, expected `bisection` or `links`"),
            ("seds = 3", "unknown field `seds`"),
            ("", "nothing is varied"),
            ("grid = { 'a' = 3 }", "must be a list, or a text as behind --vary"),
            ("grid = { 'a' = [] }", "has no value"),
            ("grid = { 'a' = '1:0:1' }", "is no range"),
            ("zip = { 'a' = [1, 2], 'b' = [1] }", "has 1 values, and \"a\" has 2"),
            ("points = [{}]", "number 1: sets no key"),
            ("points = [{ label = 3, 'a' = 1 }]", "label must be a text"),
            ("random = { points = 3, keys = [{ key = 'a', from = 3 }] }", "needs from and to"),
            ("random = { points = 3, keys = [{ key = 'a', from = 3, to = 2 }] }", "must not be above"),
            ("random = { points = 3, keys = [{ key = 'a', from = 0, to = 2, log = true }] }", "above 0"),
            ("random = { points = 0, keys = [] }", "needs points and keys"),
            ("grid = { 'a' = [1] }\nzip = { 'a' = [2] }", "varied twice"),
            ("grid = { 'a' = [1] }\npicture = { x = 'b' }", "\"b\": is not varied"),
        ] {
            let error = study(&format!("[study]\nexperiment = 'e.toml'\n{text}\n")).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
