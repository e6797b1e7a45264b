//! Words of other tools.

use crate::source::nearest::is_name;
use serde::Deserialize;
use std::sync::LazyLock;

#[derive(Deserialize)]
struct Words {
    graph: String,
    values: Vec<Word>,
    keys: Vec<Word>,
    commands: Vec<Word>,
    options: Vec<Word>,
}

/// A word where something else stands in weir.
#[derive(Deserialize)]
struct Word {
    /// The keys whose values it is, or the tables of a key; empty: any.
    #[serde(default)]
    of: Vec<String>,
    /// The word, in any of its spellings, with blanks between.
    names: String,
    sentence: String,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let mut words: Words = toml::from_str(include_str!("words.toml")).expect("the rows are TOML");
    for word in &mut words.values {
        word.sentence = word.sentence.replace("{graph}", &words.graph);
    }
    words
});

fn find(words: &'static [Word], of: Option<&str>, name: &str) -> Option<&'static str> {
    let name = name.trim().to_lowercase().replace(' ', "-");
    let fits = |word: &&Word| of.is_none_or(|of| word.of.is_empty() || word.of.iter().any(|one| one == of));
    let is_it = |word: &&Word| word.names.split(' ').any(|known| is_name(known, &name));
    words.iter().filter(fits).find(is_it).map(|word| &*word.sentence)
}

pub(crate) fn value(key: &str, value: &str) -> Option<&'static str> {
    find(&WORDS.values, Some(key), value)
}

pub(crate) fn any_value(value: &str) -> Option<&'static str> {
    find(&WORDS.values, None, value)
}

pub(crate) fn key(table: &str, key: &str) -> Option<&'static str> {
    find(&WORDS.keys, Some(table), key)
}

/// Name of a command of another tool here, or why there is none.
pub fn command(name: &str) -> Option<&'static str> {
    find(&WORDS.commands, None, name)
}

/// Name of an option of another tool here; `--cfg=...` counts without its value.
pub fn option(word: &str) -> Option<&'static str> {
    let name = word.split('=').next().unwrap_or(word);
    WORDS.options.iter().find(|row| row.names.split(' ').any(|known| known == name)).map(|row| &*row.sentence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn words_are_recognized_where_they_stand() {
        for (key, word) in [
            ("topology.kind", "Slingshot"),
            ("topology.kind", "flattened_butterfly"),
            ("topology.kind", "poLarstar"),
            ("topology.routing", "UGAL"),
            ("engine.kind", "LogGP"),
            ("workload.kind", "goal"),
        ] {
            assert!(value(key, word).is_some(), "{key} = {word}");
        }
        assert_eq!(value("engine.kind", "slingshot"), None);
        assert_eq!(value("topology.kind", "fattree"), None);
        assert!(
            key("", "job").is_some()
                && key("workload", "jobs").is_some()
                && key("packet", "routing").is_some()
                && key("packet", "num_vcs").is_some()
        );
        assert_eq!(key("topology", "routing"), None);
        assert!(command("import").is_some() && command("run").is_none());
        assert!(option("--cfg=network/model:CM02").is_some() && option("--set").is_none());
    }

    /// No two rows have the same word, of which only one would ever be found. No word of weir is in a row.
    #[test]
    fn no_word_stands_twice() {
        for rows in [&WORDS.values, &WORDS.keys, &WORDS.commands, &WORDS.options] {
            let mut seen = BTreeSet::new();
            for row in rows {
                let anywhere = [String::new()];
                let of = if row.of.is_empty() { &anywhere[..] } else { &row.of };
                for word in of.iter().flat_map(|of| row.names.split(' ').map(move |name| (of.clone(), name)))
                {
                    assert!(seen.insert(word.clone()), "{word:?}");
                }
                assert!(row.sentence.contains("weir") || row.sentence.contains("--"), "{}", row.sentence);
            }
        }
    }
}
