//! The formats, one row each.

use crate::sample::Is::{All, Begins, By, First, Has, Json, Line, Tag};
use crate::{Format, ReadKeys, ReadMachine, ReadPattern, ReadWork, Reader, Writer};
use crate::{
    actions, anynet, astra_network, astra_system, chakra, dumpi, goal, htsim_matrix, htsim_topology,
    ibnetdiscover, liballprof, ns3, otf2, simgrid, slurm,
};

/// The sentence about a machine that was expected to be something else.
macro_rules! machine {
    ($what:literal) => {
        concat!("is ", $what, ", a machine: set topology.kind = \"graph\" and topology.file to it (weir convert FILE OUT.json writes a graph)")
    };
}

/// The sentence about a graph of work that was expected to be something else.
macro_rules! work {
    ($what:literal) => {
        concat!("is ", $what, ", a graph of work: weir replay FILE runs it, or set workload.kind = \"graph\" and workload.file to it (weir convert FILE OUT.graph writes it as text)")
    };
}

/// All formats. Of those that fit a file the first is taken.
pub const FORMATS: &[Format] = &[
    Format {
        name: "simgrid",
        title: "a platform of SimGrid (XML)",
        sentence: machine!("a platform of SimGrid (XML)"),
        endings: &["xml"],
        reader: Some(Reader::Machine(ReadMachine(simgrid::read))),
        writer: Some(Writer::Machine(simgrid::write)),
        reading_loses: "Routes, links and hosts are all there. Speeds of hosts, properties and links of a host to itself are not read; FATPIPE, Vivaldi, wireless links, profiles and disks are refused.",
        writing_loses: "Lossless in nodes, links and routes, of up to 4,096 nodes; names of routers are lost.",
        signs: &[Tag("platform")],
    },
    Format {
        name: "ibnetdiscover",
        title: "what ibnetdiscover or ibsim says of an InfiniBand network",
        sentence: machine!("what ibnetdiscover or ibsim says of an InfiniBand network"),
        endings: &[],
        reader: Some(Reader::Machine(ReadMachine(ibnetdiscover::read))),
        writer: None,
        reading_loses: "Switches, hosts with their adapters, cables and rates are all there; the file has no latencies and no routes. GUIDs and LIDs are not kept.",
        writing_loses: "",
        signs: &[Line("vendid="), Line("switchguid="), Line("caguid="), By(|file| file.is_fabric())],
    },
    Format {
        name: "slurm",
        title: "a topology of Slurm (topology.conf)",
        sentence: machine!("a topology of Slurm (topology.conf)"),
        endings: &["topology.conf", "conf"],
        reader: Some(Reader::Machine(ReadMachine(slurm::read))),
        writer: Some(Writer::Machine(slurm::write)),
        reading_loses: "Lossless; the file has no bandwidths, latencies or numbers of cables. LinkSpeed is refused.",
        writing_loses: "Of machines whose routers are in levels, such as trees. Bandwidths, latencies and numbers of cables are lost.",
        signs: &[Line("SwitchName="), Line("BlockName=")],
    },
    Format {
        name: "anynet",
        title: "a network file of BookSim (anynet)",
        sentence: machine!("a network file of BookSim (anynet)"),
        endings: &["anynet"],
        reader: Some(Reader::Machine(ReadMachine(anynet::read))),
        writer: Some(Writer::Machine(anynet::write)),
        reading_loses: "Lossless; the time of a cycle and the bandwidth of channels have to be given.",
        writing_loses: "Lossless in nodes, routers and latencies; names and bandwidths are lost. Parallel cables are refused.",
        signs: &[By(|file| file.is_anynet())],
    },
    Format {
        name: "astra-network",
        title: "a network of ASTRA-sim",
        sentence: machine!("a network of ASTRA-sim"),
        endings: &[],
        reader: Some(Reader::Machine(ReadMachine(astra_network::read))),
        writer: None,
        reading_loses: "Lossless: dimensions become cables. Keys of other backends are refused.",
        writing_loses: "",
        signs: &[Line("npus_count"), Json("\"npus_count\""), Json("\"npus-count\"")],
    },
    Format {
        name: "astra-system",
        title: "a configuration of ASTRA-sim (JSON)",
        sentence: "is a configuration of ASTRA-sim (JSON), which says algorithms of collectives: weir convert FILE OUT.toml writes the keys of an experiment",
        endings: &[],
        reader: Some(Reader::Keys(ReadKeys(astra_system::read))),
        writer: None,
        reading_loses: "Algorithms that weir has, the same in all dimensions, and the delay of an endpoint become keys; scheduling, chunks and memory are refused.",
        writing_loses: "",
        signs: &[Json("\"scheduling-policy\""), Json("-implementation\"")],
    },
    Format {
        name: "ns3",
        title: "a topology of ns-3 (HPCC, SimAI, ASTRA-sim)",
        sentence: machine!("a topology of ns-3 (HPCC, SimAI, ASTRA-sim)"),
        endings: &[],
        reader: Some(Reader::Machine(ReadMachine(ns3::read))),
        writer: None,
        reading_loses: "Lossless but for which of equal routes a flow takes. Error rates other than 0 are refused.",
        writing_loses: "",
        signs: &[By(|file| file.is_ns3_topology())],
    },
    Format {
        name: "htsim-topology",
        title: "a topology of htsim (.topo)",
        sentence: machine!("a topology of htsim (.topo)"),
        endings: &["topo"],
        reader: Some(Reader::Machine(ReadMachine(htsim_topology::read))),
        writer: Some(Writer::Machine(htsim_topology::write)),
        reading_loses: "Lossless; the delay of a switch is part of the latency of the cables out of it. Sizes of queues are refused.",
        writing_loses: "Lossless but for names, of fat trees of two or three tiers with whole Gb/s and ns.",
        signs: &[All(&[First("Nodes "), Line("Tiers ")])],
    },
    Format {
        name: "htsim-matrix",
        title: "a matrix of connections of htsim (.cm)",
        sentence: "is a matrix of connections of htsim (.cm), a pattern of messages: weir convert FILE OUT.pattern writes it for workload.kind = \"pattern-file\"",
        endings: &[],
        reader: Some(Reader::Pattern(ReadPattern(htsim_matrix::read))),
        writer: None,
        reading_loses: "Lossless but for numbers of flows; of triggers one chain for each rank is read, all others are refused, and so are priorities and failures.",
        writing_loses: "",
        signs: &[All(&[First("Nodes "), Line("Connections ")])],
    },
    Format {
        name: "goal",
        title: "a schedule in GOAL (LogGOPSim, ATLAHS)",
        sentence: work!("a schedule in GOAL (LogGOPSim, ATLAHS)"),
        endings: &["goal"],
        reader: Some(Reader::Work(ReadWork(goal::read))),
        writer: Some(Writer::Work(goal::write)),
        reading_loses: "Lossless but for labels, and for which cpu has the overhead of a message: that is the processor. Interfaces (nic) other than 0 and the put, tput, append and test of LogGOPSim2 are refused.",
        writing_loses: "Lossless in sends, receives and computations, which are rounded to nanoseconds. Collectives, communicators and modes of sends are refused.",
        signs: &[First("num_ranks ")],
    },
    Format {
        name: "goal-binary",
        title: "a schedule in GOAL, compiled (LogGOPSim)",
        sentence: work!("a schedule in GOAL, compiled (LogGOPSim)"),
        endings: &[],
        reader: Some(Reader::Work(ReadWork(goal::read_binary))),
        writer: None,
        reading_loses: "As of the text. Those of LogGOPSim2, which begin with the same number, are refused.",
        writing_loses: "",
        signs: &[Begins(b"\x7f\x10\0\0\0\0\0\0")],
    },
    Format {
        name: "simgrid-trace",
        title: "a trace of actions of SimGrid (time-independent), or a list of one for each rank",
        sentence: work!("a trace of actions of SimGrid (time-independent), or a list of one for each rank"),
        endings: &["tit"],
        reader: Some(Reader::Work(ReadWork(actions::read))),
        writer: Some(Writer::Work(actions::write)),
        reading_loses: "Lossless but for tests of requests, which take no time, and communicators, which SimGrid does not replay either. Computations need the speed of hosts.",
        writing_loses: "Lossless for lists of calls, with computations as of a host of 1 Gf. Tasks side by side, communicators, modes of sends and collectives with a length for each rank are refused.",
        signs: &[By(|file| file.is_actions()), By(actions::is_list)],
    },
    Format {
        name: "chakra",
        title: "a Chakra trace (.et), one of those of all ranks",
        sentence: work!("a Chakra trace (.et), one of those of all ranks"),
        endings: &[],
        reader: Some(Reader::Work(ReadWork(chakra::read))),
        writer: None,
        reading_loses: "Computations, messages, collectives, groups and requirements are all there. Names, tensors and starts are not read; loads and stores of remote memory and schemas before 2023-08 are refused.",
        writing_loses: "",
        signs: &[By(|file| file.is_chakra())],
    },
    Format {
        name: "liballprof",
        title: "a trace of liballprof, one of those of all ranks",
        sentence: work!("a trace of liballprof, one of those of all ranks"),
        endings: &[],
        reader: Some(Reader::Work(ReadWork(liballprof::read))),
        writer: None,
        reading_loses: "Messages, waits, the common collectives and the time between calls are all there; how long calls took is not read. Communicators of some ranks, which the trace does not describe, are refused.",
        writing_loses: "",
        signs: &[Has("collprof 0."), Has("PMPI Tracer")],
    },
    Format {
        name: "dumpi",
        title: "a trace of DUMPI (SST): the file of a rank, or the .meta about all",
        sentence: work!("a trace of DUMPI (SST): the file of a rank, or the .meta about all"),
        endings: &[],
        reader: Some(Reader::Work(ReadWork(dumpi::read))),
        writer: None,
        reading_loses: "Messages, waits, collectives of MPI 2, datatypes, communicators and the time between calls are all there; how long calls took, counters, and which message a receive from any source took are not read. Windows, files, intercommunicators, canceled requests and second threads are refused.",
        writing_loses: "",
        signs: &[Begins(b"\xff\xaa\xddDUMPI"), All(&[Line("numprocs="), Line("fileprefix=")])],
    },
    Format {
        name: "otf2",
        title: "an archive of OTF2 (Score-P), by its .otf2",
        sentence: work!("an archive of OTF2 (Score-P), by its .otf2"),
        endings: &[],
        reader: Some(Reader::Work(ReadWork(otf2::read))),
        writer: None,
        reading_loses: "Messages, waits, collectives, communicators and the time between calls are all there; how long calls took, regions of the program, metrics and threads are not read. Of collectives with a length for each rank the trace has sums only: all but MPI_Allgatherv are refused, as are windows, files and canceled requests.",
        writing_loses: "",
        signs: &[Begins(b"\x03BOTF2"), Begins(b"\x03#OTF2")],
    },
];
