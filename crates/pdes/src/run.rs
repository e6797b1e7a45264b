//! The loop over windows, on as many threads as there are parts.

use crate::agreement::Agreement;
use crate::{Width, Window};

/// Some of the units of a model, and the thread that runs them.
pub trait Part {
    /// Runs one window of all units that are awake in it.
    fn run(&mut self, window: Window);

    /// What this part needs after the window that has just been run: its own units' wake-ups, and what it has put
    /// into mailboxes for other parts. `from` is the number of the window after the last.
    fn next(&mut self, from: u64) -> Next;
}

/// What a part needs next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The run is to end now.
    Stop,
    /// The window with this number.
    Window(u64),
    /// Nothing, as long as the other parts need nothing.
    Nothing,
}

impl Next {
    /// Ordered by urgency.
    fn urgency(self) -> u64 {
        match self {
            Self::Stop => 0,
            Self::Window(number) => number.saturating_add(1).min(u64::MAX - 1),
            Self::Nothing => u64::MAX,
        }
    }
}

/// Bytes of the stack of a thread: what the standard library takes, and some for what comes with it.
const STACK: usize = (2 << 20) + (64 << 10);

/// Runs windows until a part wants to stop, or until none needs another; returns how many were run.
///
/// The first window is the first one that a part asks for. `here` runs on the calling thread, each of `others` on a
/// thread of its own. All parts run the same windows.
///
/// # Panics
/// When a part panics, or asks for a window that is over.
pub fn run<H: Part, O: Part + Send>(width: Width, here: &mut H, others: &mut [O]) -> u64 {
    let agreement = Agreement::new(1 + others.len());
    // Where there is no memory for the stacks, the allocator says so, as everywhere; a thread that cannot begin would panic.
    let stacks: Vec<_> = others.iter().map(|_| Vec::<u8>::with_capacity(STACK)).collect();
    drop(std::hint::black_box(stacks));
    std::thread::scope(|scope| {
        for part in others {
            scope.spawn(|| turns(width, part, &agreement));
        }
        turns(width, here, &agreement)
    })
}

fn turns(width: Width, part: &mut impl Part, agreement: &Agreement) -> u64 {
    let _guard = agreement.guard();
    let (mut turn, mut from) = (0, 0);
    loop {
        match agreement.least(turn, part.next(from).urgency()) {
            0 | u64::MAX => return turn,
            urgency => {
                let number = urgency - 1;
                assert!(number >= from, "a part needs window {number}, which is over");
                part.run(width.window(number, turn));
                turn += 1;
                from = number + 1;
            }
        }
    }
}
