//! MPI programs from outside this project, compiled unchanged by `weir cc` and for MPICH: they give the same
//! results. [`CATALOGUE`] says what is built of what, how it is run, and what of its output does not depend on the
//! machine. `make setup` fetches the sources.
//!
//! Objects are kept in the target folder, so that only the first run of the tests compiles everything.

use crate::command::{Ended, check_all, mpich, mpirun, root, run, scratch, weir};
use crate::references;
use std::cell::LazyCell;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

mod catalogue;
use catalogue::{CATALOGUE, Case, Package};

/// Who compiles.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Compiler {
    Weir,
    Mpich,
}

impl Compiler {
    fn command(self) -> Command {
        match self {
            Self::Weir => weir(["cc"]),
            Self::Mpich => mpich("mpicc_abi"),
        }
    }

    /// What its objects depend on besides sources and options.
    fn identity(self) -> String {
        let shown = run(self.command().args(["-show", "x.c"])).expect(0);
        format!("{}{}", self as u8, shown.stdout)
    }
}

/// The folder with the source of a package.
fn sources(package: &Package) -> Result<PathBuf, String> {
    let folder = root().join("target/programs").join(&package.name);
    match folder.is_dir() {
        true => Ok(folder),
        false => Err(format!("{} is not there: python3 tools/fetch_programs.py says why", folder.display())),
    }
}

/// The files that a pattern with at most one `*` stands for, below a folder.
fn expand(folder: &Path, pattern: &str) -> Vec<PathBuf> {
    let Some((before, after)) = pattern.split_once('*') else { return vec![folder.join(pattern)] };
    let (below, start) = before.rsplit_once('/').unwrap_or(("", before));
    let entries = fs::read_dir(folder.join(below)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with(start) && name.ends_with(after)
    });
    paths.sort_unstable();
    paths
}

/// What a package is compiled with: a folder of objects, and the options.
struct Build {
    compiler: Compiler,
    folder: PathBuf,
    sources: PathBuf,
    options: Vec<String>,
}

impl Build {
    fn new(package: &Package, compiler: Compiler) -> Result<Self, String> {
        let sources = sources(package)?;
        let mut hasher = DefaultHasher::new();
        (compiler.identity(), &package.headers, &package.options, &package.include).hash(&mut hasher);
        let name = format!("{}-{:016x}", package.name, hasher.finish());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs").join(name);
        let own = folder.join("include");
        fs::create_dir_all(&own).unwrap();
        for (path, text) in &package.headers {
            let path = own.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            // Moved to its place as a whole: another test may be compiling with it.
            let whole = path.with_extension(format!("{:?}.new", std::thread::current().id()));
            fs::write(&whole, text).unwrap();
            fs::rename(whole, path).unwrap();
        }
        let mut options = vec!["-w".to_owned(), "-O1".to_owned(), format!("-I{}", own.display())];
        options.extend(package.include.iter().map(|below| format!("-I{}", sources.join(below).display())));
        options.extend(package.options.iter().cloned());
        Ok(Self { compiler, folder, sources, options })
    }

    /// The object of a source; compiled unless it is there.
    fn object(&self, source: &Path) -> Result<PathBuf, String> {
        let name = source.strip_prefix(&self.sources).unwrap_or(source).to_string_lossy().replace('/', "-");
        let object = self.folder.join(name).with_extension("o");
        if !object.exists() {
            // Compiled beside its place and moved there: half of it is never taken for the whole.
            let unfinished = object.with_extension(format!("{:?}.new", std::thread::current().id()));
            let mut command = self.compiler.command();
            let ended = run(command.args(&self.options).arg("-c").arg(source).arg("-o").arg(&unfinished));
            if ended.code != 0 {
                return Err(format!("{} does not compile: {}", source.display(), ended.stderr));
            }
            fs::rename(&unfinished, &object).unwrap();
        }
        Ok(object)
    }

    fn objects<'a>(&self, patterns: impl IntoIterator<Item = &'a str>) -> Result<Vec<PathBuf>, String> {
        let paths = patterns.into_iter().flat_map(|pattern| expand(&self.sources, pattern));
        paths.map(|path| self.object(&path)).collect()
    }
}

