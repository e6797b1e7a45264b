//! Words and files of other tools: one row for each that weir has not, or calls otherwise, with what it is and the way there is. Files that weir reads
//! have their rows in `weir_foreign`.
//!
//! Words (values, keys, commands, options) are recognized by name, files by what is in them. Whoever refuses an input asks here first what
//! it may be; nothing is refused because of a row. When weir learns what a row says, the row goes.

mod words;

use std::path::Path;
use weir_foreign::sample::Is::{All, Begins, By, Ends, First, Has, Json, Line, Tag, Whole};
use weir_foreign::sample::{self, Is, Sample, is_number};
pub(crate) use words::{any_value, key, value};
pub use words::{command, option};

/// A form of files, which one of the signs shows.
struct Form {
    sentence: &'static str,
    signs: &'static [Is],
}

/// Makes rows: `way "description": signs;`, where the way is one of the macros below.
macro_rules! forms {
    ($($way:ident $what:literal: $($sign:expr),+;)+) => {
        &[$(Form { sentence: $way!($what), signs: &[$($sign),+] }),+]
    };
}

/// A sentence of its own.
macro_rules! plain {
    ($what:literal) => {
        $what
    };
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
const FORMS: &[Form] = forms! {
    // Files for another command of weir, or another key.
    plain "is a compiled program, no experiment: weir mpirun -n RANKS PROGRAM runs it, or weir run EXPERIMENT -- PROGRAM": Begins(b"\x7fELF");
    plain "is compressed, which weir does not read: unpack it first (gunzip, unxz, unzstd, unzip, tar)":
        Begins(b"\x1f\x8b"), Begins(b"\xfd7zXZ"), Begins(b"\x28\xb5\x2f\xfd"), Begins(b"PK\x03\x04"), Begins(b"BZh");
    plain "is the source of an MPI program, which weir compiles first: weir cc FILE -o PROGRAM (weir c++, weir fort), then weir mpirun -n RANKS ./PROGRAM":
        By(|file| file.is_mpi_source());
    plain "is a job script, which weir does not read: its line with mpirun or srun is weir mpirun -n RANKS --machine MACHINE ./PROGRAM":
        Line("#SBATCH"), Line("#PBS"), Line("#PJM"), Line("#BSUB"), Line("#$ -");
    // Networks.
    network "a topology that NCCL or RCCL has written (XML)": Tag("system"), Tag("graphs");
    network "a computer that hwloc has written (XML)": All(&[Tag("topology"), Has("<object")]);
    parameters "a machine of SST (SDL)": Tag("sdl");
    parameters "a configuration of BookSim": By(|file| file.is_booksim());
    network "a configuration of CODES": First("LPGROUPS"), All(&[Has("schema_version:"), Has("model:")]),
        All(&[Has("schema_version:"), Has("topology:")]), All(&[Has("schema_version:"), Has("modelnet")]);
    network "a topology of ibdm": First("MTS");
    network "a table of forwarding ports": Has("fdbIndex"), By(|file| {
        file.all_lines(|line| {
            line.split_once(": ").is_some_and(|(number, rest)| is_number(number) && rest.split(' ').all(is_number))
        })
    });
    network "a configuration of Slurm (its topology.conf is read)":
        Line("NodeName="), Line("ClusterName="), Line("SlurmctldHost=");
    network "a list of cables of a Cray XC":
        By(|file| file.has(" -> c") && file.any_line(|line| line.starts_with('c') && line.contains("s0a0l")));
    network "a model of a cluster (topograph)": Whole("switches:");
    network "a network of SST/macro (JSON)": Json("\"switches\"");
    network "a topology of NetQ (JSON)": Json("\"CreatedAt\""), All(&[Json("\"links\""), First("[")]);
    network "a graph of Graphviz (DOT)": By(|file| {
        let first = file.first();
        ["digraph", "graph", "strict"].iter().any(|begin| first.starts_with(begin)) && first.contains('{')
    });
    network "a graph in GML (networkx.write_graphml and networkx.node_link_data write what weir reads)":
        First("graph ["), By(|file| file.first() == "graph");
    network "a graph of Pajek (networkx.write_graphml and networkx.node_link_data write what weir reads)":
        By(|file| file.first().to_lowercase().starts_with("*vertices"));
    plain "is a graph as networkx.adjacency_data writes it, which weir does not read: networkx.node_link_data writes what it reads (topology.kind = \"graph\", topology.file)":
        Json("\"adjacency\"");
    network "a file of binary numbers, such as the connections of a dragonfly of CODES": By(|file| file.is_small_numbers());
    // What ranks do.
    work "a trace of PyTorch or Chakra (JSON)":
        Json("\"traceEvents\""), Json("\"ctrlDeps\""), Json("\"ctrl_deps\""), Json("\"NodeType\""), Json("\"fw_parent\"");
    work "a plan of MSCCL++ (JSON)": All(&[Json("\"collective\""), Has("\"gpus\"")]);
    plain "is a file of an archive of OTF2 (Score-P), which is named by its .otf2: weir replay NAME.otf2": Begins(b"\x03B\x01\0"), Begins(b"\x03B\0\0");
    plain "is a trace of DUMPI in words (dumpi2ascii), which weir does not read: weir replay FILE reads the binary files themselves": Has(" entering at walltime ");
    plain "is no trace but a view (.cfg) or a list of names (.pcf, .row) of Paraver, whose traces are .prv files: weir replay NAME.prv":
        Begins(b"#ParaverCFG"), First("LEVEL "), By(|file| file.first() == "DEFAULT_OPTIONS");
    parameters "a configuration of Dimemas": Begins(b"#DIMEMAS_"), Begins(b"SDDF");
    work "a trace of Paje": Line("%EventDef");
    work "a list of flows of ns-3 (HPCC)": By(|file| file.is_ns3_flows());
    work "a table of calls of AICB (CSV), whose workload in text (.txt) weir replay reads": Has("CommType.");
    work "a load of Ember (SST)": Line("[JOB_ID]");
    work "a log of nsys (SQLite)": Begins(b"SQLite format 3");
    // Parameters.
    parameters "a configuration of ASTRA-sim (JSON)": Json("\"memory-type\""), Json("\"logical-dims\"");
    parameters "a configuration of ns-3 (HPCC, SimAI)":
        Line("ENABLE_QCN"), Line("TOPOLOGY_FILE"), Line("PACKET_PAYLOAD_SIZE"), Line("KMAX_MAP");
    parameters "a script of SST (Python)": Whole("import sst"), Line("from sst");
    parameters "a file of parameters of SST/macro": All(&[Whole("node {"), Has(" = ")]), All(&[Whole("topology {"), Has(" = ")]),
        All(&[Whole("switch {"), Has(" = ")]), All(&[Whole("interconnect {"), Has(" = ")]);
    plain "is a program of ns-3, which weir does not run: write its links into a graph (topology.kind = \"graph\", topology.file) and its flows into a pattern file (workload.kind = \"pattern-file\")":
        Line("#include \"ns3/"), Line("from ns import");
    plain "is a script in Python, no experiment: python3 FILE runs it, and weir.run in it runs an experiment": Ends("py");
    // What was measured.
    measured "a log of OSU Micro-Benchmarks": Line("# OSU ");
    measured "a log of the Intel MPI Benchmarks": Has("MPI Benchmarks"), Has("#bytes #repetitions");
    measured "a log of nccl-tests": Has("# nccl-tests"), Has("# nThread "), Has("out-of-place");
    measured_otherwise "a log of MSCCL++": Has("\"algBw\"");
    measured_otherwise "a log of GPCNeT": Has("NetworkTests v"), Has("NetworkLoad Tests v"), Has("Network Tests v");
    measured_otherwise "a report of mpiP": Begins(b"@ mpiP");
};

/// The first bytes of a table in Parquet.
const PARQUET: &[u8] = b"PAR1";

/// Files that weir reads itself, under another key or by another command.
const OWN: &[Form] = forms! {
    plain "is a list of hosts or ranks, no experiment: it goes with mapping.kind = \"file\" and mapping.file, or weir mpirun --hostfile or --rankfile FILE":
        By(|file| file.any_line(|line| line.contains(" slots=") || line.starts_with("rank ") && line.contains('=')));
    plain "is a table in Parquet, no experiment: weir replay FILE runs a profile or a graph of work, workload.kind = \"pattern-file\" with workload.file a pattern":
        Begins(PARQUET);
    plain "is a profile of weir, which is no experiment: weir replay FILE runs it": First("weir-profile");
    plain "is a graph of work of weir, which is no experiment: weir replay FILE runs it, or workload.kind = \"graph\" with workload.file": First("weir-graph");
    plain "is a pattern file of weir, which is no experiment: set workload.kind = \"pattern-file\" and workload.file in one":
        First("weir-pattern");
    plain "is a graph, no experiment: set topology.kind = \"graph\" and topology.file to it, with the ending .graphml, .json or .csv":
        Tag("graphml"), First("source,target"), All(&[Json("\"nodes\""), Has("\"links\"")]), All(&[Json("\"nodes\""), Has("\"edges\"")]);
};

/// Describes a file in a sentence that goes on from its name; `None` for whatever has no row. Reads its beginning; what is not a file as it is
/// on a disk has been read already, and is not looked at.
pub fn file(path: &Path) -> Option<&'static str> {
    let bytes = sample::begin(path)?;
    of(path, &bytes, FORMS).or_else(|| of(path, &bytes, OWN))
}

