//! The word somebody meant.

/// The candidate nearest to what was written, if it is near enough to be meant: at most a third of its letters
/// wrong, and at least one may be. Of equally near ones the first.
pub(crate) fn nearest<'a>(written: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // So much longer it cannot be near, and looking would take long.
    let near = |candidate: &&str| written.len() <= 4 * candidate.len() + 8;
    let with_distance =
        candidates.into_iter().filter(near).map(|candidate| (distance(written, candidate), candidate));
    let (least, candidate) = with_distance.min_by_key(|&(distance, _)| distance)?;
    let bearable = (candidate.chars().count() / 3).max(1);
    (least <= bearable).then_some(candidate)
}

/// Optimal string alignment distance: least number of letters inserted, deleted, replaced or swapped with their
/// neighbour, ignoring case and the difference of `-`, `_` and space. O(length x length).
fn distance(a: &str, b: &str) -> usize {
    let letters = |word: &str| -> Vec<char> {
        word.to_lowercase().chars().map(|c| if matches!(c, '-' | ' ') { '_' } else { c }).collect()
    };
    let (a, b) = (letters(a), letters(b));
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

/// Returns whether a text is a name, in which hyphens and underscores are the same: `reduce-scatter` is `reduce_scatter`.
#[must_use]
pub fn is_name(name: &str, text: &str) -> bool {
    let letters =
        |text: &str| text.bytes().map(|byte| if byte == b'_' { b'-' } else { byte }).collect::<Vec<_>>();
    name == text || name.len() == text.len() && letters(name) == letters(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_meant() {
        let keys = ["kind", "shape", "bandwidth", "latency", "message_size"];
        let cases = [
            ("bandwith", Some("bandwidth")),
            ("sahpe", Some("shape")),
            ("Latency", Some("latency")),
            ("message-size", Some("message_size")),
            ("messagesize", Some("message_size")),
            ("kin", Some("kind")),
            ("colour", None),
            ("x", None),
        ];
        for (written, meant) in cases {
            assert_eq!(nearest(written, keys), meant, "{written}");
        }
        assert_eq!(nearest("anything", []), None);
        assert_eq!(nearest(&"x".repeat(10_000_000), keys), None);
    }

    #[test]
    fn a_swap_counts_once() {
        assert_eq!(distance("ab", "ba"), 1);
        assert_eq!(distance("abcd", "acbd"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
