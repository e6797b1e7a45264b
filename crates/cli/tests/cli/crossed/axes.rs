//! What a scenario is made of: one value of each axis, each value keys of an experiment file.

/// Index of an axis, and of a value on it.
pub(super) type Pair = [(u8, u8); 2];

/// An axis: its name, and the keys of each of its values, the simplest one first. `@` is the folder of the fixtures.
pub(super) struct Axis {
    pub(super) name: &'static str,
    pub(super) values: &'static [&'static str],
}

pub(super) const MACHINE: usize = 0;
pub(super) const LATENCY: usize = 1;
pub(super) const ENGINE: usize = 2;
pub(super) const MAPPING: usize = 3;
pub(super) const RANKS_PER_NODE: usize = 4;
pub(super) const INTERFACES: usize = 5;
pub(super) const NODE: usize = 6;
pub(super) const ROUTER: usize = 7;
pub(super) const WORKLOAD: usize = 8;
pub(super) const SIZE: usize = 9;
pub(super) const VARIATION: usize = 10;
pub(super) const COLLECTIVES: usize = 11;
pub(super) const STORAGE: usize = 12;
pub(super) const OUTPUT: usize = 13;
pub(super) const LAW: usize = 14;
pub(super) const FAULTS: usize = 15;
pub(super) const WITHIN: usize = 16;
pub(super) const PROGRESS: usize = 17;
pub(super) const COMBINING: usize = 18;

