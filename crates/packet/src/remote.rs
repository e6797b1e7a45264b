//! Routers that another processor runs, for the interfaces and programs of this one.
//!
//! Interfaces write packets into the buffers behind their links, and learn from these when there is room again. So those buffers are here as
//! well, as they are for routers of another process: a packet that an interface sends is put into its place here and there, and
//! a place that the routers have freed becomes free here too. What routers do in a window is known at interfaces and programs in a later one, so
//! nothing depends on when within a window all this is passed on.
//!
//! # A window
//! ```text
//!   all threads      take what left the routers in the window before: packets for their nodes, and places that have become free;
//!                    run their ranks and interfaces; leave the packets that these have sent, as bytes
//!   one of them      between two windows, while the others wait: has the other processor run the window
//! ```

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};
use weir_pdes::Next;
use weir_units::OwnLine;

/// A packet that an interface has sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Injected {
    /// The lane and the place in its ring.
    pub lane: u32,
    /// See above.
    pub slot: u16,
    /// For the routing rule.
    pub address: u32,
    /// Comes back when it has arrived.
    pub message: u32,
    /// When it has left its interface, in picoseconds.
    pub birth: u64,
    /// The distance of its tail behind its head, in picoseconds, above its bytes in the lowest 20 bits.
    pub lag: u64,
    /// When it could leave the router, in picoseconds.
    pub eligible: u64,
}

impl Injected {
    /// Number of bytes of a packet where many of them are passed on: those of a structure `Injected` of `state.h`.
    pub const BYTES: usize = 40;

    /// The bytes of a structure `Injected` of `state.h`.
    pub(crate) fn bytes(self) -> [u8; Self::BYTES] {
        let Self { lane, slot, address, message, birth, lag, eligible } = self;
        let pair = |low: u32, high: u32| u64::from(high) << u32::BITS | u64::from(low);
        let words = [pair(lane, slot.into()), pair(address, message), birth, lag, eligible];
        let mut bytes = [0; Self::BYTES];
        bytes.as_chunks_mut().0.iter_mut().zip(words).for_each(|(chunk, word)| *chunk = word.to_le_bytes());
        bytes
    }
}

/// A packet that has reached a node at an instant, in picoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Delivered {
    /// The number of the node.
    pub(crate) node: u32,
    /// See [`Injected::message`].
    pub(crate) message: u32,
    /// When its tail is there.
    pub(crate) at: u64,
}

/// A place behind an interface that is free from an instant on, in picoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Freed {
    /// The lane and the place in its ring.
    pub(crate) lane: u32,
    /// See above.
    pub(crate) slot: u16,
    /// When the interface knows.
    pub(crate) from: u64,
}

/// The results of a window, in any order: as bytes, since all threads of a process read them, each for its nodes.
#[derive(Clone, Debug, Default)]
pub struct RemoteWindow {
    /// Packets that have reached nodes, two words each: node and [message](Injected::message), and when.
    pub delivered: Vec<u8>,
    /// Places that are free, two words each: lane and number of the place, and from when.
    pub freed: Vec<u8>,
    /// Packets that were granted.
    pub hops: u64,
    /// True if the other processor has failed: the run ends, and its results are none.
    pub has_failed: bool,
}

impl RemoteWindow {
    /// Bytes of each entry of the lists.
    pub const BYTES: usize = 16;

    fn entries(list: &[u8]) -> impl Iterator<Item = (u32, u32, u64)> + '_ {
        list.as_chunks::<{ Self::BYTES }>().0.iter().map(|entry| {
            let [low, high, from, to] =
                std::array::from_fn(|place| u32::from_le_bytes(entry.as_chunks().0[place]));
            (low, high, u64::from(to) << u32::BITS | u64::from(from))
        })
    }

    /// The packets that have reached nodes.
    pub(crate) fn delivered(&self) -> impl Iterator<Item = Delivered> + '_ {
        Self::entries(&self.delivered).map(|(node, message, at)| Delivered { node, message, at })
    }

    /// The places that are free.
    pub(crate) fn freed(&self) -> impl Iterator<Item = Freed> + '_ {
        Self::entries(&self.freed).map(|(lane, slot, from)| Freed { lane, slot: slot as u16, from })
    }
}

