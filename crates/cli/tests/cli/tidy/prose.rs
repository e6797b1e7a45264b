//! Of comments of the product's code, and of what users read.

use super::{Text, has_word};

fn is_of_tests(path: &str) -> bool {
    ["/tests/", "/benches/"].iter().any(|folder| path.contains(folder))
        || ["/tests.rs", "_tests.rs", "harness.rs"].iter().any(|end| path.ends_with(end))
}

/// No sentence begins with one of these.
const BEGINNINGS: [&str; 9] =
    ["What", "Of", "Whether", "How", "Likewise", "As", "Such", "So many", "So long"];

/// Returns whether the line is a doc comment whose first word is one of `BEGINNINGS`.
fn is_fragment(line: &str) -> bool {
    let line = line.trim_start();
    let Some(text) = line.strip_prefix("/// ").or_else(|| line.strip_prefix("//! ")) else { return false };
    BEGINNINGS.iter().any(|word| {
        let rest = text.strip_prefix(word);
        rest.is_some_and(|rest| !rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_'))
    })
}

/// Doc lines that begin with a word which rarely begins a sentence.
pub(super) fn fragments(text: &Text) -> Vec<String> {
    if is_of_tests(&text.path) || !text.path.starts_with("crates/") {
        return Vec::new();
    }
    let found = (1..).zip(text.content.lines()).filter(|(_, line)| is_fragment(line));
    let mistake = |line: &str| format!("{}; say it in a whole sentence", line.trim_start());
    found.map(|(number, line)| format!("{}:{number}: {}", text.path, mistake(line))).collect()
}

/// Not written at all.
const BANNED: [&str; 12] = [
    "told", "untold", "tell", "tells", "telling", "hear", "hears", "heard", "want", "wants", "wanted",
    "runahead",
];
/// Not written but of the null process of MPI.
const NULL_PROCESS: &str = "nobody";
/// Where the null process is described: the layers of MPI, its header, and what is written of either.
const OF_MPI: [&str; 9] = [
    "crates/capi/",
    "crates/collectives/",
    "crates/formats/",
    "crates/message/",
    "crates/operations/",
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
    let is_read = path.starts_with("docs/") || !path.contains('/') || path.starts_with("include/");
    let is_code = path.starts_with("crates/") && path.contains("/src/");
    (is_read || is_code)
        && !is_of_tests(path)
        && !WITH_REASON.iter().any(|(left_out, _)| path.starts_with(left_out))
}

/// Words that make persons of programs: a program reports, records, requests and waits.
pub(super) fn personified(text: &Text) -> Vec<String> {
    if !is_product(&text.path) {
        return Vec::new();
    }
    let may_have_nobody = OF_MPI.iter().any(|path| text.path.starts_with(path));
    let banned = BANNED.into_iter().chain((!may_have_nobody).then_some(NULL_PROCESS));
    let banned: Vec<_> = banned.collect();
    let of_line = |(number, line): (usize, &str)| {
        let prose = prose(text, line);
        let found: Vec<_> = banned.iter().filter(|word| has_word(&prose, word)).copied().collect();
        (!found.is_empty())
            .then(|| format!("{}:{}: {}: say what happens", text.path, number + 1, found.join(", ")))
    };
    text.content.lines().enumerate().filter_map(of_line).collect()
}