pub(super) const AXES: [Axis; 19] = [
    Axis {
        name: "machine",
        values: &[
            "topology.kind = 'torus'; topology.shape = [4, 4]; topology.bandwidth = '1 GB/s'",
            "topology.kind = 'torus'; topology.shape = [5, 3]; topology.bandwidth = ['1 GB/s', '2 GB/s']",
            "topology.kind = 'torus'; topology.shape = [4, 2, 2]; topology.wrap = [true, false, true]; topology.tie = 'parity'; topology.bandwidth = '3 GB/s'",
            "topology.kind = 'mesh'; topology.shape = [7, 2]; topology.bandwidth = '1 GB/s'",
            "topology.kind = 'hypercrossbar'; topology.shape = [4, 3]; topology.bandwidth = '1.7 GB/s'",
            "topology.kind = 'tofu'; topology.shape = [2, 1, 1]; topology.bandwidth = '5 GB/s'",
            "topology.kind = 'fat-tree'; topology.radix = 4; topology.bandwidth = '1 GB/s'",
            "topology.kind = 'fat-tree'; topology.radix = 8; topology.stages = 2; topology.taper = 0.5; topology.routing = 'source-mod'; topology.bandwidth = '2 GB/s'",
            "topology.kind = 'graph'; topology.file = '@/network.csv'; topology.bandwidth = '1 GB/s'",
            "",
            "topology.kind = 'torus'; topology.shape = [12]; topology.bandwidth = '1 GB/s'",
            "topology.kind = 'torus'; topology.shape = [4, 3]; topology.bandwidth = '1 GB/s'",
        ],
    },
    Axis {
        name: "latency",
        values: &["topology.latency = '100 ns'", "topology.latency = '0 ns'", "topology.latency = '2 us'"],
    },
    Axis {
        name: "engine",
        values: &[
            "engine.kind = 'flow'",
            "engine.kind = 'flow'; engine.sharing = 'iterative'",
            "engine.kind = 'flow'; engine.sharing = 'iterative-literal'",
            "engine.kind = 'flow'; engine.sharing = 'single-pass'",
            "engine.kind = 'flow'; engine.resolution = '300 ns'",
            "engine.kind = 'ideal'; engine.latency = '1 us'; engine.message_gap = '50 ns'; engine.bandwidth = '1 GB/s'",
            "engine.kind = 'packet'",
            "engine.kind = 'packet'; packet.arbiter = 'oldest-first'",
            "engine.kind = 'packet'; packet.arbiter = 'fixed-priority'",
            "engine.kind = 'packet'; packet.arbiter = 'transit-first'",
        ],
    },
    Axis {
        name: "mapping",
        values: &[
            "mapping.kind = 'linear'",
            "mapping.kind = 'random'",
            "mapping.kind = 'random'; mapping.generator = 'splitmix'; mapping.seed = 5",
            "mapping.kind = 'file'; mapping.file = '@/mapping.txt'",
        ],
    },
    Axis {
        name: "ranks per node",
        values: &["", "mapping.ranks_per_node = 2", "mapping.ranks_per_node = 3"],
    },
    Axis {
        name: "interfaces",
        values: &[
            "",
            "node.nics = 2; node.messages_at_once = 1",
            "node.nics = 'per-direction'; node.messages_at_once = 'unlimited'",
            "node.nics = 3; node.injection_limit = '1.5 GB/s'; node.ejection_limit = '900 MB/s'",
            "node.nics = 3; node.stripe = 2; node.stripe_from = '700 B'; node.gap_of = 'interface'; node.interface = 'in-order'",
        ],
    },
    Axis {
        name: "node",
        values: &[
            "",
            "node.mpi_overhead = '200 ns'; node.memory_bandwidth = '4 GB/s'",
            "node.dma_bandwidth = '800 MB/s'; node.link_latency = '30 ns'; node.nic_bandwidth = '3 GB/s'",
            "node.eager_limit = '0 B'; node.mpi_overhead = '1 us'",
            "node.eager_messages = 1; node.eager_limit = '2 kB'",
            "node.send_overhead = ['100 ns', '300 ns']; node.receive_overhead = ['50 ns', '70 ns']; node.overhead_limits = '900 B'; node.unexpected_overhead = '400 ns'; node.rendezvous_overhead = '3 us'; node.combine_bandwidth = '2 GB/s'; node.copy_bandwidth = '3 GB/s'; node.copy_overhead = '20 ns'; node.pack_overhead = '2 us'; node.message_gap = '90 ns'; node.eager_limit = '1 kB'",
            "node.collective_overhead = '700 ns'; node.near_partners = 2; node.far_overhead = ['100 ns', '2 us']; node.far_limits = '500 B'; node.fresh_memory_from = '1 kB'; node.fresh_memory_several_from = '100 B'; node.fresh_memory_overhead = '900 ns'; node.fresh_memory_bandwidth = '2 GB/s'; node.hardware_overhead = '2 us'; node.hardware_message_time = '30 ns'",
        ],
    },
    Axis {
        name: "router",
        values: &[
            "",
            "packet.input_buffer = 1; packet.mtu = '512 B'",
            "packet.virtual_channels = 6; packet.dateline = 'dimension'; packet.switch_bandwidth = '9 GB/s'",
            "packet.vc_allocation = 'before-switch'; packet.virtual_channels = 4",
            "packet.credits = 'flit'; packet.output_buffer = 5; node.injection_channels = 1",
            "node.packet_gap = 0.7; packet.turnaround_delay = '8 ns'",
            "node.packet_gap = 'max-min'",
        ],
    },
    Axis {
        name: "workload",
        values: &[
            "workload.kind = 'ring'; workload.ranks = 12; workload.synchronised = true",
            "workload.kind = 'all-to-all'; workload.ranks = 12",
            "workload.kind = 'all-to-all'; workload.ranks = 12; workload.grid = [4, 3]; workload.algorithm = 'simple-spread-2d'; workload.synchronised = true",
            "workload.kind = 'all-to-all'; workload.ranks = 8; workload.algorithm = 'pairwise'",
            "workload.kind = 'all-to-all'; workload.ranks = 11; workload.algorithm = 'bruck'",
            "workload.kind = 'random-ring'; workload.ranks = 12; workload.messages = 3",
            "workload.kind = 'broadcast'; workload.ranks = 12; workload.algorithm = 'binomial'; workload.root = 5",
            "workload.kind = 'broadcast'; workload.ranks = 12; workload.algorithm = 'ring-pipeline'; workload.segments = 4",
            "workload.kind = 'gather'; workload.ranks = 12; workload.root = 3",
            "workload.kind = 'scatter'; workload.ranks = 12; workload.algorithm = 'flat'",
            "workload.kind = 'halo'; workload.grid = [3, 2, 2]; workload.ranks = 12; workload.periodic = [true, false, true]",
            "workload.kind = 'permutation'; workload.ranks = 9; workload.permutation = 'transpose'",
            "workload.kind = 'incast'; workload.ranks = 12; workload.root = 11",
            "workload.kind = 'hot-spot'; workload.ranks = 12; workload.fraction = 0.4",
            "workload.kind = 'pattern-file'; workload.file = '@/pattern.pattern'",
            "workload.kind = 'pattern-file'; workload.file = '@/pattern.parquet'",
            "workload.kind = 'profile'; workload.file = '@/program.profile'",
            "workload.kind = 'profile'; workload.file = '@/program.parquet'; workload.sources = 'as-posted'",
            "workload.kind = 'collective'; workload.ranks = 12; workload.operation = 'allreduce'; workload.message_size = '20 kB'; workload.repetitions = 2",
            "workload.kind = 'collective'; workload.ranks = 12; workload.operation = 'gather'; workload.root = 7; workload.message_size = '24 kB'",
            "workload.kind = 'program'; workload.ranks = 12; workload.program = '@/program'; workload.args = ['@']",
            "workload.kind = 'program'; workload.ranks = 12; workload.program = '@/program'; workload.args = ['@']; workload.data = false",
            "workload.kind = 'synthetic'; workload.pattern = 'uniform'; workload.offered_load = 0.2; workload.duration = '20 us'",
            "workload.kind = 'synthetic'; workload.pattern = 'shift'; workload.shift = 5; workload.offered_load = 0.6; workload.injection = 'exponential'; workload.duration = '10 us'",
        ],
    },
    Axis {
        name: "size",
        values: &[
            "workload.message_size = '1 kB'",
            "workload.message_size = '1 B'",
            "workload.message_size = '21 kB'",
        ],
    },
    Axis {
        name: "variation",
        values: &[
            "",
            "workload.messages = 3",
            "workload.size_spread = 0.3",
            "workload.start_imbalance = '5 us'",
            "workload.start_barrier = true",
        ],
    },
    Axis {
        name: "collectives",
        values: &[
            "",
            "collectives.bcast = 'flat'; collectives.allreduce = 'ring'; collectives.alltoall = 'bruck'; collectives.gather = 'flat'; collectives.barrier = 'dissemination'",
            "collectives.bcast = 'multi-tree'; collectives.bcast_trees = 3; collectives.bcast_segment_size = '1 kB'; collectives.allreduce = 'multi-tree'; collectives.reduce = 'multi-tree'",
        ],
    },
    Axis {
        name: "storage",
        values: &[
            "",
            "storage.bandwidth = '200 MB/s'; storage.latency = '5 us'",
            "storage.servers = 3; storage.stripe = '1 kB'; storage.bandwidth = '1 GB/s'",
        ],
    },
    Axis {
        name: "output",
        values: &[
            "output.pairs = true; output.messages = true",
            "",
            "output.sample_interval = '2 us'; output.messages = true; output.pairs = true",
            "output.sample_interval = '5 us'; output.series = ['links']; output.packets.routers = [0, 3]",
            "output.calls = true; output.trace = true; output.messages = true",
        ],
    },
    Axis {
        name: "law",
        values: &["repeated", "swept", "cut", "again", "written out", "drawn", "otherwise", "asked"],
    },
    Axis {
        name: "faults",
        values: &[
            "",
            "faults = [{ random_cables = 2, speed = 0.5 }]",
            "faults = [{ random_cables = 1 }]",
            "faults = [{ random_cables = 3, speed = 0.25, at = '3 us', until = '20 us' }, { random_cables = 1, seed = 2, speed = 0.5, at = '7 us' }]",
        ],
    },
    Axis {
        name: "within nodes",
        values: &[
            "",
            "node.local_bandwidth = '2 GB/s'; node.local_latency = '300 ns'; node.local_send_overhead = '40 ns'; node.local_receive_overhead = '20 ns'; node.local_rendezvous_overhead = '0 ns'; node.local_message_gap = '10 ns'; node.local_eager_limit = '2 kB'",
            "node.memory_limit = '1500 MB/s'",
            "node.memory_limit = '3 GB/s'; node.local_bandwidth = '1 GB/s'; node.local_message_gap = '0 ns'",
        ],
    },
    Axis {
        name: "progress",
        values: &["", "node.progress = 'calls'", "node.progress = 'polls'; node.progress_interval = '3 us'"],
    },
    Axis {
        name: "combining",
        values: &[
            "",
            "combining = [{ operation = 'sum', type = ['int32', 'double'], bandwidth = '600 MB/s' }, { operation = 'max', up_to = '3 kB', bandwidth = '900 MB/s' }]",
        ],
    },
];

