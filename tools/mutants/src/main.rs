//! `make mutants`: see the library.

use mutants::campaign::{Campaign, Level, sample};
use mutants::sites::Mutant;
use mutants::suite::{self, Test};
use mutants::tree::Tree;
use mutants::{compile, report};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

const USAGE: &str = "usage: mutants CRATE ... [--sample N] [--seed N] [--least PER_CENT] [--timeout SECONDS] \
                     [--others all|CRATE,...] [--skip \"WORD ...\"] [--list] [--root FOLDER]";

const BOTH: [Level; 2] = [Level::Own, Level::Other];

/// What is asked for.
struct Options {
    crates: Vec<String>,
    /// How many mutants of each crate are tried, drawn by `seed`.
    sample: usize,
    seed: u64,
    /// Below this rate of kills in per cent in a crate the run fails.
    least: f64,
    /// What the tests of one mutant may take on each level, by their times without a mutant.
    timeout: Duration,
    /// The crates whose tests try what the crate's own have not killed: none, some, or all others.
    others: Others,
    /// Words in the names of tests that are not run.
    skip: Vec<String>,
    /// Only lists the mutants.
    list: bool,
    /// The project; another state of it than this one.
    root: PathBuf,
}

enum Others {
    None,
    Some(Vec<String>),
    All,
}

fn main() -> ExitCode {
    let result = options().and_then(|options| run(&options));
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn options() -> Result<Options, String> {
    let mut arguments = std::env::args().skip(1);
    let mut options = Options {
        crates: Vec::new(),
        sample: usize::MAX,
        seed: 1,
        least: 0.0,
        timeout: Duration::from_secs(120),
        others: Others::None,
        skip: Vec::new(),
        list: false,
        root: Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("it is in tools").into(),
    };
    while let Some(key) = arguments.next() {
        let mut value = || arguments.next().ok_or(USAGE.to_string());
        fn number<T: std::str::FromStr>(text: String) -> Result<T, String> {
            text.parse().map_err(|_| format!("{text} is no number; {USAGE}"))
        }
        match key.as_str() {
            "--sample" => options.sample = number(value()?)?,
            "--seed" => options.seed = number(value()?)?,
            "--least" => options.least = number(value()?)?,
            "--timeout" => options.timeout = Duration::from_secs(number(value()?)?),
            "--others" => {
                options.others = match value()?.as_str() {
                    "all" => Others::All,
                    crates => Others::Some(crates.split([',', ' ']).map(str::to_string).collect()),
                }
            }
            "--skip" => options.skip = value()?.split_whitespace().map(str::to_string).collect(),
            "--root" => options.root = value()?.into(),
            "--list" => options.list = true,
            key if key.starts_with('-') => return Err(USAGE.into()),
            krate => options.crates.push(krate.into()),
        }
    }
    if options.crates.is_empty() { Err(USAGE.into()) } else { Ok(options) }
}

/// Whether the rate that is asked for is reached in each crate.
fn run(options: &Options) -> Result<bool, String> {
    let folder = options.root.join("target").join("mutants");
    let tree = Tree::new(&options.root, folder.join("tree"), &options.crates)?;
    let packages: Vec<String> = options.crates.iter().map(|krate| format!("weir-{krate}")).collect();
    let name = options.crates.join("-");
    let known = folder.join(format!("{name}.dropped"));
    let dropped = compile::drop_what_fails(&tree, &packages, &known)?;
    let all = tree.sources.iter().flat_map(|source| &source.sites).flat_map(|site| &site.mutants);
    let all: Vec<&Mutant> = all.collect();
    let mut chosen = Vec::new();
    for krate in &options.crates {
        let own = all.iter().copied().filter(|mutant| mutant.krate() == krate);
        let (count, alive) = (own.clone().count(), own.filter(|mutant| !dropped.contains(&mutant.id)));
        let alive: Vec<&Mutant> = alive.collect();
        println!("{krate}: {count} mutants, of which {} compile", alive.len());
        chosen.extend(sample(&alive, options.sample, options.seed));
    }
    if options.list {
        for Mutant { id, file, line, column, change, .. } in &chosen {
            println!("{id} {file}:{line}:{column} {change}");
        }
        return Ok(true);
    }
    let text = |error: std::io::Error| error.to_string();
    let own = packages.clone();
    let (by, tested, levels): (String, Option<Vec<String>>, &[Level]) = match &options.others {
        Others::None => (String::new(), Some(own), &[Level::Own]),
        Others::Some(crates) => {
            let also = crates.iter().map(|krate| format!("weir-{krate}"));
            (format!("-by-{}", crates.join("-")), Some(own.into_iter().chain(also).collect()), &BOTH)
        }
        Others::All => ("-by-all".into(), None, &BOTH),
    };
    // What tests of other crates have said of a mutant is known of those crates alone.
    let results = folder.join(format!("{name}{by}.jsonl"));
    let mut campaign = Campaign::open(&results, tree.fingerprint).map_err(text)?;
    let programs = compile::tests(&tree, tested.as_deref())?;
    let mut tests = suite::trace(&programs, &options.skip, all.len(), &folder.join("marks"))?;
    let count = tests.len();
    tests.retain(Test::reaches_any);
    let time: Duration = tests.iter().map(|test| test.time).sum();
    let seconds = time.as_secs_f64();
    println!("{count} tests, of which {} reach mutants, in {seconds:.1} s one by one", tests.len());
    campaign.run(levels, &chosen, &tests, options.timeout).map_err(text)?;
    let (text, counts) = report::report(&chosen, &campaign);
    println!("\n{text}");
    Ok(counts.iter().all(|counts| counts.rate() >= options.least))
}
