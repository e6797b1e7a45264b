//! A signal ends all runs of its process: so this is a process of its own.

use std::sync::Arc;
use weir_network::{Ideal, Outcome, Placement, RunContext, forget_interruption, interrupt, interrupted_by};
use weir_units::Bytes;
use weir_workload::{Permutation, Queue, Steps};

/// The first to ask counts. A run looks after each event whether somebody has, and ends there; once that is taken back, runs
/// come to their end again.
#[test]
fn whoever_asks_first_ends_all_runs() {
    let run = || {
        let mut queues = Queue::all(Arc::new(Permutation::ring(2, Bytes(1), 10, Steps::FreeRunning)));
        Ideal::default().run(&mut queues, RunContext::new(&Placement::one_per_node(2)))
    };
    assert_eq!((interrupted_by(), run().outcome), (None, Outcome::Finished));
    assert!(interrupt(15));
    assert!(!interrupt(2), "somebody has asked already");
    assert_eq!(interrupted_by(), Some(15));
    let ended = run();
    assert_eq!(ended.outcome, Outcome::Limit("interrupted by SIGTERM".into()));
    assert_eq!(ended.traffic.events, 1);
    forget_interruption();
    assert_eq!((interrupted_by(), run().outcome), (None, Outcome::Finished));
    assert!(interrupt(2), "there is a first one again");
}
