//! A resolved experiment reads back as the same scenario, as all that `cases.txt` has do.

use crate::{Folder, TORUS, again, load};
use proptest::prelude::*;

/// The parts in their order, as people read them; a stage of its own does not change the order of the keys.
#[test]
fn what_people_read() {
    let resolved = load(TORUS).unwrap().resolved();
    let parts: Vec<&str> = resolved.as_object().unwrap().keys().map(String::as_str).collect();
    let order = "title seed topology mapping engine workload node collectives limits output";
    assert_eq!(parts.join(" "), order);
    let written = |table: &str| resolved[table].to_string();
    let topology = r#"{"kind":"torus","shape":[4,4],"wrap":[true,true],"tie":"spread","routing":"minimal","bandwidth":"1 GB/s","latency":"0 ps"}"#;
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
