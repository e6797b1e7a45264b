//! Comparison of what the ranks of a collective have to give alike.

use crate::calls::call_site::CallSite;
use crate::mpi::operations;
use crate::mpi::prelude::*;
use crate::rank::ErrorHandler;
use crate::world::World;
use std::cell::RefMut;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use weir_collectives::{Call, Plan};
use weir_message::Meeting;
use weir_network::Moment;
use weir_operations::{Function, Lengths};
use weir_units::Rank;

/// Arguments that all ranks of a collective have to give alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Terms {
    call: Call,
    /// Bytes of all, or of each block.
    bytes: usize,
    /// Value of a predefined operation; 0 where there is none, and for those of the program, which each rank numbers.
    operation: usize,
}

impl Terms {
    fn of(plan: &Plan, operation: usize) -> Option<Self> {
        let call = &plan.collective;
        let bytes = match call.lengths {
            Lengths::Bytes(_) if matches!(call.function, Function::Gatherv | Function::Scatterv) => {
                return None;
            }
            Lengths::Bytes(bytes) | Lengths::Elements { bytes, .. } => bytes as usize,
            Lengths::Combined { .. } => plan.input.len(),
            _ => return None,
        };
        Some(Self { call: plan.call, bytes, operation })
    }

    /// Returns the mistake if another rank has other terms.
    fn differ(&self, rank: Rank, other: &Self, of: Rank) -> Option<MpiError> {
        let (call, rank, of) = (self.call, rank.0, of.0);
        // Whether they call the same at all, their messages show.
        if call != other.call || self == other {
            return None;
        }
        if self.operation != other.operation {
            let [one, two] = [self, other].map(|terms| operations::name(terms.operation));
            return Some(MpiError::Operation(format!(
                "the ranks do not agree: rank {rank} calls {call} with {one}, and rank {of} with {two}"
            )));
        }
        let (one, two) = (self.bytes, other.bytes);
        Some(MpiError::Other(format!(
            "the ranks give different counts: rank {rank} calls {call} with {one} bytes, and rank {of} with {two}"
        )))
    }
}

/// A collective: the context of its communicator, and its number there.
pub(super) type Number = (u64, u64);

/// The collectives to which some ranks have come, and others have not: they are to give the same number of bytes and the same
/// operation.
///
/// Messages do not show all of that. A rank of a reduction that only sends never learns of another operation, and a message
/// that is shorter than the room for it may be meant so. But all ranks are simulated in one place: the first rank that comes
/// to a collective writes down its terms, and those that come later compare theirs. It costs no message and no simulated
/// time. Where each block has a count of its own (`MPI_Gatherv` and its kind), ranks do not know the same counts, and
/// nothing is compared; nor where ranks are processes of their own, or several processes run them together.
#[derive(Debug, Default)]
struct Agreements {
    open: BTreeMap<Number, Open>,
    /// Those whose ranks do not agree.
    broken: BTreeMap<Number, MpiError>,
}

#[derive(Debug)]
struct Open {
    terms: Terms,
    first: Rank,
    came: usize,
}

impl Agreements {
    /// A rank comes, to a collective of so many; what is wrong with its terms.
    fn come(&mut self, number: Number, terms: Terms, rank: Rank, size: usize) -> Done {
        let open = self.open.entry(number).or_insert(Open { terms, first: rank, came: 0 });
        open.came += 1;
        let mistake = terms.differ(rank, &open.terms, open.first);
        if open.came == size {
            self.open.remove(&number);
        }
        let Some(mistake) = mistake else { return Ok(()) };
        self.broken.insert(number, mistake.clone());
        Err(mistake)
    }
}

/// The same where ranks are on several threads: within a window they may come in any order, and what one rank is found to give
/// otherwise than the first may be the mistake of another one that has come before. So a mistake that is found ends the run, and which one it is
/// in the order of events is seen when all threads have come to the end of the window.
#[derive(Debug, Default)]
pub(crate) struct TogetherAgreements {
    /// By collective: how many ranks have come, and for each of the terms they have given the first one that has.
    open: BTreeMap<Number, (usize, Vec<Came>)>,
    /// Those whose ranks do not agree.
    broken: Vec<Number>,
    /// In words, what ranks were ended with.
    said: Vec<String>,
}

