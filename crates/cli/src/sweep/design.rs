//! Which points a sweep has: the product of blocks. A block is a list of rows, and a row sets some keys: a key with its values
//! is a block, as are keys that change together, points drawn at random, and seeds. And values that are numbers, or quantities of
//! one kind.

use weir_units::parse;

/// More points than that are a mistake.
const MOST_POINTS: usize = 100_000;

/// Name of a row, which is no key of an experiment.
pub(super) const LABEL: &str = "label";
/// The load of synthetic traffic.
pub(super) const LOAD: &str = "workload.offered_load";

/// Keys and values, as they are written, of which a point has one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// At least one.
    pub(super) rows: Vec<Vec<(String, String)>>,
}

impl Block {
    pub(super) fn of_key(key: &str, values: Vec<String>) -> Self {
        Self { rows: values.into_iter().map(|value| vec![(key.to_owned(), value)]).collect() }
    }

    /// Keys of any row, in the order in which they come.
    pub(super) fn keys(&self) -> Vec<&str> {
        let mut keys: Vec<&str> = Vec::new();
        for (key, _) in self.rows.iter().flatten() {
            if !keys.contains(&key.as_str()) {
                keys.push(key);
            }
        }
        keys
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Design {
    blocks: Vec<Block>,
}

impl Design {
    /// The product of these blocks, of which the first changes fastest.
    ///
    /// # Errors
    /// When no block is there, two have the same key, or there are too many points.
    pub(super) fn new(blocks: Vec<Block>) -> Result<Self, String> {
        for (number, block) in blocks.iter().enumerate() {
            let before: Vec<&str> = blocks[..number].iter().flat_map(Block::keys).collect();
            if let Some(key) = block.keys().into_iter().find(|key| before.contains(key)) {
                return Err(format!("{key}: is varied twice"));
            }
        }
        let points = blocks.iter().map(|block| block.rows.len()).fold(1_usize, usize::saturating_mul);
        if blocks.is_empty() {
            return Err("nothing is varied".to_owned());
        }
        if points > MOST_POINTS {
            return Err(format!("{points} points; at most {MOST_POINTS} are run"));
        }
        Ok(Self { blocks })
    }

    pub(super) fn points(&self) -> usize {
        self.blocks.iter().map(|block| block.rows.len()).product()
    }

    pub(super) fn values(&self, point: usize) -> impl Iterator<Item = (&str, &str)> {
        let mut rest = point;
        self.blocks.iter().flat_map(move |block| {
            let row = &block.rows[rest % block.rows.len()];
            rest /= block.rows.len();
            row.iter().map(|(key, value)| (key.as_str(), value.as_str()))
        })
    }

    pub(super) fn value(&self, point: usize, key: &str) -> Option<&str> {
        self.values(point).find(|(known, _)| *known == key).map(|(_, value)| value)
    }

    pub(super) fn keys(&self) -> Vec<&str> {
        self.blocks.iter().flat_map(Block::keys).collect()
    }

    /// The key by which the rows of each block are named: the label if they have one, else the first.
    pub(super) fn named_by(&self) -> Vec<&str> {
        let name = |block: &'_ Block| block.keys().iter().position(|key| *key == LABEL).unwrap_or(0);
        self.blocks.iter().map(|block| block.keys()[name(block)]).collect()
    }

    /// Keys of the first block, in words.
    pub(super) fn first(&self) -> String {
        self.blocks[0].keys().join(", ")
    }

    /// True if the first block is a choice, of which one value may be the best. How much is sent by how many is the question.
    pub(super) fn is_choice(&self) -> bool {
        let asks = |key: &&str| ["seed", "workload.message_size", "workload.ranks", LOAD].contains(key);
        !self.blocks[0].keys().iter().all(asks)
    }

    /// Which row of all blocks but the first a point has.
    pub(super) fn behind_first(&self, point: usize) -> usize {
        point / self.blocks[0].rows.len()
    }
}

/// Reads `KEY=FROM:TO:STEP`, with a unit behind it if need be, or `KEY=VALUE; VALUE; ...`.
pub(super) fn axis(text: &str) -> Result<Block, String> {
    let wrong = |what: &str| {
        format!(
            "--vary {text}: {what}\n\nhint: write --vary node.packet_gap=0:4:0.125, or --vary \
             \"workload.message_size=96 KiB; 288 KiB\""
        )
    };
    let (key, values) = text.split_once('=').ok_or_else(|| wrong("has no ="))?;
    values_of(values).map(|values| Block::of_key(key.trim(), values)).map_err(wrong)
}

/// Reads what stands behind the key.
pub(super) fn values_of(values: &str) -> Result<Vec<String>, &'static str> {
    // A unit stands behind the whole range.
    let (range, unit) = values.trim().split_once(' ').unwrap_or((values, ""));
    let parts: Vec<Option<f64>> = range.split(':').map(|part| part.trim().parse().ok()).collect();
    let values: Vec<String> = match parts[..] {
        [Some(from), Some(to), Some(step)] => {
            let steps = ((to - from) / step + 1e-9).floor();
            if !(step > 0.0 && step.is_finite() && (0.0..MOST_POINTS as f64).contains(&steps)) {
                return Err("is no range: FROM:TO:STEP with FROM not above TO and STEP above 0");
            }
            let written = |number: f64| format!("{number} {unit}").trim_end().to_owned();
            let values: Vec<String> = (0..=steps as u64).map(|i| written(value(from, step, i))).collect();
            if values.windows(2).any(|pair| pair[0] == pair[1]) {
                return Err("has a STEP that makes no difference to FROM");
            }
            values
        }
        _ => values.split(';').map(|value| value.trim().to_owned()).collect(),
    };
    if values.iter().any(String::is_empty) { Err("has an empty value") } else { Ok(values) }
}

/// A value of a range, rounded to a part of the step, so that 3 x 0.1 is 0.3.
fn value(from: f64, step: f64, number: u64) -> f64 {
    const DIGITS_OF_STEP: i32 = 9;
    let value = from + step * number as f64;
    let decimals = (DIGITS_OF_STEP - step.log10().floor() as i32).max(0) as usize;
    // Minus zero is zero.
    format!("{value:.decimals$}").parse().unwrap_or(value) + 0.0
}

/// The unit of values that are numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    None,
    Bytes,
    Seconds,
    BytesPerSecond,
}

