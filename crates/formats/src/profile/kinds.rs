//! The kinds of events, and their names in both forms of a profile.

use super::one_sided::{Side, WindowAct};
use super::{Act, Direction, Function, Look, Mode, Request};

/// The kind of looks in vain.
pub(super) const POLL: usize = 14;

/// The names of the functions in both forms of a profile.
pub(super) const FUNCTIONS: [(&str, Function); 18] = [
    ("barrier", Function::Barrier),
    ("bcast", Function::Bcast),
    ("reduce", Function::Reduce),
    ("allreduce", Function::Allreduce),
    ("gather", Function::Gather),
    ("gatherv", Function::Gatherv),
    ("scatter", Function::Scatter),
    ("scatterv", Function::Scatterv),
    ("allgather", Function::Allgather),
    ("allgatherv", Function::Allgatherv),
    ("alltoall", Function::Alltoall),
    ("alltoallv", Function::Alltoallv),
    ("scan", Function::Scan),
    ("exscan", Function::Exscan),
    ("reduce-scatter", Function::ReduceScatter),
    ("neighbors", Function::Neighbours),
    ("split", Function::Split),
    ("merge", Function::Merge),
];

/// The names of all kinds of events, in the order of [`Act::kind`]. Collectives with a request follow, with an `i` before.
pub(super) const KINDS: [&str; 17] = [
    "send", "bsend", "ssend", "rsend", "isend", "ibsend", "issend", "irsend", "recv", "irecv", "wait",
    "test", "probe", "release", "poll", "end", "flush",
];

/// The names of what few programs do, behind the collectives.
pub(super) const RARE: [&str; 38] = [
    "mprobe",
    "mrecv",
    "imrecv",
    "cancel",
    "open",
    "fulfil",
    "read",
    "iread",
    "write",
    "iwrite",
    "put",
    "get",
    "accumulate",
    "get-accumulate",
    "compare-and-swap",
    "rput",
    "rget",
    "raccumulate",
    "rget-accumulate",
    "win-open",
    "win-close",
    "win-flush",
    "win-fence",
    "win-post",
    "win-start",
    "win-complete",
    "win-wait",
    "win-lock",
    "win-unlock",
    "win-lock-all",
    "win-unlock-all",
    "psend-init",
    "precv-init",
    "psend",
    "precv",
    "pready",
    "see",
    "choose",
];

/// The number of the first kind in [`RARE`].
pub(super) const FIRST_RARE: usize = KINDS.len() + 2 * FUNCTIONS.len();

impl Act {
    /// The number of its kind: a place in [`KINDS`], behind them the collectives that wait, then those that go on, then
    /// [`RARE`].
    pub(super) fn kind(&self) -> usize {
        match self {
            Self::Send { mode, request, .. } => {
                let mode = match mode {
                    Mode::Standard => 0,
                    Mode::Buffered => 1,
                    Mode::Synchronous => 2,
                    Mode::Ready => 3,
                };
                mode + 4 * usize::from(request.is_some())
            }
            Self::Receive { request, .. } => 8 + usize::from(request.is_some()),
            Self::Wait { look: Look::No, .. } => 10,
            Self::Wait { look: Look::Yes, .. } => 11,
            Self::Probe { .. } => 12,
            Self::Release { .. } => 13,
            Self::Poll { .. } => POLL,
            Self::End => 15,
            Self::Flush => 16,
            Self::Collective { collective, request, .. } => {
                KINDS.len()
                    + collective.function as usize
                    + if request.is_some() { FUNCTIONS.len() } else { 0 }
            }
            rare => FIRST_RARE + rare.rare_kind(),
        }
    }

    fn rare_kind(&self) -> usize {
        let later = |request: &Option<Request>| usize::from(request.is_some());
        match self {
            Self::Match { .. } => 0,
            Self::ReceiveMatched { request, .. } => 1 + later(request),
            Self::Cancel { .. } => 3,
            Self::Open { .. } => 4,
            Self::Fulfil { .. } => 5,
            Self::File { direction: Direction::Read, request, .. } => 6 + later(request),
            Self::File { direction: Direction::Write, request, .. } => 8 + later(request),
            Self::Access { access, request, .. } => 10 + *access as usize + 5 * later(request),
            Self::Window { act, .. } => {
                19 + match **act {
                    WindowAct::Open => 0,
                    WindowAct::Close => 1,
                    WindowAct::Flush { .. } => 2,
                    WindowAct::Fence { .. } => 3,
                    WindowAct::Post { .. } => 4,
                    WindowAct::Start { .. } => 5,
                    WindowAct::Complete => 6,
                    WindowAct::Wait { .. } => 7,
                    WindowAct::Lock { .. } => 8,
                    WindowAct::Unlock { .. } => 9,
                    WindowAct::LockAll { .. } => 10,
                    WindowAct::UnlockAll => 11,
                }
            }
            Self::Channel { side: Side::Send, .. } => 31,
            Self::Channel { side: Side::Receive, .. } => 32,
            Self::StartSend { .. } => 33,
            Self::StartReceive { .. } => 34,
            Self::Ready { .. } => 35,
            Self::See { .. } => 36,
            Self::Choose(_) => 37,
            _ => unreachable!("all others are common"),
        }
    }

    /// The name of its kind: `send`, `irecv`, `wait`, `allreduce`, `iallreduce`, ...
    #[must_use]
    pub fn name(&self) -> &'static str {
        kind_name(self.kind())
    }
}

/// Names of collectives that go on, in the order of [`FUNCTIONS`].
const GOING_ON: [&str; 18] = [
    "ibarrier",
    "ibcast",
    "ireduce",
    "iallreduce",
    "igather",
    "igatherv",
    "iscatter",
    "iscatterv",
    "iallgather",
    "iallgatherv",
    "ialltoall",
    "ialltoallv",
    "iscan",
    "iexscan",
    "ireduce-scatter",
    "ineighbors",
    "isplit",
    "imerge",
];

/// How many kinds there are.
pub(super) const ALL_KINDS: usize = FIRST_RARE + RARE.len();

/// The name of a kind.
pub(super) fn kind_name(kind: usize) -> &'static str {
    match kind.checked_sub(KINDS.len()) {
        None => KINDS[kind],
        Some(function) if function < FUNCTIONS.len() => FUNCTIONS[function].0,
        Some(function) if function < 2 * FUNCTIONS.len() => GOING_ON[function - FUNCTIONS.len()],
        Some(rare) => RARE[rare - 2 * FUNCTIONS.len()],
    }
}

/// The kind of this name.
pub(super) fn kind_of(name: &[u8]) -> Option<usize> {
    (0..ALL_KINDS).find(|&kind| kind_name(kind).as_bytes() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_names_of_their_own() {
        for kind in 0..ALL_KINDS {
            assert_eq!(kind_of(kind_name(kind).as_bytes()), Some(kind));
        }
        for (place, (name, function)) in FUNCTIONS.iter().enumerate() {
            assert_eq!(*function as usize, place);
            assert_eq!(GOING_ON[place], format!("i{name}"));
        }
        assert_eq!(kind_of(b"sendd"), None);
    }
}
