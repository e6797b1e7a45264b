//! Words and files of other tools: one row for each that weir has not, or calls otherwise, with what it is and the way there is.
//!
//! Words (values, keys, commands, options) are recognized by name, files by what is in them. Whoever refuses an input asks here first what
//! it may be; nothing is refused because of a row. When weir learns what a row says, the row goes.

mod sample;
mod words;

use sample::Sample;
use std::path::Path;
pub(crate) use words::{any_value, key, value};
pub use words::{command, option};

struct Form {
    sentence: &'static str,
    is: fn(&Sample<'_>) -> bool,
}

/// The way of a network that another tool describes into weir.
macro_rules! network {
    ($what:literal) => {
        concat!(
            "is ", $what, ", which weir does not read: write its cables into NAME.csv, .graphml or .json and set topology.kind = \"graph\" and \
             topology.file (weir examples dragonfly.csv is such a file), or, where it is regular, topology.kind = \"torus\" or \"fat-tree\""
        )
    };
}

/// The way of the work of ranks in another tool into weir.
macro_rules! work {
    ($what:literal) => {
        concat!(
            "is ", $what, ", which weir does not read: weir log writes a profile of the program itself for weir replay, or write who sends \
             what to whom into a pattern file (workload.kind = \"pattern-file\")"
        )
    };
}

/// The way of the parameters of another tool into weir.
macro_rules! parameters {
    ($what:literal) => {
        concat!(
            "is ", $what, ", which weir does not read: the keys of [topology], [node], [packet] and [workload] say the same (weir keys \
             lists them, weir examples ring prints an experiment)"
        )
    };
}

/// Measurements are for another command.
macro_rules! measured {
    ($what:literal) => {
        concat!("is ", $what, ": measured times, no experiment; weir calibrate fits the keys of a machine to such times (weir calibrate --help)")
    };
}

/// Measurements in a form that no command reads.
macro_rules! measured_otherwise {
    ($what:literal) => {
        concat!("is ", $what, ", which weir does not read; weir calibrate fits the keys of a machine to logs of OSU Micro-Benchmarks, of the Intel MPI Benchmarks and of nccl-tests, and to tables of measured times (weir calibrate --help)")
    };
}

/// The rows. The first that fits is taken: what surely is one thing stands before what looks like it.
const FORMS: &[Form] = &[
    // Files for another command of weir, or another key.
    Form {
        sentence: "is a compiled program, no experiment: weir mpirun -n RANKS PROGRAM runs it, or weir run EXPERIMENT -- PROGRAM",
        is: |file| file.begins(b"\x7fELF"),
    },
    Form {
        sentence: "is compressed, which weir does not read: unpack it first (gunzip, unxz, unzstd, unzip, tar)",
        is: |file| {
            [&b"\x1f\x8b"[..], b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"PK\x03\x04", b"BZh"]
                .iter()
                .any(|magic| file.begins(magic))
        },
    },
    Form {
        sentence: "is the source of an MPI program, which weir compiles first: weir cc FILE -o PROGRAM (weir c++, weir fort), then weir mpirun -n RANKS ./PROGRAM",
        is: |file| {
            file.any_line(|line| {
                let line = line.to_lowercase();
                let include =
                    line.starts_with("#include") && (line.contains("mpi.h") || line.contains("weir.h"));
                include
                    || line.starts_with("use mpi")
                    || line.contains("mpif.h")
                    || line.starts_with("use, intrinsic :: iso_c")
            }) || file.ends(&["c", "cc", "cpp", "cxx", "f90", "f", "f08"]) && file.has("MPI_")
        },
    },
    Form {
        sentence: "is a job script, which weir does not read: its line with mpirun or srun is weir mpirun -n RANKS --machine MACHINE ./PROGRAM",
        is: |file| {
            file.any_line(|line| {
                ["#SBATCH", "#PBS", "#PJM", "#BSUB", "#$ -"].iter().any(|begin| line.starts_with(begin))
            })
        },
    },
    // Networks.
    Form { sentence: network!("a platform of SimGrid (XML)"), is: |file| file.tag("platform") },
    Form {
        sentence: network!("a topology that NCCL or RCCL has written (XML)"),
        is: |file| file.tag("system") || file.tag("graphs"),
    },
    Form {
        sentence: network!("a computer that hwloc has written (XML)"),
        is: |file| file.tag("topology") && file.has("<object"),
    },
    Form { sentence: parameters!("a machine of SST (SDL)"), is: |file| file.tag("sdl") },
    Form {
        sentence: network!("a network file of BookSim (anynet)"),
        is: |file| {
            file.all_lines(|line| {
                line.starts_with("router ")
                    && line.split(' ').nth(2).is_some_and(|word| word == "node" || word == "router")
            })
        },
    },
    Form {
        sentence: parameters!("a configuration of BookSim"),
        is: |file| {
            file.any_line(|line| {
                line.ends_with(';')
                    && ["topology", "routing_function", "traffic", "num_vcs", "network_count"].iter().any(
                        |key| line.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with('=')),
                    )
            })
        },
    },
    Form {
        sentence: network!("a topology of htsim (.topo)"),
        is: |file| file.first().starts_with("Nodes ") && file.any_line(|line| line.starts_with("Tiers ")),
    },
    Form {
        sentence: network!("a network of ASTRA-sim (yml)"),
        is: |file| file.any_line(|line| line.starts_with("npus_count")),
    },
    Form {
        sentence: network!("a topology of ns-3 (HPCC, SimAI, ASTRA-sim)"),
        is: |file| file.is_ns3_topology(),
    },
    Form {
        sentence: network!("a configuration of CODES"),
        is: |file| {
            file.first().starts_with("LPGROUPS")
                || file.has("schema_version:")
                    && (file.has("model:") || file.has("topology:") || file.has("modelnet"))
        },
    },
    Form {
        sentence: network!("what ibnetdiscover or ibsim says of an InfiniBand network"),
        is: |file| {
            file.any_line(|line| {
                ["vendid=", "switchguid=", "caguid="].iter().any(|begin| line.starts_with(begin))
            }) || file.any_line(|line| {
                ["Switch", "Hca", "Ca"].iter().any(|kind| {
                    line.strip_prefix(kind)
                        .is_some_and(|rest| rest.starts_with(['\t', ' ']) && rest.contains('"'))
                })
            })
        },
    },
    Form { sentence: network!("a topology of ibdm"), is: |file| file.first().starts_with("MTS") },
    Form {
        sentence: network!("a table of forwarding ports"),
        is: |file| {
            file.all_lines(|line| {
                line.split_once(": ").is_some_and(|(number, rest)| {
                    sample::is_number(number) && rest.split(' ').all(sample::is_number)
                })
            }) || file.has("fdbIndex")
        },
    },
    Form {
        sentence: network!("a configuration of Slurm"),
        is: |file| {
            file.any_line(|line| {
                ["SwitchName=", "NodeName=", "BlockName=", "ClusterName=", "SlurmctldHost="]
                    .iter()
                    .any(|begin| line.starts_with(begin))
            })
        },
    },
    Form {
        sentence: network!("a list of cables of a Cray XC"),
        is: |file| file.has(" -> c") && file.any_line(|line| line.starts_with('c') && line.contains("s0a0l")),
    },
    Form {
        sentence: network!("a model of a cluster (topograph)"),
        is: |file| file.any_line(|line| line == "switches:"),
    },
    Form {
        sentence: network!("a network of SST/macro (JSON)"),
        is: |file| file.is_json() && file.has("\"switches\""),
    },
    Form {
        sentence: network!("a topology of NetQ (JSON)"),
        is: |file| {
            file.is_json()
                && (file.has("\"CreatedAt\"") || file.has("\"links\"") && file.first().starts_with('['))
        },
    },
    Form {
        sentence: network!("a graph of Graphviz (DOT)"),
        is: |file| {
            ["digraph", "graph", "strict"].iter().any(|begin| file.first().starts_with(begin))
                && file.first().contains('{')
        },
    },
    Form {
        sentence: network!(
            "a graph in GML (networkx.write_graphml and networkx.node_link_data write what weir reads)"
        ),
        is: |file| file.first().starts_with("graph [") || file.first() == "graph",
    },
    Form {
        sentence: network!(
            "a graph of Pajek (networkx.write_graphml and networkx.node_link_data write what weir reads)"
        ),
        is: |file| file.first().to_lowercase().starts_with("*vertices"),
    },
    Form {
        sentence: "is a graph as networkx.adjacency_data writes it, which weir does not read: networkx.node_link_data writes what it reads (topology.kind = \"graph\", topology.file)",
        is: |file| file.is_json() && file.has("\"adjacency\""),
    },
    Form {
        sentence: network!("a file of binary numbers, such as the connections of a dragonfly of CODES"),
        is: |file| file.is_small_numbers(),
    },
    // What ranks do.
    Form {
        sentence: work!("a schedule in GOAL (LogGOPSim, ATLAHS)"),
        is: |file| file.first().starts_with("num_ranks "),
    },
    Form {
        sentence: work!("a schedule in GOAL, compiled (LogGOPSim)"),
        is: |file| file.begins(&4223_u64.to_le_bytes()),
    },
    Form { sentence: work!("a Chakra trace (.et)"), is: |file| file.is_chakra() },
    Form {
        sentence: work!("a trace of PyTorch or Chakra (JSON)"),
        is: |file| {
            file.is_json()
                && ["\"traceEvents\"", "\"ctrlDeps\"", "\"ctrl_deps\"", "\"NodeType\"", "\"fw_parent\""]
                    .iter()
                    .any(|key| file.has(key))
        },
    },
    Form { sentence: work!("an algorithm of MSCCL (XML)"), is: |file| file.tag("algo") },
    Form {
        sentence: work!("a plan of MSCCL++ (JSON)"),
        is: |file| file.is_json() && file.has("\"collective\"") && file.has("\"gpus\""),
    },
    Form {
        sentence: work!("a trace in OTF2 (Score-P)"),
        is: |file| file.begins(b"\x03BOTF2") || file.begins(b"\x03B\x01\0"),
    },
    Form {
        sentence: work!("a trace of DUMPI"),
        is: |file| {
            file.begins(b"\xff\xaa\xddDUMPI")
                || file.any_line(|line| line.starts_with("numprocs="))
                || file.has(" entering at walltime ")
        },
    },
    Form {
        sentence: work!("a trace of liballprof"),
        is: |file| file.has("collprof 0.") || file.has("PMPI Tracer"),
    },
    Form {
        sentence: work!("a trace of Paraver"),
        is: |file| {
            file.begins(b"#Paraver")
                || file.first() == "DEFAULT_OPTIONS"
                || file.first().starts_with("LEVEL ")
        },
    },
    Form {
        sentence: parameters!("a configuration of Dimemas"),
        is: |file| file.begins(b"#DIMEMAS") || file.begins(b"SDDF"),
    },
    Form {
        sentence: work!("a trace of Paje"),
        is: |file| file.any_line(|line| line.starts_with("%EventDef")),
    },
    Form {
        sentence: work!("a trace of actions of SimGrid (time-independent)"),
        is: |file| file.is_actions(),
    },
    Form {
        sentence: work!("a matrix of connections of htsim (.cm)"),
        is: |file| {
            file.first().starts_with("Nodes ") && file.any_line(|line| line.starts_with("Connections "))
        },
    },
    Form { sentence: work!("a list of flows of ns-3 (HPCC)"), is: |file| file.is_ns3_flows() },
    Form {
        sentence: work!("a workload of ASTRA-sim, SimAI or AICB"),
        is: |file| {
            let first = file.first().split(|letter: char| letter.is_whitespace()).next().unwrap_or_default();
            first.starts_with("HYBRID_")
                || ["DATA", "MODEL", "MICRO"].contains(&first)
                || file.has("CommType.")
        },
    },
    Form {
        sentence: work!("a load of Ember (SST)"),
        is: |file| file.any_line(|line| line.starts_with("[JOB_ID]")),
    },
    Form { sentence: work!("a log of nsys (SQLite)"), is: |file| file.begins(b"SQLite format 3") },
    // Parameters.
    Form {
        sentence: parameters!("a configuration of ASTRA-sim (JSON)"),
        is: |file| {
            file.is_json()
                && ["\"scheduling-policy\"", "\"memory-type\"", "\"logical-dims\""]
                    .iter()
                    .any(|key| file.has(key))
        },
    },
    Form {
        sentence: parameters!("a configuration of ns-3 (HPCC, SimAI)"),
        is: |file| {
            file.any_line(|line| {
                ["ENABLE_QCN", "TOPOLOGY_FILE", "PACKET_PAYLOAD_SIZE", "KMAX_MAP"]
                    .iter()
                    .any(|key| line.starts_with(key))
            })
        },
    },
    Form {
        sentence: parameters!("a script of SST (Python)"),
        is: |file| file.any_line(|line| line == "import sst" || line.starts_with("from sst")),
    },
    Form {
        sentence: parameters!("a file of parameters of SST/macro"),
        is: |file| {
            file.any_line(|line| ["node {", "topology {", "switch {", "interconnect {"].contains(&line))
                && file.has(" = ")
        },
    },
    Form {
        sentence: "is a script in Python, no experiment: python3 FILE runs it, and weir.run in it runs an experiment",
        is: |file| file.ends(&["py"]),
    },
    // What was measured.
    Form {
        sentence: measured!("a log of OSU Micro-Benchmarks"),
        is: |file| file.any_line(|line| line.starts_with("# OSU ")),
    },
    Form {
        sentence: measured!("a log of the Intel MPI Benchmarks"),
        is: |file| file.has("MPI Benchmarks") || file.has("#bytes #repetitions"),
    },
    Form {
        sentence: measured!("a log of nccl-tests"),
        is: |file| file.has("nccl-tests") || file.has("# nThread ") || file.has("out-of-place"),
    },
    Form { sentence: measured_otherwise!("a log of MSCCL++"), is: |file| file.has("\"algBw\"") },
    Form {
        sentence: measured_otherwise!("a log of GPCNeT"),
        is: |file| {
            file.has("NetworkTests v") || file.has("NetworkLoad Tests v") || file.has("Network Tests v")
        },
    },
    Form { sentence: measured_otherwise!("a report of mpiP"), is: |file| file.begins(b"@ mpiP") },
];

