//! For which jobs a job waits, and at which links: by hand, and laws over random jobs.

use proptest::prelude::*;
use serde_json::{Value, json};
use weir_experiment::{Scenario, Source};
use weir_pdes::ThreadAsProcess;
use weir_run::{RunOptions, run_with};

/// Nodes 0 to 3 at one router and 4 to 7 at the other one; a link each way between the routers, of 1 GB/s as those of nodes. A packet of 1000 bytes
/// takes 1 us on each link, and half of that through a crossbar.
const MACHINE: &str = "
    topology = { kind = 'full-mesh', routers = 2, nodes_per_router = 4, links_per_pair = 1, bandwidth = '1 GB/s', latency = '0 ns' }
    output = { causes = true }
";

const FLOW: &str = "engine = { kind = 'flow' }\n";

/// A job whose first half of ranks send a message each over the shared link.
fn job(name: &str, nodes: &[u32], start: &str, bytes: u32) -> String {
    let (count, half) = (nodes.len(), nodes.len() / 2);
    format!(
        "[[jobs]]\nname = '{name}'\nnodes = {nodes:?}\nstart = '{start}'\n\
         workload = {{ kind = 'permutation', permutation = 'shift', ranks = {count}, distance = {half}, message_size = '{bytes} B' }}\n"
    )
}

/// The summary of a run with so many threads and processes.
fn run(text: &str, processes: usize) -> Value {
    let scenario = Scenario::load(&Source::of_text("e", text)).unwrap_or_else(|why| panic!("{text}{why}"));
    std::thread::scope(|scope| {
        let all: Vec<_> = ThreadAsProcess::several(processes)
            .into_iter()
            .map(|mut transport| {
                let (scenario, options) = (&scenario, RunOptions::default());
                scope.spawn(move || run_with(scenario, &options, &mut transport, &mut |_| {}).unwrap())
            })
            .collect();
        let reports: Vec<_> = all.into_iter().map(|thread| thread.join().unwrap()).collect();
        reports[0].summary.to_json()
    })
}

/// What each job has waited for.
fn waits(summary: &Value) -> Vec<&Value> {
    let jobs = summary["jobs"].as_array().unwrap();
    jobs.iter().map(|job| &job["waited_for"]).collect()
}

/// Waiting for these jobs at the links between the routers, at each of both as long, in nanoseconds: the longest first.
fn expected(own: &str, jobs: &[(&str, u64)]) -> Value {
    let all: u64 = jobs.iter().map(|(_, ns)| ns).sum();
    let of_others: u64 = jobs.iter().filter(|(job, _)| *job != own).map(|(_, ns)| ns).sum();
    let shares = |links: u64| -> Vec<Value> {
        let share = |ns: u64| ns as f64 / all as f64;
        let row = |(job, ns): &(&str, u64)| json!({ "job": job, "time_ps": links * 1000 * ns, "share": share(*ns) });
        jobs.iter().map(row).collect()
    };
    let link = |(number, name): (u32, &str)| json!({ "link": number, "name": name, "time_ps": 1000 * all, "others_ps": 1000 * of_others, "jobs": shares(1) });
    let links = [(16, "router (0) -> router (1)"), (17, "router (1) -> router (0)")].map(link);
    json!({ "time_ps": 2000 * all, "others_ps": 2000 * of_others, "jobs": shares(2), "links": links })
}

/// Two flows have half of a link each, and take 2 ms instead of 1.
#[test]
fn two_flows_wait_for_each_other() {
    let text = job("a", &[0, 4], "0 s", 1_000_000) + &job("b", &[1, 5], "0 s", 1_000_000);
    let summary = run(&format!("{FLOW}{MACHINE}{text}"), 1);
    assert_eq!(summary["simulated_ps"], json!(2_000_000_000_u64));
    assert_eq!(waits(&summary), [&expected("a", &[("b", 1_000_000)]), &expected("b", &[("a", 1_000_000)])]);
}