/// A value of each axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Case(pub(super) [u8; AXES.len()]);

impl Case {
    pub(super) fn value(&self, axis: usize) -> &'static str {
        AXES[axis].values[usize::from(self.0[axis])]
    }

    /// Its values by their axes, the simplest ones left out.
    pub(super) fn name(&self) -> String {
        let values = (0..AXES.len()).filter(|&axis| self.0[axis] != 0);
        values.map(|axis| format!("{} {}", AXES[axis].name, self.0[axis])).collect::<Vec<_>>().join(", ")
    }

    pub(super) fn pairs(&self) -> impl Iterator<Item = Pair> {
        let at = self.0;
        let axes = || 0..AXES.len();
        axes().flat_map(move |a| (a + 1..AXES.len()).map(move |b| [(a as u8, at[a]), (b as u8, at[b])]))
    }

    pub(super) fn has_network(&self) -> bool {
        !self.value(MACHINE).is_empty()
    }

    pub(super) fn is_on_packets(&self) -> bool {
        self.value(ENGINE).contains("'packet'")
    }

    pub(super) fn is_on_flow(&self) -> bool {
        self.value(ENGINE).contains("'flow'")
    }

    pub(super) fn is_of_kind(&self, kind: &str) -> bool {
        // Asked millions of times until all pairs of values are covered: no text is made for it.
        let behind =
            self.value(WORKLOAD).strip_prefix("workload.kind = '").and_then(|own| own.strip_prefix(kind));
        behind.is_some_and(|rest| rest.starts_with('\''))
    }

    /// Whether ranks make calls, as those of programs and profiles do.
    pub(super) fn makes_calls(&self) -> bool {
        ["program", "profile", "collective"].iter().any(|kind| self.is_of_kind(kind))
    }

    pub(super) fn is_a_pattern(&self) -> bool {
        !self.makes_calls() && !self.is_of_kind("synthetic") && !self.is_of_kind("pattern-file")
    }

    /// How many ranks there are; of synthetic traffic none.
    pub(super) fn ranks(&self) -> usize {
        let (_, behind) = self.value(WORKLOAD).split_once("workload.ranks = ").unwrap_or(("", "12"));
        behind.split(';').next().and_then(|number| number.parse().ok()).expect("it is a number")
    }

    /// Why weir refuses this, if it does: by its documented rules.
    pub(super) fn refused(&self) -> Option<&'static str> {
        let at = |axis: usize| self.0[axis];
        let (packet, ideal) = (self.is_on_packets(), self.value(ENGINE).contains("'ideal'"));
        let (network, synthetic) = (self.has_network(), self.is_of_kind("synthetic"));
        let passed_on = ["broadcast", "gather", "scatter"].iter().any(|kind| self.is_of_kind(kind))
            || self.value(WORKLOAD).contains("bruck");
        let paced_by_messages = self.is_of_kind("program") || synthetic;
        let output = self.value(OUTPUT);
        let rules = [
            (!network && !ideal, "only the ideal engine needs no machine"),
            (at(FAULTS) == 3 && ideal, "the ideal engine has no links that could fail"),
            (at(FAULTS) != 0 && !network, "nothing can fail"),
            (at(INTERFACES) == 2 && !packet, "interfaces with a direction are the packet engine's"),
            (
                at(INTERFACES) == 2 && ![0, 1, 2, 3, 5, 10, 11].contains(&at(MACHINE)),
                "only grids have directions",
            ),
            (at(INTERFACES) == 4 && at(ROUTER) == 6, "the gap of a message is found for one interface"),
            (at(ROUTER) > 3 && !packet, "gaps and injection channels are the packet engine's"),
            (at(ROUTER) == 6 && paced_by_messages, "gaps by messages that are known before"),
            (at(VARIATION) == 2 && passed_on, "ranks pass on what they got"),
            (synthetic && !packet, "an open loop needs packets"),
            (
                synthetic && (at(INTERFACES) != 0 || at(MAPPING) != 0 || at(RANKS_PER_NODE) != 0),
                "an open loop of nodes",
            ),
            (synthetic && (output.contains("messages") || output.contains("pairs")), "there are no messages"),
            (output.contains("calls") && !self.makes_calls(), "nothing is called"),
            (output.contains("sample_interval") && ideal, "there is nothing to sample"),
            (output.contains("packets") && !packet, "there are no packets"),
        ];
        rules.iter().find(|(holds, _)| *holds).map(|&(_, why)| why)
    }

    /// Whether the values cannot be said together, or the law has nothing to look at.
    fn is_pointless(&self) -> bool {
        let at = |axis: usize| self.0[axis];
        let has_no_such_key = !self.has_network() && (at(LATENCY) != 0 || at(MAPPING) == 3 || at(NODE) == 2)
            || !self.is_a_pattern() && (at(VARIATION) != 0 || at(SIZE) != 0)
            || !self.makes_calls()
                && [COLLECTIVES, STORAGE, PROGRESS, COMBINING].iter().any(|&axis| at(axis) != 0)
            || self.is_of_kind("synthetic") && at(ROUTER) == 5
            || self.value(WORKLOAD).contains("segments") && at(SIZE) == 1
            || at(VARIATION) == 1 && self.value(WORKLOAD).contains("messages =");
        let written =
            ["synthetic", "pattern-file", "profile", "collective"].iter().any(|kind| self.is_of_kind(kind));
        has_no_such_key
            || self.value(LAW) == "cut" && !self.value(OUTPUT).contains("messages")
            || self.value(LAW) == "written out" && (written || at(STORAGE) != 0)
            || self.value(LAW) == "otherwise" && !(self.is_on_flow() && self.is_a_pattern())
            || self.value(LAW) == "asked" && !self.is_on_flow()
            // Where all nodes look alike there are no faults.
            || self.value(LAW) == "otherwise" && (at(FAULTS) != 0 || at(INTERFACES) != 0 || at(WITHIN) > 1)
            // Detours need virtual channels that other axes say, and a cable of the graph is the only way.
            || at(FAULTS) == 2 && (self.is_on_packets() || at(MACHINE) == 8)
    }

    pub(super) fn can_be_run(&self) -> bool {
        !self.is_pointless() && self.refused().is_none()
    }

    /// Whether it is one that weir has to refuse.
    pub(super) fn is_a_mistake(&self) -> bool {
        !self.is_pointless() && self.refused().is_some()
    }

    /// The same on a machine with so many routers that the packet engine takes two threads, if it has such a form.
    pub(super) fn enlarged(experiment: &str) -> String {
        let sizes = [
            ("shape = [4, 4]", "shape = [16, 4]"),
            ("shape = [5, 3]", "shape = [13, 5]"),
            ("shape = [4, 2, 2]", "shape = [4, 4, 4]"),
            ("shape = [7, 2]", "shape = [33, 2]"),
            ("shape = [4, 3]", "shape = [9, 8]"),
            ("shape = [12]", "shape = [65]"),
            ("shape = [2, 1, 1]", "shape = [3, 2, 1]"),
            ("radix = 4", "radix = 8"),
            ("radix = 8\ntopology.stages = 2", "radix = 8\ntopology.stages = 3"),
        ];
        sizes.iter().fold(experiment.to_owned(), |text, (small, large)| text.replace(small, large))
    }

    /// The experiment, without what it writes.
    pub(super) fn experiment(&self, fixtures: &str) -> String {
        let mut text = String::from("seed = 7\n");
        for axis in [
            MACHINE,
            LATENCY,
            ENGINE,
            MAPPING,
            RANKS_PER_NODE,
            INTERFACES,
            NODE,
            WITHIN,
            ROUTER,
            WORKLOAD,
            SIZE,
            VARIATION,
            COLLECTIVES,
            STORAGE,
            FAULTS,
            PROGRESS,
            COMBINING,
        ] {
            let of_patterns = axis == SIZE && !self.is_a_pattern();
            let of_machines = axis == LATENCY && !self.has_network();
            if !of_patterns && !of_machines && !self.value(axis).is_empty() {
                text += &self.value(axis).replace("; ", "\n");
                text.push('\n');
            }
        }
        text.replace("mapping.txt", &format!("mapping-{}.txt", self.ranks())).replace('@', fixtures)
    }
}
