//! A part without endpoints.

use crate::crossing::{Delivery, Sink};
use crate::parts::Endpoints;
use crate::routers::Routers;
use weir_pdes::{Next, Window};
use weir_units::Time;

/// The endpoints of a part that has none: they are all in the first one.
pub(crate) struct NoEndpoints;

impl Sink for NoEndpoints {
    fn deliver(&mut self, _: Delivery) {
        unreachable!("deliveries go to the part with the endpoints");
    }

    fn credit(&mut self, _: u32, _: u64) {
        unreachable!("interfaces are in the part with the endpoints");
    }
}

impl Endpoints for NoEndpoints {
    fn run(&mut self, _: &Window, _: &mut Routers<'_>) {}

    fn next(&mut self, _: u64) -> Next {
        Next::Nothing
    }

    fn remains(&self) -> (bool, Time) {
        (false, Time::ZERO)
    }
}
