//! Windows of simulated time, and the loop over them, on as many threads as there are parts, or on one where that is faster.

use crate::agreement::Agreement;
use crate::pace::{Batch, Mode, Pace};
use memmap2::MmapMut;
use std::io;
use std::sync::mpsc::channel;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::Instant;
use weir_units::{Duration, Time};

/// Width of windows. Window k is `[k * width, (k + 1) * width)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Width(u64);

/// A window that is being run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Its number: start = number times width.
    pub number: u64,
    /// Number of windows that were run before it; not larger than `number`, because idle ones are skipped.
    pub turn: u64,
    /// Its first instant.
    pub start: Time,
    /// The first instant after it.
    pub end: Time,
}

impl Width {
    /// Windows of this width.
    ///
    /// # Panics
    /// When the width is zero.
    pub fn new(width: Duration) -> Self {
        assert!(width > Duration::ZERO, "a window takes time");
        Self(width.as_ps())
    }

    /// The width.
    pub const fn duration(self) -> Duration {
        Duration::from_ps(self.0)
    }

    /// The number of the window an instant is in.
    pub const fn number(self, at: Time) -> u64 {
        at.as_ps() / self.0
    }

    /// The first instant after the window that an instant is in.
    pub const fn end(self, at: Time) -> Time {
        self.window(self.number(at), 0).end
    }

    pub(crate) const fn window(self, number: u64, turn: u64) -> Window {
        let start = number.saturating_mul(self.0);
        let end = start.saturating_add(self.0);
        Window { number, turn, start: Time::from_ps(start), end: Time::from_ps(end) }
    }
}

/// Some of the units of a model, and the thread that runs them.
pub trait Part {
    /// Runs one window of all units that are awake in it.
    fn run(&mut self, window: Window);

    /// The needs of this part after the window that has just been run: its own units' wake-ups, and what it has put
    /// into mailboxes for other parts. `from` is the number of the window after the last.
    fn next(&mut self, from: u64) -> Next;
}

/// A part that there is none of: for a run whose units are all in one.
impl Part for std::convert::Infallible {
    fn run(&mut self, _: Window) {
        match *self {}
    }

    fn next(&mut self, _: u64) -> Next {
        match *self {}
    }
}

/// The need of a part.
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
    /// The need as a number: what is more urgent has a lower one.
    pub fn urgency(self) -> u64 {
        match self {
            Self::Stop => 0,
            Self::Window(number) => number.saturating_add(1).min(u64::MAX - 1),
            Self::Nothing => u64::MAX,
        }
    }

    /// The need with this [urgency](Self::urgency).
    pub fn of_urgency(urgency: u64) -> Self {
        match urgency {
            0 => Self::Stop,
            u64::MAX => Self::Nothing,
            _ => Self::Window(urgency - 1),
        }
    }
}

/// Meeting of a process between two windows where several run one simulation, on the calling thread, while none of its parts
/// runs.
pub trait Border {
    /// Exchanges mail with the other processes before the window of a turn, and agrees with them on it: this one needs `next`.
    /// Returns what all need.
    fn meet(&mut self, turn: u64, next: Next) -> Next;
}

/// Runs windows until a part asks to stop, or until none needs another; returns where that was.
///
/// The first window is the first one that a part asks for, in the first run at [`RunPosition::default`]. A run that has been stopped
/// can go on from where it was. `here` runs on the calling thread, each of `others` on a
/// thread of its own, or on the calling thread too while that is faster. All parts run the same windows, also those of other
/// processes behind a `border`.
///
/// # Panics
/// When a part panics, or asks for a window that is over.
pub fn run<H: Part, O: Part + Send>(
    width: Width,
    from: RunPosition,
    here: &mut H,
    others: &mut [O],
    border: Option<&mut dyn Border>,
) -> RunPosition {
    let mut place = RunPosition { meeting: 0, ..from };
    let mut outside = Outside(border);
    if others.is_empty() {
        while place.run_one(width, here, |turn, urgency| outside.least(turn, urgency)) {}
        return place;
    }
    let agreement = Agreement::new(1 + others.len());
    let (commands, mut pace) = (Commands::default(), Pace::new());
    let others: Vec<Mutex<&mut O>> = others.iter_mut().map(Mutex::new).collect();
    let has_border = outside.0.is_some();
    std::thread::scope(|scope| {
        let (meeting, given) = (&agreement, &commands);
        let _end = StopOnDrop(&commands);
        // Where there is no memory for one of them, the calling thread runs all parts.
        let are_there = others.iter().all(|part| {
            // Each runs its part at a command. No command is given before all have come to the end of the one before: the calling
            // thread needs their parts, or meets them.
            let work = move || {
                let mut seen = 0;
                while let (number, Some(Command { mut place, windows })) = given.wait(seen) {
                    seen = number;
                    place.run_together(width, &mut **held(part), meeting, Role::Follows(has_border), windows);
                }
            };
            begin_thread(work, |thread, work| thread.spawn_scoped(scope, work)).is_ok()
        });
        loop {
            let Batch { mode, windows } = pace.batch();
            let mode = if are_there { mode } else { Mode::Alone };
            let (before, start) = (place.turn, Instant::now());
            let (goes_on, awake) = match mode {
                Mode::Alone => {
                    let mut others: Vec<_> = others.iter().map(held).collect();
                    (place.run_alone(width, here, &mut others, &mut outside, windows), start)
                }
                Mode::Together => {
                    commands.give(Some(Command { place, windows }));
                    place.run_together(width, here, &agreement, Role::Leads(&mut outside), windows)
                }
            };
            if !goes_on {
                return place;
            }
            pace.took(mode, place.turn - before, awake.elapsed(), awake - start);
        }
    })
}

