//! Ranks in a checkpoint.

use super::{Ranks, State};
use crate::digest::Chain;
use crate::{Latencies, Program, Traffic};
use weir_units::{Rank, Time};

/// Some ranks of a run, with their programs.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct SavedRanks {
    ranks: Vec<SavedRank>,
    traffic: Traffic,
    latency: Latencies,
    now: Time,
}

#[derive(Debug, serde::Serialize, serde::Deserialize)]
struct SavedRank {
    rank: Rank,
    next_sequence: u64,
    next_timer: u64,
    chain: Chain,
    /// As [`Program::save`] has it.
    program: Vec<u8>,
}

impl<P: Program> Ranks<'_, P> {
    /// What they have done so far, between two events.
    ///
    /// # Panics
    /// When a program cannot be saved.
    #[must_use]
    pub fn save(&self) -> SavedRanks {
        let rank = |((rank, program), state): ((Rank, &P), &State)| {
            let &State { next_sequence, next_timer, chain } = state;
            let program = program.save().expect("a run is kept if its programs can be");
            SavedRank { rank, next_sequence, next_timer, chain, program }
        };
        SavedRanks {
            ranks: self.programs.each().zip(&self.states).map(rank).collect(),
            traffic: self.traffic.clone(),
            latency: self.latency.clone(),
            now: self.now,
        }
    }

    /// Puts those of these ranks that are saved there into the state in which they were; `None` if what is saved cannot be read.
    /// What they have counted together is added if `with_counts` says so.
    pub fn restore(&mut self, saved: &SavedRanks, with_counts: bool) -> Option<()> {
        for SavedRank { rank, next_sequence, next_timer, chain, program } in &saved.ranks {
            let Some(place) = self.programs.place_if_here(*rank) else { continue };
            let (next_sequence, next_timer, chain) = (*next_sequence, *next_timer, *chain);
            self.states[place] = State { next_sequence, next_timer, chain };
            self.programs.at(place).restore(program)?;
        }
        if with_counts {
            self.traffic.join(&saved.traffic);
            self.latency.join(&saved.latency);
        }
        self.now = self.now.max(saved.now);
        Some(())
    }
}
