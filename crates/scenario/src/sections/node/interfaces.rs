//! The interfaces of a node: how many, how each serves its messages, and which of them a message takes.

use super::{
    CHOOSE, ChooseRule, EJECTION_LIMIT, INJECTION_LIMIT, INTERFACE, Interface, MESSAGES_AT_ONCE, NICS,
    NodeSection, STRIPE, STRIPE_FROM,
};
use crate::TopologySection;
use crate::keys::form::One;
use crate::keys::resolved::Resolved;
use crate::source::reader::Section;
use weir_network::{Serving, Striping};
use weir_packet::Nics;
use weir_units::Bandwidth;

impl NodeSection {
    pub(super) fn put_interfaces(&self, node: &mut Resolved) {
        let nics = match self.nics {
            Nics::Several(count) => One::Of(count.into()),
            Nics::PerDirection => One::Or(Nics::PerDirection),
        };
        node.put(&NICS, nics);
        match self.serving {
            Serving::InOrder => node.put(&INTERFACE, Interface::InOrder),
            Serving::Shared { at_once } => {
                node.put(&INTERFACE, Interface::Shared);
                let limit = if at_once == u32::MAX { One::Or(()) } else { One::Of(at_once.into()) };
                node.put(&MESSAGES_AT_ONCE, limit);
            }
        }
        let stripes_all = self.choose == ChooseRule::Stripe;
        if self.striping.over > 1 {
            node.put_some(&STRIPE, (!stripes_all).then_some(u64::from(self.striping.over)));
            node.put(&STRIPE_FROM, self.striping.from);
        }
        node.put_some(&CHOOSE, (self.choose != ChooseRule::RoundRobin).then_some(self.choose));
    }
}

pub(super) fn read_serving(section: &mut Section<'_>) -> Serving {
    match section.get_or_default(&INTERFACE) {
        Interface::InOrder => {
            section.refuse(&["messages_at_once"], "belongs to interface = \"shared\"");
            Serving::InOrder
        }
        Interface::Shared => {
            let at_once = match section.get_or_default(&MESSAGES_AT_ONCE) {
                One::Of(count) => u32::try_from(count).expect("the row has the range"),
                One::Or(()) => u32::MAX,
            };
            Serving::Shared { at_once }
        }
    }
}

/// Which interface a message takes, and which messages take several: no more than there are.
pub(super) fn read_choice(section: &mut Section<'_>, nics: Nics, cables: u32) -> (ChooseRule, Striping) {
    let said = section.get(&CHOOSE);
    let over = section.get(&STRIPE).map(|over| over as u32);
    let interfaces = if let Nics::Several(count) = nics { count * cables } else { 1 };
    if nics == Nics::PerDirection {
        let what =
            "does not fit nics = \"per-direction\": a message goes through the interface of its first hop";
        let hint = || Some("leave it out, or write how many: nics = 4".into());
        for key in ["stripe", "choose"] {
            if (key == "stripe" && over.is_some_and(|over| over > 1)) || (key == "choose" && said.is_some()) {
                section.problem(key, what, hint());
            }
        }
    }
    let over = match (over, said) {
        (None, Some(ChooseRule::Stripe)) => interfaces,
        (over, said) => {
            if over.is_some_and(|over| over > 1) && !matches!(said, None | Some(ChooseRule::Stripe)) {
                let what = "does not fit stripe = 2 or more, which is choose = \"stripe\" over so many";
                section.problem("choose", what, Some("leave one of them out".into()));
            }
            over.unwrap_or(1)
        }
    };
    if over == 1 && said != Some(ChooseRule::Stripe) {
        section.refuse(&["stripe_from"], "belongs to stripe = 2 or more, or choose = \"stripe\"");
        return (said.unwrap_or_default(), Striping::default());
    }
    let from = section.get_or_default(&STRIPE_FROM);
    if over > interfaces && nics != Nics::PerDirection {
        let what = match cables {
            1 => format!("is {over}, but a node has nics = {interfaces}"),
            _ => format!("is {over}, but no node has more than {cables} cables"),
        };
        let hint = match cables {
            1 => format!("write nics = {over}, or a smaller stripe"),
            _ => "write a smaller one, or choose = \"stripe\", which is over all".into(),
        };
        section.problem("stripe", what, Some(hint));
    }
    // Over all is the rule itself; over some of them is what `stripe` says.
    let rule = if said == Some(ChooseRule::Stripe) && over == interfaces {
        ChooseRule::Stripe
    } else {
        ChooseRule::RoundRobin
    };
    (rule, Striping { over, from })
}

pub(super) fn read_nics(section: &mut Section<'_>, topology: Option<&TopologySection>) -> Nics {
    let cables = topology.map_or(1, TopologySection::most_cables);
    let nics = match section.get_or_default(&NICS) {
        One::Of(count) => Nics::Several(u32::try_from(count).expect("the row has the range")),
        One::Or(per_direction) => {
            if topology.is_some_and(|topology| !has_directions(topology)) {
                let what = "belongs to kind = \"torus\" or \"mesh\", where links have directions";
                section.problem("nics", what, Some("write how many: nics = 4".into()));
                return Nics::Several(1);
            }
            per_direction
        }
    };
    if cables > 1 && nics != Nics::Several(1) {
        let what = "does not fit a graph in which nodes have several cables: each cable is an interface";
        section.problem("nics", what, Some("leave it out, or write further cables into the file".into()));
        return Nics::Several(1);
    }
    nics
}

/// The limits of all interfaces together, out and in; refuses them where these are cables of a graph.
pub(super) fn read_limits(section: &mut Section<'_>, cables: u32) -> [Option<Bandwidth>; 2] {
    [&INJECTION_LIMIT, &EJECTION_LIMIT].map(|key| {
        let limit = section.get(key);
        if limit.is_some() && cables > 1 {
            let what = "does not fit a graph in which nodes have several cables";
            let hint = "write dma_bandwidth or nic_bandwidth, which limit each of them";
            section.problem(key.name, what, Some(hint.into()));
        }
        limit
    })
}

/// Whether the links of every router lead into the directions of a grid.
fn has_directions(topology: &TopologySection) -> bool {
    match topology {
        TopologySection::Torus { .. } | TopologySection::Tofu { .. } => true,
        TopologySection::Hypercrossbar { .. }
        | TopologySection::FatTree { .. }
        | TopologySection::Graph(_) => false,
    }
}