/// Builds a program and returns its path.
fn build(case: &Case, compiler: Compiler, folder: &Path) -> Result<PathBuf, String> {
    let package = |name: &String| CATALOGUE.package.iter().find(|package| package.name == *name).unwrap();
    let own_package = package(&case.package);
    let build = Build::new(own_package, compiler)?;
    let own = build.objects(case.sources.iter().map(String::as_str))?;
    let mut library = build.objects(own_package.library.split_whitespace())?;
    if let Some(other) = own_package.needs.as_ref().map(package) {
        library.extend(Build::new(other, compiler)?.objects(other.library.split_whitespace())?);
    }
    let name = case.sources[0].rsplit('/').next().unwrap();
    let program = folder.join(name).with_extension(if compiler == Compiler::Weir { "weir" } else { "mpich" });
    // An archive, so that the linker takes what the program needs and no more.
    let archive = program.with_extension(format!("{}.a", compiler as u8));
    run(Command::new("ar").arg("cr").arg(&archive).args(library)).expect(0);
    let ended = run(build
        .compiler
        .command()
        .args(own)
        .arg(&archive)
        .arg("-o")
        .arg(&program)
        .args(["-lm", "-lpthread"]));
    match ended.code {
        0 => Ok(program),
        _ => Err(format!("{} does not link: {}", program.display(), ended.stderr)),
    }
}

/// Runs a case in a folder of its own; returns the lines that must be the same everywhere, sorted, and how it ended.
fn results(case: &Case, mut command: Command, program: &Path) -> Result<(Vec<String>, Ended), String> {
    let folder = scratch();
    for (name, text) in &case.files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let ended = run(command.arg(program).args(&case.args).current_dir(folder.path()));
    let text = match case.output.as_str() {
        "stdout" => ended.stdout.clone(),
        "stderr" => ended.stderr.clone(),
        name => fs::read_to_string(folder.path().join(name))
            .map_err(|error| format!("{name}: {error}\n{}", ended.stderr))?,
    };
    let mut lines: Vec<String> = text.lines().filter_map(|line| case.kept(line)).collect();
    lines.sort_unstable();
    Ok((lines, ended))
}

/// The machine whose simulated times stand in `docs/reference/real-programs.md`.
const DOCUMENTED: &str = "examples/fat-tree.toml";

/// Whether a case has printed the same lines as under MPICH, enough of them, and ended as it must in both.
fn same(case: &Case, found: &[String], expected: &[String], codes: [i32; 2]) -> Result<(), String> {
    if found == expected && expected.len() >= case.at_least && codes == [case.code; 2] {
        return Ok(());
    }
    let missing =
        expected.iter().filter(|line| !found.contains(line)).take(4).map(|line| format!("- {line}"));
    let surplus =
        found.iter().filter(|line| !expected.contains(line)).take(4).map(|line| format!("+ {line}"));
    Err(format!(
        "{} lines, expected {}, at least {}; exit status {}, under MPICH {}\n{}",
        found.len(),
        expected.len(),
        case.at_least,
        codes[0],
        codes[1],
        missing.chain(surplus).collect::<Vec<_>>().join("\n")
    ))
}

/// Compares what a case prints everywhere with what it prints under MPICH; its simulated time on the documented machine.
fn check(case: &Case) -> Result<String, String> {
    let folder = scratch();
    let named = |mistake| format!("{} {:?} on {} ranks: {mistake}", case.package, case.sources, case.ranks);
    let name = format!("{} {} {} {}", case.package, case.sources[0], case.args.join(" "), case.ranks);
    let package = CATALOGUE.package.iter().find(|package| package.name == case.package).unwrap();
    let text = fs::read_to_string(sources(package)?.join(&case.sources[0])).unwrap_or_default();
    let ours = build(case, Compiler::Weir, folder.path()).map_err(named)?;
    let of_mpich = LazyCell::new(|| {
        let theirs = build(case, Compiler::Mpich, folder.path()).map_err(named)?;
        let mut mpiexec = mpich("mpiexec");
        mpiexec.args(["-n", &case.ranks.to_string()]);
        results(case, mpiexec, &theirs).map_err(named)
    });
    let mut time = String::new();
    for machine in &case.machines {
        let is_documented = machine.iter().any(|word| word == DOCUMENTED);
        let mut command = match is_documented {
            // With the summary, which has the simulated time.
            true => weir(["mpirun", "-n", &case.ranks.to_string()]),
            false => mpirun(case.ranks),
        };
        command.args(machine.iter().map(|word| match word.strip_suffix(".toml") {
            Some(_) => root().join(word).into_os_string(),
            None => word.into(),
        }));
        let (found, ended) = results(case, command, &ours).map_err(named)?;
        let is_known = ended.code == case.code && references::are_known(&name, &text, &found);
        if !is_known {
            let (expected, reference) = of_mpich.as_ref().map_err(String::clone)?;
            same(case, &found, expected, [ended.code, reference.code])
                .map_err(|mistake| named(format!("{machine:?}: {mistake}\n{}", ended.stderr)))?;
            references::record(&name, &text, &found);
        }
        if is_documented {
            let line = ended.stderr.lines().find_map(|line| line.trim().strip_prefix("simulated time"));
            time = line.ok_or_else(|| named(format!("no simulated time\n{}", ended.stderr)))?.trim().into();
        }
    }
    Ok(time)
}

