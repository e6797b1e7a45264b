//! Lists of jobs: what is read of each form, by hand.

use std::path::Path;
use weir_foreign::sample::Sample;
use weir_foreign::{Given, Imported, LoggedJob, Mistake, Reader};

fn read(text: &str, given: Given) -> (&'static str, Result<Imported<Vec<LoggedJob>>, Vec<Mistake>>) {
    let format = weir_foreign::of(&Sample::new(Path::new("list"), text.as_bytes())).expect("it is known");
    let Some(Reader::Jobs(reader)) = format.reader else { panic!("{} is no list of jobs", format.name) };
    (format.name, reader.read(text, given))
}

/// Jobs as name, line, and, in seconds, submission, start and duration, and nodes.
type Shown<'a> = (&'a str, usize, f64, Option<f64>, f64, u64);

fn shown(jobs: &[LoggedJob]) -> Vec<Shown<'_>> {
    let seconds = |ns: u64| ns as f64 / 1e9;
    jobs.iter()
        .map(|job| {
            let start = job.start_ns.map(seconds);
            (&*job.name, job.line, seconds(job.submit_ns), start, seconds(job.duration_ns), job.nodes)
        })
        .collect()
}

fn mistakes(text: &str) -> Vec<(Option<usize>, String)> {
    let found = read(text, Given::default()).1.expect_err("it has mistakes");
    found.into_iter().map(|mistake| (mistake.line, mistake.what)).collect()
}

const SWF: &str = "; Version: 2.2\n; MaxNodes: 8\n; MaxProcs: 32\n\n\
    1 0 10 100 9 -1 -1 9 200 -1 1 1 1 1 1 1 -1 -1\n\
    2 5 -1 50 -1 -1 -1 4 -1 -1 0 1 1 1 1 1 -1 -1\n\
    3 7 3 -1 4 -1 -1 4 -1 -1 5 1 1 1 1 1 -1 -1\n\
    4 9 3 20 4 -1 -1 4 -1 -1 2 1 1 1 1 1 -1 -1\n";

/// Nine processors of nodes with four are three nodes; the second job has no wait, and of its processors it is known how many it asked for.
#[test]
fn the_standard_workload_format_is_read() {
    let (name, list) = read(SWF, Given { skip: true, ..Given::default() });
    let list = list.unwrap();
    assert_eq!(name, "swf");
    assert_eq!(shown(&list.made), [("1", 5, 0.0, Some(10.0), 100.0, 3), ("2", 6, 5.0, None, 50.0, 1)]);
    let asked: Vec<_> = list.made.iter().map(|job| job.requested_ns).collect();
    assert_eq!(asked, [Some(200_000_000_000), None]);
    let left_out: Vec<_> = list.skipped.iter().map(|skipped| (skipped.line, skipped.count)).collect();
    assert_eq!((left_out, list.notes.len()), (vec![(7, 1), (8, 1)], 0));
    let list = read(SWF, Given { skip: true, processors_per_node: Some(1), ..Given::default() }).1.unwrap();
    assert_eq!(list.made[0].nodes, 9);
    let headless: String = SWF.lines().skip(3).map(|line| format!("{line}\n")).collect();
    let list = read(&headless, Given { skip: true, ..Given::default() }).1.unwrap();
    assert_eq!((list.made[0].nodes, list.notes.len()), (9, 1));
    let found = mistakes(SWF);
    assert_eq!(found.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [Some(7), Some(8)]);
}

const SACCT: &str = "JobID|JobName|Submit|Start|End|NNodes|State\n\
    17|a|2026-11-29T10:00:00|2026-11-29T10:00:30|2026-11-29T11:00:30|4|COMPLETED\n\
    17.batch|batch|2026-11-29T10:00:30|2026-11-29T10:00:30|2026-11-29T11:00:30|1|COMPLETED\n\
    17.0|a|2026-11-29T10:00:30|2026-11-29T10:00:30|2026-11-29T11:00:30|4|COMPLETED\n\
    18_1|b|2026-11-29T10:00:10|None|2026-11-29T10:05:00|2|CANCELLED by 100\n\
    19|c|2026-11-30T00:00:00|2026-11-30T00:00:00|Unknown|2|RUNNING\n\
    20|d|2026-11-30T00:00:00|2026-12-01T00:00:00|2026-12-01T00:00:01|2|TIMEOUT\n";

