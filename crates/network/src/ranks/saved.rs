//! Ranks in a checkpoint.

use super::{Programs, Ranks, State};
use crate::causes::{Accounts, RankEnd, SoFar, SumsDue};
use crate::record::Keep;
use crate::service_counts::join;
use crate::{Latencies, Program, ServiceCounts, Traffic};
use weir_units::{Rank, Time};

/// Some ranks of a run, with their programs.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct SavedRanks {
    ranks: Vec<SavedRank>,
    traffic: Traffic,
    latency: Latencies,
    services: Vec<ServiceCounts>,
    now: Time,
}

#[derive(Debug, serde::Serialize, serde::Deserialize)]
struct SavedRank {
    rank: Rank,
    state: State,
    program: Vec<u8>,
    /// The account of its time, if that is kept.
    ledger: Option<Vec<u8>>,
}

impl SavedRanks {
    /// The ranks, in ascending order.
    pub fn numbers(&self) -> impl Iterator<Item = Rank> + '_ {
        self.ranks.iter().map(|saved| saved.rank)
    }
}

impl<P: Program> Ranks<'_, P> {
    /// State of the ranks between two events.
    ///
    /// # Panics
    /// When a program cannot be saved.
    pub fn save(&mut self) -> SavedRanks {
        let numbers: Vec<Rank> = self.numbers().collect();
        let mut rank = |((place, rank), &state): ((usize, Rank), &State)| {
            let own = self.programs.at(place);
            let ledger = own.ledger().and_then(|ledger| ledger.as_ref());
            let ledger =
                ledger.map(|ledger| postcard::to_stdvec(ledger).expect("memory takes all that is written"));
            let program = own.save().expect("a run is kept if its programs can be");
            SavedRank { rank, state, program, ledger }
        };
        SavedRanks {
            ranks: numbers.into_iter().enumerate().zip(&self.states).map(&mut rank).collect(),
            traffic: self.traffic.clone(),
            latency: self.latency.clone(),
            services: self.services.as_ref().map(|(_, counts)| counts.clone()).unwrap_or_default(),
            now: self.now,
        }
    }

    /// Puts those of these ranks that are saved there into the state in which they were; `None` if what is saved cannot be read.
    /// Their common counts are added if `with_counts` says so.
    pub fn restore(&mut self, saved: &SavedRanks, with_counts: bool) -> Option<()> {
        for SavedRank { rank, state, program, ledger } in &saved.ranks {
            let Some(place) = self.programs.place_if_here(*rank) else { continue };
            self.states[place] = *state;
            let own = self.programs.at(place);
            own.restore(program)?;
            if let (Some(place), Some(ledger)) = (own.ledger(), ledger) {
                *place = Some(postcard::from_bytes(ledger).ok()?);
            }
        }
        if with_counts {
            self.traffic.join(&saved.traffic);
            self.latency.join(&saved.latency);
            if let Some((_, counts)) = &mut self.services {
                *counts = join(std::mem::take(counts), &saved.services);
            }
        }
        self.now = self.now.max(saved.now);
        Some(())
    }
}

impl<P: Program> Ranks<'_, P> {
    /// Shows the watch the causes of the time of ranks now and then, where they keep account of that.
    #[must_use]
    pub fn showing_causes(mut self, shows: Keep) -> Self {
        self.sums_due = (shows == Keep::Yes && self.keeps_causes()).then(SumsDue::default);
        self
    }

    pub(super) fn so_far_if_due(&mut self) -> Option<SoFar> {
        let mut due = self.sums_due.take()?;
        let found = due.sum_up(|| self.so_far(self.now));
        self.sums_due = Some(due);
        found
    }

    /// Causes of the time of these ranks up to an instant. Takes time for each rank.
    pub fn so_far(&mut self, now: Time) -> SoFar {
        let mut all = SoFar::default();
        for place in 0..self.programs.len() {
            if let Some(ledger) = self.programs.at(place).ledger().and_then(|ledger| ledger.as_ref()) {
                all.join(&ledger.so_far(now));
            }
        }
        all
    }

    /// The accounts of all ranks that have kept one.
    pub(super) fn take_accounts(&mut self) -> Option<Accounts> {
        let close = |program: &mut P| {
            let rank_end = if program.waiting().is_some() { RankEnd::Waits } else { RankEnd::Done };
            program.ledger().and_then(Option::take).map(|ledger| ledger.close(rank_end))
        };
        let add = |all: Option<Accounts>, one: Accounts| match all {
            Some(mut all) => {
                all.add(one);
                Some(all)
            }
            None => Some(one),
        };
        if !self.actions.keeps_causes {
            return None;
        }
        match &mut self.programs {
            Programs::All(programs) => programs.iter_mut().filter_map(close).fold(None, add),
            Programs::Some { programs, .. } => {
                programs.iter_mut().filter_map(|(_, program)| close(program)).fold(None, add)
            }
        }
    }
}
