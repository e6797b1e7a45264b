//! Ranks of a part when the machine becomes another one: their messages take other ways.

use super::{Hosts, Queued, Sending, State, Waiting};
use weir_network::Program;
use weir_pdes::Window;

impl<P: Program> Hosts<'_, P> {
    /// Messages that wait at interfaces get their addresses on the machine as it is from now on. Interfaces open at an instant, in
    /// picoseconds, not before the window.
    pub(super) fn follow(&mut self, opens: u64, window: &Window) {
        self.network = self.network.changed();
        let Self { network, nics, placement, state: State { sending, queues, rings, .. }, .. } = self;
        nics.open(opens, network);
        let mut rings = rings.iter_mut();
        for (place, (sending, queue)) in (0_u32..).zip(sending.iter_mut().zip(queues)) {
            let in_turn =
                rings.next().into_iter().flat_map(|ring| ring.control.iter_mut().chain(&mut ring.others));
            let mut active: Vec<&mut Sending> = sending.iter_mut().chain(in_turn).collect();
            let Some(ready) = active.iter().map(|sending| sending.ready).min() else { continue };
            let nic = nics.of_node(place as usize);
            let queued = queue.iter_mut().filter_map(|queued| match queued {
                Queued::InFlight(sending) => Some(sending),
                Queued::Waiting(Waiting { message, address, .. }) => {
                    *address = network.address(placement.node(message.from), nic, placement.node(message.to));
                    None
                }
            });
            active.extend(queued);
            for Sending { address, from, to, .. } in active {
                *address = network.address(placement.node(*from), nic, *to);
            }
            let at = nics.soonest(place as usize, ready).max(window.start.as_ps());
            nics.wake_first(place, at);
        }
    }
}
