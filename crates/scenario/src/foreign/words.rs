//! Words of other tools.

use crate::keys::form::is_name;

/// A word where something else stands in weir.
struct Word {
    /// The key whose value it is; of a key, a command or an option nothing.
    of: &'static [&'static str],
    /// The word, in any of its spellings, with blanks between.
    names: &'static str,
    /// The whole sentence behind it.
    sentence: &'static str,
}

/// How a network that weir does not generate comes into it.
macro_rules! graph {
    ($what:literal) => {
        concat!(
            "is ", $what, ", which weir does not generate: write its cables into NAME.csv, .graphml or .json (networkx makes many) and set \
             topology.kind = \"graph\" and topology.file; routes are the shortest ones (weir run dragonfly is an example)"
        )
    };
}

const KIND: &[&str] = &["topology.kind"];
/// Where a rule of routing may be asked for.
const RULES: &[&str] = &["topology.routing", "topology.tie", "packet.routing", "engine.routing"];

/// Values of keys.
const VALUES: &[Word] = &[
    Word {
        of: KIND,
        names: "dragonfly dragonfly-plus dragonfly+ megafly cascade aries slingshot",
        sentence: graph!("a network of groups of routers, all joined by cables"),
    },
    Word {
        of: KIND,
        names: "hyperx flattened-butterfly flatfly hamming",
        sentence: graph!("a grid in which all routers of a line are joined"),
    },
    Word {
        of: KIND,
        names: "slim-fly slimfly polar-fly polarfly polarstar bundlefly jellyfish xpander random \
                random-regular kautz de-bruijn spectralfly",
        sentence: graph!("a network of small diameter"),
    },
    Word {
        of: KIND,
        names: "full-mesh fullmesh complete fully-connected fullyconnected all-to-all clique",
        sentence: graph!("a network in which all are joined"),
    },
    Word {
        of: KIND,
        names: "rails rail-optimized rail planes multi-plane multi-rail dual-plane",
        sentence: "is a network of several planes or rails, which weir reads as a graph whose nodes have several cables: topology.kind = \"graph\", topology.file, and node.choose (weir.machine.planes in Python writes one)",
    },
    Word {
        of: KIND,
        names: "star switch crossbar single-switch single bus backbone",
        sentence: "is one switch, which weir calls a fat tree of one stage: topology.kind = \"fat-tree\", topology.stages = [NODES]",
    },
    Word {
        of: KIND,
        names: "clos folded-clos leaf-spine spine-leaf xgft pgft tree butterfly kary-ntree k-ary-n-tree \
                two-tier three-tier extended-generalized-fat-tree",
        sentence: "is a tree of switches, which weir calls fat-tree: topology.kind = \"fat-tree\" with topology.radix and taper, or a list of topology.stages",
    },
    Word {
        of: KIND,
        names: "ring chain line array cube hypercube ncube grid kncube 2d-torus 3d-torus torus2d torus3d",
        sentence: "is a grid, which weir describes by its sides: topology.kind = \"torus\" or \"mesh\" and topology.shape = [8], [8, 8], ... (a hypercube: a mesh with sides of 2)",
    },
    Word {
        of: KIND,
        names: "anynet custom file edge-list graphml networkx csv json xml any arbitrary",
        sentence: "is a network from a file, which weir calls graph: topology.kind = \"graph\" and topology.file",
    },
    Word {
        of: RULES,
        names: "adaptive ugal ugal-l ugal-g par minimal-adaptive min-adaptive min-adapt fully-adaptive \
                adaptive-local prog-adaptive progressive-adaptive dal duato flowlet xy-yx romm o1turn valiant \
                vlb val nonminimal non-minimal spray packet-spraying ecmp random random-ecmp",
        sentence: "is a rule by which routes depend on load or chance, which weir has not: every pair has one route, in a torus by dimension, in a fat tree topology.routing = \"destination-mod\" or \"source-mod\", in a graph the shortest one or that of topology.routes",
    },
    Word {
        of: RULES,
        names: "minimal min shortest dor dim-order dimension-order xy xyz e-cube d-mod-k s-mod-k dmodk updn \
                up-down ftree minhop nca lash dfsssp deterministic static floyd dijkstra",
        sentence: "is a rule of fixed routes, which weir chooses by the topology: in a torus by dimension, in a fat tree topology.routing = \"destination-mod\" or \"source-mod\", in a graph the shortest ones or those of topology.routes",
    },
    Word {
        of: &["engine.kind"],
        names: "flit flit-level cycle cycle-accurate booksim garnet ns3 ns-3 htsim merlin noc packet-level \
                detailed",
        sentence: "is a network of packets or flits, which weir calls packet: engine.kind = \"packet\"",
    },
    Word {
        of: &["engine.kind"],
        names: "fluid flow-level max-min maxmin smpi lv08 cm02 simgrid flowsim",
        sentence: "is a network of flows, which weir calls flow: engine.kind = \"flow\"",
    },
    Word {
        of: &["engine.kind"],
        names: "analytical logp loggp loggops none zero alpha-beta dimemas hockney",
        sentence: "is a network in which messages do not meet, which weir calls ideal: engine.kind = \"ideal\" with engine.latency and engine.bandwidth",
    },
    Word {
        of: &["workload.kind"],
        names: "goal chakra dumpi otf2 trace ti-trace replay paraver prv et dimemas",
        sentence: "is a trace of another tool, which weir does not read: weir log writes a profile of the program for workload.kind = \"profile\", and workload.kind = \"pattern-file\" takes who sends what to whom",
    },
    Word {
        of: &["workload.kind"],
        names: "mpi application app executable binary smpi",
        sentence: "is a program, which weir calls program: workload.kind = \"program\", or weir run EXPERIMENT -- PROGRAM",
    },
    Word {
        of: &["workload.kind"],
        names: "allreduce all-reduce allgather all-gather reduce-scatter bcast barrier reduce scan",
        sentence: "is a collective of MPI, which weir names by its operation: workload.kind = \"collective\" and workload.operation",
    },
    Word {
        of: &["workload.kind"],
        names: "uniform uniform-random tornado transpose bitcomp bitrev neighbor shuffle traffic worst-case \
                adversarial",
        sentence: "is synthetic traffic, which weir names by its pattern: workload.kind = \"synthetic\", workload.pattern and workload.offered_load",
    },
];

