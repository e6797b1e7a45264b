//! Checks of keys beside each other: processor times and gaps, and the interfaces of a node, how each serves its messages, and which of
//! them a message takes.

use super::{NodeSection, PacketGap, STRIPE, key};
use crate::keys::Row;
use crate::source::reader::Section;
use crate::{GridKind, TopologySection};
use weir_message::ProgressRule;
use weir_network::{Choose, Serving, Striping};
use weir_packet::Nics;
use weir_units::Duration;

impl NodeSection {
    pub(super) fn check_costs(&mut self, section: &mut Section<'_>) {
        let of = |times: &Option<Vec<Duration>>| times.as_ref().map_or(1, Vec::len);
        let limits = self.overhead_limits.as_ref().map_or(0, Vec::len);
        let overheads = [
            (&key::send_overhead, of(&self.send_overhead)),
            (&key::receive_overhead, of(&self.receive_overhead)),
            (&key::unexpected_overhead, of(&self.unexpected_overhead)),
            (&key::rendezvous_overhead, of(&self.rendezvous_overhead)),
            (&key::eager_latency, of(&self.eager_latency)),
            (&key::local_send_overhead, of(&self.local_send_overhead)),
            (&key::local_receive_overhead, of(&self.local_receive_overhead)),
        ];
        for (key, found) in overheads {
            check_pieces(section, key, &key::overhead_limits, [found, limits + 1]);
        }
        let rates = [
            (&key::rendezvous_bandwidth, &self.rendezvous_bandwidth),
            (&key::copy_bandwidth, &self.copy_bandwidth),
        ];
        for (key, rates) in rates {
            let found = rates.as_ref().map_or(1, Vec::len);
            check_pieces(section, key, &key::overhead_limits, [found, limits + 1]);
        }
        self.check_partners(section);
        self.check_fresh_memory(section);
        let hardware = self.hardware_overhead.ok_or("belongs to hardware_overhead");
        section.depend(&key::hardware_message_time, &mut self.hardware_message_time, hardware.map(|_| ()));
        self.check_progress(section);
        let is_found = self.packet_gap == PacketGap::MaxMin;
        let counts = is_found.then_some(()).ok_or("belongs to packet_gap = \"max-min\"");
        section.depend(&key::packet_gap_margin, &mut self.packet_gap_margin, counts);
    }

    fn check_partners(&self, section: &mut Section<'_>) {
        let limits = self.far_limits.as_ref().map_or(0, Vec::len);
        let overheads = [
            (&key::far_overhead, &self.far_overhead),
            (&key::far_receive_overhead, &self.far_receive_overhead),
        ];
        for (key, times) in overheads {
            check_pieces(section, key, &key::far_limits, [times.as_ref().map_or(1, Vec::len), limits + 1]);
        }
        let hint = "write node.far_overhead too: how much longer a message of another partner takes";
        let costs_nothing = self.far_overhead.is_none() && self.far_receive_overhead.is_none();
        let is_wrong = self.near_partners.is_some() && costs_nothing;
        section.report_if(is_wrong, "near_partners", "says nothing where no partner costs more", hint);
        let far = ["far_overhead", "far_receive_overhead", "far_limits"];
        let all_are_near = !section.has("near_partners");
        let said = far.map(|key| section.has(key) && all_are_near);
        for (key, _) in far.into_iter().zip(said).filter(|(_, said)| *said) {
            let hint = "write node.near_partners too: how many partners a rank has large buffers for";
            section.report(key, "says nothing where all partners are near", hint);
        }
    }

    fn check_fresh_memory(&self, section: &mut Section<'_>) {
        let both = ["fresh_memory_from", "fresh_memory_bandwidth"];
        let more = ["fresh_memory_several_from", "fresh_memory_overhead"];
        let missing: Vec<&str> = both.into_iter().filter(|name| !section.has(name)).collect();
        let written = both.into_iter().chain(more).find(|name| section.has(name));
        if let (Some(alone), false) = (written, missing.is_empty()) {
            let hint = format!("write node.{} too, or neither", missing.join(" and node."));
            section.report(alone, "says nothing alone", hint);
        }
    }

    fn check_progress(&mut self, section: &mut Section<'_>) {
        let ProgressRule::Polls(looks_every) = &mut self.progress else {
            section.refuse(&["progress_interval"], "belongs to progress = \"polls\"");
            return;
        };
        let interval = self.progress_interval;
        section.required(interval, "progress_interval", "write progress_interval = \"20 us\"");
        let hint = "a thread that looks all the time is progress = \"always\"";
        let never = interval == Some(Duration::ZERO);
        section.report_if(never, "progress_interval", "must be more than no time", hint);
        *looks_every = interval.unwrap_or_default();
    }

