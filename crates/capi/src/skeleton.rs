//! Clock calls of skeletons: functions of `weir.h` that let time pass for code that was left out (paper 001, section 3.1).
//!
//! A skeleton may make hundreds of millions of them, so they are inline functions of `weir.h` that do nothing but add to sums
//! in the rank's own memory ([`Sums`]). Whatever needs the rank's clock takes these over first. Clock calls read no processor
//! clock, and they are no calls of MPI. What one costs on this computer is found out once, before the first one: so that
//! measured times are free of it, and so that the end of the run can say what all of them have cost.

pub(crate) mod counts;
pub(crate) mod sampling;

use crate::calls::{Result, abi};
use crate::process::processor_time;
use crate::rank::Rank;
use crate::rank::context::Context;
use crate::rank::mpi_call::enter;
use crate::skeleton::counts::{ClockCalls, Costs, Rule, Skeleton, Sums, duration};
use std::collections::BTreeSet;
use std::ffi::{CStr, c_char, c_double, c_int, c_long};
use std::ptr;
use std::sync::{Mutex, PoisonError};
use weir_message::MpiError;
use weir_network::causes::Name;
use weir_units::Duration;

impl Skeleton {
    /// Finds out what a clock call costs, by the shortest of several rows of calls. There is to be nothing in the sums.
    #[cold]
    pub(crate) fn find_cost(context: &mut Context) {
        const ROWS: usize = 20;
        const CALLS: u64 = 4096;
        // The calls below find that it is known.
        context.rank().world.skeleton.costs.set(Some(Costs::default()));
        context.rank().charge_own_work();
        let Some(ClockCalls { rows, sums }) = context.rank().clock_calls else {
            return context.rank().own_work_goes_on();
        };
        // SAFETY: the running rank's.
        unsafe { ((*sums).is_ready, (*sums).has_instruction_time) = (1, 1) };
        let mut timed = |row: extern "C" fn(c_long)| {
            let start = processor_time();
            context.lend(|| row(CALLS as c_long));
            let cost = context.rank().world.reading_cost();
            (processor_time().as_ps() - start.as_ps()).saturating_sub(cost.as_ps())
        };
        let [time, instructions] = rows.map(|row| {
            let shortest = (0..ROWS).map(|_| timed(row)).min().unwrap_or_default();
            Duration::from_ps(shortest / CALLS)
        });
        // SAFETY: as above.
        unsafe { *sums = Sums::default() };
        context.rank().world.skeleton.costs.set(Some(Costs { time, instructions }));
        context.rank().own_work_goes_on();
    }
}

impl Rank {
    /// Takes over what clock calls of the running rank have added up.
    #[inline]
    pub(crate) fn take_clock_calls(&mut self) {
        let Some(ClockCalls { sums, .. }) = self.clock_calls else { return };
        // SAFETY: the rank is running, so its globals are in place, and nothing else looks at them now.
        unsafe {
            if (*sums).calls + (*sums).instruction_calls > 0 {
                *sums = self.take_sums(*sums);
            }
        }
    }

    #[cold]
    fn take_sums(&mut self, sums: Sums) -> Sums {
        let skeleton = &self.world.skeleton;
        let mut seconds = sums.seconds;
        let instructions = sums.instructions + sums.whole_instructions as f64;
        if let Some(time) = self.world.options.instruction_time {
            seconds += time.seconds(instructions);
        }
        skeleton.calls.set(skeleton.calls.get() + sums.calls + sums.instruction_calls);
        skeleton.instruction_calls.set(skeleton.instruction_calls.get() + sums.instruction_calls);
        skeleton.charged_s.set(skeleton.charged_s.get() + seconds);
        skeleton.instructions.set(skeleton.instructions.get() + instructions);
        self.calling.clock_reads = 0;
        self.process.compute(duration(seconds).unwrap_or(Duration::MAX));
        // Whether the inline functions may add stays as it is.
        let Sums { is_ready, has_instruction_time, .. } = sums;
        Sums { is_ready, has_instruction_time, ..Sums::default() }
    }
}

/// Lets time pass for code that was left out; false where that is no time, or no rank is running.
#[inline]
fn charge(name: &'static str, seconds: f64) -> bool {
    let Some(mut context) = Context::get() else { return false };
    let Some(duration) = duration(seconds) else { return false };
    if !context.rank().world.skeleton.cost_is_known() {
        Skeleton::find_cost(&mut context);
    }
    if let Some(ClockCalls { sums, .. }) = context.rank().clock_calls {
        // SAFETY: the running rank's.
        unsafe { (*sums).is_ready = 1 };
    }
    context.rank().calling.call = name;
    context.charge(duration);
    true
}

