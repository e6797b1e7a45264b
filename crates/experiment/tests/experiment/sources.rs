//! Machine files, `--set` and the command line.

use crate::{Folder, TORUS, check_problems, load_with, program};
use std::path::PathBuf;
use weir_experiment::{
    EngineSection, FlowEngine, Method, ProgramCommand, Scenario, SiNumbers, Source, Workload,
};
use weir_units::Duration;

#[test]
fn overrides_win() {
    let s = load_with(
        TORUS,
        &[
            "engine.sharing=iterative",
            "engine.threshold=0.5",
            "topology.latency=7 ns",
            "topology.shape=[2, 2]",
            "workload.message_size=1 kB",
            "workload.message_size=2 kB",
            "title=5",
            "seed=9",
        ],
    )
    .unwrap();
    let sharing = weir_flow::Sharing::Iterative { threshold: 0.5 };
    let method = Method::Auto;
    assert_eq!(
        s.engine,
        EngineSection::Flow(FlowEngine { sharing, resolution: Duration::ZERO, method, threads: 1 })
    );
    assert_eq!((s.nodes(), s.title.as_str(), s.seed), (4, "5", 9));
    assert_eq!(s.resolved()["workload"]["message_size"], "2 kB");
    assert_eq!(s.node.link_latency, Some(Duration::from_ns(7)));
}

#[test]
fn mistakes_in_overrides_are_those_of_set() {
    let result =
        load_with(TORUS, &["engine.shareing=iterative", "sharing", "workload.message_size=20", "topology=3"]);
    let expected = "sharing: has no = && topology: must be a table && engine.shareing: unknown key did you mean sharing?";
    check_problems(result.clone(), expected);
    assert!(result.unwrap_err().list().iter().all(|problem| problem.file == "--set"));
    let mixed = load_with(TORUS, &["workload.message_size=20"]);
    check_problems(mixed, "workload.message_size: has no unit, but topology.bandwidth has one");
}

/// Of a program's JSON, of its overrides, or of both, as it says; TOML keeps its own rule.
#[test]
fn numbers_in_si_units_are_quantities() {
    let json = r#"{"topology": {"kind": "torus", "shape": [4, 4], "bandwidth": [1e9, "2 GB/s"], "latency": 1e-7},
                   "node": {"clock": 2.5e9}, "limits": {"wall_time": 60},
                   "workload": {"kind": "all-to-all", "message_size": 20000.0000000001}}"#;
    let load = |name: &str, text: &str, overrides: &[&str], si_numbers| {
        let overrides = overrides.iter().map(|&text| text.to_owned()).collect();
        Scenario::load(&Source { overrides, si_numbers, ..Source::of_text(name, text) })
    };
    let known = load("e.json", json, &["node.mpi_overhead=1e-6"], SiNumbers::Everywhere).unwrap();
    let resolved = known.resolved();
    assert_eq!(resolved["topology"]["bandwidth"], serde_json::json!(["1 GB/s", "2 GB/s"]));
    let written = [
        ("topology", "latency", "100 ns"),
        ("node", "clock", "2500000000 Hz"),
        ("node", "mpi_overhead", "1 us"),
        ("limits", "wall_time", "60 s"),
        ("workload", "message_size", "20 kB"),
    ];
    for (table, key, text) in written {
        assert_eq!(resolved[table][key], text, "{table}.{key}");
    }
    let set = ["workload.message_size=20"];
    assert_eq!(
        load("e.toml", TORUS, &set, SiNumbers::InOverrides).unwrap().resolved()["workload"]["message_size"],
        "20 B"
    );
    for (name, text, overrides, numbers) in
        [("e.json", json, &[][..], SiNumbers::InOverrides), ("e.toml", TORUS, &set, SiNumbers::Nowhere)]
    {
        assert!(
            load(name, text, overrides, numbers).unwrap_err().to_string().contains("has no unit"),
            "{name}"
        );
    }
    let wrong = [
        ("workload.message_size=20.5", "must be a whole number of bytes"),
        ("workload.message_size=-1", "must not be negative"),
        ("topology.latency=1e300", "too large"),
        ("node.clock=0", "must be greater than zero"),
        ("node.clock=-1", "must not be negative"),
    ];
    for (set, why) in wrong {
        let result = load("e.json", json, &[set], SiNumbers::Everywhere);
        check_problems(result, &format!("{}: {why}", set.split_once('=').unwrap().0));
    }
}

const MACHINE: &str = r#"
[topology]
kind = "torus"
shape = [4, 4]
bandwidth = "1 GB/s"
latency = "100 ns"
[node]
mpi_overhead = "200 ns"
"#;

const ON_A_MACHINE: &str = r#"
machine = "machines.toml"
[topology]
latency = "5 ns"
[workload]
kind = "ring"
message_size = "1 kB"
"#;

