//! Inputs to begin with that only weir can write: tables, results folders, graphs.

use std::fs;
use std::fs::File;
use std::path::Path;
use weir_analysis::write_pattern;
use weir_experiment::{ExperimentText, GraphFormat, Scenario, Source, write_graph, write_routes};
use weir_formats::{Format, profile};
use weir_pdes::OneProcess;
use weir_run::{RunOptions, run_with};

const EXPERIMENT: &str = "seed = 1\n[topology]\nkind = \"torus\"\nshape = [2, 2]\nbandwidth = \"1 GB/s\"\n[workload]\n\
    kind = \"ring\"\nsynchronised = true\nmessage_size = \"1 kB\"\nstart_imbalance = \"1 us\"\n";
/// How files of weir begin to say who has written them, and what has no checksum to be checked.
const WRITER: (&[u8], &[u8]) = (b"weir 0.", b"riew 0.");

/// Writes them, a folder for each target.
pub(crate) fn write(folder: &Path) {
    let place = |target: &str, name: &str| {
        let folder = folder.join(target);
        fs::create_dir_all(&folder).expect("a folder for seeds");
        folder.join(name)
    };
    let scenario = scenario(EXPERIMENT, None);
    let resolved = serde_json::to_string_pretty(&scenario.resolved()).expect("JSON");
    fs::write(place("experiment_json", "resolved.json"), resolved).expect("a seed");
    let topology = scenario.topology().expect("there is one");
    let forms = [
        ("graph_csv", GraphFormat::EdgeList),
        ("graph_json", GraphFormat::NodeLink),
        ("graph_graphml", GraphFormat::GraphMl),
    ];
    for (target, form) in forms {
        let mut file = File::create(place(target, "torus")).expect("a seed");
        write_graph(&topology, form, &mut file).expect("a seed");
    }
    let base = crate::scratch::write("base.csv", crate::graphs::BASE);
    let text =
        format!("[topology]\nkind = \"graph\"\nbandwidth = 1\nfile = {}\n", crate::scratch::quoted(&base));
    let text = ExperimentText { name: "base.toml".into(), text };
    let machine = weir_experiment::MachineDescription::load(&Source {
        experiment_text: Some(text),
        ..Source::default()
    });
    let machine = machine.expect("no mistakes").topology();
    write_routes(&machine, &mut File::create(place("routes", "shortest")).expect("a seed")).expect("a seed");
    write_pattern(&scenario, &place("pattern_text", "ring.pattern")).expect("a seed");
    let table = place("pattern_parquet", "ring.parquet");
    write_pattern(&scenario, &table).expect("a seed");
    unsealed(&table);
    let text = crate::scratch::write("seed.profile", PROFILE);
    let read = profile::read(&text).expect("a profile without mistakes");
    let table = place("profile_parquet", "seed.parquet");
    read.write(Format::Parquet, File::create(&table).expect("a seed")).expect("a seed");
    unsealed(&table);
    fs::copy(text, place("profile_text", "seed.profile")).expect("a seed");
    results(folder, &place("results", "run"));
}

fn scenario(text: &str, out: Option<&Path>) -> Scenario {
    let text = ExperimentText { name: "seed.toml".into(), text: text.into() };
    let source = Source { experiment_text: Some(text), out: out.map(Into::into), ..Source::default() };
    Scenario::load(&source).unwrap_or_else(|problems| panic!("{problems}"))
}

/// The same file as if another program had written it.
fn unsealed(path: &Path) {
    let mut bytes = fs::read(path).expect("a seed");
    let own: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(WRITER.0)).collect();
    for at in own {
        bytes[at..at + WRITER.1.len()].copy_from_slice(WRITER.1);
    }
    fs::write(path.with_extension("unsealed"), bytes).expect("a seed");
}

/// A table, the summary, and the length of the table, in the form that the target `results` takes apart.
fn results(folder: &Path, seed: &Path) {
    let out = folder.join("results-of-a-run");
    let text = format!("{EXPERIMENT}[output]\ndir = \"x\"\n");
    run_with(&scenario(&text, Some(&out)), &RunOptions::default(), &mut OneProcess, &mut |_| ())
        .expect("it runs");
    let table = fs::read(out.join("links.parquet")).expect("a table");
    let mut bytes = table.clone();
    bytes.extend(fs::read(out.join("summary.json")).expect("a summary"));
    bytes.extend(u32::try_from(table.len()).expect("a small table").to_be_bytes());
    fs::write(seed, bytes).expect("a seed");
    fs::remove_dir_all(out).expect("a folder of our own");
}

const PROFILE: &str = "weir-profile 3\ntitle by hand\nranks 2\ncommunicator 2: 1 0\n0 compute 3 us\n\
    0 isend 1 20 kB tag 7 request 0\n0 wait 0\n0 allreduce 8 B element 8 comm 2\n0 bcast 16 root 1\n0 end\n\
    1 recv any 20 kB tag any from 0 tagged 7\n1 allreduce 8 element 8 comm 2 took 1 ns\n1 bcast 16 root 1\n1 end\n";
