//! Experiments that run as they are and have every key once at least: `weir keys` shows the shortest one with a key.

use super::Row;
use toml::{Table, Value};

/// Whole experiments. Lines that begin with `# $` are commands that make the files they need.
static EXAMPLES: &str = include_str!("examples.txt");

/// The shortest experiment that has this key in this table, there with a kind to which the key belongs.
pub(super) fn shortest_with(table: &str, row: &Row) -> &'static str {
    let has_it = |example: &&str| {
        let whole: Table = example.parse().expect("examples are TOML");
        let inner = table.split('.').filter(|name| !name.is_empty()).try_fold(&whole, |outer, name| {
            match outer.get(name)? {
                // Of a list of tables the first.
                Value::Array(list) => list.first().and_then(Value::as_table),
                other => other.as_table(),
            }
        });
        let fits = |inner: &Table| {
            let kind = inner.get("kind").and_then(Value::as_str);
            row.kinds.is_empty() || kind.is_some_and(|kind| row.kinds.contains(&kind))
        };
        inner.is_some_and(|inner| inner.contains_key(row.name) && fits(inner))
    };
    let all = EXAMPLES.split("----\n").filter(has_it);
    all.min_by_key(|example| example.lines().count()).expect("every key is in an example")
}
