//! Files that say something twice, half or without end are refused, quickly and in few words.

use crate::{Folder, TORUS, load};
use std::time::{Duration, Instant};
use weir_experiment::{MachineDescription, Problems, Scenario, Source};

const GRAPH: &str = "[topology]\nkind = 'graph'\nfile = 'NAME'\nbandwidth = '1 GB/s'\n\
                     [workload]\nkind = 'ring'\nmessage_size = '1 kB'\n";

fn load_graph(name: &str, text: &str) -> Result<Scenario, Problems> {
    let folder = Folder::with(&[(name, text), ("experiment.toml", &GRAPH.replace("NAME", name))]);
    folder.load("experiment.toml")
}

/// The first thing that is said of a file, with its line.
#[track_caller]
fn check(name: &str, text: &str, line: usize, what: &str) {
    let problems = load_graph(name, text).map(|_| ()).unwrap_err();
    let first = &problems.list()[0];
    assert_eq!(first.line, Some(line), "{problems}");
    assert!(first.what.contains(what) && first.file.ends_with(name), "{problems}");
}

#[test]
fn json() {
    let text = "{\"nodes\": [{\"id\": 1},\n{\"id\": 2, \"id\": 3}], \"links\": []}";
    check("m.json", text, 2, "the key \"id\" is there twice");
    check("m.json", "{\"nodes\": [],\n\"links\": [],\n\"nodes\": []}", 3, "the key \"nodes\" is there twice");
    let folder = Folder::with(&[("e.json", "{\"topology\": {\"kind\": \"torus\",\n\"kind\": \"mesh\"}}")]);
    let problems = folder.load("e.json").unwrap_err();
    assert!(problems.to_string().contains("the key \"kind\" is there twice at line 2"), "{problems}");
}

#[test]
fn edge_lists() {
    assert!(load_graph("m.csv", "source,target\n\"a\",b\n").is_ok());
    check("m.csv", "source,target\na,b\n\"c,d\ne,f\n", 3, "a quotation mark is not closed");
    check("m.csv", "source,target\na,b\nb,\"c", 3, "a quotation mark is not closed");
    check("m.csv", "source,target,bandwidth,target\na,b,1,c\n", 1, "the column is there twice");
    check("m.csv", "source,target,bandwidth\na,b,1\nb,c\n", 3, "2 fields, but the first line has 3 columns");
    check("m.csv", "source,target\na,b\nb,c,1\n", 3, "3 fields, but the first line has 2 columns");
}

#[test]
fn graphml() {
    let text = "<graphml><key id='k' for='node' attr.name='kind'/>\n<graph>\n\
                <node id='a'><data key='k'>node</data><data key='k'>router</data></node></graph></graphml>";
    check("m.graphml", text, 3, "the data \"k\" are there twice");
}

/// Disks beside a profile do nothing: what its files take was logged.
#[test]
fn disks_beside_a_profile() {
    let profile = "weir-profile 4\nranks 1\n0 EVENT took 1 us\n";
    let warnings = |event: &str, disks: &str| {
        let experiment = format!("[workload]\nkind = 'profile'\nfile = 'x.profile'\n{disks}");
        let folder = Folder::with(&[
            ("x.profile", &profile.replace("EVENT", event)),
            ("experiment.toml", &experiment),
        ]);
        folder.load("experiment.toml").unwrap().warnings()
    };
    let (write, disks) = ("write 8 kB lasts 1 us", "[storage]\nlatency = '1 us'\n");
    let said = warnings(write, disks);
    assert!(said.len() == 1 && said[0].contains("[storage] does nothing here"), "{said:?}");
    assert!(warnings(write, "").is_empty() && warnings("barrier", disks).is_empty());
}