#[test]
fn a_machine_file_says_what_the_experiment_does_not() {
    let folder = Folder::with(&[
        ("machines.toml", MACHINE),
        ("e.toml", ON_A_MACHINE),
        ("other.toml", &MACHINE.replace("4, 4", "2")),
    ]);
    let source = folder.source("e.toml");
    let s = Scenario::load(&source).unwrap();
    assert_eq!((s.nodes(), s.node.link_latency), (16, Some(Duration::from_ns(5))));
    assert_eq!(s.node.mpi_overhead, Duration::from_ns(200));
    let other = Scenario::load(&Source { machine: folder.file("other.toml"), ..source }).unwrap();
    assert_eq!(other.nodes(), 2, "the machine of the command line replaces that of the experiment");
}

/// Algorithms of the environment stand in where nothing else names one.
#[test]
fn algorithms_of_the_environment() {
    let experiment = MACHINE.to_owned()
        + "[workload]\nkind = 'ring'\nmessage_size = '1 kB'\n[collectives]\nbcast = 'binomial'\n";
    let folder = Folder::with(&[("e.toml", &experiment)]);
    let load = |text: &str| {
        let source = Source {
            overrides: vec!["collectives.scan=auto".into()],
            collectives: Some(text.into()),
            ..folder.source("e.toml")
        };
        Scenario::load(&source)
    };
    let chosen = load("alltoall=bruck, bcast=flat,scan=linear,").unwrap().collectives.algorithms.clone();
    for expected in [("alltoall", "bruck"), ("bcast", "binomial"), ("scan", "auto"), ("reduce", "auto")] {
        assert!(chosen.contains(&expected), "{expected:?} in {chosen:?}");
    }
    let problems = load("bruck,alltoall=tree,broadcast=flat").unwrap_err();
    assert!(problems.list().iter().all(|problem| problem.file == "WEIR_COLLECTIVES"), "{problems}");
    let said =
        "bruck: has no = && collectives.alltoall: auto, simple-spread && collectives.broadcast: unknown key";
    check_problems(Err(problems), said);
}

/// The text stands in for a file: the same scenario, problems under the name it was given.
#[test]
fn an_experiment_needs_no_file() {
    let experiment = MACHINE.to_owned() + "[workload]\nkind = 'ring'\nmessage_size = '1 kB'\n";
    let folder = Folder::with(&[("e.toml", &experiment)]);
    let overrides = vec!["title=e".to_owned()];
    let text = Source { overrides, ..Source::of_text("built in", experiment.as_str()) };
    assert_eq!(Scenario::load(&text).unwrap(), folder.load("e.toml").unwrap());
    for wrong in [experiment.replace("shape", "shap"), "[topology".to_owned()] {
        let problems = Scenario::load(&Source::of_text("built in", wrong)).unwrap_err();
        assert_eq!(problems.list()[0].file, "built in", "{problems}");
    }
}

#[test]
fn problems_name_the_file_they_come_from() {
    let machine = MACHINE.replace("shape", "shap") + "[workload]\nkind = 'ring'\n";
    let folder =
        Folder::with(&[("machines.toml", &machine), ("e.toml", &ON_A_MACHINE.replace("1 kB", "1 kb"))]);
    let result = folder.load("e.toml");
    let shown: Vec<_> = result
        .unwrap_err()
        .list()
        .iter()
        .map(|p| (PathBuf::from(&p.file).file_name().unwrap().to_owned(), p.line, p.key.clone()))
        .collect();
    let expected = [
        ("e.toml", Some(3), "topology.shape"),
        ("e.toml", Some(7), "workload.message_size"),
        ("machines.toml", Some(4), "topology.shap"),
        ("machines.toml", Some(9), "workload"),
    ]
    .map(|(file, line, key)| (file.into(), line, key.to_owned()));
    assert_eq!(shown, expected);
}

#[test]
fn a_program_on_a_machine_needs_no_experiment() {
    let folder = Folder::with(&[("m.toml", MACHINE), ("halo", &program())]);
    let command = ProgramCommand { path: folder.file("halo").unwrap(), args: vec!["-v".into(), "3".into()] };
    let source = Source {
        machine: folder.file("m.toml"),
        program: Some(command.clone()),
        ranks: Some(12),
        ..Source::default()
    };
    let s = Scenario::load(&source).unwrap();
    assert_eq!((s.title.as_str(), s.workload.ranks, s.engine.name()), ("halo", 12, "flow"));
    let Workload::Program(program) = &s.workload.kind else { panic!() };
    assert_eq!((&program.path, &program.args), (&command.path, &command.args));
    let no_machine = Source { machine: None, ..source.clone() };
    assert_eq!(Scenario::load(&no_machine).unwrap().engine.name(), "ideal");
    let too_many = Scenario::load(&Source { ranks: Some(17), ..source });
    check_problems(too_many, "workload.ranks: 17 ranks do not fit 16 nodes");
}

