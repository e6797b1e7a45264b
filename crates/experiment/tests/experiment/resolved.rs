//! A resolved experiment reads back as the same scenario.

use crate::{Folder, TORUS, again, load};
use proptest::prelude::*;

#[track_caller]
fn check(text: &str) {
    let scenario = load(text).unwrap();
    let again = again(&scenario);
    assert_eq!(again, scenario, "{:#}", scenario.resolved());
    assert_eq!(again.resolved(), scenario.resolved());
}

#[test]
fn kinds_of_experiments() {
    let unitless = TORUS.replace("\"1 GB/s\"", "1").replace("\"20 kB\"", "0.5e3");
    check(TORUS);
    check(&unitless);
    check(
        &(unitless + "[engine.x]\n")
            .replace("[engine.x]", "[node]\nmemory_bandwidth = 0.3\nmpi_overhead = 1e-7\n"),
    );
    check(&TORUS.replace("\"torus\"", "'mesh'"));
    check(
        &TORUS.replace("[4, 4]", "[4, 4]\nlatency = ['1 ns', '2 ns']\nwrap = [false, true]\ntie = 'direct'"),
    );
    check(
        &TORUS.replace(
            "kind = \"torus\"\nshape = [4, 4]",
            "kind = 'fat-tree'\nradix = 4\nrouting = 'source-mod'",
        ),
    );
    for topology in [
        "kind = 'hypercrossbar'\nshape = [4, 3]\nlatency = ['1 ns', '2 ns']",
        "kind = 'tofu'\nshape = [2, 1, 3]\nlatency = ['1 ns', '1 ns', '1 ns', '2 ns', '2 ns', '2 ns']",
        "kind = 'tofu'\nshape = [2, 1, 3, 2, 3, 2]\nwrap = [true, false, true, false, true, false]\ntie = 'direct'",
        "kind = 'fat-tree'\nradix = 4\nstages = 4",
        "kind = 'fat-tree'\nradix = 8\ntaper = 0.5",
        "kind = 'fat-tree'\nstages = [8, 4, 9]\ntaper = [0.5, 1.0]",
        "kind = 'fat-tree'\nstages = [7]\nlatency = '3 ns'",
        "kind = 'fat-tree'\nstages = [{down = 4, up = 2, latency = '5 ns'}, {down = 4, up = 1}, {down = 2}]",
    ] {
        check(&TORUS.replace("kind = \"torus\"\nshape = [4, 4]", topology).replace("all-to-all", "ring"));
    }
    for more in [
        "[mapping]\nkind = 'random'\nseed = 18446744073709551615\n[output]\ndir = 'r'\n",
        "[packet]\npreset = 'nsim-torus'\ninput_buffer = '4 KiB'\n",
        "[node]\nlocal_send_overhead = ['20 ns', '30 ns']\nlocal_receive_overhead = '1 ns'\noverhead_limits = '9 B'\n\
         local_rendezvous_overhead = '0 ns'\nlocal_message_gap = '0 ns'\nlocal_eager_limit = '4 KiB'\n\
         nics = 4\nstripe = 3\nstripe_from = '9 B'\ngap_of = 'interface'\n\
         local_latency = '5 ns'\nlocal_bandwidth = '3 GB/s'\nmemory_limit = '90 GB/s'\n",
        "[storage]\n",
    ] {
        check(&format!("{TORUS}{more}"));
    }
    for more in [
        "",
        "[node]\nnics = 'per-direction'\npacket_gap = 0.5\n[packet]\npreset = 'nsim-torus'\nallow_deadlock = true\n",
        "[node]\nnics = 4\n[packet]\nswitch_bandwidth = '3 GB/s'\n",
    ] {
        check(&(TORUS.replace("\"flow\"", "'packet'\nthreads = 3") + more));
    }
    check(
        "[engine]\nkind = 'ideal'\nbandwidth = '3 GiB/s'\n[workload]\nkind = 'ring'\nranks = 3\nmessage_size = '1 B'\n",
    );
}

