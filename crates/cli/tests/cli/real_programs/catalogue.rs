//! Which programs there are: catalogue.toml beside this file says how their packages are built, how they are run, and which
//! part of their output counts.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

#[derive(Deserialize)]
pub(super) struct Catalogue {
    pub(super) package: Vec<Package>,
    pub(super) case: Vec<Case>,
}

pub(super) static CATALOGUE: LazyLock<Catalogue> =
    LazyLock::new(|| toml::from_str(include_str!("catalogue.toml")).expect("catalogue.toml"));

/// Sources that are fetched together, and what they are compiled with.
#[derive(Deserialize)]
pub(super) struct Package {
    /// The folder in `target/programs`.
    pub(super) name: String,
    /// Headers that the package's own configuration would write: path and text.
    #[serde(default)]
    pub(super) headers: BTreeMap<String, String>,
    /// Folders of headers, below the package's.
    pub(super) include: Vec<String>,
    #[serde(default)]
    pub(super) options: Vec<String>,
    /// Sources that its programs share, with blanks between; a `*` stands for anything.
    #[serde(default)]
    pub(super) library: String,
    /// A package whose library it needs as well.
    pub(super) needs: Option<String>,
}

/// A program, and one run of it.
#[derive(Deserialize)]
pub(super) struct Case {
    pub(super) package: String,
    /// Its own sources; the first one names it.
    pub(super) sources: Vec<String>,
    pub(super) ranks: usize,
    #[serde(default)]
    pub(super) args: Vec<String>,
    /// Options of `weir mpirun`.
    #[serde(default = "machines")]
    pub(super) machines: Vec<Vec<String>>,
    /// Files it reads: name and text.
    #[serde(default)]
    pub(super) files: BTreeMap<String, String>,
    /// Where it writes what is compared: a stream, or a file.
    #[serde(default = "stdout")]
    pub(super) output: String,
    #[serde(default)]
    keep: Keep,
    /// So many lines must count at least.
    pub(super) at_least: usize,
    /// The exit status, which is not always 0.
    #[serde(default)]
    pub(super) code: i32,
}

/// The part of the lines that counts: no times, no addresses.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Keep {
    #[default]
    All,
    NoCommands,
    NoTimes,
    HpccResults,
    NetpipeResults,
}

/// No network at all, flows on a fat tree, packets on a torus.
fn machines() -> Vec<Vec<String>> {
    let all = ["", "--machine examples/fat-tree.toml", "--machine examples/torus.toml --engine packet"];
    all.map(|words| words.split_whitespace().map(str::to_owned).collect()).to_vec()
}

fn stdout() -> String {
    "stdout".to_owned()
}

impl Case {
    /// The part of a line that counts, if any does.
    pub(super) fn kept(&self, line: &str) -> Option<String> {
        match self.keep {
            Keep::All => Some(line.to_owned()),
            Keep::NoCommands => not_the_command(line),
            Keep::NoTimes => not_a_time(line),
            Keep::HpccResults => hpcc_result(line),
            Keep::NetpipeResults => netpipe_result(line),
        }
    }
}

/// SPRNG's tests print their own path first.
fn not_the_command(line: &str) -> Option<String> {
    assert!(!line.starts_with("Error"), "{line}");
    (!line.contains('/')).then(|| line.to_owned())
}

/// NAS: everything but times and what is computed of them.
fn not_a_time(line: &str) -> Option<String> {
    let timed = ["Time", "Mop/s", "CPU", "Total time", "Gaussian pairs: ", "Random numbers: "];
    (!timed.iter().any(|word| line.contains(word))).then(|| line.trim_end().to_owned())
}

/// HPC Challenge: the results of its summary that are no times and no rates. Timers are also asked how fine they are.
fn hpcc_result(line: &str) -> Option<String> {
    let (key, _) = line.split_once('=')?;
    let measured =
        ["time", "Time", "flops", "GUPs", "GBs", "GBytes", "usec", "STREAM_", "Wtick", "Update", "ops"];
    let is_key = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let counts = is_key && !measured.iter().any(|word| key.contains(word));
    counts.then(|| line.to_owned())
}

/// NetPIPE: the sizes and whether they arrived whole, but not how often each was sent.
fn netpipe_result(line: &str) -> Option<String> {
    let (size, rest) = line.split_once(" bytes ")?;
    let (_, result) = rest.split_once("-->")?;
    Some(format!("{size} {result}"))
}
