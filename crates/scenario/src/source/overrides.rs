//! `--set key=value`.

use crate::Problem;
use crate::source::tree::{Entry, Origin, Place, Tree, Value, one_line};
use crate::source::unset::taken_back;
use std::sync::Arc;

/// The name of the source of overrides in problems.
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
        entry =
            Entry { value: Value::Table(table(part, entry)), written: String::new(), place: place.clone() };
    }
    Ok(table(parts[0], entry))
}

fn table(key: &str, entry: Entry) -> Tree {
    Tree { entries: [(key.to_owned(), entry)].into() }
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
    fn the_last_one_wins() {
        check(&["t.k=1", "t.other=7", "t.k=2"], "Integer(2) 2");
        check(&["t.k=1", "t={ k = 5 }"], "Integer(5) 5");
    }

    #[test]
    fn what_is_no_override_is_refused() {
        check(&["t.k"], "--set: t.k: has no =");
        check(&["=3"], "--set: =3: has no key before the =");
        check(&["t.=3"], "--set: t.=3: has no key before the =");
    }
}
