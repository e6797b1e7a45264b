//! For tests of engines: whether a path is drawn as it is.

use crate::{Cause, DrawnPath, Path, PathPart, PathPlace};
use weir_units::{Duration, Time};

/// Returns a contradiction of what is drawn to the sums of its path, before that was closed at the end of the run, if there is one.
pub fn contradiction(drawn: &DrawnPath, path: &Path) -> Option<String> {
    let ends = drawn.parts.iter().map(|part| part.until);
    let starts = drawn.parts.iter().map(|part| part.from).chain(ends.clone().next_back());
    let gap = starts.zip(std::iter::once(drawn.from).chain(ends)).find(|(from, until)| from != until);
    if let Some((from, until)) = gap {
        return Some(format!("a part ends at {until}, and the next one begins at {from}"));
    }
    let end = drawn.parts.last().map_or(drawn.from, |part| part.until);
    if drawn.from > Time::ZERO || path.end() > end {
        return None;
    }
    let mut sums = Sums::default();
    drawn.parts.iter().for_each(|part| sums.add(part));
    let [of_ranks, latency, serialization] = [
        [Cause::Compute, Cause::StartUp, Cause::Other].as_slice(),
        &[Cause::Latency],
        &[Cause::Serialization],
    ]
    .map(|causes| causes.iter().fold(Duration::ZERO, |sum, &cause| sum + path.causes.of(cause)));
    let own = of_ranks + end.since(path.end());
    // At an interface there are the bytes and the gaps of others, too.
    let agrees = |found: Duration, all: Duration| found <= all && all <= found + sums.interfaces;
    let agree = sums.messages == path.messages
        && sums.latency == latency
        && agrees(sums.ranks, own)
        && agrees(sums.serialization, serialization);
    (!agree).then(|| format!("{sums:?} where the path has {own} of ranks: {path:?}"))
}

/// All parts together.
#[derive(Debug, Default)]
struct Sums {
    messages: u64,
    ranks: Duration,
    interfaces: Duration,
    latency: Duration,
    serialization: Duration,
}

impl Sums {
    fn add(&mut self, part: &PathPart) {
        let time = part.until.since(part.from);
        match part.what {
            PathPlace::Rank(_) => self.ranks += time,
            PathPlace::Interface(_) => self.interfaces += time,
            PathPlace::Message { latency, serialization, .. } => {
                self.messages += 1;
                self.latency += latency;
                self.serialization += serialization;
            }
        }
    }
}
