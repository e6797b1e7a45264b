//! Plans of the collectives of a profile.

use std::rc::Rc;
use weir_collectives::{Choice, Place, Plan};
use weir_message::{Communicator, MpiError, Reduction, WithoutData};
use weir_operations::{Collective, Combining};

/// The plan of a collective for a rank of this communicator, with these algorithms.
pub(crate) fn plan(of: &Collective, choice: &Choice, communicator: &Communicator) -> Result<Plan, MpiError> {
    let place = Place { rank: communicator.rank as usize, size: communicator.group.size() };
    let sides = communicator.sides().map(|sides| (communicator.place(), sides));
    Plan::of(of, choice, place, sides).map_err(MpiError::Other)
}

/// The reduction of a profile, which has no data; `None` where nothing is known of one.
pub(crate) fn reduction(combines: Combining) -> Reduction {
    (combines != Combining::default()).then(|| Rc::new(WithoutData(combines)) as _)
}

/// A plan and what it was made of, kept since programs call the same collectives over and over.
#[derive(Default)]
pub(crate) struct Plans {
    last: Vec<(u32, Collective, Rc<Plan>)>,
}

impl Plans {
    /// Different collectives that are kept.
    const MOST: usize = 8;

    /// The plan of a collective on a communicator.
    pub(crate) fn get(
        &mut self,
        communicator: u32,
        of: &Collective,
        make: impl FnOnce() -> Result<Plan, MpiError>,
    ) -> Result<Rc<Plan>, MpiError> {
        let known = self.last.iter().find(|(number, known, _)| *number == communicator && known == of);
        if let Some((_, _, plan)) = known {
            return Ok(Rc::clone(plan));
        }
        let plan = Rc::new(make()?);
        if self.last.len() == Self::MOST {
            self.last.remove(0);
        }
        self.last.push((communicator, of.clone(), Rc::clone(&plan)));
        Ok(plan)
    }
}
