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
    let letters = |word: &str| word.to_lowercase().replace(['-', ' '], "_");
    strsim::osa_distance(&letters(a), &letters(b))
}

/// Returns whether a text is a name, in which hyphens and underscores are the same: `reduce-scatter` is `reduce_scatter`.
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
}