#[test]
fn synthetic_traffic() {
    for keys in ["", "pattern = 'hot-spot'\nroot = 3\nfraction = 0.3\nseed = 9\ninjection = 'exponential'"] {
        let text = format!(
            "[topology]\nkind = 'mesh'\nshape = [4, 4]\nbandwidth = '1 GB/s'\n[engine]\nkind = 'packet'\n\
             [workload]\nkind = 'synthetic'\noffered_load = 0.3\nduration = '100 us'\n{keys}\n"
        );
        check(&text);
        let unitless = text.replace("'1 GB/s'", "256").replace("'100 us'", "1000");
        check(&unitless);
    }
}

/// The parts in their order, as people read them; a stage of its own does not change the order of the keys.
#[test]
fn what_people_read() {
    let resolved = load(TORUS).unwrap().resolved();
    let parts: Vec<&str> = resolved.as_object().unwrap().keys().map(String::as_str).collect();
    let order = "title seed topology mapping engine workload node collectives limits output";
    assert_eq!(parts.join(" "), order);
    let written = |table: &str| resolved[table].to_string();
    let topology = r#"{"kind":"torus","shape":[4,4],"wrap":[true,true],"tie":"spread","bandwidth":"1 GB/s","latency":"0 ps"}"#;
    assert_eq!(written("topology"), topology);
    assert!(
        written("engine").starts_with(r#"{"kind":"flow","sharing":"max-min","resolution":"0 ps","threads":"#)
    );
    assert!(
        written("node")
            .starts_with(r#"{"nic_bandwidth":"1 GB/s","link_latency":"0 ps","mpi_overhead":"0 ps""#)
    );
    let own = "kind = 'fat-tree'\nstages = [{down = 2, up = 2, bandwidth = '2 GB/s'}, {down = 8}]";
    let tree = TORUS.replace("kind = \"torus\"\nshape = [4, 4]\nbandwidth = \"1 GB/s\"", own);
    let tree = load(&tree).unwrap().resolved()["topology"].to_string();
    assert!(
        tree.ends_with(r#""routing":"destination-mod","bandwidth":"2 GB/s","latency":"0 ps"}"#),
        "{tree}"
    );
    let unitless = TORUS.replace("\"1 GB/s\"", "1").replace("\"20 kB\"", "1");
    let resolved = load(&unitless).unwrap().resolved();
    assert_eq!(resolved["topology"]["bandwidth"], 1);
    assert_eq!(resolved["workload"]["message_size"], 1);
}

#[test]
fn pattern_files_are_found_again() {
    let text = "[engine]\nkind = 'ideal'\n[workload]\nkind = 'pattern-file'\nfile = 'x.pattern'\n";
    let pattern = "weir-pattern 1\nranks 3\n0 send 1 5 wait 2 ns\n1 await 0\n";
    let folder = Folder::with(&[("e.toml", text), ("x.pattern", pattern)]);
    let scenario = folder.load("e.toml").unwrap();
    assert_eq!((scenario.workload.ranks, scenario.nodes()), (3, 3));
    assert_eq!(again(&scenario), scenario);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_torus(
        shape in proptest::collection::vec(1_u32..5, 1..4),
        bandwidth in 1e-3..1e12_f64,
        latency in 0.0..1e4_f64,
        bytes in 0_u64..1 << 53,
        unitless: bool,
        seed: u64,
    ) {
        let quantity = |value: String, unit: &str| if unitless { value } else { format!("\"{value} {unit}\"") };
        let text = format!(
            "seed = {}\n[topology]\nkind = \"torus\"\nshape = {shape:?}\nbandwidth = {}\nlatency = {}\n\
             [workload]\nkind = \"random-ring\"\nmessage_size = {}\n",
            seed >> 1,
            quantity(format!("{bandwidth:e}"), "B/s"),
            quantity(format!("{latency:e}"), "s"),
            quantity(bytes.to_string(), "B"),
        );
        let scenario = load(&text).unwrap();
        prop_assert_eq!(again(&scenario), scenario);
    }
}