const NOWHERE: &[&str] = &[];

/// Keys and tables. Without a table they are meant in all.
const KEYS: &[Word] = &[
    Word {
        of: NOWHERE,
        names: "job jobs application applications apps background",
        sentence: "is a job beside others on one machine, for which weir has no key: weir mpirun -n 32 ./a : -n 32 ./b runs two programs as the halves of one job, each within its own half if docs/cookbook.md#two-jobs-on-one-machine is followed, and a pattern file takes the ranks of several jobs (workload.kind = \"pattern-file\")",
    },
    Word {
        of: &["packet", "engine", "torus", ""],
        names: "routing routing_function routing_algorithm route",
        sentence: "is the choice of routes, which belongs to the machine in weir: topology.routing of a fat tree, topology.routes or metric of a graph; there are no adaptive routes",
    },
    Word {
        of: &[""],
        names: "network platform system cluster interconnect fabric hosts links",
        sentence: "is the machine, which weir describes in [topology] and [node], or by a file: machine = \"torus\" (weir machines lists those that ship)",
    },
    Word {
        of: &[""],
        names: "traffic program trace profile pattern motif collective",
        sentence: "is what the ranks do, which weir describes in [workload] (weir keys workload.kind)",
    },
    Word {
        of: &[""],
        names: "placement allocation rankfile hostfile scheduler",
        sentence: "is where the ranks are, which weir describes in [mapping] (weir keys mapping.kind)",
    },
    Word {
        of: &[""],
        names: "simulation simulator sim model backend",
        sentence: "is how the network is simulated, which weir describes in [engine] (weir keys engine.kind)",
    },
    Word {
        of: &["packet", "engine", "node", "topology", ""],
        names: "congestion_control ecn dcqcn timely hpcc swift pfc qcn cc_mode qos priority priorities \
                service_level traffic_class",
        sentence: "is a control of congestion or a class of traffic, which weir does not have: packets wait for credits, and flows share links in max-min",
    },
    Word {
        of: &["node", "topology", ""],
        names: "gpus gpu gpus_per_node nvlink nvswitch npus npus_count accelerators",
        sentence: "is a part within a node, which weir does not have: mapping.ranks_per_node puts ranks on one, [node] says what messages among them take, and a graph (topology.kind = \"graph\") may have a vertex for each",
    },
    Word {
        of: &["node"],
        names: "cores cpus speed flops power",
        sentence: "is how fast a node computes, which weir measures or is told: workload.compute and [[work]]; mapping.ranks_per_node says how many ranks a node has",
    },
    Word {
        of: &["topology"],
        names: "groups group_size routers_per_group global_links terminals concentration hosts_per_router \
                local_ports",
        sentence: "is a number of a network that weir does not generate, such as a dragonfly: write its cables into a file (topology.kind = \"graph\", topology.file)",
    },
];