    pub(super) fn check_interfaces(&mut self, section: &mut Section<'_>, topology: Option<&TopologySection>) {
        self.check_nics(section, topology);
        let is_shared = self.interface != Serving::InOrder;
        let counts = is_shared.then_some(()).ok_or("belongs to interface = \"shared\"");
        section.depend(&key::messages_at_once, &mut self.messages_at_once, counts);
        if let Some(at_once) = self.messages_at_once {
            self.interface = Serving::Shared { at_once };
        }
        self.check_choice(section);
        let limits = [("injection_limit", self.injection_limit), ("ejection_limit", self.ejection_limit)];
        for (key, _) in limits.into_iter().filter(|(_, limit)| limit.is_some() && self.cables > 1) {
            let what = "does not fit a machine in which nodes have several cables";
            section.report(key, what, "write dma_bandwidth or nic_bandwidth, which limit each of them");
        }
    }

    fn check_nics(&mut self, section: &mut Section<'_>, topology: Option<&TopologySection>) {
        let has_directions = |topology: &TopologySection| {
            matches!(topology, TopologySection::Grid { kind: GridKind::Torus | GridKind::Tofu, .. })
        };
        let (what, hint) = if self.nics == Nics::PerDirection && !topology.is_none_or(has_directions) {
            (
                "belongs to kind = \"torus\" or \"mesh\", where links have directions",
                "write how many: nics = 4",
            )
        } else if self.cables > 1 && self.nics != Nics::Several(1) {
            (
                "does not fit a machine in which nodes have several cables: each cable is an interface",
                "leave it out, or write further networks, or cables into the file",
            )
        } else {
            return;
        };
        section.report("nics", what, hint);
        self.nics = Nics::Several(1);
    }

    /// Settles which interface a message takes, and which messages take several: no more than there are.
    fn check_choice(&mut self, section: &mut Section<'_>) {
        let (said, over, cables) = (self.choose, self.stripe, self.cables);
        let interfaces = if let Nics::Several(count) = self.nics { count * cables } else { 1 };
        let stripes = over.is_some_and(|over| over > 1);
        if self.nics == Nics::PerDirection {
            let what = "does not fit nics = \"per-direction\": a message goes through the interface of its first hop";
            for (key, is_wrong) in [("stripe", stripes), ("choose", said.is_some())] {
                section.report_if(is_wrong, key, what, "leave it out, or write how many: nics = 4");
            }
        }
        let what = "does not fit stripe = 2 or more, which is choose = \"stripe\" over so many";
        let is_wrong = stripes && !matches!(said, None | Some(STRIPE));
        section.report_if(is_wrong, "choose", what, "leave one of them out");
        let all = said == Some(STRIPE);
        let over = over.unwrap_or(if all { interfaces } else { 1 });
        if over == 1 && !all {
            section.refuse(&["stripe_from"], "belongs to stripe = 2 or more, or choose = \"stripe\"");
            self.choose = said.filter(|rule| *rule != Some(Choose::RoundRobin));
            (self.stripe, self.stripe_from) = (None, None);
            self.settle_choice(section);
            return;
        }
        if over > interfaces && self.nics != Nics::PerDirection {
            let (what, hint) = match cables {
                1 => (
                    format!("is {over}, but a node has nics = {interfaces}"),
                    format!("write nics = {over}, or a smaller stripe"),
                ),
                _ => (
                    format!("is {over}, but no node has more than {cables} cables"),
                    "write a smaller one, or choose = \"stripe\", which is over all".into(),
                ),
            };
            section.report("stripe", what, hint);
        }
        // Over all is the rule itself; over some of them is what `stripe` says.
        let all = all && over == interfaces;
        self.choose = all.then_some(STRIPE);
        self.stripe = (!all && over > 1).then_some(over);
        self.striping = Striping { over, from: self.stripe_from.unwrap_or_default() };
        self.stripe_from = (over > 1).then_some(self.striping.from);
        self.settle_choice(section);
    }

    fn settle_choice(&self, section: &mut Section<'_>) {
        section.settle(&key::choose, self.choose);
        section.settle(&key::stripe, self.stripe);
        section.settle(&key::stripe_from, self.stripe_from);
    }
}

/// Refuses a list of times that has neither one value nor one for each piece between the limits of another row.
fn check_pieces(section: &mut Section<'_>, key: &Row, limits: &Row, [found, pieces]: [usize; 2]) {
    let limits = limits.name;
    let what = format!("must be one value, or {pieces}, one more than {limits} has, not {found}");
    section.report_if(found > 1 && found != pieces, key.name, what, "");
}
