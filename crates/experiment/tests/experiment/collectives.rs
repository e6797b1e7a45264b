//! Algorithms of collectives by their names here and elsewhere, and their parameters.

use crate::{Folder, TORUS, again, load, load_with};
use std::num::NonZeroU32;
use weir_collectives::Parameters;
use weir_collectives::choice::{ALIASES, CATALOG};
use weir_experiment::{CollectivesSection, Problems, Scenario, Source};

fn with(collectives: &str) -> Result<Scenario, Problems> {
    load(&format!("{TORUS}[collectives]\n{collectives}\n"))
}

fn parameters(segment: u32, fan_out: u32) -> Parameters {
    Parameters {
        segment: NonZeroU32::new(segment),
        fan_out: NonZeroU32::new(fan_out),
        ..Parameters::default()
    }
}

/// Algorithm and parameters of a collective.
fn of(section: &CollectivesSection, collective: &str) -> (&'static str, Parameters) {
    let place = section.algorithms.iter().position(|(key, _)| *key == collective).unwrap();
    assert_eq!(section.parameters[place].0, collective);
    (section.algorithms[place].1, section.parameters[place].1)
}

#[test]
fn parameters_are_read() {
    let text = "bcast = 'chain'\nbcast_segment_size = '64 KiB'\nbcast_fan_out = 3\nreduce = 'pipeline'\n\
                reduce_segment_size = '1 kB'\nalltoall = 'linear-sync'\nalltoall_fan_out = 8\n\
                allreduce = 'segmented-ring'\ngather = 'linear-sync'\ngather_segment_size = '4294967295 B'";
    let scenario = with(text).unwrap();
    let section = &scenario.collectives;
    assert_eq!(of(section, "bcast"), ("chain", parameters(65_536, 3)));
    assert_eq!(of(section, "reduce"), ("pipeline", parameters(1000, 0)));
    assert_eq!(of(section, "alltoall"), ("linear-sync", parameters(0, 8)));
    assert_eq!(of(section, "allreduce"), ("segmented-ring", parameters(0, 0)));
    assert_eq!(of(section, "gather"), ("linear-sync", parameters(u32::MAX, 0)));
    assert_eq!(of(section, "barrier"), ("auto", parameters(0, 0)));
    let overridden = load_with(TORUS, &["collectives.bcast=knomial", "collectives.bcast_fan_out=8"]).unwrap();
    assert_eq!(of(&overridden.collectives, "bcast"), ("knomial", parameters(0, 8)));
}

/// Parameters of the environment go with its algorithms: where another source names one, they do not count.
#[test]
fn parameters_of_the_environment() {
    let load = |collectives: &str| {
        let text = format!("{TORUS}[collectives]\n{collectives}\n");
        let folder = Folder::with(&[("e.toml", &text)]);
        let environment = "bcast=chain,bcast_fan_out=2,bcast_segment_size=1 kB,reduce=chain,reduce_fan_out=3";
        let source = Source {
            experiment: folder.file("e.toml"),
            collectives: Some(environment.into()),
            ..Source::default()
        };
        Scenario::load(&source)
    };
    let of_both = |text: &str| {
        let section = load(text).unwrap().collectives.clone();
        (of(&section, "bcast"), of(&section, "reduce"))
    };
    let reduce = ("chain", parameters(0, 3));
    assert_eq!(of_both(""), (("chain", parameters(1000, 2)), reduce));
    assert_eq!(of_both("bcast = 'flat'"), (("flat", parameters(0, 0)), reduce));
    assert_eq!(of_both("bcast = 'chain'"), (("chain", parameters(0, 0)), reduce));
    assert_eq!(of_both("bcast_fan_out = 5"), (("chain", parameters(1000, 5)), reduce));
    // A key that begins with the name of another collective is no parameter of it.
    assert_eq!(of_both("reduce_scatter = 'ring'"), (("chain", parameters(1000, 2)), reduce));
}

/// A workload that is one collective names its algorithm itself, by any of its names, and its parameters stand in the section.
#[test]
fn parameters_of_a_collective_as_workload() {
    let workload = "workload={kind='collective', operation='bcast', algorithm='split_binary_tree'}";
    let set = [workload, "workload.message_size=1 MB", "collectives.bcast_segment_size=1 kB"];
    let scenario = load_with(TORUS, &set).unwrap();
    assert_eq!(of(&scenario.collectives, "bcast"), ("split-binary", parameters(1000, 0)));
}

/// What is resolved has the names of the catalog and the parameters that were chosen, and reads back as the same.
#[test]
fn other_names_and_parameters_are_resolved() {
    let text = "bcast = 'split_binary_tree'\nbcast_segment_size = '8 KiB'\nreduce = 'in-order_binary'\nscatter = 'linear_nb'";
    let scenario = with(text).unwrap();
    let resolved = scenario.resolved();
    let collectives = resolved["collectives"].as_object().unwrap();
    assert_eq!(collectives["bcast"], "split-binary");
    assert_eq!(collectives["reduce"], "in-order-binary");
    assert_eq!(collectives["scatter"], "flat");
    assert!(collectives.contains_key("bcast_segment_size"));
    assert!(!collectives.contains_key("bcast_fan_out") && !collectives.contains_key("reduce_segment_size"));
    assert_eq!(again(&scenario), scenario);
}

/// The rows of the table behind a heading of the page about collectives, each with its first cell filled in from above.
fn rows(page: &str, heading: &str) -> Vec<Vec<String>> {
    let behind = page.split_once(heading).expect("the page has the heading").1;
    let lines = behind.lines().skip_while(|line| !line.starts_with('|')).skip(2);
    let mut key = String::new();
    let row = |line: &str| {
        let mut cells: Vec<String> =
            line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
        match cells[0].is_empty() {
            true => cells[0].clone_from(&key),
            false => key.clone_from(&cells[0]),
        }
        cells
    };
    lines.take_while(|line| line.starts_with('|')).map(row).collect()
}

/// The page has the algorithms of the catalog in its order, and the names that they have elsewhere.
#[test]
fn the_page_has_all_algorithms_and_their_other_names() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/collectives.md");
    let page = std::fs::read_to_string(path).unwrap();
    let plain = |cell: &str| cell.replace('`', "");
    let listed: Vec<(String, String)> =
        rows(&page, "\nIn the table `n` is").iter().map(|row| (plain(&row[0]), plain(&row[2]))).collect();
    let known = CATALOG.iter().flat_map(|(key, names)| names.iter().map(|name| (*key, *name)));
    let known: Vec<(String, String)> = known.map(|(key, name)| (key.to_owned(), name.to_owned())).collect();
    let sorted = |mut names: Vec<(String, String)>| {
        names.sort();
        names
    };
    assert_eq!(sorted(listed), sorted(known));
    let mut listed: Vec<(String, String, String)> = Vec::new();
    for row in rows(&page, "## Names of Open MPI") {
        for name in row[1].split(", ") {
            let name = plain(name).replace('_', "-");
            if !row[3].starts_with("not another name") && name != plain(&row[2]) {
                listed.push((plain(&row[0]), name, plain(&row[2])));
            }
        }
    }
    let known =
        ALIASES.iter().map(|(key, there, here)| (key.to_string(), there.to_string(), here.to_string()));
    let mut known: Vec<(String, String, String)> = known.collect();
    listed.sort();
    known.sort();
    assert_eq!(listed, known);
}