#[derive(Clone, Copy, Debug)]
struct Came {
    moment: Moment,
    terms: Terms,
    rank: Rank,
    /// The function it has called, and where.
    function: &'static str,
    site: Option<CallSite>,
}

/// The rank that ends the run, when, and why.
pub(crate) struct Verdict {
    pub(crate) moment: Moment,
    pub(crate) rank: Rank,
    pub(crate) why: String,
}

impl TogetherAgreements {
    /// A rank comes; in words, what it ends the run with if not all agree.
    fn come(&mut self, number: Number, came: Came, size: usize) -> Option<String> {
        let (count, known) = self.open.entry(number).or_default();
        *count += 1;
        match known.iter_mut().find(|known| known.terms == came.terms) {
            Some(same) if same.moment <= came.moment => {}
            Some(same) => *same = came,
            None => known.push(came),
        }
        let verdict = Self::verdict_on(known);
        match verdict {
            None if *count == size => _ = self.open.remove(&number),
            None => {}
            Some(_) if self.broken.contains(&number) => {}
            Some(_) => self.broken.push(number),
        }
        let why = verdict?.why;
        self.said.push(why.clone());
        Some(why)
    }

    /// The first rank that gives something else than the first of all.
    fn verdict_on(known: &[Came]) -> Option<Verdict> {
        let first = known.iter().min_by_key(|came| came.moment)?;
        let differs = |came: &&Came| came.terms.differ(came.rank, &first.terms, first.rank).is_some();
        let Came { moment, terms, rank, function, site } =
            known.iter().filter(differs).min_by_key(|came| came.moment)?;
        let mistake = terms.differ(*rank, &first.terms, first.rank)?;
        let site = site.map(|site| format!(" (called in {})", site.describe()));
        let why = format!("{function} failed: {mistake}{}", site.unwrap_or_default());
        Some(Verdict { moment: *moment, rank: *rank, why })
    }

    /// When all threads have come to the end: what has ended the run, if a rank was ended with `why` by this.
    pub(crate) fn verdict(&self, why: &str) -> Option<Verdict> {
        let all = self.broken.iter().filter_map(|number| Self::verdict_on(&self.open.get(number)?.1));
        all.min_by_key(|verdict| verdict.moment).filter(|_| self.said.iter().any(|said| said == why))
    }
}

/// The running rank, whose mistakes end the run, comes to a collective, and the ranks are on several threads.
fn come_together(context: &mut Context, number: Number, terms: Terms, size: usize) {
    let moment = context.actions().moment();
    let site = CallSite::noted();
    let rank = context.rank();
    let (number_of_rank, function) = (rank.process.rank(), rank.calling.call);
    let came = Came { moment, terms, rank: number_of_rank, function, site };
    let agreements = rank.world.together::<Mutex<TogetherAgreements>>();
    let mut agreements = agreements.map(|all| all.lock().unwrap_or_else(PoisonError::into_inner));
    let why = agreements.as_mut().and_then(|agreements| agreements.come(number, came, size));
    drop(agreements);
    if let Some(why) = why {
        context.actions().stop(why);
        context.leave(1);
    }
}

impl World {
    fn agreements(&self) -> RefMut<'_, Agreements> {
        self.shared(|_| Agreements::default())
    }
}

/// Numbers of collectives that are started later are apart from those of others.
const RESERVED: u64 = 1 << 63;

/// The running rank comes to a collective. Its number, if anything is to be asked at the end. Fails when the ranks do not agree,
/// and the program does not go on from there. A program that does gets the error at the end of the collective: other ranks wait
/// for the messages of this one.
pub(super) fn come(
    context: &mut Context,
    communicator: CommunicatorId,
    meeting: Meeting,
    plan: &Plan,
    operation: usize,
) -> Result<Option<Number>> {
    let rank = context.rank();
    let known = rank.process.communicator(communicator)?;
    // The two groups of an intercommunicator may give different data.
    let terms = if known.remote.is_some() { None } else { Terms::of(plan, operation) };
    let Some(terms) = terms else { return Ok(None) };
    let size = known.everybody().size();
    if size == 1 || rank.world.who_is_elsewhere().is_some() {
        return Ok(None);
    }
    let number = match meeting {
        Meeting::InOrder => (known.context, known.collectives + 1),
        Meeting::Reserved(number) => (known.context, u64::from(number) | RESERVED),
    };
    if rank.world.together::<Mutex<TogetherAgreements>>().is_some() {
        come_together(context, number, terms, size);
        return Ok(None);
    }
    let agreed = rank.world.agreements().come(number, terms, rank.process.rank(), size);
    match agreed {
        Err(mistake) if ends_the_run(context, communicator) => Err(mistake),
        _ => Ok(Some(number)),
    }
}

