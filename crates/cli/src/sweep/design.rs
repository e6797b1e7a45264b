//! Which points a sweep has: the product of blocks. A block is a list of rows, and a row sets some keys: a key with its values
//! is a block, as are keys that change together, points drawn at random, and seeds.

/// More points than that are a mistake.
pub(super) const MOST_POINTS: usize = 100_000;

/// Name of a row, which is no key of an experiment.
pub(super) const LABEL: &str = "label";

/// Keys and values, as they are written, of which a point has one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// At least one.
    pub(super) rows: Vec<Vec<(String, String)>>,
}

impl Block {
    /// A key and its values.
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

/// All points.
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

    /// Number of points.
    pub(super) fn points(&self) -> usize {
        self.blocks.iter().map(|block| block.rows.len()).product()
    }

    /// Keys and values of a point.
    pub(super) fn values(&self, point: usize) -> impl Iterator<Item = (&str, &str)> {
        let mut rest = point;
        self.blocks.iter().flat_map(move |block| {
            let row = &block.rows[rest % block.rows.len()];
            rest /= block.rows.len();
            row.iter().map(|(key, value)| (key.as_str(), value.as_str()))
        })
    }

    /// The value of a key in a point, if it has the key.
    pub(super) fn value(&self, point: usize, key: &str) -> Option<&str> {
        self.values(point).find(|(known, _)| *known == key).map(|(_, value)| value)
    }

    /// All keys.
    pub(super) fn keys(&self) -> Vec<&str> {
        self.blocks.iter().flat_map(Block::keys).collect()
    }

    /// The key of each block by which its rows are named: the label if they have one, else the first.
    pub(super) fn named_by(&self) -> Vec<&str> {
        let name = |block: &'_ Block| block.keys().iter().position(|key| *key == LABEL).unwrap_or(0);
        self.blocks.iter().map(|block| block.keys()[name(block)]).collect()
    }

    /// Keys of the first block, in words.
    pub(super) fn first(&self) -> String {
        self.blocks[0].keys().join(", ")
    }

    /// Which row of all blocks but the first a point has.
    pub(super) fn behind_first(&self, point: usize) -> usize {
        point / self.blocks[0].rows.len()
    }
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
}
