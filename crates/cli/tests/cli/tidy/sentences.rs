//! Doc lines that begin with a word which rarely begins a sentence. Those that are left may only become fewer.

use super::Text;

const BEGINNINGS: [&str; 9] =
    ["What", "Of", "Whether", "How", "Likewise", "As", "Such", "So many", "So long"];
/// Number of such lines in the crates, without their tests. A change that has fewer lowers it.
const MOST: usize = 20;
/// Fewer lines than `MOST` by more than this number fail the test as well, so that the number follows.
const SLACK: usize = 40;

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

fn fragments(text: &Text) -> usize {
    if is_product(&text.path) { text.content.lines().filter(|line| is_fragment(line)).count() } else { 0 }
}

#[test]
fn fragments_become_fewer() {
    let mut files: Vec<(usize, String)> =
        super::texts().into_iter().map(|text| (fragments(&text), text.path)).collect();
    files.sort_unstable_by(|one, other| other.cmp(one));
    let count: usize = files.iter().map(|(count, _)| count).sum();
    let most: Vec<_> = files.iter().take(20).map(|(count, path)| format!("{path}: {count}")).collect();
    assert!(count <= MOST, "{count} doc lines are fragments, {MOST} were; most are in\n{}", most.join("\n"));
    assert!(count + SLACK >= MOST, "only {count} doc lines are fragments now: lower MOST from {MOST}");
}

#[test]
fn fragments_are_found() {
    let count = |path: &str, content: &str| fragments(&Text { path: path.into(), content: content.into() });
    assert_eq!(count("crates/x/src/a.rs", "/// What it is.\n    //! As it was.\n/// So many of them.\n"), 3);
    assert_eq!(count("crates/x/src/a.rs", "/// Whatever.\n/// Sooner.\n// Of it.\n/// A list of what.\n"), 0);
    assert_eq!(count("crates/x/src/a/tests.rs", "/// What it is.\n"), 0);
    assert_eq!(count("docs/a.md", "/// What it is.\n"), 0);
}
