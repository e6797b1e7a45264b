//! Where a program has crashed: its own function, and the line with `-g`, also where a library broke.

use crate::command::{mpirun, run, scratch, weir};
use std::fs;

/// One line a way to break, from 11 on.
const BREAKS: &str = include_str!("../programs/crash_places_breaks.c");

#[test]
fn crashes_name_function_and_line() {
    let folder = scratch();
    let folder = folder.path();
    fs::write(folder.join("breaks.c"), BREAKS).unwrap();
    let with = |options: &[&str], name: &str| {
        let mut command = weir(["cc", "-w", "breaks.c", "-o", name]);
        run(command.args(options).current_dir(folder)).expect(0);
        folder.join(name)
    };
    let (with_lines, without) = (with(&["-g"], "lines"), with(&[], "none"));
    for (way, function, line) in [
        ("write", "inner", 11),
        ("copy", "inner", 12),
        ("abort", "inner", 13),
        ("state", "inner", 14),
        ("free", "inner", 15),
        ("null", "inner", 16),
        ("deep", "deep", 5),
    ] {
        for globals in ["in-place", "instances"] {
            let ended =
                |program| run(mpirun(2).env("WEIR_GLOBALS", globals).arg(program).arg(way)).expect(1).stderr;
            let said = ended(&with_lines);
            assert!(said.contains(&format!(", in {function}+")), "{way} {globals}: {said}");
            assert!(said.contains(&format!(" of lines (breaks.c:{line})")), "{way} {globals}: {said}");
            let said = ended(&without);
            assert!(
                said.contains(&format!(", in {function}+")) && said.contains(" of none"),
                "{way} {globals}: {said}"
            );
            let overflow = said.contains("(8192 KiB: --set \"workload.stack_size=65536 KiB\" gives more)");
            assert_eq!(overflow, way == "deep", "{said}");
        }
    }
}
