//! A part without endpoints.

use crate::flights::{FlightName, FlightNumbers};
use crate::meters::Interval;
use crate::parts::Endpoints;
use crate::routers::{Delivery, Routers, Sink};
use crate::series::{PartReport, Samples};
use weir_network::record::Pairs;
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

    fn waits(&self) -> bool {
        false
    }

    fn change(&mut self, _: u64, _: &Window) {}

    fn remains(&self) -> (bool, Time) {
        (false, Time::ZERO)
    }

    fn close(&mut self, _: &mut Samples) {}

    fn begin(&mut self, _: Interval) {}

    fn first_later(&self) -> Option<u64> {
        None
    }

    fn close_latencies(&mut self, _: Time, _: &mut PartReport) {}

    fn report(&mut self, _: &mut PartReport) {}

    fn report_rest(&mut self, _: &mut PartReport) {}

    fn pairs(&mut self) -> Option<Pairs> {
        None
    }

    fn take_mail(&mut self, _: &Window) {}

    fn is_over(&self) -> bool {
        false
    }

    fn save(&mut self) -> (Vec<FlightName>, Vec<u8>) {
        (Vec::new(), Vec::new())
    }

    fn restore(&mut self, _: &[(&[FlightName], &[u8])], _: &FlightNumbers, _: &Window) -> Option<()> {
        Some(())
    }
}