/// Returns true if mistakes on a communicator end the run.
pub(super) fn ends_the_run(context: &mut Context, communicator: CommunicatorId) -> bool {
    matches!(context.rank().error_handler(communicator), ErrorHandler::Fatal | ErrorHandler::Abort)
}

/// Returns the mistake that was found in a collective that has ended at the running rank.
pub(super) fn agreed(context: &mut Context, number: Option<Number>) -> Done {
    let agreements = context.rank().world.agreements();
    match number.and_then(|number| agreements.broken.get(&number)) {
        None => Ok(()),
        Some(mistake) => Err(mistake.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_collectives::{Choice, Place};
    use weir_network::EventKind;
    use weir_units::Time;

    fn terms(bytes: usize) -> Terms {
        Terms::of(&Plan::bcast(&Choice::default(), Place { rank: 0, size: 2 }, 0, bytes), 0).unwrap()
    }

    /// In whatever order ranks of several threads come, the first that gives something else than the first of all ends the run.
    #[test]
    fn the_order_of_coming_does_not_count() {
        let came = |at: u64, bytes, rank| {
            let (at, kind) = (Time::from_ps(at), EventKind::Timer);
            let moment = Moment { at, round: 0, kind, rank: Rank(rank) };
            Came { moment, terms: terms(bytes), rank: Rank(rank), function: "MPI_Bcast", site: None }
        };
        let all = [came(3, 8, 0), came(5, 8, 1), came(4, 4, 2), came(9, 2, 3)];
        for number in 0..24 {
            let (mut left, mut order, mut rest) = (all.to_vec(), Vec::new(), number);
            for choices in (1..=4).rev() {
                order.push(left.remove(rest % choices));
                rest /= choices;
            }
            let mut agreements = TogetherAgreements::default();
            let said: Vec<String> =
                order.iter().filter_map(|&came| agreements.come((1, 1), came, 4)).collect();
            let verdict = agreements.verdict(said.last().unwrap()).unwrap();
            assert_eq!((verdict.rank, verdict.moment), (Rank(2), all[2].moment), "{order:?}");
            let expected = "rank 2 calls MPI_Bcast from root 0 with 4 bytes, and rank 0 with 8";
            assert!(verdict.why.contains(expected), "{}", verdict.why);
            assert!(agreements.verdict("something else").is_none());
        }
        let mut agreements = TogetherAgreements::default();
        assert!([0, 1].iter().all(|&rank| agreements.come((1, 1), all[rank], 2).is_none()));
        assert!(agreements.open.is_empty() && agreements.broken.is_empty());
    }

    /// Collectives on several communicators at a time, in any order, and none is left over.
    #[test]
    fn each_collective_meets_its_own() {
        let mut agreements = Agreements::default();
        for (number, bytes, rank) in [(1, 8, 0), (2, 4, 0), (2, 4, 1), (3, 2, 5), (1, 8, 1), (3, 2, 6)] {
            agreements.come((number, 1), terms(bytes), Rank(rank), 2).unwrap();
        }
        assert!(agreements.open.is_empty() && agreements.broken.is_empty());
        agreements.come((1, 2), terms(8), Rank(0), 2).unwrap();
        agreements.come((2, 2), terms(8), Rank(0), 2).unwrap();
        let mistake = agreements.come((2, 2), terms(4), Rank(1), 2).unwrap_err().to_string();
        assert!(
            mistake.contains("rank 1 calls MPI_Bcast from root 0 with 4 bytes, and rank 0 with 8"),
            "{mistake}"
        );
        agreements.come((1, 2), terms(8), Rank(1), 2).unwrap();
        assert!(agreements.open.is_empty());
        assert_eq!(agreements.broken.keys().collect::<Vec<_>>(), [&(2, 2)]);
    }
}
