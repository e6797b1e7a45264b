//! No doc line begins with a word which rarely begins a sentence.

use super::Text;

const BEGINNINGS: [&str; 9] =
    ["What", "Of", "Whether", "How", "Likewise", "As", "Such", "So many", "So long"];

fn is_product(path: &str) -> bool {
    let of_tests = ["/tests/", "/benches/"].iter().any(|folder| path.contains(folder))
        || ["/tests.rs", "_tests.rs", "harness.rs"].iter().any(|end| path.ends_with(end));
    path.starts_with("crates/") && path.ends_with(".rs") && !of_tests
}

/// Returns whether the line is a doc comment whose first word is one of `BEGINNINGS`.
fn is_fragment(line: &str) -> bool {
    let line = line.trim_start();
    let Some(text) = line.strip_prefix("/// ").or_else(|| line.strip_prefix("//! ")) else { return false };
    BEGINNINGS.iter().any(|word| {
        let rest = text.strip_prefix(word);
        rest.is_some_and(|rest| !rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_'))
    })
}

fn fragments(text: &Text) -> Vec<String> {
    if !is_product(&text.path) {
        return Vec::new();
    }
    let found = (1..).zip(text.content.lines()).filter(|(_, line)| is_fragment(line));
    found.map(|(number, line)| format!("{}:{number}: {}", text.path, line.trim_start())).collect()
}

#[test]
fn doc_lines_are_sentences() {
    let mistakes: Vec<_> = super::texts().iter().flat_map(fragments).collect();
    assert!(mistakes.is_empty(), "say it in a whole sentence:\n{}", mistakes.join("\n"));
}

#[test]
fn fragments_are_found() {
    let count =
        |path: &str, content: &str| fragments(&Text { path: path.into(), content: content.into() }).len();
    assert_eq!(count("crates/x/src/a.rs", "/// What it is.\n    //! As it was.\n/// So many of them.\n"), 3);
    assert_eq!(count("crates/x/src/a.rs", "/// Whatever.\n/// Sooner.\n// Of it.\n/// A list of what.\n"), 0);
    assert_eq!(count("crates/x/src/a/tests.rs", "/// What it is.\n"), 0);
    assert_eq!(count("docs/a.md", "/// What it is.\n"), 0);
}
