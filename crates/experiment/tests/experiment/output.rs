//! `[output]`: what is kept of a run, and what an engine cannot give.

use crate::{TORUS, check_problems, load};
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
fn tables_need_a_folder() {
    let keys = "\n[output]\nmessages = true\npairs = false\n[output.packets]\nrouters = [0]\n";
    let needs = "needs a results folder, and there is none set output.dir, or add --out FOLDER";
    check_problems(load(&packet(keys)), &format!("output.messages: {needs} && output.packets: {needs}"));
}

#[test]
fn only_programs_and_profiles_have_calls() {
    let what = "is for MPI programs and profiles; ranks of this workload call nothing";
    let keys = format!("{DIR}calls = true\ntrace = true\n");
    check_problems(load(&format!("{TORUS}{keys}")), &format!("output.calls: {what} && output.trace: {what}"));
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
    let check =
        |text: String, problem: &str| check_problems(load(&text), &format!("output.series: {problem}"));
    check(packet(&keys("[]")), "must be a list of series, not empty such as series = [\"links\"]");
    check(packet(&keys("['link']")), "\"link\" is none of links, buffers, latencies did you mean \"links\"?");
    check(packet(&keys("'links'")), "must be a list of texts");
    check(packet(&keys("[3]")), "must be a text in quotes");
    check(packet(&format!("{DIR}series = ['links']\n")), "chooses among samples of intervals");
    let said = "asks for buffers, and with \"flow\" there are none";
    check(format!("{TORUS}{}", keys("['links', 'buffers']")), said);
}

#[test]
fn an_engine_gives_what_it_has() {
    let flow = format!("{TORUS}{DIR}[output.packets]\nrouters = [0]\n");
    check_problems(load(&flow), "output.packets: is for engine.kind = \"packet\"");
    let ideal = TORUS.replace("\"flow\"", "\"ideal\"") + DIR + "sample_interval = '1 us'\n";
    check_problems(load(&ideal), "output.sample_interval: is for engines with links");
    let quotient = TORUS.replace("kind = \"flow\"", "kind = \"flow\"\nmethod = \"quotient\"")
        + DIR
        + "messages = true\n";
    let said = "engine.method: does not fit && output.messages: is not recorded with this engine.method";
    check_problems(load(&quotient), said);
}

#[test]
fn intervals_routers_and_times_are_checked() {
    let keys = "sample_interval = '1000003 ps'\n[output.packets]\nrouters = [16, 'x']\nfrom = '2 us'\nuntil = '1 us'\n";
    let said = "output.sample_interval: does not fit && output.packets: there is no router \"16\" take a number from 0 to 15 && output.packets: there is no router \"x\" && output.packets.until: must be later than from";
    check_problems(load(&packet(&format!("{DIR}{keys}"))), said);
    let said = "output.sample_interval: must be longer than 0 && output.messages: must be true or false";
    check_problems(load(&packet(&format!("{DIR}sample_interval = '0 s'\nmessages = 1\n"))), said);
    let said = "output.packets.routers: is missing && output.packets.router: did you mean routers?";
    check_problems(load(&packet(&format!("{DIR}[output.packets]\nfrom = '1 us'\nrouter = 3\n"))), said);
}
