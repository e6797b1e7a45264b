//! `[limits]`: when a run gives up.

use crate::Units;
use crate::keys::Default::Words;
use crate::keys::form::{DATA, OfThisComputer, Quantity, TIME};
use crate::keys::keys;
use crate::keys::resolved::Resolved;
use crate::source::reader::Section;
use serde_json::Value;
use weir_network::Limits;
use weir_units::{Bytes, Duration, Time};

keys! {
    "limits":
    SIMULATED_TIME: Quantity<Duration> = "simulated_time", &[], TIME, Words("none"),
        "the run ends before the first event after this";
    WALL_TIME: OfThisComputer<Duration> = "wall_time", &[], OfThisComputer(&TIME), Words("none"),
        "the same for the clock on the wall, from when the machine begins to be built; always with a unit";
    EXPECTED_WALL_TIME: OfThisComputer<Duration> = "expected_wall_time", &[], OfThisComputer(&TIME), Words("none"),
        "the run is refused before it begins if it is expected to take longer: its first second is run to find out; always \
         with a unit; not for MPI programs";
    MEMORY: OfThisComputer<Bytes> = "memory", &[], OfThisComputer(&DATA), Words("what there is"),
        "the run is refused before it begins if it takes more memory, as far as that is known then; always with a unit";
}

/// When to give up; `None` is never.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitsSection {
    /// Simulated time.
    pub simulated_time: Option<Duration>,
    /// Time of the clock on the wall: always written with a unit, also in the unitless form.
    pub wall_time: Option<Duration>,
    /// The longest that the run may be expected to take on the clock on the wall.
    pub expected_wall_time: Option<Duration>,
    /// The most memory it may take.
    pub memory: Option<Bytes>,
}

impl LimitsSection {
    pub(crate) fn read(section: &mut Section<'_>) -> Self {
        Self {
            simulated_time: section.get(&SIMULATED_TIME),
            wall_time: section.get(&WALL_TIME),
            expected_wall_time: section.get(&EXPECTED_WALL_TIME),
            memory: section.get(&MEMORY),
        }
    }

    /// The limits as engines get them.
    #[must_use]
    pub fn limits(&self) -> Limits {
        let none = Limits::default();
        Limits {
            simulated: self.simulated_time.map_or(none.simulated, |limit| Time::ZERO + limit),
            wall: self
                .wall_time
                .map_or(none.wall, |limit| std::time::Duration::from_nanos(limit.as_ps() / 1000)),
            spent: none.spent,
        }
    }

    pub(crate) fn resolved(&self, units: Units) -> Value {
        let mut limits = Resolved::new(units);
        limits.put_some(&SIMULATED_TIME, self.simulated_time);
        limits.put_some(&WALL_TIME, self.wall_time);
        limits.put_some(&EXPECTED_WALL_TIME, self.expected_wall_time);
        limits.put_some(&MEMORY, self.memory);
        limits.into_value()
    }
}
