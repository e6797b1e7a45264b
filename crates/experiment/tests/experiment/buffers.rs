//! Buffers and their links: without a value they carry them, and a value that does not is named.

use weir_experiment::{MachineDescription, Source};

/// Each node of the first leaf of a tree sends to one of the second leaf, or to its neighbor below a single switch; no message meets another.
fn alone(stages: &str, distance: u32, link: (u64, u64), size: u64) -> String {
    let (gbit, ns) = link;
    format!(
        "[topology]\nkind = 'fat-tree'\nstages = {stages}\nbandwidth = '{gbit} Gb/s'\nlatency = '{ns} ns'\n[workload]\n\
         kind = 'permutation'\npermutation = 'shift'\ndistance = {distance}\nmessage_size = '{size} B'\n"
    )
}

/// A machine alone says it, too, if it says its buffers; also with a preset and without an engine.
#[test]
fn a_machine_says_that_its_buffers_are_too_small() {
    let said = |text: &str| MachineDescription::load(&Source::of_text("machine", text)).unwrap().warnings();
    let tree = alone("[2]", 1, (200, 500), 1);
    assert_eq!(said(&tree), Vec::<String>::new());
    assert_eq!(said(&format!("{tree}[packet]\nmtu = '256 B'\n")), Vec::<String>::new());
    let one = said(&format!("{tree}[packet]\nmtu = '256 B'\ninput_buffer = 1\n"));
    assert!(one[0].starts_with("the buffers of node 0 -> leaf 0 hold 512 B"), "{one:?}");
    // 16 packets of 256 B of the preset.
    let preset = said(&format!("{tree}[packet]\npreset = 'nsim-torus'\n"));
    assert!(preset[0].contains("hold 8.192 kB"), "{preset:?}");
}
