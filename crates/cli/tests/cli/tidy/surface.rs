//! Names that a crate gives twice: who reads one cannot know which is meant.

use super::Text;
use std::collections::BTreeMap;

/// The public types of a crate, each with the files that define one of this name.
fn types<'a>(texts: &'a [Text], name: &str) -> BTreeMap<&'a str, Vec<&'a str>> {
    let folder = format!("crates/{name}/src/");
    let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let of_crate = texts.iter().filter(|text| text.path.starts_with(&folder) && text.is("rs"));
    for text in of_crate.filter(|text| !text.path.contains("tests")) {
        for line in text.content.lines().filter_map(|line| line.strip_prefix("pub ")) {
            let mut words = line.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
            if let (Some("struct" | "enum" | "trait" | "type" | "union"), Some(name)) =
                (words.next(), words.next())
            {
                found.entry(name).or_default().push(&text.path);
            }
        }
    }
    found
}

#[test]
fn no_crate_has_two_types_of_one_name() {
    let texts = super::texts();
    for (name, _) in super::arrows() {
        let types = types(&texts, name);
        let twice: Vec<_> = types.iter().filter(|(_, files)| files.len() > 1).collect();
        assert!(twice.is_empty(), "{name}: {twice:?}");
    }
}

#[test]
fn two_types_of_one_name_are_found() {
    let text = |path: &str, content: &str| Text { path: path.into(), content: content.into() };
    let texts = [
        text("crates/x/src/a.rs", "pub struct Side {\n"),
        text("crates/x/src/b.rs", "pub enum Side<'a> {\n    pub struct Order;\npub(crate) struct Kind;\n"),
        text("crates/y/src/a.rs", "pub struct Side;\n"),
    ];
    let found = types(&texts, "x");
    assert_eq!(found.len(), 1);
    assert_eq!(found["Side"], ["crates/x/src/a.rs", "crates/x/src/b.rs"]);
}