/// Commands.
const COMMANDS: &[Word] = &[
    Word {
        of: NOWHERE,
        names: "import convert translate goal2weir from",
        sentence: "is not there, because weir reads no traces of other tools: a network comes as a graph (topology.kind = \"graph\", topology.file), a program's work as a profile (weir log) or a pattern file (weir pattern writes one as an example)",
    },
    Word {
        of: NOWHERE,
        names: "export",
        sentence: "is spread over what is written: weir topology --out writes a machine as a graph, weir pattern the messages of an experiment, weir profile --out a profile, output.trace a trace for Perfetto",
    },
    Word {
        of: NOWHERE,
        names: "mpiexec srun smpirun mpiexec.hydra aprun jsrun prun prterun launch",
        sentence: "is weir mpirun: weir mpirun -n RANKS --machine MACHINE ./PROGRAM",
    },
    Word {
        of: NOWHERE,
        names: "mpicc smpicc gcc compile build",
        sentence: "is weir cc: weir cc program.c -o program",
    },
    Word {
        of: NOWHERE,
        names: "mpicxx mpic++ smpicxx g++",
        sentence: "is weir c++: weir c++ program.cc -o program",
    },
    Word {
        of: NOWHERE,
        names: "mpifort mpif90 mpif77 smpif90 gfortran fortran",
        sentence: "is weir fort: weir fort program.f90 -o program",
    },
    Word {
        of: NOWHERE,
        names: "simulate sim start execute exec",
        sentence: "is weir run: weir run EXPERIMENT (weir examples lists some)",
    },
    Word {
        of: NOWHERE,
        names: "plot visualize visualise viz view draw show gui dashboard html",
        sentence: "is weir report: weir run EXPERIMENT --out DIR, then weir report DIR; weir run --live follows a run",
    },
    Word {
        of: NOWHERE,
        names: "trace record",
        sentence: "is weir log for a profile of a program, and output.trace = true for a trace of a run (Perfetto)",
    },
    Word {
        of: NOWHERE,
        names: "list ls samples templates init new",
        sentence: "is weir examples: it lists what ships, and weir examples NAME --copy DIR writes it",
    },
    Word {
        of: NOWHERE,
        names: "optimize optimise tune study scan",
        sentence: "is weir sweep for values of keys, and weir advise for mappings, gaps and algorithms",
    },
    Word { of: NOWHERE, names: "diff", sentence: "is weir compare: weir compare DIR DIR" },
    Word {
        of: NOWHERE,
        names: "check lint dry-run",
        sentence: "is weir run --dry-run: it checks an experiment and says what it takes",
    },
    Word { of: NOWHERE, names: "version info --info about", sentence: "is weir --version" },
];

/// Options.
const OPTIONS: &[Word] = &[
    Word {
        of: NOWHERE,
        names: "--map-by -map-by --npernode -npernode -ppn --ppn --ntasks-per-node --distribution --hostfile \
                -hostfile --machinefile --nodefile --rankfile -rankfile -rf --vcoordfile --bynode --byslot \
                --rank-by -m",
        sentence: "places ranks: weir mpirun, log, run and replay take --hostfile, --rankfile, -N and --map-by, and [mapping] of an experiment says the same for every command (weir keys mapping.kind)",
    },
    Word {
        of: NOWHERE,
        names: "--bind-to --cpu-bind --cpus-per-task --use-hwthread-cpus --oversubscribe --overcommit \
                --cpu-set --report-bindings --display-map",
        sentence: "binds processes to cores, which weir does not: ranks share the cores of this computer, and simulated time does not depend on them",
    },
    Word {
        of: NOWHERE,
        names: "--host -host --hosts -H --nodelist -w",
        sentence: "chooses hosts: weir mpirun reads them from a file (--hostfile FILE, or --rankfile FILE), and ranks are on the nodes of the machine that stand for them (weir keys mapping.file)",
    },
    Word {
        of: NOWHERE,
        names: "--nodes -N --ntasks --nnodes",
        sentence: "counts nodes or ranks, which weir mpirun does by -n RANKS and -N RANKS_OF_A_NODE",
    },
    Word {
        of: NOWHERE,
        names: "--mca -mca --gmca --prtemca -genv -env --env -x --export --prefix --wdir -wdir",
        sentence: "sets up another MPI, which weir is not: ranks have the environment and the folder of the command, and collectives are chosen by --set collectives.preset=...",
    },
    Word {
        of: NOWHERE,
        names: "--cfg -cfg",
        sentence: "is SimGrid's way to set a key, in weir --set KEY=VALUE (weir keys lists the keys)",
    },
    Word {
        of: NOWHERE,
        names: "-platform --platform --topology --network --network-configuration --system --topo",
        sentence: "names a machine, in weir --machine: a file, or a name of weir machines",
    },
    Word {
        of: NOWHERE,
        names: "--workload --workload-configuration --trace -trace -replay --replay --goal --tm",
        sentence: "names what ranks do, in weir the table [workload] of an experiment, weir mpirun for a program, weir replay for a profile",
    },
    Word {
        of: NOWHERE,
        names: "--config --configuration -c --conf --input -f",
        sentence: "names a file, which weir takes without an option: weir run EXPERIMENT",
    },
    Word {
        of: NOWHERE,
        names: "--jobs -j --cores --cpus --num-threads -t",
        sentence: "says how many threads work, in weir --threads N; --processes N divides a run of packets",
    },
    Word {
        of: NOWHERE,
        names: "--output --output-dir --outdir --results",
        sentence: "names what is written, in weir --out",
    },
    Word {
        of: NOWHERE,
        names: "--backend --model --simulator --mode",
        sentence: "chooses how the network is simulated, in weir --engine ideal, flow or packet",
    },
    Word {
        of: NOWHERE,
        names: "--routing --routing-algorithm",
        sentence: "chooses routes, in weir --set topology.routing=... of a fat tree; there are no adaptive routes",
    },
    Word { of: NOWHERE, names: "--seed", sentence: "is a key in weir: --set seed=N" },
];

