//! `[output]`: what is kept of a run.

use crate::{TORUS, load};
use weir_network::record::Keep;
use weir_units::Duration;

fn packet(output: &str) -> String {
    TORUS.replace("\"flow\"", "\"packet\"") + output
}

const DIR: &str = "\n[output]\ndir = 'results'\n";

#[test]
fn everything_can_be_asked_for() {
    let keys = "sample_interval = '1 us'\nmessages = true\npairs = true\n\
                [output.packets]\nrouters = [3, '(1,2)']\nfrom = '1 us'\nuntil = '2 us'\n";
    let scenario = load(&packet(&format!("{DIR}{keys}"))).unwrap();
    let output = &scenario.output;
    assert_eq!(output.sample_interval, Some(Duration::from_ns(1000)));
    assert_eq!((output.messages, output.pairs), (Keep::Yes, Keep::Yes));
    let stays = output.packets.as_ref().unwrap();
    assert_eq!(stays.routers, ["3", "(1,2)"]);
    let resolved = scenario.resolved();
    assert_eq!(resolved["output"]["sample_interval"], "1 us");
    assert_eq!(resolved["output"]["packets"]["until"], "2 us");
    assert_eq!((output.series, resolved["output"].get("series")), (None, None));
    assert_eq!(load(TORUS).unwrap().output.messages, Keep::No);
}

#[test]
fn only_programs_and_profiles_have_calls() {
    let none = load(&format!("{TORUS}{DIR}calls = false\n")).unwrap();
    assert_eq!((none.output.calls, none.resolved()["output"].get("calls")), (Keep::No, None));
}

#[test]
fn series_are_chosen_by_name() {
    let keys = |series: &str| format!("{DIR}sample_interval = '1 us'\nseries = {series}\n");
    let scenario = load(&packet(&keys("['latencies', 'links']"))).unwrap();
    let series = scenario.output.series.unwrap();
    assert_eq!((series.links, series.buffers, series.latencies), (Keep::Yes, Keep::No, Keep::Yes));
    assert_eq!(scenario.resolved()["output"]["series"], serde_json::json!(["links", "latencies"]));
}