impl Unit {
    pub(super) fn behind(self, name: &str) -> String {
        match self {
            Self::None => name.to_owned(),
            Self::Bytes => format!("{name} [B]"),
            Self::Seconds => format!("{name} [s]"),
            Self::BytesPerSecond => format!("{name} [B/s]"),
        }
    }

    fn read(self, text: &str) -> Option<f64> {
        match self {
            Self::None => text.parse().ok(),
            Self::Bytes => parse::bytes(text).ok().map(|bytes| bytes.0 as f64),
            Self::Seconds => parse::duration(text).ok().map(|time| time.as_ps() as f64 * 1e-12),
            Self::BytesPerSecond => parse::bandwidth(text).ok().map(|rate| rate.bytes_per_second()),
        }
    }
}

/// All of the values as numbers of one unit; `None` if they are not. Texts may stand in quotes.
pub(super) fn quantities<'a>(values: impl Iterator<Item = &'a str> + Clone) -> Option<(Vec<f64>, Unit)> {
    let units = [Unit::None, Unit::Bytes, Unit::Seconds, Unit::BytesPerSecond];
    units.into_iter().find_map(|unit| {
        let read = values.clone().map(|value| unit.read(value.trim_matches(['"', '\''])));
        Some((read.collect::<Option<Vec<f64>>>()?, unit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(key: &str, values: &[&str]) -> Block {
        Block::of_key(key, values.iter().map(|&value| value.to_owned()).collect())
    }

    #[test]
    fn the_first_block_changes_fastest() {
        let design = Design::new(vec![block("a", &["1", "2", "3"]), block("b", &["x", "y"])]).unwrap();
        let written = |point| design.values(point).map(|(_, value)| value).collect::<Vec<_>>().join(",");
        assert_eq!(
            (design.points(), [0, 1, 2, 3].map(written)),
            (6, ["1,x", "2,x", "3,x", "1,y"].map(String::from))
        );
        assert_eq!((design.behind_first(2), design.behind_first(3)), (0, 1));
        assert_eq!((design.first().as_str(), design.value(4, "a")), ("a", Some("2")));
    }

    #[test]
    fn rows_may_have_keys_of_their_own() {
        let row = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect::<Vec<_>>()
        };
        let rows = vec![row(&[("k", "1"), ("label", "one")]), row(&[("label", "two"), ("l", "2")])];
        let design = Design::new(vec![Block { rows }]).unwrap();
        assert_eq!(design.keys(), ["k", "label", "l"]);
        assert_eq!(design.named_by(), ["label"]);
        assert_eq!((design.value(0, "l"), design.value(1, "l")), (None, Some("2")));
    }

    #[test]
    fn what_is_no_design() {
        let wrong = |blocks: Vec<Block>| Design::new(blocks).unwrap_err();
        assert_eq!(wrong(vec![]), "nothing is varied");
        assert_eq!(wrong(vec![block("a", &["1"]), block("a", &["2"])]), "a: is varied twice");
        let thousand = |key| Block::of_key(key, (0..1000).map(|value| value.to_string()).collect());
        assert!(wrong(vec![thousand("a"), thousand("b")]).contains("1000000 points"));
    }

    #[test]
    fn ranges_and_lists() {
        let values = |text| {
            let rows = axis(text).map(|block| block.rows);
            rows.map(|rows| rows.into_iter().flatten().map(|(_, value)| value).collect::<Vec<_>>())
        };
        assert_eq!(values("a.b=0:0.3:0.1").unwrap(), ["0", "0.1", "0.2", "0.3"]);
        assert_eq!(values("a.b=2:2:1").unwrap(), ["2"]);
        assert_eq!(values("a.b=1:2:0.5 GB/s").unwrap(), ["1 GB/s", "1.5 GB/s", "2 GB/s"]);
        assert_eq!(
            values("a.b=1e-10:3e-10:1e-10").unwrap(),
            ["0.0000000001", "0.0000000002", "0.0000000003"]
        );
        assert_eq!(values("a.b=-0.2:0.1:0.1").unwrap(), ["-0.2", "-0.1", "0", "0.1"]);
        assert_eq!(values("a.b=1e300:1e300:1").unwrap(), [1e300.to_string()]);
        assert_eq!(values("a.b=96 KiB; 1 MiB").unwrap(), ["96 KiB", "1 MiB"]);
        assert_eq!(values("a.b=x:y").unwrap(), ["x:y"]);
        for wrong in [
            "a.b",
            "a.b=3:1:1",
            "a.b=0:1:0",
            "a.b=1:2:inf",
            "a.b=0:1:1e-9",
            "a.b=1e17:100000000000000032:1",
            "a.b=1;;2",
            "a.b=",
        ] {
            assert!(values(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn kinds_of_values() {
        let of = |values: &[&str]| quantities(values.iter().copied());
        assert_eq!(of(&["1", "0.5"]), Some((vec![1.0, 0.5], Unit::None)));
        assert_eq!(of(&["4 KiB", "\"1 MB\""]), Some((vec![4096.0, 1e6], Unit::Bytes)));
        assert_eq!(of(&["1 us", "2 s"]).map(|found| found.1), Some(Unit::Seconds));
        assert_eq!(of(&["1 GB/s"]), Some((vec![1e9], Unit::BytesPerSecond)));
        assert_eq!(of(&["1 us", "4 KiB"]), None);
        assert_eq!(of(&["torus"]), None);
        assert_eq!(Unit::Bytes.behind("size"), "size [B]");
    }
}
