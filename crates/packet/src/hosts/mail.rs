//! Mail between parts with programs.

use crate::flights::{Departure, FlightId};
use serde::Serialize;
use serde::de::DeserializeOwned;
use weir_pdes::{Division, Letterbox, Letters};
use weir_units::Rank;

pub(crate) struct Mail<B> {
    pub(super) departures: Letterbox<Departure<B>>,
    /// Whose messages have been delivered.
    pub(super) releases: Letterbox<(Rank, FlightId)>,
}

impl<B> Mail<B> {
    pub(crate) fn new(division: Division) -> Self {
        Self { departures: Letterbox::new(division), releases: Letterbox::new(division) }
    }
}

impl<B: Serialize + DeserializeOwned> Mail<B> {
    /// All boxes with mail for other processes.
    pub(crate) fn boxes(&self) -> [&dyn Letters; 2] {
        [&self.departures, &self.releases]
    }
}