impl Context {
    /// A clock call: lets time pass at the running rank, and counts.
    #[inline]
    pub(crate) fn charge(&mut self, duration: Duration) {
        let (rank, actions) = self.both();
        rank.calling.clock_reads = 0;
        rank.world.skeleton.count(duration);
        rank.process.wake(actions.now());
        rank.process.compute(duration);
    }
}

#[cold]
fn refuse(name: &'static str, why: String) -> c_int {
    enter(name, ptr::null_mut(), |_| Err(MpiError::Argument(why)))
}

pub(crate) unsafe extern "C" fn compute(seconds: c_double) -> c_int {
    const NAME: &str = "weir_compute";
    if charge(NAME, seconds) { abi::MPI_SUCCESS } else { refuse(NAME, no_time(seconds)) }
}

fn no_time(seconds: f64) -> String {
    format!("{seconds} seconds are no time that can pass: 0 or more, and finite")
}

/// Levels 1 and 2: so many instructions (paper 001, equation 2).
pub(crate) unsafe extern "C" fn compute_instructions(instructions: c_double) -> c_int {
    const NAME: &str = "weir_compute_instructions";
    let time = match Context::get() {
        Some(mut context) => context.rank().world.options.instruction_time,
        None => return refuse(NAME, String::new()),
    };
    let Some(time) = time else {
        return refuse(
            NAME,
            "how long an instruction takes is not known: set node.cpi (mean cycles per instruction) and node.clock (as \
             \"3 GHz\") in the machine file, or with --set"
                .into(),
        );
    };
    if !charge(NAME, time.seconds(instructions)) {
        return refuse(NAME, format!("{instructions} is no number of instructions: 0 or more, and finite"));
    }
    if let Some(mut context) = Context::get() {
        let rank = context.rank();
        if let Some(ClockCalls { sums, .. }) = rank.clock_calls {
            // SAFETY: the running rank's.
            unsafe { (*sums).has_instruction_time = 1 };
        }
        let total = &rank.world.skeleton.instructions;
        total.set(total.get() + instructions);
    }
    abi::MPI_SUCCESS
}

pub(crate) unsafe extern "C" fn compute_block(name: *const c_char, level: c_int, seconds: c_double) -> c_int {
    const NAME: &str = "weir_compute_block";
    let level = match u8::try_from(level) {
        Ok(level @ 1..=5) => Some(level),
        _ => {
            let why = format!("{level} is no level of abstraction: 1 (straight-line code) to 5 (with MPI)");
            return refuse(NAME, why);
        }
    };
    if name.is_null() {
        return refuse(NAME, "the name of the block is a null pointer".into());
    }
    if !charge(NAME, seconds) {
        return refuse(NAME, no_time(seconds));
    }
    if let Some(mut context) = Context::get() {
        let mut blocks = context.rank().world.skeleton.blocks.borrow_mut();
        // SAFETY: a string of the program's.
        let number = blocks.number(unsafe { CStr::from_ptr(name) }, Rule { level, sampling: None });
        blocks.count(number, 1.0, seconds);
    }
    abi::MPI_SUCCESS
}

/// Highest number of names: they stay as long as the process.
const MOST: usize = 1000;

static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

/// The phase that the calling rank is in from now on; an empty name or none: in no phase.
pub(crate) unsafe extern "C" fn phase(name: *const c_char) -> c_int {
    enter("weir_phase", ptr::null_mut(), |context| {
        let name = if name.is_null() {
            ""
        } else {
            // SAFETY: a string of the program's.
            kept(&unsafe { CStr::from_ptr(name) }.to_string_lossy())?
        };
        context.rank().process.enter_phase(name);
        Ok(())
    })
}