/// Each of three flows has a third, and takes 3 ms instead of 1. That of a loses 2 ms for the two of b. Each of these loses 1 ms for that of a and
/// one for the other of its own job.
#[test]
fn a_job_waits_for_itself_as_well() {
    let text = job("a", &[0, 4], "0 s", 1_000_000) + &job("b", &[1, 2, 5, 6], "0 s", 1_000_000);
    let summary = run(&format!("{FLOW}{MACHINE}{text}"), 1);
    assert_eq!(summary["simulated_ps"], json!(3_000_000_000_u64));
    let of_b = expected("b", &[("a", 2_000_000), ("b", 2_000_000)]);
    assert_eq!(waits(&summary), [&expected("a", &[("b", 2_000_000)]), &of_b]);
}

/// One after the other: that of a has the link for 1 ms, then half of it beside b, and when it is over after 3 ms b has 1 MB left and the link for
/// itself. Until then each has lost 1 ms. A third job, by itself within its router, waits for nobody, and so does one that comes later.
#[test]
fn jobs_wait_while_they_are_there() {
    let text = [
        job("a", &[0, 4], "0 s", 2_000_000),
        job("b", &[1, 5], "1 ms", 2_000_000),
        job("c", &[2, 3], "0 s", 2_000_000),
        job("d", &[6, 7], "10 ms", 2_000_000),
    ];
    let summary = run(&format!("{FLOW}{MACHINE}{}", text.concat()), 1);
    let none = json!({ "time_ps": 0, "others_ps": 0, "jobs": [], "links": [] });
    let [a, b] = [expected("a", &[("b", 1_000_000)]), expected("b", &[("a", 1_000_000)])];
    assert_eq!(waits(&summary), [&a, &b, &none, &none]);
    assert_eq!(summary["jobs"][1]["end_ps"], json!(4_000_000_000_u64));
}

/// With three quarters of the link the 3 MB of a are through after 4 ms, instead of 3; b has a quarter until then, and loses 3 ms. Where a comes first
/// it loses nothing, and b waits until it is through.
#[test]
fn classes_wait_for_each_other() {
    let text = job("a", &[0, 4], "0 s", 3_000_000) + &job("b", &[1, 5], "0 s", 3_000_000);
    let text = text.replace("'a'", "'a'\nclass = 'a'").replace("'b'", "'b'\nclass = 'b'");
    for (first, of_a, of_b) in [("weight = 3", 1_000_000, 3_000_000), ("priority = 1", 0, 3_000_000)] {
        let classes = format!(
            "[[classes]]\nname = 'a'\n{first}\n[[classes]]\nname = 'b'\n[[classes]]\nname = 'others'\n"
        );
        let summary = run(&format!("{FLOW}{MACHINE}{classes}{text}"), 1);
        let none = json!({ "time_ps": 0, "others_ps": 0, "jobs": [], "links": [] });
        let of_a = if of_a > 0 { expected("a", &[("b", of_a)]) } else { none };
        assert_eq!(waits(&summary), [&of_a, &expected("b", &[("a", of_b)])], "{first}");
    }
}

/// The link from router 0 to router 1 has half its speed after 1 ms, when 0.5 MB of each have passed. Both have 0.5 MB left and a quarter of what
/// the link was: half of what it is. Each loses 0.5 ms before, and 1 ms of the two that follow. The other way all is as it was.
#[test]
fn machines_change_while_jobs_wait() {
    let text = job("a", &[0, 4], "0 s", 1_000_000) + &job("b", &[1, 5], "0 s", 1_000_000);
    let fault = "[[faults]]\nlink = 'router (0) -> router (1)'\nspeed = 0.5\nat = '1 ms'\n";
    let summary = run(&format!("{FLOW}{MACHINE}{fault}{text}"), 1);
    assert_eq!(summary["simulated_ps"], json!(3_000_000_000_u64));
    for (waited, other) in waits(&summary).into_iter().zip(["b", "a"]) {
        let links: Vec<_> =
            waited["links"].as_array().unwrap().iter().map(|at| (&at["link"], &at["time_ps"])).collect();
        assert_eq!(links, [(&json!(16), &json!(1_500_000_000_u64)), (&json!(17), &json!(1_000_000_000_u64))]);
        assert_eq!(waited["jobs"][0]["job"], other);
    }
}

