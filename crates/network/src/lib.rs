//! The joint of the house: what an engine offers, and what runs at an endpoint.
//!
//! The engine drives; a [`Program`] reacts. A program gets events: that it starts, that a message has arrived, that its
//! own message has left, that a timer fired; it answers with sends and timers ([`Actions`]). It holds no reference
//! to the rest of the machine, not even to its own position in it. So a queue of messages, an MPI rank in a
//! coroutine and a replayed profile run on every engine, and inside any part of a parallel run.
//!
//! ```text
//!   engine --- Event (start, arrived, departed, timer) ---> program of one rank
//!          <-- Actions (sends, timers, stop) --------------
//! ```
//!
//! # Order of events
//! Events of one instant act in rounds: first those that were there when the instant began, then those that these
//! brought about, and so on. Within a round they act in the order of [`EventKey`]: by kind (departed, arrived, timer),
//! then by the rank they concern, then by the sender, then by the number within the sender. The order has no part
//! that depends on threads or on the order of arrival, and no two events of a round have the same key.

mod actions;
mod calendar;
mod choosing;
#[doc(hidden)]
pub mod harness;
pub mod ideal;
mod job_waits;
mod jobs;
mod latencies;
mod machine;
mod outcome;
mod pending;
mod polling;
mod program;
mod ranks;
pub mod record;
mod remembering;
mod round;
mod run_context;
mod service_counts;
mod services;
mod skeleton;
mod stepping;
mod within_node;
mod work;

pub use actions::{Actions, Answers, Notice, Send, SendOptions, TimerKind};
pub use calendar::Calendar;
pub use choosing::{Candidates, Choice, Choose, Chosen, Serving, Striping};
pub use ideal::Ideal;
pub use job_waits::{JobRanks, JobWaits, WaitsByJob};
pub use jobs::{AwaitedRanks, Ends, JobPlace, JobTraffic, OfJob};
pub use latencies::Latencies;
pub use machine::{
    Limits, Looks, Placement, Progress, Stage, Watch, forget_interruption, interrupt, interrupted_by,
};
pub use outcome::{Digest, Ended, Outcome, Peer, Traffic, Waiting};
pub use pending::{Due, Pending};
pub use polling::Polling;
pub use program::{Class, Event, Message, MessageNumber, Program, erased};
pub use ranks::{Output, Ranks, SavedRanks};
pub use record::{LatencyKind, Recorder, Requested};
pub use remembering::{Checkpoints, EventLogged};
pub use round::{EventKey, EventKind, Moment};
pub use run_context::{Console, Print, Prints, RunContext, numbered};
pub use service_counts::ServiceCounts;
pub use services::{Fitting, MOST_SERVICES, Selected, ServiceClass, ServiceClasses};
pub use skeleton::{SkeletonBlock, SkeletonCounts};
pub use stepping::{Stepper, WAKE};

/// Causes of simulated time.
pub use weir_causes as causes;
/// Threads for what goes on beside a run.
pub use weir_pdes::begin_thread;
pub use within_node::{Copying, Neighbors, NodeMemory, WithinNode};
pub use work::WorkFactors;
