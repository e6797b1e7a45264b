use super::*;
use crate::{ExperimentText, Scenario, Source};

fn scenario(machine: &str, rest: &str) -> Scenario {
    let text = format!(
        "[topology]\nbandwidth = '1 GB/s'\nlatency = '1 us'\n{machine}\n[workload]\nmessage_size = '3 kB'\n{rest}"
    );
    let text = ExperimentText { name: "e".into(), text };
    Scenario::load(&Source { experiment_text: Some(text), ..Source::default() }).unwrap()
}

fn count(scenario: &Scenario, most: u64) -> Traffic {
    let (pattern, machine) = (scenario.pattern.as_deref().unwrap(), scenario.topology().unwrap());
    Traffic::counted(pattern, &machine, scenario.placement(), most, &mut |_, _| {})
}

/// Formulas and repetitions count the same as counting one by one.
#[track_caller]
fn check_alike(machine: &str, rest: &str, most: u64) {
    let scenario = scenario(machine, rest);
    let (all, short) = (count(&scenario, u64::MAX), count(&scenario, most));
    assert_eq!(short.sent, all.sent, "{machine} {rest}");
    assert_eq!(short.received, all.received);
    assert_eq!(short.crossing, all.crossing);
    assert_eq!(short.counted, all.counted);
    let [short_time, all_time] = [&short, &all].map(|traffic| traffic.slowest.map(|slowest| slowest.seconds));
    assert!(short_time <= all_time, "{short_time:?} {all_time:?}");
    if short.on_link.is_some() {
        assert_eq!(short_time, all_time);
        assert_eq!(short.on_link, all.on_link);
        assert!(short.notes.is_empty(), "{:?}", short.notes);
    } else {
        assert!(short.notes[0].starts_with("links are not looked at"), "{:?}", short.notes);
    }
}

#[test]
fn an_all_to_all_by_formulas() {
    let all = "kind = 'all-to-all'\nmessages = 2";
    let twice = "kind = 'all-to-all'\n[mapping]\nranks_per_node = 2";
    let random = "kind = 'all-to-all'\n[mapping]\nkind = 'random'\nranks_per_node = 2";
    let few = "kind = 'all-to-all'\nranks = 7\n[mapping]\nkind = 'random'";
    for rest in [all, twice, random, few] {
        check_alike("kind = 'torus'\nshape = [4, 5]", rest, 1);
        check_alike("kind = 'hypercrossbar'\nshape = [4, 3, 2]", rest, 1);
        check_alike("kind = 'mesh'\nshape = [4, 5]", rest.replace("kind = 'random'", "").as_str(), 1);
        check_alike("kind = 'fat-tree'\nradix = 4", rest, 1);
    }
}

#[test]
fn uniform_patterns_by_repetitions() {
    let ring = "kind = 'ring'\nmessages = 7";
    let halo = "kind = 'halo'\ngrid = [4, 3, 2]\nmessages = 5\n[mapping]\nkind = 'random'";
    let shift = "kind = 'permutation'\npermutation = 'shift'\ndistance = 3\nmessages = 9";
    for rest in [ring, halo, shift] {
        check_alike("kind = 'torus'\nshape = [6, 4]", rest, 24 * 6);
        check_alike("kind = 'fat-tree'\nstages = [{down = 4, up = 4}, {down = 6}]", rest, 24 * 6);
    }
}

#[test]
fn of_other_patterns_only_the_first_messages() {
    let scenario = scenario("kind = 'torus'\nshape = [4, 4]", "kind = 'hot-spot'\nroot = 1\nmessages = 100");
    let (all, some) = (count(&scenario, u64::MAX), count(&scenario, 160));
    assert_eq!((all.counted, some.counted), (1600, 160));
    assert!(some.sent.iter().zip(&all.sent).all(|(some, all)| some < all));
    assert!(some.notes[0].contains("160 of 1600"), "{:?}", some.notes);
}

/// Nodes 0 1 2 3 in a line, ranks 0 and 1 on node 0, and so on: of an exchange of 3 kB of all with all, node 0 sends 2 x
/// 6 messages, and between nodes 0 and 1 pass 2 x 6 each way, between 1 and 2 4 x 4.
#[test]
fn messages_within_a_node_do_not_count() {
    let scenario =
        scenario("kind = 'mesh'\nshape = [4]", "kind = 'all-to-all'\n[mapping]\nranks_per_node = 2");
    let traffic = count(&scenario, u64::MAX);
    assert_eq!(traffic.sent, [36_000; 4]);
    assert_eq!(traffic.crossing, [[36_000; 2], [48_000; 2], [36_000; 2]]);
    assert_eq!(traffic.counted, 56);
    let slowest = traffic.slowest.unwrap();
    assert_eq!((slowest.from, slowest.to, slowest.latency), (NodeId(0), NodeId(3), Duration::from_ns(5000)));
}
