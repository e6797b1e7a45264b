use super::*;

const STUDY: &str = "title = 'A machine'\nsource = 'them'\ndata = 'a.csv'\nmachine = '../m.toml'\nalgorithm_prefix = 'default-'\n\
    [calibration]\njobs = ['2x2x2']\nkeys = ['node.send_overhead']\nloss = 'soft-l1'\n\
    [published]\n'node.send_overhead' = '490 ns (a paper)'\n\
    [fallback]\nwithin = 0.01\nshare = 0.5\n\
    [[left_out]]\nalgorithm = 'linear'\nfrom = '4 KiB'\nreason = 'not public'\n\
    [[library]]\ncollectives = ['bcast']\nto = '2 KiB'\nalgorithm = 'binomial'\n\
    [[target]]\nname = 'half'\njobs = ['4x4x4']\nfrom = '128 KiB'\ngoal = 'median'\nat_most = 0.05\n\
    [[ablation]]\nname = 'gap'\nset = ['node.message_gap=0 ns']\n";

fn refused(text: &str) -> Vec<String> {
    match super::read_for_tests(text) {
        Err(CalibrationError::Input(mistakes)) => mistakes.iter().map(ToString::to_string).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_study_is_read() {
    let study = super::read_for_tests(STUDY).unwrap();
    assert_eq!((study.name.as_str(), study.title.as_str()), ("study", "A machine"));
    assert_eq!((study.data, study.machine), (PathBuf::from("here/a.csv"), PathBuf::from("here/../m.toml")));
    assert_eq!((study.large, study.notes), (128 << 10, None));
    assert_eq!(study.calibration.loss.form, Form::SoftL1);
    assert_eq!(study.published, [("node.send_overhead".into(), "490 ns (a paper)".into())]);
    assert_eq!(study.fallback, Some(Fallback { within: 0.01, share: 0.5 }));
    let rows = Rows { from: 4096, ..Rows::default() };
    let excluded = Excluded { rows, algorithm: "linear".into(), reason: "not public".into() };
    assert_eq!(study.left_out, [excluded]);
    assert_eq!((study.library[0].rows.to, study.library[0].algorithm.as_str()), (Some(2048), "binomial"));
    assert_eq!((study.targets[0].rows.from, study.targets[0].goal), (128 << 10, Goal::Median(0.05)));
    assert_eq!(study.ablations[0].sets, ["node.message_gap=0 ns"]);
}

/// All mistakes at once, each with its place.
#[test]
fn mistakes_are_named_together() {
    let text = "title = 7\nsource = 's'\ndata = 'd'\nlarge_from = 4\nwhat = 1\n\
        [calibration]\njobs = '2x2x2'\nloss = 'cubes'\nwithin = 0.5\n\
        [fallback]\nwithin = 2.0\n\
        [[target]]\nname = 'a'\ngoal = 'mean'\n[[target]]\ngoal = 'median'\n\
        [[ablation]]\nname = 'b'\nset = [1]\nunset = []\n";
    let mistakes = refused(text);
    for what in [
        "study.toml: title = 7: must be a text in quotes",
        "study.toml: machine: is missing",
        "study.toml: large_from = 4: must be a size in quotes",
        "study.toml: what: is no key here",
        "study.toml: [calibration] jobs = '2x2x2': must be a list of texts",
        "study.toml: [calibration] loss = 'cubes': is not known\n\nhint: it is one of square, huber, soft-l1, cauchy",
        "study.toml: [calibration] within = 0.5: must be above 1",
        "study.toml: [fallback] within = 2.0: must be from 0 to 1",
        "study.toml: [fallback] share: is missing",
        "study.toml: [[target]] number 1, goal = 'mean': is not known",
        "study.toml: [[target]] number 2, name: is missing",
        "study.toml: [[target]] number 2, at_most: is missing",
        "study.toml: [[ablation]] number 1, set = [1]: must be a list of texts",
        "study.toml: [[ablation]] number 1, unset: is no key here",
    ] {
        assert_eq!(
            mistakes.iter().filter(|mistake| mistake.starts_with(what)).count(),
            1,
            "{what}: {mistakes:#?}"
        );
    }
    assert_eq!(mistakes.len(), 14, "{mistakes:#?}");
    assert!(refused("title = ").concat().contains("study.toml: cannot be read"));
    assert!(refused("").concat().contains("[calibration]"));
}

#[test]
fn rows_are_chosen_by_job_collective_and_size() {
    let row = |job: &str, bytes| Row {
        file: String::new(),
        line: 1,
        operation: crate::Operation::Collective("bcast"),
        job: job.into(),
        algorithm: None,
        bytes,
        seconds: 1.0,
        set: Vec::new(),
    };
    let rows = Rows { jobs: vec!["4x4x4".into()], collectives: Vec::new(), from: 16, to: Some(64) };
    for (job, bytes, is_in) in [
        ("4x4x4", 16, true),
        ("4x4x4", 64, true),
        ("4x4x4", 15, false),
        ("4x4x4", 65, false),
        ("2x2x2", 32, false),
    ] {
        assert_eq!(rows.have(&row(job, bytes)), is_in, "{job} {bytes}");
    }
    assert!(Rows::default().have(&row("8x8x8", 1)));
    assert!(!Rows { collectives: vec!["gather".into()], ..Rows::default() }.have(&row("8x8x8", 1)));
}
