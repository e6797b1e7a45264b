//! Defaults on which a result hangs, and which the input does not say: neither the experiment nor its machine, its preset or `--set`.
//!
//! One table has them all. A row says for what its key matters, so that only what plays a part is listed.

use crate::check::{Check, Parts};
use crate::keys::full;
use crate::sections::collectives::AUTO;
use crate::sections::topology::rails;
use crate::source::tree::Tree;
use crate::{CollectivesSection, EngineSection, Method, TopologySection, Units, Workload};
use serde_json::Value;
use weir_collectives::{Named, Row as Chosen};
use weir_network::Serving;
use weir_record::Assumed;
use weir_topology::{Rule, Wrap};

/// The things that defaults may matter for: an experiment, or a machine on which it is still open what runs.
struct Setting<'a> {
    parts: &'a Parts,
    /// The machine, or one of its networks.
    topology: Option<&'a TopologySection>,
    /// True if the algorithms of the one collective are named.
    is_named: bool,
}

struct Row {
    table: &'static str,
    key: &'static str,
    matters: fn(&Setting<'_>) -> bool,
    /// Its value where it follows from something else.
    words: &'static str,
    why: &'static str,
}

/// Makes the rows: `table.key (words) if condition: "why"`.
macro_rules! rows {
    ($($table:ident.$key:ident ($words:literal) if $matters:ident: $why:literal;)+) => {
        const ROWS: &[Row] = &[$(Row {
            table: stringify!($table),
            key: stringify!($key),
            matters: |setting| setting.$matters(),
            words: $words,
            why: $why,
        }),+];
    };
}

rows! {
    topology.tie ("") if has_ties:
        "Half way round a ring a message goes the positive way, and in a ring of two routers both cables are used; another rule is right where the routers are known to have one.";
    topology.routing ("") if climbs:
        "The destination of a message decides which of the equal ways up it takes, as in tables of InfiniBand; source-mod is right where its source decides.";
    topology.routing ("") if has_choice_of_ways:
        "Of the ways between two nodes this rule takes one; the rule of the network at hand is right: minimal where routes are fixed, ugal-l and its kind where routers choose by what waits.";
    topology.metric ("") if finds_routes:
        "Of two ways a message takes the one that is faster for 1 MiB, and equal ones are shared out among destinations; hops is right where the network only counts links, and topology.routes where its routes are known.";
    node.interface ("") if has_interfaces:
        "All messages of an interface share its link, as on InfiniBand, Ethernet and Slingshot; in-order is right for an interface that sends one message after the other, as in the papers on MFS and NSIM.";
    node.messages_at_once ("") if may_hold_messages_back:
        "An interface sends so many messages at once and those behind them wait; unlimited is right where it has a queue for each connection, and another number where it is known to have so many.";
    node.eager_limit ("") if has_protocols:
        "Messages up to this size are sent without asking the receiver first; the limit of the MPI library at hand is right, which may be 4 KiB as well as 64 KiB.";
    packet.mtu ("") if cuts_messages:
        "Messages are cut into packets of this size, the largest of InfiniBand; the size of the network at hand is right, such as 1500 B or 9000 B on Ethernet.";
    packet.input_buffer ("a round trip of its link") if has_packets:
        "Each buffer holds what its link carries in the round trip of a credit, so that no link waits for credits while its buffer empties; the size of the switches at hand is right where it is known.";
    packet.switch_bandwidth ("twice the fastest link") if has_packets:
        "Each port of a crossbar is twice as fast as the fastest link of its kind of router, as in most switches; the bandwidth of a link is right where the crossbar has no speedup.";
    collectives.preset ("mpich") if chooses_algorithms:
        "Collectives use the algorithms that this library chooses by size and ranks; the library at hand is right, or the algorithms that it is known to use.";
}

impl Check<'_> {
    /// The defaults on which a run hangs, with these collectives.
    pub(crate) fn assumed_of(
        &self,
        parts: &Parts,
        (collectives, selection): (&CollectivesSection, &[Chosen<Named>]),
        resolved: &Value,
    ) -> Vec<Assumed> {
        let is_named = match &parts.workload {
            Some(Workload::Collective(one)) => {
                let has_row = selection.iter().any(|row| row.algorithm.collective() == one.operation);
                let is_auto = |&(name, algorithm): &(&str, &str)| name != one.operation || algorithm == AUTO;
                has_row || !collectives.algorithms.iter().all(is_auto)
            }
            _ => false,
        };
        Setting { parts, topology: parts.topology.as_ref(), is_named }.assumed(&self.input.tree, resolved)
    }

