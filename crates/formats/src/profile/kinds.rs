//! The kinds of events: the one table of their names in both forms of a profile and of the parts of their lines in the text.

use super::one_sided::WindowAct;
use super::{Act, Function, Request};
use Operand::{Channel, Data, NoSize, Peer, Requests, Size, Source, Target, Time};

pub(super) struct Kind {
    pub(super) name: &'static str,
    /// The values behind the name, in their order.
    pub(super) operands: &'static [Operand],
    /// The words that may follow, in the order in which they are written; `comm`, `request` and `took` come behind them.
    pub(super) words: &'static [&'static str],
    /// Says whether the word `request` names what goes on behind the event.
    pub(super) goes_on: bool,
}

/// A value behind the name of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    /// The rank that gets a message, or `nobody`.
    Peer,
    /// The rank that a message comes from, `any` or `nobody`.
    Source,
    /// A rank, or nothing: all.
    Target,
    /// A number of a request.
    Request,
    /// Numbers of requests.
    Requests,
    /// A number of a partitioned operation.
    Channel,
    Size,
    /// The size of the data of a collective, which may be left out: a list of blocks can say all.
    Data,
    /// The same where there are none: 0.
    NoSize,
    Time,
}

const fn kind(name: &'static str, operands: &'static [Operand], words: &'static [&'static str]) -> Kind {
    Kind { name, operands, words, goes_on: false }
}

const fn going_on(name: &'static str, operands: &'static [Operand], words: &'static [&'static str]) -> Kind {
    Kind { name, operands, words, goes_on: true }
}

/// Makes the table of all kinds: the common ones, the collectives that wait, those that go on, and the rare ones.
macro_rules! kinds {
    (
        $($common:expr),*;
        $($function:ident $name:literal $operand:ident [$($word:literal),*],)*;
        $($rare:expr),*
    ) => {
        pub(super) const FUNCTIONS: [Function; 18] = [$(Function::$function),*];

        pub(super) static KINDS: &[Kind] = &[
            $($common,)*
            $(kind($name, &[$operand], &[$($word),*]),)*
            $(going_on(concat!("i", $name), &[$operand], &[$($word),*]),)*
            $($rare,)*
        ];
    };
}

kinds! {
    kind("send", &[Peer, Size], &["tag"]),
    kind("bsend", &[Peer, Size], &["tag"]),
    kind("ssend", &[Peer, Size], &["tag"]),
    kind("rsend", &[Peer, Size], &["tag"]),
    going_on("isend", &[Peer, Size], &["tag"]),
    going_on("ibsend", &[Peer, Size], &["tag"]),
    going_on("issend", &[Peer, Size], &["tag"]),
    going_on("irsend", &[Peer, Size], &["tag"]),
    kind("recv", &[Source, Size], &["tag", "from", "tagged"]),
    going_on("irecv", &[Source, Size], &["tag", "from", "tagged"]),
    kind("wait", &[Requests], &[]),
    kind("test", &[Requests], &[]),
    kind("probe", &[Source], &["tag", "from", "tagged", "looks"]),
    kind("release", &[Operand::Request], &[]),
    kind("poll", &[Time], &["after"]),
    kind("end", &[], &[]),
    kind("flush", &[], &[]);

    Barrier "barrier" NoSize ["tag"],
    Bcast "bcast" Data ["root", "tag"],
    Reduce "reduce" Data ["root", "element", "ordered", "op", "type", "tag"],
    Allreduce "allreduce" Data ["element", "ordered", "op", "type", "tag"],
    Gather "gather" Data ["root", "tag"],
    Gatherv "gatherv" Data ["blocks", "root", "tag"],
    Scatter "scatter" Data ["root", "tag"],
    Scatterv "scatterv" Data ["blocks", "root", "tag"],
    Allgather "allgather" Data ["tag"],
    Allgatherv "allgatherv" Data ["blocks", "tag"],
    Alltoall "alltoall" Data ["tag"],
    Alltoallv "alltoallv" Data ["out", "in", "tag"],
    Scan "scan" Data ["element", "ordered", "op", "type", "tag"],
    Exscan "exscan" Data ["element", "ordered", "op", "type", "tag"],
    ReduceScatter "reduce-scatter" Data ["blocks", "element", "ordered", "op", "type", "tag"],
    Neighbors "neighbors" Data ["list", "tag"],
    Split "split" NoSize ["tag"],
    Merge "merge" NoSize ["tag"],;

    going_on("mprobe", &[Source], &["tag", "from", "tagged", "looks"]),
    kind("mrecv", &[Operand::Request, Size], &[]),
    kind("imrecv", &[Operand::Request, Size], &[]),
    kind("cancel", &[Operand::Request], &[]),
    kind("open", &[Operand::Request], &[]),
    kind("fulfil", &[Operand::Request], &[]),
    kind("read", &[Size], &["lasts"]),
    going_on("iread", &[Size], &["lasts"]),
    kind("write", &[Size], &["lasts"]),
    going_on("iwrite", &[Size], &["lasts"]),
    kind("put", &[Target, Size], &[]),
    kind("get", &[Target, Size], &[]),
    kind("accumulate", &[Target, Size], &[]),
    kind("get-accumulate", &[Target, Size], &[]),
    kind("compare-and-swap", &[Target, Size], &[]),
    going_on("rput", &[Target, Size], &[]),
    going_on("rget", &[Target, Size], &[]),
    going_on("raccumulate", &[Target, Size], &[]),
    going_on("rget-accumulate", &[Target, Size], &[]),
    kind("win-open", &[], &[]),
    kind("win-close", &[], &[]),
    kind("win-flush", &[Target], &["local"]),
    kind("win-fence", &[], &["nosucceed"]),
    kind("win-post", &[], &["nocheck", "ranks"]),
    kind("win-start", &[], &["nocheck", "ranks"]),
    kind("win-complete", &[], &[]),
    kind("win-wait", &[], &["looks"]),
    kind("win-lock", &[Target], &["exclusive", "nocheck"]),
    kind("win-unlock", &[Target], &[]),
    kind("win-lock-all", &[], &["nocheck", "at-once"]),
    kind("win-unlock-all", &[], &[]),
    kind("psend-init", &[Peer], &["channel", "tag"]),
    kind("precv-init", &[Peer], &["channel", "tag"]),
    going_on("psend", &[Channel], &["partitions"]),
    going_on("precv", &[Channel, Size], &[]),
    kind("pready", &[Operand::Request, Size], &["partition"]),
    kind("see", &[Requests], &[]),
    kind("choose", &[], &["protocol", "copy", "nic", "gap"])
}