/// What took minutes and wrote megabytes.
#[test]
fn bad_input_ends_soon_and_in_few_words() {
    let begin = Instant::now();
    let attributes: String = (0..200_000).map(|i| format!(" a{i}='1'")).collect();
    let element = format!("<graphml>\n<graph><node id='a'{attributes}/></graph></graphml>");
    check("m.graphml", &element, 2, "more than 256 attributes");
    let edges: String = (0..200_000).map(|i| format!("a{i},b{i},fast\n")).collect();
    let problems = load_graph("m.csv", &format!("source,target,bandwidth\n{edges}")).unwrap_err();
    let words = problems.to_string();
    assert!(words.contains("and 199980 more mistakes") && words.len() < 10_000, "{} bytes", words.len());
    let line = format!("title = {}", "<a>".repeat(80_000));
    assert!(load(&line).unwrap_err().to_string().len() < 30_000);
    let key = format!("[topology]\n{} = 1\n", "x".repeat(10_000_000));
    assert!(load(&key).unwrap_err().to_string().len() < 30_000);
    let many: String = (0..50_000).map(|i| format!("key{i} = 1\n")).collect();
    assert!(load(&many).unwrap_err().to_string().len() < 30_000);
    assert!(begin.elapsed() < Duration::from_secs(60), "{:?}", begin.elapsed());
}

#[test]
fn files_without_an_end() {
    for (key, value) in [("experiment", "/dev/zero"), ("machine", "/dev/zero")] {
        let (experiment, machine) =
            if key == "experiment" { (Some(value.into()), None) } else { (None, Some(value.into())) };
        let problems = Scenario::load(&Source { experiment, machine, ..Source::default() }).unwrap_err();
        assert!(problems.to_string().contains("is a device; a file was expected"), "{problems}");
    }
    let folder = Folder::with(&[("e.toml", "[topology]\nshape = [4]\n# \u{e9}\n")]);
    let path = folder.file("e.toml").unwrap();
    std::fs::write(&path, b"[topology]\nkind = 'torus'\n# \xff\n").unwrap();
    let problems = Scenario::load(&Source { experiment: Some(path), ..Source::default() }).unwrap_err();
    assert!(problems.to_string().contains("e.toml:3: is not UTF-8"), "{problems}");
    for name in ["zero.pattern", "zero.parquet", "zero.csv"] {
        let folder = Folder::with(&[]);
        std::os::unix::fs::symlink("/dev/zero", folder.path().join(name)).unwrap();
        let text = match name {
            "zero.csv" => GRAPH.replace("NAME", name),
            _ => TORUS.replace(
                "kind = \"all-to-all\"\nmessage_size = \"20 kB\"",
                &format!("kind = 'pattern-file'\nfile = '{name}'"),
            ),
        };
        std::fs::write(folder.path().join("e.toml"), text).unwrap();
        let problems = folder.load("e.toml").unwrap_err();
        assert!(problems.to_string().contains("a device; a file was expected"), "{problems}");
    }
}

/// Two mistakes of which the readers of files give no place.
#[test]
fn every_mistake_has_a_place() {
    let deep = format!("title = 'a.b'\na{} = 1\n", ".a".repeat(200));
    let problems = load(&deep).unwrap_err();
    assert_eq!((problems.list().len(), problems.list()[0].line), (1, Some(2)), "{problems}");
    assert!(problems.list()[0].what.contains("a key has too many parts"), "{problems}");
    let source = Source { overrides: vec!["machine=".into()], ..Source::default() };
    let problems = Scenario::load(&source).unwrap_err();
    let first = &problems.list()[0];
    assert_eq!((first.key.as_str(), first.what.as_str()), ("machine", "must not be empty"), "{problems}");
}

/// Files that are read, by whatever section names them.
#[test]
fn files_of_an_experiment() {
    let folder = Folder::with(&[
        ("m.toml", "[topology]\nkind = 'graph'\nfile = 'm.csv'\nbandwidth = '1 GB/s'\n"),
        ("m.csv", "source,target\na,b\n"),
        ("e.toml", "machine = 'm.toml'\n[workload]\nkind = 'ring'\nmessage_size = '1 kB'\n"),
    ]);
    let source = folder.source("e.toml");
    assert_eq!(source.files(), [folder.file("e.toml").unwrap(), folder.file("m.toml").unwrap()]);
    assert_eq!(Scenario::load(&source).unwrap().files(), [folder.file("m.csv").unwrap()]);
    let machine = MachineDescription::load(&folder.source("m.toml")).unwrap();
    assert_eq!(machine.files(), [folder.file("m.csv").unwrap()]);
}