/// The other processes, if there are any.
struct Outside<'a>(Option<&'a mut dyn Border>);

impl Outside<'_> {
    /// The most urgent need of all processes before a turn, from that of this one.
    fn least(&mut self, turn: u64, urgency: u64) -> u64 {
        match &mut self.0 {
            Some(border) => border.meet(turn, Next::of_urgency(urgency)).urgency(),
            None => urgency,
        }
    }
}

/// Who meets the other processes.
enum Role<'a, 'b> {
    /// The calling thread.
    Leads(&'a mut Outside<'b>),
    /// Another one; whether there are other processes.
    Follows(bool),
}

impl Role<'_, '_> {
    /// The most urgent need of all parts of all processes, from that of one of this process. Where there are other processes, threads meet a
    /// second time: no part runs on before the mail is there.
    fn least(&mut self, agreement: &Agreement, meeting: &mut u64, turn: u64, urgency: u64) -> u64 {
        let mut meet = |urgency| {
            *meeting += 1;
            agreement.least(*meeting - 1, urgency)
        };
        let here = meet(urgency);
        match self {
            Self::Leads(outside) if outside.0.is_some() => meet(outside.least(turn, here)),
            Self::Follows(true) => meet(u64::MAX),
            Self::Leads(_) | Self::Follows(false) => here,
        }
    }
}

/// Position of a run; the same for all parts.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunPosition {
    /// Number of windows that have been run.
    pub turn: u64,
    /// The number of the one after the last of them.
    pub from: u64,
    /// Number of meetings of threads.
    meeting: u64,
}

impl RunPosition {
    /// Before the window with this number, of a run that goes on from there.
    pub fn at(from: u64) -> Self {
        Self { from, ..Self::default() }
    }

    /// The window that would be run next if all parts needed it.
    pub fn window(self, width: Width) -> Window {
        width.window(self.from, self.turn)
    }

    /// Runs the next window, and says whether there was one. `least` makes of what this part needs before a turn what all
    /// need.
    fn run_one(&mut self, width: Width, part: &mut impl Part, least: impl FnOnce(u64, u64) -> u64) -> bool {
        let urgency = least(self.turn, part.next(self.from).urgency());
        let Some(window) = self.next(width, urgency) else { return false };
        part.run(window);
        true
    }

    /// The window that is that urgent, which is then the last one.
    fn next(&mut self, width: Width, urgency: u64) -> Option<Window> {
        if matches!(urgency, 0 | u64::MAX) {
            return None;
        }
        let number = urgency - 1;
        assert!(number >= self.from, "a part needs window {number}, which is over");
        let window = width.window(number, self.turn);
        (self.turn, self.from) = (self.turn + 1, number + 1);
        Some(window)
    }

    /// Runs so many windows of one part, at the same time as other threads run theirs; false: all is over. Threads meet before the first one too,
    /// when all of them are awake, which is the instant that is returned, and behind the last one: so the time from then on is that of
    /// the windows.
    fn run_together(
        &mut self,
        width: Width,
        part: &mut impl Part,
        agreement: &Agreement,
        mut role: Role<'_, '_>,
        windows: u64,
    ) -> (bool, Instant) {
        let _guard = agreement.guard();
        agreement.least(self.meeting, u64::MAX);
        let awake = Instant::now();
        self.meeting += 1;
        let goes_on = (0..windows).all(|_| {
            let mut meeting = self.meeting;
            let goes_on =
                self.run_one(width, part, |turn, urgency| role.least(agreement, &mut meeting, turn, urgency));
            self.meeting = meeting;
            goes_on
        });
        if goes_on {
            agreement.least(self.meeting, u64::MAX);
            self.meeting += 1;
        }
        (goes_on, awake)
    }

