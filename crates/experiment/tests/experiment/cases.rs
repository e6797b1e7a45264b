//! What is refused and how, and what is read: the cases of `cases.txt`.

use crate::common::{instead_of, plane};
use crate::{Folder, again, program, unset};

/// The files that cases name.
fn files() -> Folder {
    Folder::with(&[
        ("halo", &program()),
        ("text", ""),
        ("x.txt", ""),
        ("m.toml", unset::MACHINE),
        ("m.csv", "source,target\na,b\n"),
        ("one.csv", "source,target\na,\n"),
        ("planes.csv", &plane::server()),
        ("x.pattern", "weir-pattern 1\nranks 3\n0 send 1 1\n"),
        ("large.pattern", "weir-pattern 1\nranks 17\n"),
        (
            "two.profile",
            "weir-profile 1\nranks 2\n0 compute 3 us\n0 send 1 20 kB\n0 end\n1 recv any 20 kB\n1 end\n",
        ),
        ("wait.profile", "weir-profile 1\nranks 1\n0 wait 1\n"),
        ("two.graph", "weir-graph 1\nranks 2\n0 send 1 20 kB\n1 recv 0 20 kB\n"),
        ("actions.txt", "0 init\n0 compute 1e9\n0 finalize\n"),
        (
            "one.xml",
            "<algo name='a' nchunksperloop='2' ngpus='1'><gpu id='0'><tb id='0' send='-1' recv='-1' chan='0'><step s='0' type='cpy' cnt='1' depid='-1' deps='-1'/></tb></gpu></algo>",
        ),
        ("layer.txt", "HYBRID_DATA_MODEL\n1\na -1 3 ALLGATHER 9 2 ALLREDUCE 9 1 ALLREDUCE 9 1\n"),
        ("jobs.csv", "submit,nodes,duration,start\n0,4,100,0\n10,16,50,100\n20,1,1,150\n"),
        ("late.csv", "submit,nodes,duration\n5,4,100\n3,1,1\n4,17,0\n-1,2,3\n4,0,x\n9,3,4\n"),
        ("large.csv", "submit,nodes,duration\n0,4,100\n1,17,2\n2,2,1\n"),
        ("both.csv", "submit,nodes,duration,start\n0,4,100,0\n10,16,50,50\n"),
        ("short.csv", "submit,nodes,duration\n0,4,0.1\n"),
        ("half.csv", "submit,nodes\n0,4\n"),
        ("none.csv", "submit,nodes,duration\n"),
        (
            "log.swf",
            "; MaxNodes: 4\n1 0 5 100 4 -1 -1 4 -1 -1 1 1 1 1 1 1 -1 -1\n2 1 -1 -1 -1 -1 -1 4 -1 -1 5 1 1 1 1 1 -1 -1\n3 1 0 5\n",
        ),
        ("circle.graph", "weir-graph 1\nranks 1\n0 compute 1 us requires 1\n0 compute 1 us\n"),
    ])
}

/// What is said of an experiment with a case in it, where that is something else.
fn wrong(folder: &Folder, experiment: &str, case: &str, expected: &str) -> Option<String> {
    let (options, lines): (Vec<&str>, Vec<&str>) = case.split("; ").partition(|part| part.starts_with("--"));
    let text = experiment.replace("...", &lines.join("; ")).replace("; ", "\n");
    std::fs::write(folder.path().join("e.toml"), text).unwrap();
    let overrides = options.into_iter().map(|option| match option.strip_prefix("--set ") {
        Some(set) => set.to_owned(),
        None => weir_experiment::unset(option.trim_start_matches("--unset").trim()),
    });
    let overrides: Vec<String> = overrides.collect();
    let overrides: Vec<&str> = overrides.iter().map(String::as_str).collect();
    let result = folder.load_with("e.toml", &overrides);
    let part = if expected == "accepted" { Some("") } else { expected.strip_prefix("resolved: ") };
    match (part, result) {
        (None, result) => instead_of(result, expected),
        (Some(_), Err(problems)) => Some(problems.to_string()),
        (Some(part), Ok(scenario)) => {
            let (resolved, repeated) = (scenario.resolved(), again(&scenario));
            let is_same = repeated == scenario && repeated.resolved() == resolved;
            (!is_same || !resolved.to_string().contains(part)).then(|| format!("resolved to {resolved}"))
        }
    }
}

#[test]
fn experiments_are_refused_or_read_as_the_table_says() {
    let (folder, mut experiment, mut all_wrong) = (files(), "", Vec::new());
    let lines = include_str!("cases.txt").lines();
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(next) = line.strip_prefix("== ") {
            experiment = next;
            continue;
        }
        let (case, expected) = line.split_once("=>").expect("a case has what is said of it");
        let said = wrong(&folder, experiment, case.trim(), expected.trim());
        all_wrong.extend(said.map(|said| format!("{line}\n{said}")));
    }
    assert!(all_wrong.is_empty(), "{}", all_wrong.join("\n\n"));
}