#[test]
fn programs_give_the_same_results_as_under_mpich() {
    // What programs share first, so that it is compiled once.
    check_all(&CATALOGUE.package, |package| {
        Build::new(package, Compiler::Weir)?.objects(package.library.split_whitespace()).map(|_| ())
    });
    let times: Vec<Mutex<String>> = CATALOGUE.case.iter().map(|_| Mutex::default()).collect();
    check_all(&CATALOGUE.case.iter().zip(&times).collect::<Vec<_>>(), |(case, time)| {
        *time.lock().unwrap() = check(case)?;
        Ok(())
    });
    let found: Vec<String> = times.into_iter().map(|time| time.into_inner().unwrap()).collect();
    let page = fs::read_to_string(root().join("docs/reference/real-programs.md")).unwrap();
    let (_, table) = page.split_once("simulated time, fat tree |").expect("the table of programs");
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let documented: Vec<&str> = rows.map(|row| row.rsplit('|').nth(1).unwrap().trim()).collect();
    assert_eq!(found, documented, "{DOCUMENTED}, beside the column of docs/reference/real-programs.md");
}

#[test]
fn a_pattern_stands_for_files() {
    let names = |pattern| {
        let paths = expand(&root().join("tests/mpi"), pattern);
        paths.iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names("barrier.c"), ["barrier.c"]);
    assert_eq!(names("send_*.c"), ["send_modes.c"]);
    assert_eq!(names("mpich/interf*"), ["interface.c"]);
}

/// The slope of the run time over the latency of the ideal engine is the number of messages on the critical path.
#[test]
fn the_critical_path_is_the_slope_over_latency() {
    let folder = scratch();
    let quick = |case: &&Case| ["nas", "sundials"].contains(&case.package.as_str()) && case.files.is_empty();
    let cases: Vec<&Case> = CATALOGUE.case.iter().filter(quick).collect();
    assert!(cases.len() > 4);
    check_all(&cases, |case| {
        let program = build(case, Compiler::Weir, folder.path())?;
        let results = program.with_extension("results");
        let summary = |latency_ps: u64, causes: bool| -> serde_json::Value {
            let ranks = case.ranks.to_string();
            let mut command = weir(["mpirun", "-q", "-n", &ranks, "--set", "engine.kind=ideal"]);
            command.args(["--set", "engine.bandwidth=10 GB/s", "--set", "node.mpi_overhead=500 ns"]);
            command.arg("--set").arg(format!("engine.latency={latency_ps} ps"));
            command.arg("--set").arg(format!("output.causes={causes}"));
            run(command.arg("--out").arg(&results).arg(&program).args(&case.args)).expect(case.code);
            serde_json::from_str(&fs::read_to_string(results.join("summary.json")).unwrap()).unwrap()
        };
        let (with_account, longer) = (summary(1_000_000, true), summary(1_001_000, false));
        let simulated = |summary: &serde_json::Value| summary["simulated_ps"].as_u64().unwrap();
        let expected = 1000 * with_account["causes"]["critical_path"]["links"].as_u64().unwrap();
        let found = simulated(&longer) - simulated(&with_account);
        if found == expected {
            Ok(())
        } else {
            Err(format!("{}: {found} instead of {expected}", program.display()))
        }
    });
}