const PACKETS: &str = "
    engine = { kind = 'packet' }
    packet = { mtu = '1000 B', route_delay = '2 ns', vc_allocation_delay = '2 ns', switch_allocation_delay = '2 ns', switch_delay = '0 ns', \
               switch_bandwidth = '2 GB/s', output_buffer = 2 }
";

/// Both heads are at the router after the latency of 100 ns and eligible 6 ns later. That of the lower input goes first, and has crossed when its tail
/// has come, 1000 ns after its head. Then the other one goes: it has waited for 994 ns. Behind the link they come one after the other.
#[test]
fn a_packet_waits_for_another_one() {
    let machine = MACHINE.replace("'0 ns'", "'100 ns'");
    let text = job("a", &[0, 4], "0 s", 1000) + &job("b", &[1, 5], "0 s", 1000);
    let summary = run(&format!("{PACKETS}{machine}{text}"), 1);
    let none = json!({ "time_ps": 0, "others_ps": 0, "jobs": [], "links": [] });
    assert_eq!(waits(&summary), [&none, &expected("b", &[("a", 994)])]);
}

/// Nothing is counted for one job, without causes, and without links.
#[test]
fn who_does_not_ask_is_not_answered() {
    let two = job("a", &[0, 4], "0 s", 1000) + &job("b", &[1, 5], "0 s", 1000);
    let one = job("a", &[0, 4], "0 s", 1000);
    let silent = MACHINE.replace("causes = true", "");
    for (engine, machine, jobs) in [
        (FLOW, MACHINE, &one),
        (FLOW, &silent, &two),
        (PACKETS, &silent.replace("'0 ns'", "'100 ns'"), &two),
        ("engine = { kind = 'ideal' }\n", MACHINE, &two),
    ] {
        let summary = run(&format!("{engine}{machine}{jobs}"), 1);
        assert!(waits(&summary).iter().all(|waited| waited.is_null()), "{engine}{machine}{jobs}");
    }
}

fn kind() -> impl Strategy<Value = (&'static str, u32, u32, u32, &'static str)> {
    let kinds: [&str; 4] =
        ["'all-to-all'", "'incast'", "'collective', operation = 'allgather'", "'ring', messages = 3"];
    let kind = proptest::sample::select(kinds.to_vec());
    let placement = proptest::sample::select(&["packed", "random", "spread"][..]);
    (kind, 2..8_u32, 1..40_u32, 0..4000_u32, placement)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Waiting is the same for any number of threads and processes, and counting it changes no event. What a job waits for at links is no more
    /// than all its links have counted, and its parts add up.
    #[test]
    fn threads_and_processes_change_no_waiting(all in proptest::collection::vec(kind(), 2..5)) {
        let text: String = all.iter().enumerate().map(|(number, (kind, ranks, kilobytes, start, placement))| {
            let bytes = 1000 * ranks * kilobytes;
            format!(
                "[[jobs]]\nname = 'job {number}'\nplacement = '{placement}'\nstart = '{start} ns'\n\
                 workload = {{ kind = {kind}, ranks = {ranks}, message_size = '{bytes} B' }}\n"
            )
        }).collect();
        let machine = "topology = { kind = 'torus', shape = [8, 8], bandwidth = '1 GB/s', latency = '300 ns' }\n";
        for engine in ["kind = 'flow'", "kind = 'packet'"] {
            let with = |threads: usize, output: &str| {
                format!("engine = {{ {engine}, threads = {threads} }}\noutput = {{ {output} }}\n{machine}{text}")
            };
            let single = with(1, "causes = true").replace(", threads = 1", "");
            let one = run(&single, 1);
            prop_assert_eq!(&one["digest"], &run(&single.replace("causes = true", ""), 1)["digest"]);
            for waited in waits(&one) {
                let times = |rows: &Value| rows.as_array().unwrap().iter().map(|row| row["time_ps"].as_u64().unwrap()).sum::<u64>();
                prop_assert_eq!(waited["time_ps"].as_u64().unwrap(), times(&waited["jobs"]));
                prop_assert!(times(&waited["links"]) <= times(&waited["jobs"]));
            }
            if engine.contains("packet") {
                for other in [run(&with(4, "causes = true"), 1), run(&single, 2)] {
                    prop_assert_eq!(waits(&one), waits(&other));
                }
            }
        }
    }
}