/// The load of an output, in packets, bytes and picoseconds; and when its link is free.
#[derive(Clone, Copy, Debug, Default)]
pub struct RemoteLoad {
    /// When the last packet has left.
    pub link_free: u64,
    /// See [`LinkCounts`](crate::LinkCounts).
    pub packets: u64,
    /// See there.
    pub bytes: u64,
    /// See there.
    pub busy: u64,
    /// See there.
    pub waited: u64,
}

/// The counts of all routers.
#[derive(Clone, Debug, Default)]
pub struct RemoteCounts {
    /// By output of the machine.
    pub outputs: Vec<RemoteLoad>,
    /// By lane: the most packets that have waited there at a grant.
    pub longest: Vec<u16>,
}

/// A processor that runs routers.
pub trait RemoteRouters: Send {
    /// Runs all routers in the window with a number, in which packets come in, and returns what leaves them. The packets are lists of structures
    /// `Injected`, in any order, of [so many bytes](Injected::BYTES) each.
    fn window(&mut self, number: u64, injected: &[&[u8]]) -> RemoteWindow;

    /// All that they have counted.
    fn counts(&mut self) -> RemoteCounts;
}

/// A packet that an interface has just sent: its bytes, when its head has left and how far its tail is behind that, and when it could leave
/// the router, in picoseconds.
pub(crate) struct Sent {
    pub(crate) bytes: u32,
    pub(crate) birth: u64,
    pub(crate) lag: u64,
    pub(crate) eligible: u64,
}

/// Packets and results on their way between the threads of this process and the other processor.
#[derive(Debug)]
pub(crate) struct RemoteMail {
    /// By thread: packets that its interfaces have sent in a window.
    injected: Vec<OwnLine<Mutex<Vec<u8>>>>,
    /// One more than the number of a window that threads have run and the other processor has not; 0 if there is none.
    due: AtomicU64,
    /// Packets that are in routers.
    inside: AtomicU64,
    /// The results of its last window.
    left: RwLock<RemoteWindow>,
}

impl RemoteMail {
    pub(crate) fn new(threads: usize) -> Self {
        Self {
            injected: std::iter::repeat_with(|| OwnLine(Mutex::default())).take(threads).collect(),
            due: AtomicU64::new(0),
            inside: AtomicU64::new(0),
            left: RwLock::default(),
        }
    }

    /// A thread that panics while it holds the lock ends the run; until then what is inside is whole.
    fn injected(&self, thread: usize) -> MutexGuard<'_, Vec<u8>> {
        self.injected[thread].0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A thread leaves the packets that its interfaces have sent in the window with a number, and leaves `packets` empty.
    pub(crate) fn leave(&self, thread: usize, number: u64, packets: &mut Vec<u8>) {
        self.due.store(number + 1, Ordering::Relaxed);
        std::mem::swap(&mut *self.injected(thread), packets);
    }

    /// The results of the window before.
    pub(crate) fn left(&self) -> RwLockReadGuard<'_, RemoteWindow> {
        self.left.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Between two windows: has the other processor run the first of them, while all threads wait, which need the second one or not. Returns the need of
    /// all, and whether packets have moved.
    pub(crate) fn meet(&self, remote: &mut dyn RemoteRouters, next: Next) -> (Next, bool) {
        let due = self.due.swap(0, Ordering::Relaxed);
        let Some(number) = due.checked_sub(1) else { return (next, false) };
        let mut all: Vec<_> = (0..self.injected.len()).map(|thread| self.injected(thread)).collect();
        let lists: Vec<&[u8]> = all.iter().map(|list| list.as_slice()).collect();
        let injected = lists.iter().map(|list| list.len() / Injected::BYTES).sum::<usize>();
        let window = remote.window(number, &lists);
        all.iter_mut().for_each(|list| list.clear());
        let delivered = window.delivered.len() / RemoteWindow::BYTES;
        let inside = (self.inside.load(Ordering::Relaxed) + injected as u64).saturating_sub(delivered as u64);
        self.inside.store(inside, Ordering::Relaxed);
        // Threads take packets for their nodes in the next window. And the other processor is not asked when the next packet could move: there
        // are few windows in which none does.
        let needs = if inside > 0 || delivered > 0 { Next::Window(due) } else { Next::Nothing };
        let needs = if window.has_failed { Next::Stop } else { needs };
        let moved = window.hops > 0;
        *self.left.write().unwrap_or_else(PoisonError::into_inner) = window;
        (Next::of_urgency(next.urgency().min(needs.urgency())), moved)
    }
}
