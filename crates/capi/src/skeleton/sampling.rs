//! Sampled blocks: the first executions of a block are measured, the others are skipped and charged the mean.
//!
//! # Model
//! A measured execution takes the processor time that it takes here (times the factor of `workload.compute`, if there is
//! one), less what the measuring costs, and the time that clock calls within it charge. A skipped one takes the mean of those
//! measured, by the rank or by all ranks, times its number of inner iterations. Blocks do not nest, and they call no MPI: a
//! message would be missing where the block is skipped.

use crate::headers::constants::{WEIR_ALWAYS, WEIR_GLOBAL, WEIR_PER_RANK};
use crate::rank::context::Context;
use crate::skeleton::counts::{Execution, Open, Rule, Sampling, Scope, Skeleton};
use crate::skeleton::refuse;
use crate::world::options::Compute;
use std::ffi::{CStr, c_char, c_double, c_int};
use weir_units::Duration;

struct Requested {
    sampling: Sampling,
    iterations: f64,
}

impl Requested {
    fn checked(
        name: *const c_char,
        scope: c_int,
        first: c_double,
        iterations: c_double,
    ) -> Result<Self, String> {
        let scope = match scope {
            WEIR_PER_RANK => Scope::Rank,
            WEIR_GLOBAL => Scope::World,
            _ => return Err(format!("{scope} is no scope: WEIR_PER_RANK or WEIR_GLOBAL")),
        };
        let first = match first {
            WEIR_ALWAYS => u64::MAX,
            1.0..=1e15 if first.fract() == 0.0 => first as u64,
            _ => {
                return Err(format!(
                    "{first} is no number of executions to measure: a whole number, 1 or more, or WEIR_ALWAYS"
                ));
            }
        };
        if !(iterations >= 0.0 && iterations.is_finite()) {
            return Err(format!("{iterations} is no number of iterations: 0 or more, and finite"));
        }
        if name.is_null() {
            return Err("the name of the block is a null pointer".into());
        }
        Ok(Self { sampling: Sampling { scope, first }, iterations })
    }
}

const BEGIN: &str = "weir_sample_begin";
const END: &str = "weir_sample_end";

/// The running rank comes to a block: 1 if it is to be executed, 0 if it is skipped.
pub(crate) unsafe extern "C" fn begin(
    name: *const c_char,
    scope: c_int,
    first: c_double,
    iterations: c_double,
) -> c_int {
    let Some(mut context) = Context::get() else {
        refuse(BEGIN, String::new());
        return 1;
    };
    let requested = match Requested::checked(name, scope, first, iterations) {
        Ok(requested) => requested,
        Err(why) => {
            context.lend(|| refuse(BEGIN, why));
            context.rank().samples.open = Some(Open::Refused);
            return 1;
        }
    };
    let rank = context.rank();
    if let Some(Open::Measured(open)) = rank.samples.open.take() {
        let open = rank.world.skeleton.blocks.borrow().name(open.block);
        // SAFETY: a string of the program's, since it has been checked.
        let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
        let why = format!(
            "the block {name:?} begins within the block {open:?}: sampled blocks do not nest, and are not left by break, \
             return or goto"
        );
        context.lend(|| refuse(BEGIN, why));
    }
    // SAFETY: as above.
    c_int::from(context.begin_block(unsafe { CStr::from_ptr(name) }, &requested))
}

/// A measured execution is over. Returns 0: the block is not executed again.
pub(crate) unsafe extern "C" fn end() -> c_int {
    let Some(mut context) = Context::get() else {
        refuse(END, String::new());
        return 0;
    };
    let ended = match context.rank().samples.open.take() {
        Some(Open::Measured(execution)) => context.end_block(execution),
        Some(Open::Refused) => Ok(()),
        None => Err("no sampled block has begun".into()),
    };
    drop(context);
    if let Err(why) = ended {
        refuse(END, why);
    }
    0
}

impl Context {
    /// Returns true if the block is to be executed. If not, it is charged.
    fn begin_block(&mut self, name: &CStr, requested: &Requested) -> bool {
        if !self.rank().world.skeleton.cost_is_known() {
            Skeleton::find_cost(self);
        }
        let (block, duration) = self.known_duration(name, requested);
        if let Some(duration) = duration {
            self.charge(duration);
            return false;
        }
        let (rank, actions) = self.both();
        rank.charge_own_work();
        rank.process.wake(actions.now());
        let execution = Execution {
            block,
            scope: requested.sampling.scope,
            iterations: requested.iterations,
            computed: rank.process.computed(),
            mpi_calls: rank.world.mpi_calls(),
        };
        rank.samples.open = Some(Open::Measured(execution));
        rank.compute_meter.restart(&rank.world);
        true
    }

    /// Returns the number of a block, and its duration if it has been executed often enough, which then counts as an execution.
    fn known_duration(&mut self, name: &CStr, requested: &Requested) -> (usize, Option<Duration>) {
        let Requested { sampling, iterations } = *requested;
        let rank = self.rank();
        let mut blocks = rank.world.skeleton.blocks.borrow_mut();
        let block = blocks.number(name, Rule { level: None, sampling: Some(sampling) });
        let statistics = match sampling.scope {
            Scope::Rank => *rank.samples.own(block),
            Scope::World => blocks.get(block).statistics,
        };
        if statistics.executions() < sampling.first {
            return (block, None);
        }
        let seconds = statistics.mean().unwrap_or(0.0) * iterations;
        let duration = Duration::from_secs_f64(seconds).unwrap_or(Duration::MAX);
        blocks.count(block, iterations, duration.as_secs_f64());
        (block, Some(duration))
    }

    /// # Errors
    /// When MPI was called within the block.
    fn end_block(&mut self, execution: Execution) -> Result<(), String> {
        let rank = self.rank();
        rank.charge_at_factor(match rank.world.options.compute {
            Compute::None => 1.0,
            Compute::Measured(factor) => factor,
        });
        let Execution { block, scope, iterations, computed, mpi_calls } = execution;
        if rank.world.mpi_calls() != mpi_calls {
            let name = rank.world.skeleton.blocks.borrow().name(block);
            return Err(format!(
                "MPI was called within the sampled block {name:?}, where it would be missing when the block is skipped; \
                 measure the code between the calls"
            ));
        }
        // Without the factor of the rank's work: what is charged for it has the factor of whoever skips it.
        let seconds = (rank.process.computed() - computed).as_secs_f64();
        if scope == Scope::Rank {
            rank.samples.own(block).add(seconds, iterations);
        }
        let mut blocks = rank.world.skeleton.blocks.borrow_mut();
        blocks.get(block).statistics.add(seconds, iterations);
        blocks.count(block, iterations, seconds);
        rank.compute_meter.restart(&rank.world);
        Ok(())
    }
}
