//! Words that make persons of programs: a program reports, records, requests and waits. In comments of the product's code
//! and in what users read.

use super::{Text, has_word};

/// Not written at all.
const BANNED: [&str; 12] = [
    "told", "untold", "tell", "tells", "telling", "hear", "hears", "heard", "want", "wants", "wanted",
    "runahead",
];
/// Not written but of the null process of MPI.
const NULL_PROCESS: &str = "nobody";
/// Where the null process is described: the layers of MPI, its header, and what is written of either.
const OF_MPI: [&str; 8] = [
    "crates/capi/",
    "crates/collectives/",
    "crates/formats/",
    "crates/message/",
    "crates/replay/",
    "docs/reference/profile-files.md",
    "docs/reference/mpi-functions.md",
    "include/mpi.h",
];
/// Texts that have these words for a reason.
const WITH_REASON: [(&str, &str); 3] = [
    ("CHANGELOG.md", "it says what was true when a version was made"),
    ("docs/papers/", "recorded results, with names of rows"),
    ("docs/reference/comparison.md", "recorded results, written by a tool"),
];

/// The part of a line that is prose: in code the comment, elsewhere all but what stands between backticks.
fn prose(text: &Text, line: &str) -> String {
    let line = match line.find("//").filter(|_| text.is("rs") || text.is("h")) {
        Some(start) => &line[start..],
        None if text.is("md") || text.is("h") => line,
        None => "",
    };
    line.split('`').step_by(2).collect::<Vec<_>>().join(" ").to_lowercase()
}

fn is_product(path: &str) -> bool {
    let of_tests = path.contains("/tests/") || path.ends_with("/tests.rs");
    let is_read = path.starts_with("docs/") || !path.contains('/') || path.starts_with("include/");
    let is_code = path.starts_with("crates/") && path.contains("/src/");
    (is_read || is_code) && !of_tests && !WITH_REASON.iter().any(|(left_out, _)| path.starts_with(left_out))
}

/// The words of a text that it should not have, with their lines.
fn personified(text: &Text) -> Vec<String> {
    if !is_product(&text.path) {
        return Vec::new();
    }
    let may_have_nobody = OF_MPI.iter().any(|path| text.path.starts_with(path));
    let banned = BANNED.into_iter().chain((!may_have_nobody).then_some(NULL_PROCESS));
    let banned: Vec<_> = banned.collect();
    let of_line = |(number, line): (usize, &str)| {
        let prose = prose(text, line);
        let found: Vec<_> = banned.iter().filter(|word| has_word(&prose, word)).copied().collect();
        (!found.is_empty()).then(|| format!("{}:{}: {}", text.path, number + 1, found.join(", ")))
    };
    text.content.lines().enumerate().filter_map(of_line).collect()
}

#[test]
fn programs_are_no_persons() {
    let mistakes: Vec<_> = super::texts().iter().flat_map(personified).collect();
    assert!(mistakes.is_empty(), "say what happens (reports, requests, waits):\n{}", mistakes.join("\n"));
}

#[test]
fn persons_are_found() {
    let found = |path: &str, content: &str| personified(&Text { path: path.into(), content: content.into() });
    let code = "crates/x/src/a.rs";
    assert_eq!(found(code, "let told = 1;\n/// It Tells.\n"), ["crates/x/src/a.rs:2: tells"]);
    assert_eq!(found("docs/a.md", "A rank wants `tell` of nobody.\n"), ["docs/a.md:1: wants, nobody"]);
    assert_eq!(found("crates/message/src/a.rs", "// To nobody.\n"), [""; 0]);
    assert_eq!(found("crates/x/src/a/tests.rs", "// It is told.\n"), [""; 0]);
    assert_eq!(found("CHANGELOG.md", "It tells.\n"), [""; 0]);
}
