//! The kinds of operations: the one table of their words.

use crate::{
    Access, AfterFence, Asks, Collective, Conflicts, Direction, Function, Lock, Mode, Operation, Over,
    PollFirst, ReceiveSource, RequestId, Requests, Side, WindowOperation,
};
use weir_units::Duration;

/// An operation that goes on under a request: which one is filled in later.
const LATER: Option<RequestId> = Some(RequestId(0));

/// Makes the two ways between words and kinds: `word`, the operations that it stands for, and one of them whose fields are to
/// be filled in.
macro_rules! kinds {
    ($($word:literal $pattern:pat => $blank:expr;)+) => {
        /// The words of all kinds but collectives.
        const WORDS: &[&str] = &[$($word),+];

        fn word_of(operation: &Operation) -> &'static str {
            match operation {
                $($pattern => $word,)+
                Operation::Collective { collective, request, .. } => match request {
                    None => collective.function.word(),
                    Some(_) => collective.function.word_of_request(),
                },
                Operation::Window { operation, .. } => operation.word(),
            }
        }

        fn blank(word: &str) -> Option<Operation> {
            Some(match word {
                $($word => $blank,)+
                word => return WindowOperation::blank(word).or_else(|| blank_collective(word)),
            })
        }
    };
}

macro_rules! window_kinds {
    ($($word:literal $pattern:pat => $blank:expr;)+) => {
        const WINDOW_WORDS: &[&str] = &[$($word),+];

        impl WindowOperation {
            fn word(&self) -> &'static str {
                match self {
                    $($pattern => $word,)+
                }
            }

            fn blank(word: &str) -> Option<Operation> {
                let operation = match word {
                    $($word => $blank,)+
                    _ => return None,
                };
                Some(Operation::Window { communicator: 0, operation: Box::new(operation) })
            }
        }
    };
}

kinds! {
    "send" Operation::Send { mode: Mode::Standard, request: None, .. } => send(Mode::Standard, None);
    "bsend" Operation::Send { mode: Mode::Buffered, request: None, .. } => send(Mode::Buffered, None);
    "ssend" Operation::Send { mode: Mode::Synchronous, request: None, .. } => send(Mode::Synchronous, None);
    "rsend" Operation::Send { mode: Mode::Ready, request: None, .. } => send(Mode::Ready, None);
    "isend" Operation::Send { mode: Mode::Standard, .. } => send(Mode::Standard, LATER);
    "ibsend" Operation::Send { mode: Mode::Buffered, .. } => send(Mode::Buffered, LATER);
    "issend" Operation::Send { mode: Mode::Synchronous, .. } => send(Mode::Synchronous, LATER);
    "irsend" Operation::Send { mode: Mode::Ready, .. } => send(Mode::Ready, LATER);
    "recv" Operation::Receive { request: None, .. } => receive(None);
    "irecv" Operation::Receive { .. } => receive(LATER);
    "wait" Operation::Wait { look: PollFirst::No, .. } => wait(PollFirst::No);
    "test" Operation::Wait { look: PollFirst::Yes, .. } => wait(PollFirst::Yes);
    "probe" Operation::Probe { .. } =>
        Operation::Probe { from: ReceiveSource::NOBODY, communicator: 0, look: PollFirst::No };
    "release" Operation::Release { .. } => Operation::Release { request: RequestId(0) };
    "poll" Operation::Poll { .. } => Operation::Poll { time: Duration::ZERO, after: None };
    "compute" Operation::Compute { .. } => Operation::Compute { time: Duration::ZERO };
    "end" Operation::End => Operation::End;
    "flush" Operation::Flush => Operation::Flush;
    "mprobe" Operation::Match { .. } => Operation::Match {
        from: ReceiveSource::NOBODY, communicator: 0, look: PollFirst::No, message: RequestId(0)
    };
    "mrecv" Operation::ReceiveMatched { request: None, .. } => receive_matched(None);
    "imrecv" Operation::ReceiveMatched { .. } => receive_matched(LATER);
    "cancel" Operation::Cancel { .. } => Operation::Cancel { request: RequestId(0) };
    "open" Operation::Open { .. } => Operation::Open { request: RequestId(0) };
    "fulfil" Operation::Fulfil { .. } => Operation::Fulfil { request: RequestId(0) };
    "read" Operation::File { direction: Direction::Read, request: None, .. } => file(Direction::Read, None);
    "iread" Operation::File { direction: Direction::Read, .. } => file(Direction::Read, LATER);
    "write" Operation::File { direction: Direction::Write, request: None, .. } => file(Direction::Write, None);
    "iwrite" Operation::File { direction: Direction::Write, .. } => file(Direction::Write, LATER);
    "put" Operation::Access { access: Access::Put, request: None, .. } => access(Access::Put, None);
    "get" Operation::Access { access: Access::Get, request: None, .. } => access(Access::Get, None);
    "accumulate" Operation::Access { access: Access::Accumulate, request: None, .. } =>
        access(Access::Accumulate, None);
    "get-accumulate" Operation::Access { access: Access::GetAccumulate, request: None, .. } =>
        access(Access::GetAccumulate, None);
    "compare-and-swap" Operation::Access { access: Access::CompareAndSwap, .. } =>
        access(Access::CompareAndSwap, None);
    "rput" Operation::Access { access: Access::Put, .. } => access(Access::Put, LATER);
    "rget" Operation::Access { access: Access::Get, .. } => access(Access::Get, LATER);
    "raccumulate" Operation::Access { access: Access::Accumulate, .. } => access(Access::Accumulate, LATER);
    "rget-accumulate" Operation::Access { access: Access::GetAccumulate, .. } =>
        access(Access::GetAccumulate, LATER);
    "psend-init" Operation::Channel { side: Side::Send, .. } => channel(Side::Send);
    "precv-init" Operation::Channel { side: Side::Receive, .. } => channel(Side::Receive);
    "psend" Operation::StartSend { .. } =>
        Operation::StartSend { channel: 0, partitions: 0, request: RequestId(0) };
    "precv" Operation::StartReceive { .. } =>
        Operation::StartReceive { channel: 0, bytes: 0, request: RequestId(0) };
    "pready" Operation::Ready { .. } => Operation::Ready { request: RequestId(0), number: 0, bytes: 0 };
    "see" Operation::See { .. } => Operation::See { requests: Requests::new(&[]) };
    "choose" Operation::Choose(_) => Operation::Choose(Box::default());
}

