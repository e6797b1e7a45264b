//! Runs by several processes that are not equally far when they begin.

use weir_experiment::{Scenario, Source};
use weir_network::Outcome;
use weir_pdes::ThreadAsProcess;
use weir_run::{RunOptions, run_with};

fn scenario(text: &str) -> Scenario {
    let text = format!(
        "topology = {{ kind = 'torus', shape = [4, 4], bandwidth = '1 GB/s', latency = '1 us' }}\n\
         engine = {{ kind = 'packet' }}\nworkload = {{ kind = 'ring', message_size = '1 kB' }}\n{text}"
    );
    Scenario::load(&Source::of_text("e", text)).unwrap()
}

/// Runs by processes that have made ready these scenarios.
fn run(scenarios: &[Scenario]) -> Vec<Result<Outcome, String>> {
    std::thread::scope(|scope| {
        let all = ThreadAsProcess::several(scenarios.len()).into_iter().zip(scenarios);
        let threads: Vec<_> = all
            .map(|(mut transport, scenario)| {
                scope.spawn(move || {
                    let report = run_with(scenario, &RunOptions::default(), &mut transport, &mut |_| {});
                    report.map(|report| report.outcome).map_err(|error| error.to_string())
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// The clock on the wall is over in one process while its machine is built, and in the others just afterward: the run is limited in all
/// of them, whichever it is.
#[test]
fn a_machine_that_is_not_built_in_one_process_ends_the_run_in_all() {
    let ready = scenario("");
    assert_eq!(run(&vec![ready.clone(); 3]), vec![Ok(Outcome::Finished); 3]);
    let mut late = ready.clone();
    late.prepared = Err("limits.wall_time = 1 s is over".into());
    let limit = "limits.wall_time = 1 s is over: the machine was not built to its end";
    for place in 0..3 {
        let mut all = vec![ready.clone(); 3];
        all[place] = late.clone();
        assert_eq!(run(&all), vec![Ok(Outcome::Limit(limit.into())); 3], "process {place}");
    }
}

/// The expected time of a run is measured once, and holds for all.
#[test]
fn a_run_that_takes_too_long_is_refused_in_all_processes() {
    let found = run(&vec![scenario("limits = { memory = '100 kB' }\n"); 2]);
    let texts: Vec<_> = found.iter().map(|ended| ended.as_ref().unwrap_err().as_str()).collect();
    assert_eq!(texts[0], texts[1]);
    assert!(texts[0].contains("limits.memory = 100 kB"), "{}", texts[0]);
}
