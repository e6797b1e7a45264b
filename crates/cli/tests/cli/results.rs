//! Results folders: the same bytes for any number of threads, parts of a run that was killed, what is refused.

use crate::command::{run, scratch, weir};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use weir_record::{Folder, FolderError};

const TORUS: &str = "topology = { kind = 'torus', shape = [4, 4, 4], bandwidth = '4 GB/s', latency = '100 ns' }\n\
                     engine = { kind = 'packet' }\n\
                     workload = { kind = 'all-to-all', message_size = '2 kB' }\n";

/// All files below a folder with their contents, but for the summary, which has times of the clock on the wall.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if entry.file_name() != "summary.json" {
                all.insert(path.strip_prefix(folder).unwrap().to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    all
}

#[test]
fn tables_are_the_same_for_any_number_of_threads() {
    let folder = scratch();
    let text = format!(
        "{TORUS}[output]\nsample_interval = '1 us'\nmessages = true\npairs = true\n\
         [output.packets]\nrouters = [0, '(3,3,3)']\nfrom = '2 us'\nuntil = '9 us'\n"
    );
    let experiment = folder.path().join("e.toml");
    fs::write(&experiment, text).unwrap();
    let all = ["1", "2"].map(|threads| {
        let out = folder.path().join(threads);
        let set = format!("engine.threads={threads}");
        run(weir(["run", "-q", "--set", &set, "--out"]).arg(&out).arg(&experiment)).expect(0);
        let opened = Folder::open(&out).unwrap();
        assert_eq!(opened.summary["tables"].as_array().unwrap().len(), 9);
        contents(&out)
    });
    // What is a file of its own, or the first part of a table.
    let first = |path: &&PathBuf| path.parent() == Some(Path::new("")) || path.ends_with("00000.parquet");
    assert_eq!(all[0].keys().filter(first).count(), 9);
    assert!(all[0] == all[1], "a table depends on threads");
}

/// A run without an end is killed when it has left two parts: these are whole, and so are the tables of the machine, which
/// are written at the beginning.
#[test]
fn a_run_that_is_killed_leaves_its_parts() {
    let folder = scratch();
    let experiment = folder.path().join("e.toml");
    let workload =
        "kind = 'synthetic', pattern = 'uniform', offered_load = 0.3, warmup = '1 us', duration = '1 s'";
    fs::write(&experiment, TORUS.replace("kind = 'all-to-all', message_size = '2 kB'", workload)).unwrap();
    let out = folder.path().join("out");
    let mut command = weir(["run", "-q", "--set", "output.sample_interval=1 us", "--out"]);
    let mut running = command.arg(&out).arg(&experiment).spawn().unwrap();
    let second = out.join("series/links/00001.parquet");
    let patience = Instant::now();
    let there = || second.exists() && out.join("links.parquet").exists();
    while !there() && patience.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    running.kill().unwrap();
    running.wait().unwrap();
    let error = Folder::open(&out).unwrap_err();
    assert!(matches!(error, FolderError::Incomplete { .. }), "{error}");
    for part in ["00000", "00001"] {
        let bytes = fs::read(out.join(format!("series/links/{part}.parquet"))).unwrap();
        assert!(bytes.len() > 10_000 && bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"), "{part}");
    }
    for table in ["places.parquet", "links.parquet"] {
        let bytes = fs::read(out.join(table)).unwrap();
        assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"), "{table}");
    }
    let begun: serde_json::Value =
        serde_json::from_slice(&fs::read(out.join("begun.json")).unwrap()).unwrap();
    assert_eq!((&begun["engine"], &begun["links"]), (&"packet".into(), &512.into()));
    assert_eq!(begun["experiment"]["output"]["sample_interval"], "1 us");
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error_of_the_run() {
    let folder = scratch();
    let experiment = folder.path().join("e.toml");
    fs::write(&experiment, TORUS).unwrap();
    let ended = run(weir(["run", "-q", "--out"]).arg(experiment.join("out")).arg(&experiment)).expect(1);
    assert!(ended.stderr.contains("cannot make the folder"), "{}", ended.stderr);
}
