//! The options that place ranks, in the manner of mpirun and srun; and several programs that run as one job, as launchers take
//! them: `-n 2 ./a x : -n 3 ./b y`.

use super::Cli;
use clap::{Args, CommandFactory};
use serde_json::json;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use weir_experiment::{CommandOnRanks, ProgramCommand};

/// Where the ranks run.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Launch {
    /// The hosts that take ranks, and how many each: a file of Open MPI, MPICH, PBS or Slurm (mapping.file)
    #[arg(long, short = 'f', visible_aliases = ["machinefile", "nodefile"], value_name = "FILE")]
    pub(crate) hostfile: Option<PathBuf>,
    /// Where each rank runs: a rankfile, the output of srun --label hostname, coordinates (mapping.file); a hostfile beside it says which hosts there are (mapping.hosts)
    #[arg(long, visible_aliases = ["rf", "vcoordfile"], value_name = "FILE")]
    pub(crate) rankfile: Option<PathBuf>,
    /// Number of ranks that share a node (mapping.ranks_per_node)
    #[arg(short = 'N', long = "npernode", visible_aliases = ["ppn", "ntasks-per-node"], value_name = "RANKS",
        value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) per_node: Option<u32>,
    /// Order of ranks: slot or block (one node after the other), node or cyclic (the nodes in turn), ppr:RANKS:node
    #[arg(long, visible_alias = "distribution", value_name = "HOW", value_parser = map_by)]
    pub(crate) map_by: Option<MapBy>,
}

/// Order of ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MapBy {
    Block,
    Cyclic,
    PerNode(u32),
}

fn map_by(text: &str) -> Result<MapBy, String> {
    let words: Vec<&str> = text.split(':').collect();
    match words[..] {
        ["ppr", ranks, "node"] => match ranks.parse() {
            Ok(ranks) if ranks > 0 => Ok(MapBy::PerNode(ranks)),
            _ => Err(format!("{ranks:?} is no number of ranks")),
        },
        ["node" | "cyclic"] => Ok(MapBy::Cyclic),
        ["slot" | "block" | "core" | "hwthread" | "socket" | "package" | "numa"] => Ok(MapBy::Block),
        ["arbitrary"] => Err("the file that lists the host of each rank is named by --hostfile".to_owned()),
        _ => Err("weir knows slot or block, node or cyclic, and ppr:RANKS:node; a file with one line \"rank node\" per rank (--rankfile) \
                  places them in any other way"
            .to_owned()),
    }
}

impl Launch {
    /// The keys that they set.
    pub(crate) fn overrides(&self) -> Vec<String> {
        let path = |path: &Path| json!(path.to_string_lossy());
        let file = self.rankfile.as_ref().or(self.hostfile.as_ref());
        let mut overrides = Vec::new();
        if let Some(file) = file {
            overrides.extend(["mapping.kind=file".to_owned(), format!("mapping.file={}", path(file))]);
        }
        if let (Some(_), Some(hosts)) = (&self.rankfile, &self.hostfile) {
            overrides.push(format!("mapping.hosts={}", path(hosts)));
        }
        let mut per_node = self.per_node;
        match (self.map_by, file) {
            (Some(MapBy::PerNode(ranks)), _) => per_node = Some(ranks),
            (Some(MapBy::Cyclic), None) => overrides.push("mapping.kind=cyclic".to_owned()),
            (Some(MapBy::Cyclic), Some(_)) => overrides.push("mapping.distribution=cyclic".to_owned()),
            (Some(MapBy::Block), None) => overrides.push("mapping.kind=linear".to_owned()),
            (Some(MapBy::Block), Some(_)) => overrides.push("mapping.distribution=block".to_owned()),
            (None, _) => {}
        }
        overrides.extend(per_node.map(|ranks| format!("mapping.ranks_per_node={ranks}")));
        overrides
    }
}