/// The number of the kind of looks in vain.
pub(super) const POLL: usize = 14;
/// The number of the first collective, and of the first of those that go on.
pub(super) const FIRST_COLLECTIVE: usize = 17;
const FIRST_GOING_ON: usize = FIRST_COLLECTIVE + FUNCTIONS.len();
/// The number of the first kind that few programs have.
pub(super) const FIRST_RARE: usize = FIRST_GOING_ON + FUNCTIONS.len();
/// The number of the first access: five that wait, and four of the same order that go on.
pub(super) const FIRST_ACCESS: usize = FIRST_RARE + 10;

impl Act {
    /// The number of its kind: a place in [`KINDS`].
    pub(super) fn kind(&self) -> usize {
        let later = |request: &Option<Request>| usize::from(request.is_some());
        let rare = |place: usize| FIRST_RARE + place;
        match self {
            Self::Send { mode, request, .. } => *mode as usize + 4 * later(request),
            Self::Receive { request, .. } => 8 + later(request),
            Self::Wait { look, .. } => 10 + *look as usize,
            Self::Probe { .. } => 12,
            Self::Release { .. } => 13,
            Self::Poll { .. } => POLL,
            Self::End => 15,
            Self::Flush => 16,
            Self::Collective { collective, request: None, .. } => {
                FIRST_COLLECTIVE + collective.function as usize
            }
            Self::Collective { collective, .. } => FIRST_GOING_ON + collective.function as usize,
            Self::Match { .. } => rare(0),
            Self::ReceiveMatched { request, .. } => rare(1 + later(request)),
            Self::Cancel { .. } => rare(3),
            Self::Open { .. } => rare(4),
            Self::Fulfil { .. } => rare(5),
            Self::File { direction, request, .. } => rare(6 + 2 * *direction as usize + later(request)),
            Self::Access { access, request, .. } => FIRST_ACCESS + *access as usize + 5 * later(request),
            Self::Window { act, .. } => rare(match **act {
                WindowAct::Open => 19,
                WindowAct::Close => 20,
                WindowAct::Flush { .. } => 21,
                WindowAct::Fence { .. } => 22,
                WindowAct::Post { .. } => 23,
                WindowAct::Start { .. } => 24,
                WindowAct::Complete => 25,
                WindowAct::Wait { .. } => 26,
                WindowAct::Lock { .. } => 27,
                WindowAct::Unlock { .. } => 28,
                WindowAct::LockAll { .. } => 29,
                WindowAct::UnlockAll => 30,
            }),
            Self::Channel { side, .. } => rare(31 + *side as usize),
            Self::StartSend { .. } => rare(33),
            Self::StartReceive { .. } => rare(34),
            Self::Ready { .. } => rare(35),
            Self::See { .. } => rare(36),
            Self::Choose(_) => rare(37),
        }
    }

    /// The name of its kind: `send`, `irecv`, `wait`, `allreduce`, `iallreduce`, ...
    pub fn name(&self) -> &'static str {
        KINDS[self.kind()].name
    }
}

impl Function {
    /// The kind of a call that waits.
    pub(super) fn kind(self) -> &'static Kind {
        &KINDS[FIRST_COLLECTIVE + self as usize]
    }

    /// Returns whether one rank has a part of its own.
    pub fn has_root(self) -> bool {
        self.kind().words.contains(&"root")
    }

    /// Returns whether operands are combined.
    pub fn combines(self) -> bool {
        self.kind().words.contains(&"op")
    }
}

pub(super) fn kind_of(name: &[u8]) -> Option<usize> {
    KINDS.iter().position(|kind| kind.name.as_bytes() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_names_of_their_own() {
        for (number, kind) in KINDS.iter().enumerate() {
            assert_eq!(kind_of(kind.name.as_bytes()), Some(number));
        }
        for (place, function) in FUNCTIONS.iter().enumerate() {
            assert_eq!(*function as usize, place);
        }
        let first = [POLL, FIRST_COLLECTIVE, FIRST_GOING_ON, FIRST_RARE].map(|kind| KINDS[kind].name);
        assert_eq!(first, ["poll", "barrier", "ibarrier", "mprobe"]);
        assert_eq!(kind_of(b"sendd"), None);
    }
}
