//! `--set key=value`, and `--unset key`: what files say is taken back, as if they had never said it. What sets keys follows then.
//!
//! Among the `key=value` of a [`Source`](crate::Source) it stands as `-key`, so that whatever passes overrides on passes it on.

use crate::Problem;
use crate::source::nearest::nearest;
use crate::source::tree::{Entry, Origin, Place, Tree, Value, one_line};
use std::collections::BTreeSet;
use std::sync::Arc;

pub(crate) const NAME: &str = "--set";

/// Reads overrides into a tree, the later ones stronger. A value is read as a TOML value; what is none
/// (`iterative`, `1 GB/s`) is text. What takes keys back is left out.
pub(crate) fn read(overrides: &[String], origin: &Arc<Origin>) -> (Tree, Vec<Problem>) {
    let mut tree = Tree::default();
    let mut problems = Vec::new();
    for text in overrides.iter().filter(|text| taken_back(text).is_none()) {
        match parse(text, origin) {
            Ok(mut stronger) => {
                stronger.fill_in(std::mem::take(&mut tree));
                tree = stronger;
            }
            Err(problem) => problems.push(*problem),
        }
    }
    (tree, problems)
}

fn parse(text: &str, origin: &Arc<Origin>) -> Result<Tree, Box<Problem>> {
    let wrong = |what: &str| {
        let hint = "write --set table.key=value, such as --set engine.sharing=iterative".to_owned();
        Box::new(Problem { key: text.to_owned(), ..origin.problem(None, what.to_owned(), Some(hint)) })
    };
    let (key, value) = text.split_once('=').ok_or_else(|| wrong("has no ="))?;
    let parts: Vec<&str> = key.split('.').map(str::trim).collect();
    if parts.iter().any(|part| part.is_empty()) {
        return Err(wrong("has no key before the ="));
    }
    let place = Place { origin: Arc::clone(origin), line: None };
    let mut entry = value_entry(value.trim(), &place);
    for part in parts[1..].iter().rev() {
        entry = Entry::of_table(Tree::of(part, entry), &place);
    }
    Ok(Tree::of(parts[0], entry))
}

fn value_entry(text: &str, place: &Place) -> Entry {
    let toml = Tree::from_toml(&format!("value = {text}"), &place.origin).ok();
    let value = toml.filter(|tree| tree.entries.len() == 1).and_then(|mut tree| tree.entries.remove("value"));
    match value {
        Some(entry) => without_lines(entry),
        None => Entry { value: Value::Text(text.to_owned()), written: one_line(text), place: place.clone() },
    }
}

fn without_lines(mut entry: Entry) -> Entry {
    entry.place.line = None;
    entry.value = match entry.value {
        Value::List(list) => Value::List(list.into_iter().map(without_lines).collect()),
        Value::Table(tree) => Value::Table(Tree {
            entries: tree.entries.into_iter().map(|(key, entry)| (key, without_lines(entry))).collect(),
        }),
        other => other,
    };
    entry
}

const UNSET: &str = "--unset";

/// The override that takes a key back, or a whole table.
pub fn unset(key: &str) -> String {
    format!("-{}", key.trim())
}

/// An override as the option and its value that a command line has for it.
pub fn option_of(text: &str) -> [String; 2] {
    match taken_back(text) {
        Some(key) => [UNSET.to_owned(), key.to_owned()],
        None => [NAME.to_owned(), text.to_owned()],
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
        let origin = Origin::named(order, UNSET);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn check(overrides: &[&str], expected: &str) {
        let overrides: Vec<String> = overrides.iter().map(|&text| text.into()).collect();
        let (tree, problems) = read(&overrides, &Origin::named(0, NAME));
        let shown = tree.find("t", "k").map(|entry| format!("{:?} {}", entry.value, entry.written));
        let shown = shown.or_else(|| problems.first().map(ToString::to_string));
        assert_eq!(shown.as_deref(), Some(expected), "{overrides:?}");
    }

    #[test]
    fn values_are_toml_or_else_text() {
        check(&["t.k=iterative"], r#"Text("iterative") iterative"#);
        check(&["t.k=1 GB/s"], r#"Text("1 GB/s") 1 GB/s"#);
        check(&["t.k=\"1 GB/s\""], r#"Text("1 GB/s") "1 GB/s""#);
        check(&["t.k=3"], "Integer(3) 3");
        check(&["t.k=0.5"], "Float(0.5) 0.5");
        check(&["t.k = true"], "Boolean(true) true");
        check(&["t.k=1\nother=2"], "Text(\"1\\nother=2\") 1 other=2");
        check(&["t.k="], r#"Text("") "#);
        check(&["t.k=a=b"], r#"Text("a=b") a=b"#);
    }

    #[test]
    fn what_is_no_override_is_refused() {
        check(&["t.k"], "--set: t.k: has no =");
        check(&["=3"], "--set: =3: has no key before the =");
        check(&["t.=3"], "--set: t.=3: has no key before the =");
    }
}
