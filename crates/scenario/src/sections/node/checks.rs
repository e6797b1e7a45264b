//! Checks of processor times and gaps beside each other.

use super::{NodeSection, PacketGap, ProgressMode, key};
use crate::keys::Row;
use crate::source::reader::Section;
use weir_units::Duration;

impl NodeSection {
    pub(super) fn check_costs(&mut self, section: &mut Section<'_>) {
        let of = |times: &Option<Vec<Duration>>| times.as_ref().map_or(1, Vec::len);
        let limits = self.overhead_limits.as_ref().map_or(0, Vec::len);
        let overheads = [
            (&key::send_overhead, of(&self.send_overhead)),
            (&key::receive_overhead, of(&self.receive_overhead)),
            (&key::local_send_overhead, of(&self.local_send_overhead)),
            (&key::local_receive_overhead, of(&self.local_receive_overhead)),
        ];
        for (key, found) in overheads {
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
        let found = self.far_overhead.as_ref().map_or(1, Vec::len);
        check_pieces(section, &key::far_overhead, &key::far_limits, [found, limits + 1]);
        if self.near_partners.is_some() && self.far_overhead.is_none() {
            let hint = "write node.far_overhead too: how much longer a message of another partner takes";
            section.problem(
                "near_partners",
                "says nothing where no partner costs more",
                Some(hint.to_owned()),
            );
        }
        let far = [("far_overhead", self.far_overhead.is_some()), ("far_limits", self.far_limits.is_some())];
        let all_are_near = !section.has("near_partners");
        for (key, _) in far.into_iter().filter(|(_, said)| *said && all_are_near) {
            let hint = "write node.near_partners too: how many partners a rank has large buffers for";
            section.problem(key, "says nothing where all partners are near", Some(hint.to_owned()));
        }
    }

    fn check_fresh_memory(&self, section: &mut Section<'_>) {
        let both = ["fresh_memory_from", "fresh_memory_bandwidth"];
        let more = ["fresh_memory_several_from", "fresh_memory_overhead"];
        let missing: Vec<&str> = both.into_iter().filter(|name| !section.has(name)).collect();
        let written = both.into_iter().chain(more).find(|name| section.has(name));
        if let (Some(alone), false) = (written, missing.is_empty()) {
            let hint = format!("write node.{} too, or neither", missing.join(" and node."));
            section.problem(alone, "says nothing alone", Some(hint));
        }
    }

    fn check_progress(&self, section: &mut Section<'_>) {
        if self.progress != ProgressMode::Polls {
            section.refuse(&["progress_interval"], "belongs to progress = \"polls\"");
            return;
        }
        let interval = self.progress_interval;
        section.required(interval, "progress_interval", "write progress_interval = \"20 us\"");
        if interval == Some(Duration::ZERO) {
            let hint = "a thread that looks all the time is progress = \"always\"".to_owned();
            section.problem("progress_interval", "must be more than no time", Some(hint));
        }
    }
}

/// Refuses a list of times that has neither one value nor one for each piece between the limits of another row.
fn check_pieces(section: &mut Section<'_>, key: &Row, limits: &Row, [found, pieces]: [usize; 2]) {
    if found > 1 && found != pieces {
        let limits = limits.name;
        let what = format!("must be one value, or {pieces}, one more than {limits} has, not {found}");
        section.problem(key.name, what, None);
    }
}
