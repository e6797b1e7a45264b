//! The interfaces of a node: how many, how each serves its messages, and which of them a message takes.

use super::{ChooseRule, Interface, NodeSection, key};
use crate::TopologySection;
use crate::source::reader::Section;
use weir_network::Striping;
use weir_packet::Nics;

impl NodeSection {
    pub(super) fn check_interfaces(&mut self, section: &mut Section<'_>, topology: Option<&TopologySection>) {
        self.check_nics(section, topology);
        let is_shared = self.interface == Interface::Shared;
        let counts = is_shared.then_some(()).ok_or("belongs to interface = \"shared\"");
        section.depend(&key::messages_at_once, &mut self.messages_at_once, counts);
        self.check_choice(section);
        let limits = [("injection_limit", self.injection_limit), ("ejection_limit", self.ejection_limit)];
        for (key, _) in limits.into_iter().filter(|(_, limit)| limit.is_some() && self.cables > 1) {
            let what = "does not fit a graph in which nodes have several cables";
            let hint = "write dma_bandwidth or nic_bandwidth, which limit each of them";
            section.problem(key, what, Some(hint.into()));
        }
    }

    fn check_nics(&mut self, section: &mut Section<'_>, topology: Option<&TopologySection>) {
        let (what, hint) = if self.nics == Nics::PerDirection
            && topology.is_some_and(|topology| !has_directions(topology))
        {
            (
                "belongs to kind = \"torus\" or \"mesh\", where links have directions",
                "write how many: nics = 4",
            )
        } else if self.cables > 1 && self.nics != Nics::Several(1) {
            (
                "does not fit a graph in which nodes have several cables: each cable is an interface",
                "leave it out, or write further cables into the file",
            )
        } else {
            return;
        };
        section.problem("nics", what, Some(hint.into()));
        self.nics = Nics::Several(1);
    }

    /// Settles which interface a message takes, and which messages take several: no more than there are.
    fn check_choice(&mut self, section: &mut Section<'_>) {
        let (said, over, cables) = (self.choose, self.stripe, self.cables);
        let interfaces = if let Nics::Several(count) = self.nics { count * cables } else { 1 };
        let stripes = over.is_some_and(|over| over > 1);
        if self.nics == Nics::PerDirection {
            let what = "does not fit nics = \"per-direction\": a message goes through the interface of its first hop";
            for (key, _) in
                [("stripe", stripes), ("choose", said.is_some())].into_iter().filter(|(_, said)| *said)
            {
                section.problem(key, what, Some("leave it out, or write how many: nics = 4".into()));
            }
        }
        if stripes && !matches!(said, None | Some(ChooseRule::Stripe)) {
            let what = "does not fit stripe = 2 or more, which is choose = \"stripe\" over so many";
            section.problem("choose", what, Some("leave one of them out".into()));
        }
        let all = said == Some(ChooseRule::Stripe);
        let over = over.unwrap_or(if all { interfaces } else { 1 });
        if over == 1 && !all {
            section.refuse(&["stripe_from"], "belongs to stripe = 2 or more, or choose = \"stripe\"");
            (self.choose, self.stripe, self.stripe_from) =
                (said.filter(|rule| *rule != ChooseRule::RoundRobin), None, None);
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
            section.problem("stripe", what, Some(hint));
        }
        // Over all is the rule itself; over some of them is what `stripe` says.
        let all = all && over == interfaces;
        self.choose = all.then_some(ChooseRule::Stripe);
        self.stripe = (!all && over > 1).then_some(over);
        self.striping = Striping { over, from: self.stripe_from.unwrap_or_default() };
        self.stripe_from = (over > 1).then_some(self.striping.from);
    }
}

fn has_directions(topology: &TopologySection) -> bool {
    matches!(topology, TopologySection::Torus { .. } | TopologySection::Tofu { .. })
}
