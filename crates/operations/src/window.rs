//! Operations at windows: accesses to the memory of others, and the calls that say when they may be made and
//! when they are over.

/// An access to the memory of another rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Access {
    /// The data are put there.
    Put,
    /// The data there come back. This is also what an access that fetches and changes nothing does (`MPI_NO_OP`).
    Get,
    /// The data are combined with those there.
    Accumulate,
    /// The same, and those that were there before come back.
    GetAccumulate,
    /// Two elements go, one comes back: that of the target, which the first replaces if it is equal to the second.
    CompareAndSwap,
}

impl Access {
    /// Bytes that go to the target, of an access to so many bytes of its memory.
    pub const fn given(self, bytes: u64) -> u64 {
        match self {
            Self::Put | Self::Accumulate | Self::GetAccumulate => bytes,
            Self::Get => 0,
            Self::CompareAndSwap => 2 * bytes,
        }
    }

    /// Returns whether data come back.
    pub const fn fetches(self) -> bool {
        matches!(self, Self::Get | Self::GetAccumulate | Self::CompareAndSwap)
    }

    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Put => "put",
            Self::Get => "get",
            Self::Accumulate => "accumulate",
            Self::GetAccumulate => "get and accumulate",
            Self::CompareAndSwap => "compare and swap",
        }
    }
}

/// An operation at a window, beside accesses. Ranks and groups of them are those of the window; where conflicts are ruled
/// out, no message is needed.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[allow(missing_docs)] // fields have the names of their types
pub enum WindowOperation {
    /// It makes the communicator a window.
    Open,
    /// It ends the window.
    Close,
    /// It waits until its accesses are over.
    Flush {
        /// Those to this rank; `None`: all.
        rank: Option<u32>,
        over: Over,
    },
    /// A fence is over: behind the flush and the barrier of `MPI_Win_fence`.
    Fence { after: AfterFence },
    /// It lets a group reach in.
    Post { group: Box<[u32]>, conflicts: Conflicts },
    /// It waits until all of a group have posted, to reach their memory then.
    Start { group: Box<[u32]>, conflicts: Conflicts },
    /// Its accesses are over, and a message about it goes to those it has started with.
    Complete,
    /// It waits until those it has posted for are through.
    Wait { look: crate::PollFirst },
    /// It locks the window of a rank, and waits for the lock.
    Lock { rank: u32, lock: Lock, conflicts: Conflicts },
    /// Its accesses to a rank are over, and it gives the lock back.
    Unlock { rank: u32 },
    /// It locks the windows of all ranks, shared.
    LockAll { asks: Asks, conflicts: Conflicts },
    /// Its accesses are over, and it gives all locks back.
    UnlockAll,
}

/// Where an access is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Over {
    /// At its target.
    There,
    /// Here: what was asked for has come, what was given has left.
    Here,
}

/// Says whether accesses may follow a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum AfterFence {
    /// They may.
    Accesses,
    /// The program says that none will (`MPI_MODE_NOSUCCEED`).
    Nothing,
}

/// Says whether others may stand in the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Conflicts {
    /// They may.
    Possible,
    /// The program has ruled it out (`MPI_MODE_NOCHECK`): no message is needed.
    RuledOut,
}

/// The locks that a lock keeps out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Lock {
    /// Exclusive ones.
    Shared,
    /// All others.
    Exclusive,
}

/// When the ranks of a window are asked for their locks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Asks {
    /// When they are reached first.
    WhenReached,
    /// At once: their memory is shared.
    AtOnce,
}

/// A side of a partitioned operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Side {
    /// It sends.
    Send,
    /// It receives.
    Receive,
}