window_kinds! {
    "win-open" Self::Open => Self::Open;
    "win-close" Self::Close => Self::Close;
    "win-flush" Self::Flush { .. } => Self::Flush { rank: None, over: Over::There };
    "win-fence" Self::Fence { .. } => Self::Fence { after: AfterFence::Accesses };
    "win-post" Self::Post { .. } => Self::Post { group: Box::default(), conflicts: Conflicts::Possible };
    "win-start" Self::Start { .. } => Self::Start { group: Box::default(), conflicts: Conflicts::Possible };
    "win-complete" Self::Complete => Self::Complete;
    "win-wait" Self::Wait { .. } => Self::Wait { look: PollFirst::No };
    "win-lock" Self::Lock { .. } =>
        Self::Lock { rank: 0, lock: Lock::Shared, conflicts: Conflicts::Possible };
    "win-unlock" Self::Unlock { .. } => Self::Unlock { rank: 0 };
    "win-lock-all" Self::LockAll { .. } =>
        Self::LockAll { asks: Asks::WhenReached, conflicts: Conflicts::Possible };
    "win-unlock-all" Self::UnlockAll => Self::UnlockAll;
}

fn send(mode: Mode, request: Option<RequestId>) -> Operation {
    Operation::Send { mode, to: None, tag: 0, bytes: 0, communicator: 0, request }
}

fn receive(request: Option<RequestId>) -> Operation {
    Operation::Receive { from: ReceiveSource::NOBODY, bytes: 0, communicator: 0, request }
}

fn wait(look: PollFirst) -> Operation {
    Operation::Wait { requests: Requests::new(&[]), look }
}

fn receive_matched(request: Option<RequestId>) -> Operation {
    Operation::ReceiveMatched { message: RequestId(0), bytes: 0, request }
}

fn file(direction: Direction, request: Option<RequestId>) -> Operation {
    Operation::File { direction, bytes: 0, lasts: Duration::ZERO, request }
}

fn access(access: Access, request: Option<RequestId>) -> Operation {
    Operation::Access { access, target: 0, bytes: 0, communicator: 0, request }
}

fn channel(side: Side) -> Operation {
    Operation::Channel { channel: 0, side, peer: None, tag: 0, communicator: 0 }
}

fn blank_collective(word: &str) -> Option<Operation> {
    let of_word = |function: &Function| match word {
        word if word == function.word() => Some((*function, None)),
        word if word == function.word_of_request() => Some((*function, LATER)),
        _ => None,
    };
    let (function, request) = Function::ALL.iter().find_map(of_word)?;
    let collective = Box::new(Collective::blank(function));
    Some(Operation::Collective { collective, communicator: 0, persistent: None, request })
}

impl Operation {
    /// The word of its kind: `send`, `irecv`, `wait`, `allreduce`, `iallreduce`, ...
    pub fn name(&self) -> &'static str {
        word_of(self)
    }

    /// An operation of the kind that has this word, whose fields are to be filled in ([`Self::fields`]); `None` where no kind
    /// has it.
    pub fn named(word: &str) -> Option<Self> {
        blank(word)
    }

    /// The words of all kinds, in the order in which tables of them are shown.
    pub fn words() -> impl Iterator<Item = &'static str> {
        let collectives = || Function::ALL.into_iter();
        let started = collectives().map(Function::word_of_request);
        let [common, rare] = [&WORDS[..18], &WORDS[18..]];
        common
            .iter()
            .copied()
            .chain(collectives().map(Function::word))
            .chain(started)
            .chain(rare.iter().chain(WINDOW_WORDS).copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn kinds_have_words_of_their_own() {
        let words: Vec<&str> = Operation::words().collect();
        for word in &words {
            assert_eq!(Operation::named(word).map(|operation| operation.name()), Some(*word));
        }
        assert_eq!(words.iter().collect::<BTreeSet<_>>().len(), words.len());
        assert_eq!(words[17..19], ["flush", "barrier"]);
        assert_eq!(Operation::named("sendd"), None);
    }
}
