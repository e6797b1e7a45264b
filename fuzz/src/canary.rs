//! A planted bug: a fuzzer that does not find it within a minute finds nothing.

use crate::lines;
use crate::traces::read_pattern;
use libfuzzer_sys::arbitrary::Unstructured;
use weir_units::Rank;
use weir_workload::{Entry, Sequence};

/// Panics at a pattern of three ranks or more, the first of which sends and then pauses.
pub(crate) fn canary(bytes: &[u8]) {
    let Ok(text) = lines::pattern_text(&mut Unstructured::new(bytes)) else {
        return;
    };
    let Some(pattern) = read_pattern(text.as_bytes(), "canary.pattern") else {
        return;
    };
    let entry = |index| pattern.script.entry(Rank::new(0), index);
    if pattern.script.ranks() < 3 || !matches!(entry(0), Some(Entry::Send { .. })) {
        return;
    }
    assert!(!matches!(entry(1), Some(Entry::Pause { .. })), "the canary");
}
