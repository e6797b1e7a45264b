//! `[limits]`: when a run gives up.

use crate::keys::form::{DATA, OfThisComputer, TIME};
use crate::keys::section;
use crate::source::reader::Section;
use weir_network::Limits;
use weir_units::{Bytes, Duration, Time};

section! {
    /// Limits of a run; `None` is no limit.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct LimitsSection of "limits";
    simulated_time: Duration = TIME, Words("none"), "The run ends before the first event after this simulated time.";
    wall_time: Duration = OfThisComputer(&TIME), Words("none"),
        "Wall-clock time after which the run ends, from when the machine begins to be built; always with a unit.";
    expected_wall_time: Duration = OfThisComputer(&TIME), Words("none"),
        "The run is refused before it begins if it is expected to take longer: its first second is run to find out; always \
         with a unit; not for MPI programs.";
    memory: Bytes = OfThisComputer(&DATA), Words("what there is"),
        "The run is refused before it begins if it takes more memory, as far as that is known then; always with a unit.";
}

impl LimitsSection {
    pub(crate) fn read(section: &mut Section<'_>) -> Self {
        Self::read_keys(section).expect("no key is required")
    }

    /// The limits as engines get them.
    pub fn limits(&self) -> Limits {
        let none = Limits::default();
        let wall = self.wall_time.map(|limit| std::time::Duration::from_nanos(limit.as_ps() / 1000));
        Limits {
            simulated: self.simulated_time.map_or(none.simulated, |limit| Time::ZERO + limit),
            wall: wall.unwrap_or(none.wall),
            spent: none.spent,
        }
    }
}