/// The same where a graph, a mapping, a pattern or a profile is read: what is wrong with one of these is said as such.
pub fn data(path: &Path) -> Option<&'static str> {
    of(path, &sample::begin(path)?, FORMS)
}

/// The reader of a file of another tool as a graph of work, if it is one.
pub(crate) fn work(path: &Path) -> Option<weir_foreign::ReadWork> {
    match weir_foreign::recognize(path)?.reader {
        Some(weir_foreign::Reader::Work(reader)) => Some(reader),
        _ => None,
    }
}

/// Returns whether a file is a graph of work, of weir or of another tool: what `workload.kind = "graph"` reads.
pub fn is_work(path: &Path) -> bool {
    let own = |bytes: Vec<u8>| match bytes.starts_with(PARQUET) {
        true => weir_formats::graph::is_table(path),
        false => Sample::new(path, &bytes).first().starts_with("weir-graph"),
    };
    work(path).is_some() || sample::begin(path).is_some_and(own)
}

/// By the rows, then, with those of weir's own files last, by the formats that are read.
fn of(path: &Path, bytes: &[u8], forms: &[Form]) -> Option<&'static str> {
    let sample = Sample::new(path, bytes);
    let is_it = |form: &&Form| form.signs.iter().any(|sign| sample.is(sign));
    let own = forms.iter().find(is_it).map(|form| form.sentence);
    own.or_else(|| weir_foreign::of(&sample).map(|format| format.sentence))
}

#[cfg(test)]
mod tests;
