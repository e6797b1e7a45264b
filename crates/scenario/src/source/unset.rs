//! `--unset key`: what files say is taken back, as if they had never said it. What sets keys follows then.
//!
//! Among the `key=value` of a [`Source`](crate::Source) it stands as `-key`, so that whatever passes overrides on passes it on.

use crate::Problem;
use crate::source::nearest::nearest;
use crate::source::tree::{Origin, Tree, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

const NAME: &str = "--unset";

/// The override that takes a key back, or a whole table.
#[must_use]
pub fn unset(key: &str) -> String {
    format!("-{}", key.trim())
}

/// An override as the option and its value that a command line has for it.
#[must_use]
pub fn option_of(text: &str) -> [String; 2] {
    match taken_back(text) {
        Some(key) => [NAME.to_owned(), key.to_owned()],
        None => ["--set".to_owned(), text.to_owned()],
    }
}

/// The key that an override takes back, if it does not set one.
pub(crate) fn taken_back(text: &str) -> Option<&str> {
    text.strip_prefix('-').filter(|_| !text.contains('='))
}

pub(crate) struct Unset<'a> {
    keys: Vec<(&'a str, bool)>,
    overrides: &'a [String],
    /// Keys that files say, if anything is to be taken back.
    said: BTreeSet<String>,
}

impl<'a> Unset<'a> {
    pub(crate) fn of(overrides: &'a [String]) -> Self {
        let mut keys: Vec<&str> = overrides.iter().filter_map(|text| taken_back(text)).collect();
        // Of a list the last items first: those before them keep their numbers.
        keys.sort_by_key(|key| std::cmp::Reverse(parts(key).map(in_order).collect::<Vec<_>>()));
        keys.dedup();
        Self { keys: keys.into_iter().map(|key| (key, false)).collect(), overrides, said: BTreeSet::new() }
    }

    /// The rest of a file after that; nothing of a file that cannot be read.
    pub(crate) fn rest_of(&mut self, file: Option<Tree>) -> Tree {
        let mut file = file.unwrap_or_default();
        if !self.keys.is_empty() {
            add_keys(&file, "", &mut self.said);
        }
        for (key, is_said) in &mut self.keys {
            *is_said |= remove(&mut file, &parts(key).collect::<Vec<_>>());
        }
        file
    }

    /// Keys that cannot be taken back, when they have been taken out of all files.
    pub(crate) fn problems(&self, order: usize) -> Vec<Problem> {
        let origin = Origin::named(order, NAME);
        let mut keys = self.keys.clone();
        keys.reverse();
        keys.into_iter().filter_map(|(key, is_said)| self.problem(key, is_said, &origin)).collect()
    }

    fn problem(&self, key: &str, is_said: bool, origin: &Arc<Origin>) -> Option<Problem> {
        let wrong = |what: &str, hint: Option<String>| {
            Some(Problem { key: key.to_owned(), ..origin.problem(None, what.to_owned(), hint) })
        };
        let sets = |text: &String| text.split_once('=').is_some_and(|(set, _)| parts(set).eq(parts(key)));
        if self.overrides.iter().any(sets) {
            return wrong("is set and taken back at once", Some("leave out --set or --unset".to_owned()));
        }
        if is_said {
            return None;
        }
        let near = nearest(key, self.said.iter().map(String::as_str));
        let hint = near
            .map_or_else(|| "weir keys lists all keys".to_owned(), |near| format!("did you mean {near}?"));
        wrong("is not set: neither the experiment nor its machine file says it", Some(hint))
    }
}

/// Adds all keys and tables of a tree, those of list items with their numbers.
fn add_keys(tree: &Tree, before: &str, said: &mut BTreeSet<String>) {
    for (key, entry) in &tree.entries {
        add_key(&entry.value, &format!("{before}{key}"), said);
    }
}

fn add_key(value: &Value, key: &str, said: &mut BTreeSet<String>) {
    match value {
        Value::Table(tree) => add_keys(tree, &format!("{key}."), said),
        Value::List(items) if matches!(items.first().map(|item| &item.value), Some(Value::Table(_))) => {
            (0..).zip(items).for_each(|(number, item): (usize, _)| {
                add_key(&item.value, &format!("{key}.{number}"), said)
            });
        }
        _ => {}
    }
    said.insert(key.to_owned());
}

fn parts(key: &str) -> impl Iterator<Item = &str> {
    key.split('.').map(str::trim)
}

fn in_order(part: &str) -> (Option<usize>, &str) {
    (part.parse().ok(), part)
}

/// Takes a value out of a tree; returns whether it was there.
fn remove(tree: &mut Tree, parts: &[&str]) -> bool {
    match parts {
        [] => false,
        [key] => tree.entries.remove(*key).is_some(),
        [table, rest @ ..] => match tree.entries.get_mut(*table).map(|entry| &mut entry.value) {
            Some(Value::Table(tree)) => remove(tree, rest),
            Some(Value::List(items)) => {
                let number = rest[0].parse().ok().filter(|&number: &usize| number < items.len());
                match (number, &rest[1..]) {
                    (Some(number), []) => {
                        items.remove(number);
                        true
                    }
                    (Some(number), rest) => match &mut items[number].value {
                        Value::Table(tree) => remove(tree, rest),
                        _ => false,
                    },
                    (None, _) => false,
                }
            }
            _ => false,
        },
    }
}