/// Options of other launchers that have one hyphen and several letters, and what stands for them here.
const ONE_HYPHEN: [(&str, &str); 11] = [
    ("-np", "-n"),
    ("-hostfile", "--hostfile"),
    ("-machinefile", "--hostfile"),
    ("-rankfile", "--rankfile"),
    ("-rf", "--rankfile"),
    ("-vcoordfile", "--rankfile"),
    ("-ppn", "--npernode"),
    ("-npernode", "--npernode"),
    ("-map-by", "--map-by"),
    ("-bynode", "--map-by=node"),
    ("-byslot", "--map-by=slot"),
];

/// The command line, with what other launchers call their options: among our own options, not among the program's.
pub(crate) fn arguments() -> Vec<OsString> {
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    let Some(name) = arguments.get(1).and_then(|name| name.to_str()).map(str::to_owned) else {
        return arguments;
    };
    if !["mpirun", "log", "replay", "run"].contains(&name.as_str()) {
        return arguments;
    }
    let command = Cli::command();
    let with_value: Vec<String> = command
        .find_subcommand(&name)
        .into_iter()
        .flat_map(clap::Command::get_arguments)
        .filter(|argument| argument.get_action().takes_values() && !argument.is_require_equals_set())
        .flat_map(|argument| {
            let long = argument.get_long_and_visible_aliases().unwrap_or_default();
            let short = argument.get_short().map(|letter| format!("-{letter}"));
            long.into_iter().map(|name| format!("--{name}")).chain(short)
        })
        .collect();
    let mut place = 2;
    while place < arguments.len() && arguments[place].as_encoded_bytes().starts_with(b"-") {
        if let Some((_, ours)) = ONE_HYPHEN.iter().find(|(theirs, _)| arguments[place] == **theirs) {
            arguments[place] = ours.into();
        }
        place += if with_value.iter().any(|option| arguments[place] == **option) { 2 } else { 1 };
    }
    arguments
}

/// The programs of these words: the first one, which runs on so many ranks if that is said, and those behind it; in words what
/// is wrong.
pub(crate) fn programs(
    ranks: Option<usize>,
    words: &[String],
) -> Result<(ProgramCommand, Vec<CommandOnRanks>), String> {
    let mut parts = words.split(|word| word == ":");
    let first = of_words(parts.next().unwrap_or_default())?;
    let further: Vec<CommandOnRanks> = parts
        .map(|words| {
            let (ranks, words) = ranks_of(words)?;
            of_words(words).map(|program| CommandOnRanks { program, ranks })
        })
        .collect::<Result<_, _>>()?;
    if ranks.is_none() && !further.is_empty() {
        return Err("-n RANKS is missing before the first program, as in -n 2 ./a : -n 2 ./b".to_owned());
    }
    Ok((first, further))
}

fn of_words(words: &[String]) -> Result<ProgramCommand, String> {
    let words = words.strip_prefix(&["--".to_owned()]).unwrap_or(words);
    let (path, args) =
        words.split_first().ok_or("a program is missing beside a :, as in -n 2 ./a : -n 2 ./b")?;
    Ok(ProgramCommand { path: path.into(), args: args.to_vec() })
}