/// The same name, to be kept.
fn kept(name: &str) -> Result<&'static str> {
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(name) = names.get(name) {
        return Ok(name);
    }
    if names.len() == MOST {
        return Err(MpiError::Argument(format!(
            "{name:?} would be phase number {}: at most {MOST} names; those of steps go without the number of the step",
            MOST + 1
        )));
    }
    let name = Name::kept(name).text();
    names.insert(name);
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::{Machine, mpi, now};
    use crate::skeleton::counts::InstructionTime;
    use std::cell::Cell;

    thread_local! {
        /// Number of rows of calls so far, and number of calls in a row.
        static ROWS: Cell<(u32, c_long)> = const { Cell::new((0, 0)) };
    }

    extern "C" fn row(calls: c_long) {
        ROWS.set((ROWS.get().0 + 1, calls));
    }

    /// 1000 instructions take 500 ns. What has been added up becomes time when a call comes.
    #[test]
    fn sums_are_taken_over() {
        let mut machine = Machine::free(1);
        machine.options.instruction_time = Some(InstructionTime { cpi: 1.5, clock_hz: 3e9 });
        ROWS.set((0, 0));
        let ran = machine.run_mpi(|_| {
            let is_known = || Context::get().unwrap().rank().world.skeleton.cost_is_known();
            let sums: *mut Sums = Box::leak(Box::default());
            Context::get().unwrap().rank().clock_calls = Some(ClockCalls { sums, rows: [row; 2] });
            let add = |added: Sums| {
                // SAFETY: the rank's sums.
                unsafe { *sums = Sums { is_ready: 1, has_instruction_time: 1, ..added } };
                mpi!(Initialized, &mut 0);
                // SAFETY: as above.
                let left = unsafe { &*sums };
                assert_eq!((left.is_ready, left.has_instruction_time), (1, 1), "they stay");
                assert_eq!((left.seconds, left.instructions, left.whole_instructions), (0.0, 0.0, 0));
                assert_eq!((left.calls, left.instruction_calls), (0, 0));
                now()
            };
            let first =
                Sums { seconds: 2e-6, instructions: 400.0, whole_instructions: 600, ..Sums::default() };
            assert_eq!(add(Sums { calls: 3, instruction_calls: 2, ..first }), 2500);
            assert_eq!(add(Sums { whole_instructions: 2000, instruction_calls: 1, ..Sums::default() }), 3500);
            assert_eq!(add(Sums { seconds: 1e-6, calls: 1, ..Sums::default() }), 4500);
            // What a call costs is found out once.
            assert!(!is_known());
            for _ in 0..2 {
                // SAFETY: a rank is running.
                assert_eq!(unsafe { compute(1e-6) }, abi::MPI_SUCCESS);
                assert!(is_known());
                assert_eq!(ROWS.get(), (40, 4096), "20 rows of each");
            }
            // SAFETY: the rank's sums.
            assert_eq!(unsafe { ((*sums).is_ready, (*sums).has_instruction_time) }, (1, 0));
            // SAFETY: a rank is running.
            assert_eq!(unsafe { compute_instructions(2000.0) }, abi::MPI_SUCCESS);
            // SAFETY: the rank's sums.
            assert_eq!(unsafe { ((*sums).is_ready, (*sums).has_instruction_time) }, (1, 1));
            assert_eq!(now(), 7500);
            assert_eq!(Context::get().unwrap().rank().world.skeleton.instruction_calls.get(), 3);
            Context::get().unwrap().rank().clock_calls = None;
        });
        let counts = ran.world.skeleton().unwrap();
        assert_eq!(
            (counts.clock_calls, counts.instructions),
            (3 + 2 + 1 + 1 + 2 + 1, 1000.0 + 2000.0 + 2000.0)
        );
        assert!((counts.charged_s - 7.5e-6).abs() < 1e-15, "{counts:?}");
        ran.finished();
    }

    /// Five calls, of which two have instructions.
    #[test]
    fn calls_cost_what_was_found_out() {
        let skeleton = Skeleton::default();
        assert_eq!((skeleton.counts(), skeleton.spent()), (None, Duration::ZERO));
        skeleton.costs.set(Some(Costs { time: Duration::from_ns(10), instructions: Duration::from_ns(3) }));
        assert_eq!(skeleton.spent(), Duration::ZERO);
        (0..5).for_each(|_| skeleton.count(Duration::from_ns(100)));
        skeleton.instruction_calls.set(2);
        assert_eq!(skeleton.spent(), Duration::from_ns(3 * 10 + 2 * 3));
        let counts = skeleton.counts().unwrap();
        assert_eq!(counts.clock_calls, 5);
        assert!((counts.call_cost_s - 7.2e-9).abs() < 1e-18 && (counts.charged_s - 5e-7).abs() < 1e-18);
        let number = skeleton.blocks.borrow_mut().number(c"block", Rule { level: Some(1), sampling: None });
        skeleton.blocks.borrow_mut().count(number, 1.0, 2e-6);
        skeleton.calls.set(0);
        skeleton.instruction_calls.set(0);
        let counts = skeleton.counts().unwrap();
        assert!(counts.blocks.len() == 1 && (counts.call_cost_s - 1e-8).abs() < 1e-18);
    }
}
