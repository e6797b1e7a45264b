//! A known fragment: which mutants it has, that it does what it did when none is selected, and what it does with each.

use mutants::rewrite::rewrite;
use mutants::sites::{Mutant, find};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Prints one line; every mutant changes it. The `é` is there because positions count bytes.
const FRAGMENT: &str = r#"
// é
const LIMIT: u32 = 1 + 2; // runs at compile time
fn grade(points: u32, bonus: bool) -> &'static str {
    match points {
        0 if bonus => "try",
        0 => "none",
        _ if points < LIMIT && !bonus => "some",
        _ => "all",
    }
}
fn total(list: &[u32]) -> u32 {
    let mut sum = 0;
    for (at, one) in list.iter().enumerate() {
        if let Some(two) = list.get(at + 1) && one != two { // é
            sum += one;
        }
    }
    sum
}
fn tell(out: &mut Vec<String>) {
    out.push(format!("{}", 1 + 1));
}
#[cfg(test)]
fn only_for_tests() -> u32 { 1 }
#[cfg(any(test, feature = "harness"))]
fn for_tests_of_others() -> u32 { 1 }
const fn at_compile_time() -> u32 { 1 }
fn main() {
    let mut out = Vec::new();
    let cases = [(0, true), (0, false), (2, true), (2, false), (3, false), (4, true)];
    out.extend(cases.map(|(points, bonus)| grade(points, bonus).to_string()));
    out.push(total(&[7, 7, 5, 3]).to_string());
    tell(&mut out);
    println!("{}", out.join(" "));
}
"#;

/// What the fragment prints.
const PRINTED: &str = "try none all some all all 12 2";

/// The mutants outside of `main`, and what is printed with each; `?` where it panics.
const EXPECTED: [(&str, &str); 19] = [
    ("replace guard of 0 by true in grade", "try try all some all all 12 2"),
    ("replace guard of 0 by false in grade", "none none all some all all 12 2"),
    ("delete arm 0 in grade", "try some all some all all 12 2"),
    ("replace guard of _ by true in grade", "try none some some some some 12 2"),
    ("replace guard of _ by false in grade", "try none all all all all 12 2"),
    ("replace && by || in grade", "try none some some some all 12 2"),
    ("replace < by <= in grade", "try none all some some all 12 2"),
    ("replace < by == in grade", "try none all all some all 12 2"),
    ("replace < by > in grade", "try none all all all all 12 2"),
    ("remove ! in grade", "try none some all all all 12 2"),
    ("return 0 at once in total", "try none all some all all 0 2"),
    ("return 1 at once in total", "try none all some all all 1 2"),
    ("replace 0 by 1 in total", "try none all some all all 13 2"),
    ("replace + by - in total", "?"),
    ("replace + by * in total", "try none all some all all 0 2"),
    ("replace 1 by 2 in total", "try none all some all all 14 2"),
    ("replace != by == in total", "try none all some all all 7 2"),
    ("replace += by -= in total", "?"),
    ("replace += by *= in total", "try none all some all all 0 2"),
];

struct Program(PathBuf);

impl Program {
    /// Compiles the text, with the switch.
    fn new(folder: &Path, text: &str) -> Self {
        let switch = Path::new(env!("CARGO_MANIFEST_DIR")).join("switch/mutant.rs");
        std::fs::copy(switch, folder.join("mutant.rs")).unwrap();
        std::fs::write(folder.join("main.rs"), format!("{text}\nmod mutant;\n")).unwrap();
        let program = folder.join("fragment");
        let arguments = ["--edition=2024", "--cap-lints=allow", "-Cdebug-assertions=on", "main.rs", "-o"];
        let built = Command::new("rustc").args(arguments).arg(&program).current_dir(folder).status();
        assert!(built.unwrap().success(), "{text}");
        Program(program)
    }

    /// What is printed with this in the environment.
    fn run(&self, key: &str, value: &str) -> String {
        let ran = Command::new(&self.0).env(key, value).output().unwrap();
        if ran.status.success() { String::from_utf8(ran.stdout).unwrap().trim().into() } else { "?".into() }
    }
}

#[test]
fn each_mutant_does_what_it_says() {
    let found = find("main.rs", FRAGMENT, 0).unwrap();
    let mutants: Vec<&Mutant> = found.sites.iter().flat_map(|site| &site.mutants).collect();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let program = Program::new(folder, &rewrite(FRAGMENT, &found.sites, &BTreeSet::new()).text);
    assert_eq!(program.run("WEIR_MUTANT", ""), PRINTED);

    let outside = mutants.iter().filter(|mutant| !mutant.change.ends_with("in main"));
    let outside: Vec<_> = outside.filter(|mutant| !mutant.change.ends_with("in tell")).collect();
    let changes: Vec<&str> = outside.iter().map(|mutant| mutant.change.as_str()).collect();
    assert_eq!(changes, EXPECTED.map(|(change, _)| change));
    for (mutant, (change, printed)) in outside.iter().zip(EXPECTED) {
        assert_eq!(program.run("WEIR_MUTANT", &mutant.id.to_string()), printed, "{change}");
    }
    // What is in a macro has no mutants; a call that is a statement can be left out.
    let tell: Vec<_> = mutants.iter().filter(|mutant| mutant.change.ends_with("in tell")).collect();
    assert_eq!(tell.iter().map(|mutant| mutant.kind).collect::<Vec<_>>(), ["body", "call"]);
    for mutant in tell {
        assert_eq!(program.run("WEIR_MUTANT", &mutant.id.to_string()), "try none all some all all 12");
    }

    // Reached is what runs: all but what the short cuts of `&&` and the order of arms leave out, here nothing.
    let marks = folder.join("marks");
    std::fs::write(&marks, vec![0; mutants.len()]).unwrap();
    assert_eq!(program.run("WEIR_MUTANT_TRACE", marks.to_str().unwrap()), PRINTED);
    assert_eq!(std::fs::read(&marks).unwrap(), vec![1; mutants.len()]);
}

/// Dropped mutants are not in the text, the others keep their numbers; with all of them dropped the text is the original.
#[test]
fn what_does_not_compile_is_dropped() {
    let sites = find("main.rs", FRAGMENT, 0).unwrap().sites;
    let dropped = BTreeSet::from([2, 7]);
    let rewritten = rewrite(FRAGMENT, &sites, &dropped);
    let all = sites.iter().map(|site| site.mutants.len()).sum();
    let there: BTreeSet<usize> = rewritten.places.iter().map(|(id, ..)| *id).collect();
    assert_eq!(there, &BTreeSet::from_iter(0..all) - &dropped);
    for (id, changed, site) in rewritten.places {
        assert!(rewritten.text[site.clone()].contains(&format!("on({id})")), "{id}");
        assert!(site.start <= changed.start && changed.end <= site.end, "{id}");
    }
    assert_eq!(rewrite(FRAGMENT, &sites, &BTreeSet::from_iter(0..all)).text, FRAGMENT);
}
