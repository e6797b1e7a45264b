//! What there is.

use crate::campaign::Campaign;
use crate::{Comparison, Options, PapersError, Watch};
use std::num::NonZeroUsize;
use std::thread;

/// A figure or a table of a paper.
#[derive(Debug)]
pub struct Item {
    /// Number of the paper: `000`.
    pub paper: &'static str,
    /// `figure-2`.
    pub name: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// About how long the default points take on one core.
    pub takes: &'static str,
    /// About how long all points take on one core.
    pub takes_in_full: &'static str,
    /// Whether points may run side by side.
    pub(crate) timing: Timing,
    /// Whether it takes sizes of messages ([`Options::sizes`]).
    pub takes_sizes: bool,
    pub(crate) compare: fn(&Campaign<'_>, &'static Item) -> Result<Comparison, PapersError>,
}

/// Whether an item reports how long its runs take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timing {
    /// Run times are among its results, so by default nothing runs beside a point.
    Reported,
    Unused,
}

impl Item {
    /// Runs its points. `watch` is called for every one.
    ///
    /// # Errors
    /// When a point cannot be run to its end. Values outside their tolerance are no error; see
    /// [`Comparison::unexplained`].
    pub fn run(&'static self, options: Options<'_>, watch: Watch<'_>) -> Result<Comparison, PapersError> {
        let available = || match self.timing {
            Timing::Reported => NonZeroUsize::MIN,
            Timing::Unused => thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
        };
        let threads = options.threads.unwrap_or_else(available);
        let Options { extent, sizes, own_process, .. } = options;
        (self.compare)(&Campaign { item: self.name, extent, sizes, threads, own_process, watch }, self)
    }

    /// Whether run times are among its results, which differ where other processes run beside it.
    #[must_use]
    pub fn reports_run_times(&self) -> bool {
        self.timing == Timing::Reported
    }

    pub(crate) fn comparison(&self, x: &'static str) -> Comparison {
        Comparison {
            paper: self.paper,
            item: self.name,
            title: self.title,
            x,
            rows: Vec::new(),
            plots: Vec::new(),
            notes: Vec::new(),
        }
    }
}
