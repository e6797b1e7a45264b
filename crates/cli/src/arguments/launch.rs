//! The options that place ranks, in the manner of mpirun and srun.

use super::Cli;
use clap::{Args, CommandFactory};
use serde_json::json;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

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
}