fn find(words: &[Word], of: Option<&str>, name: &str) -> Option<&'static str> {
    let name = name.trim().to_lowercase().replace(' ', "-");
    let fits = |word: &&Word| of.is_none_or(|of| word.of.is_empty() || word.of.contains(&of));
    words
        .iter()
        .filter(fits)
        .find(|word| word.names.split(' ').any(|known| is_name(known, &name)))
        .map(|word| word.sentence)
}

/// What a value of a key is elsewhere.
pub(crate) fn value(key: &str, value: &str) -> Option<&'static str> {
    find(VALUES, Some(key), value)
}

/// What a value is elsewhere, of whichever key.
pub(crate) fn any_value(value: &str) -> Option<&'static str> {
    find(VALUES, None, value)
}

/// What a key of a table, or a table, is elsewhere.
pub(crate) fn key(table: &str, key: &str) -> Option<&'static str> {
    find(KEYS, Some(table), key)
}

/// What a command is called here, or why there is none.
#[must_use]
pub fn command(name: &str) -> Option<&'static str> {
    find(COMMANDS, None, name)
}

/// What an option is called here; `--cfg=...` counts without its value.
#[must_use]
pub fn option(word: &str) -> Option<&'static str> {
    let name = word.split('=').next().unwrap_or(word);
    OPTIONS.iter().find(|row| row.names.split(' ').any(|known| known == name)).map(|row| row.sentence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn words_are_recognized_where_they_stand() {
        for (key, word) in [
            ("topology.kind", "dragonfly"),
            ("topology.kind", "Dragonfly Plus"),
            ("topology.kind", "slim_fly"),
            ("topology.routing", "UGAL"),
            ("engine.kind", "LogGP"),
            ("workload.kind", "goal"),
        ] {
            assert!(value(key, word).is_some(), "{key} = {word}");
        }
        assert_eq!(value("engine.kind", "dragonfly"), None);
        assert_eq!(value("topology.kind", "fattree"), None);
        assert!(
            key("", "job").is_some()
                && key("workload", "jobs").is_some()
                && key("packet", "routing").is_some()
        );
        assert_eq!(key("topology", "routing"), None);
        assert!(command("import").is_some() && command("run").is_none());
        assert!(option("--cfg=network/model:CM02").is_some() && option("--set").is_none());
    }

    /// Of two rows only one would ever be found. Nothing that weir has is in a row.
    #[test]
    fn no_word_stands_twice() {
        for rows in [VALUES, KEYS, COMMANDS, OPTIONS] {
            let mut seen = BTreeSet::new();
            for row in rows {
                let of: &[&str] = if row.of.is_empty() { &[""] } else { row.of };
                for word in of.iter().flat_map(|of| row.names.split(' ').map(move |name| (*of, name))) {
                    assert!(seen.insert(word), "{word:?}");
                }
                assert!(row.sentence.contains("weir") || row.sentence.contains("--"), "{}", row.sentence);
            }
        }
    }
}