    /// The defaults on which any run on a machine alone hangs. The engine is open unless it is said.
    pub(crate) fn assumed_of_machine(&self, parts: &mut Parts) -> Vec<Assumed> {
        let tree = &self.input.tree;
        parts.engine.take_if(|_| !tree.says("engine", "kind"));
        let resolved = self.findings.resolved.whole(Units::default());
        Setting { parts, topology: parts.topology.as_ref(), is_named: false }.assumed(tree, &resolved)
    }
}

impl Setting<'_> {
    /// The defaults that matter, and of which the tree says nothing; their values are those of the resolved experiment.
    fn assumed(&self, tree: &Tree, resolved: &Value) -> Vec<Assumed> {
        let networks = self.topology.map(TopologySection::networks).unwrap_or_default();
        let of_network = |(number, topology)| {
            let setting = Setting { topology: Some(topology), ..*self };
            let table = &resolved["topology"]["networks"][number];
            let name = format!("{}.{number}", rails::NAME);
            setting.assumed_in(tree, "topology", (&name, table))
        };
        let networks = networks.into_iter().filter_map(|(number, topology)| Some((number?, topology)));
        let mut all: Vec<Assumed> = networks.flat_map(of_network).collect();
        let mut tables: Vec<&str> = ROWS.iter().map(|row| row.table).collect();
        tables.dedup();
        all.extend(
            tables.into_iter().flat_map(|table| self.assumed_in(tree, table, (table, &resolved[table]))),
        );
        all
    }

    /// Those of the rows of a table, which here has this name and this value.
    fn assumed_in(&self, tree: &Tree, table: &str, (name, resolved): (&str, &Value)) -> Vec<Assumed> {
        let rows = ROWS.iter().filter(|row| row.table == table);
        let silent = rows.filter(|row| (row.matters)(self) && !tree.says(name, row.key));
        let assumed = |row: &Row| Assumed {
            key: full(name, row.key),
            value: resolved.get(row.key).cloned().unwrap_or_else(|| row.words.into()),
            why: row.why,
        };
        silent.map(assumed).collect()
    }

    fn may_be(&self, kinds: &[&str]) -> bool {
        self.parts.engine.as_ref().is_none_or(|engine| kinds.contains(&engine.name()))
    }

    fn has_packets(&self) -> bool {
        self.may_be(&["packet"])
    }

    fn has_routes(&self) -> bool {
        self.may_be(&["flow", "packet"])
    }

    /// Packets of synthetic traffic have a size of their own.
    fn cuts_messages(&self) -> bool {
        self.has_packets() && !self.is_synthetic()
    }

    fn is_synthetic(&self) -> bool {
        matches!(self.parts.workload, Some(Workload::Synthetic(_)))
    }

    /// A sweep and a quotient have one active message for each node.
    fn has_interfaces(&self) -> bool {
        let one_by_one = match &self.parts.engine {
            Some(EngineSection::Flow(flow)) => matches!(flow.method, Method::Sweep { .. } | Method::Quotient),
            _ => false,
        };
        self.has_routes() && !self.is_synthetic() && !one_by_one
    }

    /// A rank of a pattern has one active message.
    fn may_hold_messages_back(&self) -> bool {
        let Serving::Shared { at_once } = self.parts.node.interface else { return false };
        let per_node = self.parts.mapping.ranks_per_node;
        let pairs = match (&self.parts.workload, self.parts.ranks) {
            (Some(Workload::Pattern), _) => per_node,
            (Some(_), Some(ranks)) => per_node.saturating_mul(ranks.saturating_sub(1)),
            _ => usize::MAX,
        };
        self.has_interfaces() && pairs as u64 > u64::from(at_once)
    }

    fn has_protocols(&self) -> bool {
        self.parts.workload.as_ref().is_none_or(Workload::has_calls)
    }

    fn chooses_algorithms(&self) -> bool {
        match &self.parts.workload {
            Some(Workload::Collective(one)) => one.chooses() && !self.is_named,
            _ => self.has_protocols(),
        }
    }

    fn has_ties(&self) -> bool {
        let dimensions = match self.topology {
            Some(TopologySection::Grid { dimensions, rule: Rule::Minimal, .. }) => dimensions.as_slice(),
            _ => &[],
        };
        let has_tie = |wrap: Wrap, size: u32| wrap == Wrap::Torus && size.is_multiple_of(2);
        self.has_routes() && dimensions.iter().any(|dimension| has_tie(dimension.wrap, dimension.size))
    }

    fn climbs(&self) -> bool {
        self.has_routes()
            && matches!(self.topology, Some(TopologySection::FatTree { stages, .. }) if stages.len() > 1)
    }

    fn has_choice_of_ways(&self) -> bool {
        self.has_routes() && matches!(self.topology, Some(TopologySection::Switched(_)))
    }

    fn finds_routes(&self) -> bool {
        self.has_routes()
            && matches!(self.topology, Some(TopologySection::Graph(graph)) if graph.routes.is_none())
    }
}
