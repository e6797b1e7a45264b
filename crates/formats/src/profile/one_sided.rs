//! What a rank does at windows: its accesses to the memory of others, and the calls that say when they may be made and
//! when they are over.

/// What an access does to the memory of another rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The data are put there.
    Put,
    /// The data there come back. This is also what an access that fetches and changes nothing does (`MPI_NO_OP`).
    Get,
    /// The data are combined with those there.
    Accumulate,
    /// The same, and those that were there before come back.
    GetAccumulate,
    /// Two elements go, one comes back.
    CompareAndSwap,
}

/// The accesses, in the order of their kinds.
pub(super) const ACCESSES: [Access; 5] =
    [Access::Put, Access::Get, Access::Accumulate, Access::GetAccumulate, Access::CompareAndSwap];

impl Access {
    /// Bytes that go to the target, of an access to so many bytes of its memory.
    #[must_use]
    pub const fn given(self, bytes: u64) -> u64 {
        match self {
            Self::Put | Self::Accumulate | Self::GetAccumulate => bytes,
            Self::Get => 0,
            Self::CompareAndSwap => 2 * bytes,
        }
    }
}

/// What a rank does at a window, beside accesses. Ranks are those of the window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WindowAct {
    /// It makes the communicator a window.
    Open,
    /// It ends the window.
    Close,
    /// It waits until its accesses are over.
    Flush {
        /// Those to this rank; `None`: all.
        rank: Option<u32>,
        /// Where they are over.
        over: Over,
    },
    /// A fence is over: behind the flush and the barrier of `MPI_Win_fence`.
    Fence {
        /// Whether accesses may follow.
        after: AfterFence,
    },
    /// It lets a group reach in.
    Post {
        /// The ranks of the group, in the window's communicator.
        group: Box<[u32]>,
        /// Whether a message about it goes to them.
        conflicts: Conflicts,
    },
    /// It waits until all of a group have posted, to reach their memory then.
    Start {
        /// The ranks of the group, in the window's communicator.
        group: Box<[u32]>,
        /// Whether it waits for them.
        conflicts: Conflicts,
    },
    /// Its accesses are over, and a message about it goes to those it has started with.
    Complete,
    /// It waits until those it has posted for are through.
    Wait {
        /// Whether the call looks at the state of things at its beginning (`MPI_Win_test`).
        look: super::Look,
    },
    /// It locks the window of a rank, and waits for the lock.
    Lock {
        /// The target: a rank of the window's communicator.
        rank: u32,
        /// Whether the lock is shared or exclusive.
        lock: Lock,
        /// Whether it has to be asked for.
        conflicts: Conflicts,
    },
    /// Its accesses to a rank are over, and it gives the lock back.
    Unlock {
        /// The target: a rank of the window's communicator.
        rank: u32,
    },
    /// It locks the windows of all ranks, shared.
    LockAll {
        /// When they are asked.
        asks: Asks,
        /// Whether they have to be asked at all.
        conflicts: Conflicts,
    },
    /// Its accesses are over, and it gives all locks back.
    UnlockAll,
}

/// Where an access is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// At its target.
    There,
    /// Here: what was asked for has come, what was given has left.
    Here,
}

/// Whether accesses may follow a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterFence {
    /// They may.
    Accesses,
    /// The program says that none will (`MPI_MODE_NOSUCCEED`).
    Nothing,
}

/// Whether others may stand in the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conflicts {
    /// They may.
    Possible,
    /// The program has ruled it out (`MPI_MODE_NOCHECK`): no message is needed.
    RuledOut,
}

/// What a lock keeps out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lock {
    /// Exclusive ones.
    Shared,
    /// All others.
    Exclusive,
}

/// When the ranks of a window are asked for their locks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    /// When they are reached first.
    WhenReached,
    /// At once: their memory is shared.
    AtOnce,
}

/// A side of a partitioned operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// It sends.
    Send,
    /// It receives.
    Receive,
}