/// The number of ranks before a program behind a colon.
fn ranks_of(words: &[String]) -> Result<(usize, &[String]), String> {
    let none = || {
        let found = words.first().map_or_else(String::new, |word| format!(", not {word}"));
        format!("behind a : -n RANKS PROGRAM is expected{found}")
    };
    let (option, rest) = words.split_first().ok_or_else(none)?;
    let (option, value) =
        option.split_once('=').map_or((option.as_str(), None), |(option, value)| (option, Some(value)));
    if !["-n", "-np", "--np", "--ranks"].contains(&option) {
        return Err(none());
    }
    let (value, rest) = match value {
        Some(value) => (value, rest),
        None => rest.split_first().map(|(value, rest)| (value.as_str(), rest)).ok_or_else(none)?,
    };
    match value.parse() {
        Ok(ranks) if ranks > 0 => Ok((ranks, rest)),
        _ => Err(format!("behind a : {option} {value} is no number of ranks")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_launchers_are_keys() {
        let launch = |hosts: Option<&str>, ranks: Option<&str>, how: Option<&str>| Launch {
            hostfile: hosts.map(Into::into),
            rankfile: ranks.map(Into::into),
            per_node: None,
            map_by: how.map(|how| map_by(how).unwrap()),
        };
        let check =
            |launch: Launch, expected: &[&str]| assert_eq!(launch.overrides(), expected, "{launch:?}");
        check(launch(None, None, None), &[]);
        check(launch(Some("h 1"), None, None), &["mapping.kind=file", "mapping.file=\"h 1\""]);
        check(
            launch(Some("h"), Some("r"), None),
            &["mapping.kind=file", "mapping.file=\"r\"", "mapping.hosts=\"h\""],
        );
        check(launch(None, None, Some("node")), &["mapping.kind=cyclic"]);
        check(
            launch(Some("h"), None, Some("cyclic")),
            &["mapping.kind=file", "mapping.file=\"h\"", "mapping.distribution=cyclic"],
        );
        check(launch(None, None, Some("ppr:2:node")), &["mapping.ranks_per_node=2"]);
        assert!(map_by("plane=4").unwrap_err().contains("--rankfile"));
        assert!(map_by("ppr:0:node").unwrap_err().contains("no number of ranks"));
        assert!(map_by("arbitrary").unwrap_err().contains("--hostfile"));
    }

    fn read(ranks: Option<usize>, text: &str) -> Result<Vec<(usize, String)>, String> {
        let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        let (first, further) = programs(ranks, &words)?;
        let first = ranks.map(|ranks| CommandOnRanks { program: first, ranks });
        let one = |of: CommandOnRanks| {
            let words = [of.program.path.display().to_string()].into_iter().chain(of.program.args);
            (of.ranks, words.collect::<Vec<_>>().join(" "))
        };
        Ok(first.into_iter().chain(further).map(one).collect())
    }

    #[test]
    fn programs_stand_between_colons() {
        let cases: [(&str, &[(usize, &str)]); 5] = [
            ("./a", &[(2, "./a")]),
            ("./a -n 3 x", &[(2, "./a -n 3 x")]),
            ("./a x : -n 3 ./b -y", &[(2, "./a x"), (3, "./b -y")]),
            ("./a : -np 1 -- ./b : --ranks=4 ./c", &[(2, "./a"), (1, "./b"), (4, "./c")]),
            ("./a x:y :z", &[(2, "./a x:y :z")]),
        ];
        for (text, expected) in cases {
            let expected: Vec<_> = expected.iter().map(|&(ranks, words)| (ranks, words.to_owned())).collect();
            assert_eq!(read(Some(2), text), Ok(expected), "{text}");
        }
        for (text, why) in [
            ("./a : ./b", "behind a : -n RANKS PROGRAM is expected, not ./b"),
            ("./a :", "behind a : -n RANKS PROGRAM is expected"),
            ("./a : -n", "behind a : -n RANKS PROGRAM is expected, not -n"),
            ("./a : -n 0 ./b", "behind a : -n 0 is no number of ranks"),
            ("./a : -n x ./b", "behind a : -n x is no number of ranks"),
            ("./a : -n 2", "a program is missing beside a :, as in -n 2 ./a : -n 2 ./b"),
            (": -n 2 ./b", "a program is missing beside a :, as in -n 2 ./a : -n 2 ./b"),
        ] {
            assert_eq!(read(Some(2), text), Err(why.to_owned()), "{text}");
        }
        assert_eq!(read(None, "./a x"), Ok(vec![]));
        let why = "-n RANKS is missing before the first program, as in -n 2 ./a : -n 2 ./b";
        assert_eq!(read(None, "./a : -n 2 ./b"), Err(why.to_owned()));
    }
}
