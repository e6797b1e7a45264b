//! Findings of an extrapolation: the classes, their forms, and all that the profiles leave open.

use crate::cells::NONE;
use crate::generate::Ambiguity;

/// The forms of a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleReport {
    /// The operation, and which of its numbers.
    pub what: String,
    /// Its form, or those of repetitions in their order.
    pub forms: Vec<String>,
}

/// A class of ranks.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassReport {
    /// The predicates by which it is found; empty if all ranks are of one class.
    pub who: String,
    /// The number of its ranks in all profiles.
    pub members: usize,
    /// The numbers of ranks of the profiles in which there are some.
    pub sizes: Vec<u32>,
    /// Ranks of it that were made.
    pub made: u64,
    /// Loops, and the operations in all of them.
    pub loops: usize,
    /// Operations, loops counted once.
    pub operations: usize,
    /// The forms of all numbers that are not the same everywhere.
    pub rules: Vec<RuleReport>,
    /// The forms of times, each with the number of operations that have it.
    pub times: Vec<(String, usize)>,
    /// The largest distance of a time from its form, as a share of it.
    pub time_error: f64,
}

/// The communicators of a family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommunicatorReport {
    /// The way in which ranks are divided among them.
    pub groups: String,
    /// Other ways that the profiles do not rule out, and that differ.
    pub others: Vec<String>,
    /// The number of them.
    pub count: usize,
}

/// Everything that is said of a profile that has been written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Totals {
    /// Steps of all ranks.
    pub steps: u64,
    /// Messages between two ranks, beside those of collectives.
    pub messages: u64,
    /// Their bytes.
    pub message_bytes: u64,
    /// Classes of ranks.
    pub classes: Vec<ClassReport>,
    /// Families of communicators.
    pub communicators: Vec<CommunicatorReport>,
    /// Numbers for which two forms fit.
    pub ambiguities: Vec<Ambiguity>,
    /// Sentences about ranks of the profiles that more than one predicate divides in the same way.
    pub predicates: Vec<String>,
    /// Looks in vain that were left out.
    pub polls: u64,
    /// Receives from any source do not all say from whom.
    pub sources_are_open: bool,
}

impl Totals {
    /// A sentence for everything that the profiles do not decide; empty if nothing is open.
    pub fn open(&self) -> Vec<String> {
        let mut sentences: Vec<String> = self.ambiguities.iter().map(of_number).collect();
        sentences.extend(self.communicators.iter().filter_map(of_communicators));
        sentences.extend(self.predicates.iter().cloned());
        let once = self.classes.iter().filter(|class| class.made > 0 && class.sizes.len() == 1);
        sentences.extend(once.map(|class| {
            let who = if class.who.is_empty() { "all" } else { &class.who };
            format!("ranks of one class ({who}) were seen with {} ranks only", class.sizes[0])
        }));
        if self.sources_are_open {
            sentences
                .push("receives from any source take whoever comes first: no form says from whom".into());
        }
        sentences.sort();
        sentences.dedup();
        sentences
    }
}

fn of_number(of: &Ambiguity) -> String {
    let Ambiguity { what, taken, there: (rank, by_taken), other } = of;
    let by_taken = number(*by_taken);
    match other {
        Some((other, by_other)) => {
            let by_other = number(*by_other);
            format!("{what}: {taken} was taken; {other} fits, too (rank {rank}: {by_taken}, or {by_other})")
        }
        None => format!(
            "{what}: {taken} was taken, which takes all sizes to find and none to confirm (rank {rank}: {by_taken})"
        ),
    }
}

fn of_communicators(of: &CommunicatorReport) -> Option<String> {
    let others = of.others.join("; ");
    (!of.others.is_empty()).then(|| format!("communicators: {} was taken; {others} fit, too", of.groups))
}

fn number(value: i64) -> String {
    if value == NONE { "none".into() } else { value.to_string() }
}