/// Files that weir reads itself, under another key or by another command.
const OWN: &[Form] = &[
    Form {
        sentence: "is a list of hosts or ranks, no experiment: it goes with mapping.kind = \"file\" and mapping.file, or weir mpirun --hostfile or --rankfile FILE",
        is: |file| {
            file.any_line(|line| line.contains(" slots=") || line.starts_with("rank ") && line.contains('='))
        },
    },
    Form {
        sentence: "is a table in Parquet, no experiment: weir replay FILE runs a profile, workload.kind = \"pattern-file\" with workload.file a pattern",
        is: |file| file.begins(b"PAR1"),
    },
    Form {
        sentence: "is a profile of weir, which is no experiment: weir replay FILE runs it",
        is: |file| file.first().starts_with("weir-profile"),
    },
    Form {
        sentence: "is a pattern file of weir, which is no experiment: set workload.kind = \"pattern-file\" and workload.file in one",
        is: |file| file.first().starts_with("weir-pattern"),
    },
    Form {
        sentence: "is a graph, no experiment: set topology.kind = \"graph\" and topology.file to it, with the ending .graphml, .json or .csv",
        is: |file| {
            file.tag("graphml")
                || file.is_json() && file.has("\"nodes\"") && (file.has("\"links\"") || file.has("\"edges\""))
                || file.first().starts_with("source,target")
        },
    },
];

/// Describes a file in a sentence that goes on from its name; `None` for whatever has no row. Reads its beginning; what is not a file as it is
/// on a disk has been read already, and is not looked at.
#[must_use]
pub fn file(path: &Path) -> Option<&'static str> {
    of(path, &sample::begin(path)?, &[FORMS, OWN])
}

/// The same where a graph, a mapping, a pattern or a profile is read: what is wrong with one of these is said as such.
#[must_use]
pub fn data(path: &Path) -> Option<&'static str> {
    of(path, &sample::begin(path)?, &[FORMS])
}

fn of(path: &Path, bytes: &[u8], forms: &[&[Form]]) -> Option<&'static str> {
    let sample = Sample::new(path, bytes);
    forms.iter().copied().flatten().find(|form| (form.is)(&sample)).map(|form| form.sentence)
}

#[cfg(test)]
mod tests;