#[test]
fn a_program_replaces_what_the_ranks_of_the_experiment_do() {
    let halo = program();
    let program =
        "machine = 'm.toml'\n[workload]\nkind = 'program'\nprogram = 'gone'\nargs = ['x']\nranks = 2\n";
    let ring = program
        .replace("'program'", "'ring'\nmessage_size = '1 B'")
        .replace("program = 'gone'\nargs = ['x']", "");
    let folder =
        Folder::with(&[("m.toml", MACHINE), ("p.toml", program), ("r.toml", &ring), ("halo", &halo)]);
    let command = ProgramCommand { path: folder.file("halo").unwrap(), args: Vec::new() };
    let source = Source { program: Some(command), ..folder.source("p.toml") };
    let s = Scenario::load(&source).unwrap();
    assert!(
        matches!(&s.workload.kind, Workload::Program(p) if p.path.ends_with("halo") && p.args.is_empty())
    );
    assert_eq!(s.workload.ranks, 2);
    // Of a pattern nothing is left but how many ranks there are.
    let s = Scenario::load(&Source { experiment: folder.file("r.toml"), ..source }).unwrap();
    assert!(matches!(&s.workload.kind, Workload::Program(p) if p.path.ends_with("halo")));
    assert_eq!(s.workload.ranks, 2);
}

#[test]
fn nothing_at_all_is_a_problem() {
    let expected = "workload.kind: is missing && workload.ranks: is missing";
    check_problems(Scenario::load(&Source::default()), expected);
}

/// Whichever kinds two sources say, an experiment runs as if the weaker one had said neither its kind nor what belongs to that kind alone.
#[test]
fn a_stronger_kind_takes_what_belongs_to_the_weaker_one_with_it() {
    let engines = [
        ("ideal", "bandwidth = '1 GB/s'"),
        ("flow", "sharing = 'iterative'\nthreshold = 0.5"),
        ("packet", ""),
    ];
    let mappings = [
        ("linear", ""),
        ("cyclic", ""),
        ("random", "seed = 3\ngenerator = 'splitmix'"),
        ("folded", "job = [2, 2]\nrank_order = 'yx'"),
        ("file", "file = 'ranks'"),
    ];
    let all = [("engine", &engines[..]), ("mapping", &mappings[..])];
    for (table, kinds) in all {
        for ((weak, keys), (strong, others)) in
            kinds.iter().flat_map(|weak| kinds.iter().map(move |strong| (weak, strong)))
        {
            let said = |kind: &str, keys: &str| format!("[{table}]\nkind = '{kind}'\n{keys}\n");
            let work = "[workload]\nkind = 'ring'\nranks = 4\nmessage_size = '1 B'\n";
            let machine = MACHINE;
            let folder = Folder::with(&[
                ("ranks", "0 3\n1 2\n2 1\n3 0\n"),
                ("weak.toml", &format!("{machine}{}", said(weak, keys))),
                ("alone.toml", machine),
                ("strong.toml", &format!("{}{work}", said(strong, others))),
            ]);
            let load = |machine| {
                let source = Source { machine: folder.file(machine), ..folder.source("strong.toml") };
                Scenario::load(&source).map(|scenario| scenario.resolved())
            };
            let (beside, alone) = (load("weak.toml"), load("alone.toml"));
            if weak != strong {
                assert_eq!(beside, alone, "{table}: {strong} over {weak}");
            }
            assert!(alone.is_ok(), "{alone:?}");
            // A key of no kind is still refused.
            let overrides = vec![format!("{table}.kind={weak}"), format!("{table}.kin=1")];
            let source =
                Source { machine: folder.file("alone.toml"), overrides, ..folder.source("strong.toml") };
            assert!(Scenario::load(&source).is_err());
        }
    }
}

/// Coordinates in a job are laid out as the machine lays its own jobs, where the experiment says the job.
#[test]
fn a_job_of_a_file_lies_as_jobs_of_its_machine_do() {
    let folded =
        format!("{MACHINE}[mapping]\nkind = 'folded'\njob = [4, 4]\naxes = 'yx'\nrank_order = 'yx'\n");
    let work = "[workload]\nkind = 'ring'\nmessage_size = '1 B'\n";
    let filed = format!("{work}[mapping]\nkind = 'file'\nfile = 'places'\njob = [2, 3]\n");
    let folder = Folder::with(&[
        ("places", "(0,0)\n(1,0)\n(1,2)\n"),
        ("m.toml", &folded),
        ("plain.toml", MACHINE),
        ("e.toml", &filed),
        ("said.toml", &format!("{filed}axes = 'yx'\n")),
    ]);
    let load = |experiment, machine| {
        let source = Source { machine: folder.file(machine), ..folder.source(experiment) };
        let scenario = Scenario::load(&source).unwrap();
        scenario.placement().nodes().iter().map(|node| node.index()).collect::<Vec<_>>()
    };
    assert_eq!(load("e.toml", "m.toml"), load("said.toml", "plain.toml"));
    assert_ne!(load("e.toml", "m.toml"), load("e.toml", "plain.toml"));
}