    /// Runs so many windows of all parts, one part after the other; false: all is over.
    fn run_alone<O: Part>(
        &mut self,
        width: Width,
        here: &mut impl Part,
        others: &mut [MutexGuard<'_, &mut O>],
        outside: &mut Outside<'_>,
        windows: u64,
    ) -> bool {
        (0..windows).all(|_| {
            let from = self.from;
            let needed = others.iter_mut().map(|part| part.next(from).urgency());
            let urgency = needed.fold(here.next(from).urgency(), u64::min);
            let urgency = outside.least(self.turn, urgency);
            let Some(window) = self.next(width, urgency) else { return false };
            here.run(window);
            others.iter_mut().for_each(|part| part.run(window));
            true
        })
    }
}

/// Command to the other threads: windows to run together, from where the run is.
#[derive(Clone, Copy, Debug)]
struct Command {
    place: RunPosition,
    windows: u64,
}

/// Commands of the calling thread to the others. Between two commands they sleep.
#[derive(Debug, Default)]
struct Commands {
    /// Number of commands, and the last one; nothing: it is over.
    last: Mutex<(u64, Option<Command>)>,
    given: Condvar,
}

impl Commands {
    fn give(&self, command: Option<Command>) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last = (last.0 + 1, command);
        drop(last);
        self.given.notify_all();
    }

    /// The command after so many.
    fn wait(&self, seen: u64) -> (u64, Option<Command>) {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        *self.given.wait_while(last, |last| last.0 == seen).unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sends the other threads home, also if this one panics.
struct StopOnDrop<'a>(&'a Commands);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.give(None);
    }
}

/// A part that no other thread runs now.
///
/// # Panics
/// When the thread that has run it has panicked: what remains of it must not go on.
fn held<T>(part: &Mutex<T>) -> MutexGuard<'_, T> {
    part.lock().unwrap_or_else(|_| panic!("another thread of the simulation has panicked"))
}

/// The size of the stack of a thread, in bytes.
const STACK: usize = 2 << 20;

/// The memory that the C library and the standard library may ask the system for in a new thread before its work begins, in
/// bytes: they use some thousand, and the allocator takes a megabyte at a time.
const FIRST_STEPS: usize = 2 << 20;

/// Begins a thread that does `work`, by a `spawn` such as [`Builder::spawn`], and returns what `spawn` does.
///
/// Where a new thread gets no memory in its first steps, the C library aborts the process. So the system is asked for that
/// memory before, and the calling thread waits until those steps are done, since it might take the memory meanwhile.
///
/// # Errors
/// When the system has no memory or no thread to give.
pub fn begin_thread<'work, R: 'work, T>(
    work: impl FnOnce() -> R + Send + 'work,
    spawn: impl FnOnce(Builder, Box<dyn FnOnce() -> R + Send + 'work>) -> io::Result<T>,
) -> io::Result<T> {
    MmapMut::map_anon(STACK + FIRST_STEPS)?;
    let (begun, has_begun) = channel();
    let work = move || {
        // The calling thread waits for this, so that it is there to receive it.
        let _ = begun.send(());
        work()
    };
    let thread = spawn(Builder::new().stack_size(STACK), Box::new(work))?;
    has_begun.recv().map_err(io::Error::other)?;
    Ok(thread)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// To stop is the most urgent, then comes one window after the other; the very last have one number.
    #[test]
    fn needs_are_numbers_in_their_order() {
        let last = u64::MAX - 2;
        let needs = [Next::Stop, Next::Window(0), Next::Window(1), Next::Window(last), Next::Nothing];
        assert!(needs.map(Next::urgency).is_sorted_by(|a, b| a < b));
        assert_eq!(needs.map(|need| Next::of_urgency(need.urgency())), needs);
        assert_eq!([1, 2].map(|more| Next::Window(last + more).urgency()), [Next::Window(last).urgency(); 2]);
    }

    #[test]
    fn windows_lie_side_by_side() {
        let width = Width::new(Duration::from_ps(10));
        let window = width.window(3, 1);
        assert_eq!((window.start, window.end), (Time::from_ps(30), Time::from_ps(40)));
        assert_eq!([29, 30, 39, 40].map(|ps| width.end(Time::from_ps(ps)).as_ps()), [30, 40, 40, 50]);
        assert_eq!(width.end(Time::MAX), Time::MAX);
        assert_eq!([29, 30, 39, 40].map(|ps| width.number(Time::from_ps(ps))), [2, 3, 3, 4]);
    }
}