/// Steps belong to their job, an hour is an hour and a day a day; whoever did not start or has not ended is refused.
#[test]
fn what_sacct_prints_is_read() {
    let (name, list) = read(SACCT, Given { skip: true, ..Given::default() });
    let list = list.unwrap();
    assert_eq!(name, "sacct");
    let origin = list.made[0].submit_ns;
    let mut jobs = list.made;
    for job in &mut jobs {
        job.submit_ns -= origin;
        job.start_ns = job.start_ns.map(|start| start - origin);
    }
    let second = ("20", 7, 50_400.0, Some(136_800.0), 1.0, 2);
    assert_eq!(shown(&jobs), [("17", 2, 0.0, Some(30.0), 3600.0, 4), second]);
    assert_eq!(list.skipped.len(), 2);
    assert_eq!(jobs[0].requested_ns, None);
    for (limit, seconds) in [
        ("1-02:03:04", Some(93_784)),
        ("00:30:00", Some(1800)),
        ("UNLIMITED", None),
        ("Partition_Limit", None),
    ] {
        let text = SACCT.replace("State", "Timelimit").replace("COMPLETED", limit);
        let list = read(&text, Given { skip: true, ..Given::default() }).1.unwrap();
        assert_eq!(list.made[0].requested_ns, seconds.map(|seconds: u64| seconds * 1_000_000_000), "{limit}");
    }
    let found = mistakes(SACCT);
    assert_eq!(found.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [Some(5), Some(6)]);
    for (from, to, what) in [
        ("17|a|2026-11-29T10:00:00", "17|a|yesterday", "expected a time such as"),
        ("NNodes", "Nodes", "no column NNodes"),
        ("2026-11-29T11:00:30|4|", "2026-11-29T09:00:30|4|", "the job ends before it starts"),
        ("Start|End", "Start", "no column End"),
        ("|4|COMPLETED", "|x|COMPLETED", "expected a number of nodes"),
        ("17|a|2026-11-29T10:00:00", "17|a|2026-11-29T10:00:40", "the job starts before it is submitted"),
    ] {
        let found = mistakes(&SACCT.replacen(from, to, 1));
        assert!(found.iter().any(|(_, found)| found.contains(what)), "{what}: {found:?}");
    }
}

#[test]
fn a_table_of_jobs_is_read() {
    let text = "# a night\nnodes, submit, duration, name, start\n4, 0, 3600.5, a, 1\n2, 0.25, 1e3, b,\n";
    assert_eq!(mistakes(text)[0].0, Some(4));
    let text = text.replace("1e3", "1000.000000001");
    let (name, list) = read(&text, Given::default());
    let list = list.unwrap().made;
    assert_eq!(name, "job-table");
    assert_eq!(list[1].duration_ns, 1_000_000_000_001);
    assert_eq!(shown(&list)[0], ("a", 3, 0.0, Some(1.0), 3600.5, 4));
    assert_eq!((list[1].start_ns, list[1].submit_ns), (None, 250_000_000));
    let text = "submit,nodes,duration,requested\n0,1,2,3.5\n0,1,2,\n";
    let asked: Vec<_> =
        read(text, Given::default()).1.unwrap().made.iter().map(|job| job.requested_ns).collect();
    assert_eq!(asked, [Some(3_500_000_000), None]);
    for (head, what) in [
        ("submit,nodes,duration,queue", "unknown column"),
        ("submit,nodes,nodes,duration", "the column is there twice"),
        ("submit,nodes", "no column duration"),
    ] {
        let found = mistakes(&format!("{head}\n"));
        assert!(found.iter().any(|(line, found)| *line == Some(1) && found.contains(what)), "{found:?}");
    }
    let found = mistakes("submit,nodes,duration\n1,2\n1,\"2\",3\n");
    assert_eq!(found.len(), 2);
}

/// Nothing breaks on a list that is cut anywhere.
#[test]
fn nothing_breaks_on_a_cut_list() {
    for text in [SWF, SACCT, "submit,nodes,duration\n0,1,2\n5,6,7.5\n"] {
        let Some(Reader::Jobs(reader)) = weir_foreign::of(&Sample::new(Path::new("list"), text.as_bytes()))
            .and_then(|format| format.reader)
        else {
            panic!("{text}")
        };
        for end in 0..text.len() {
            drop(reader.read(&text[..end], Given::default()));
        }
    }
}
