//! Files that ship with weir: experiments, studies, machines and programs, which are found by name as files are.

use crate::source::nearest::is_name;
use crate::source::nearest::nearest;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

/// A file that ships with weir.
#[derive(Debug, PartialEq, Eq)]
pub struct Shipped {
    /// Its place below the folder that it is copied into; without the ending `.toml` its name.
    pub path: &'static str,
    /// Its text; the first lines say what it is.
    pub text: &'static str,
    /// The command that shows or runs it, if that does not follow from its kind.
    command: &'static str,
}

/// Purpose of a file that ships.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShippedKind {
    /// Machine and work: `weir run`.
    Experiment,
    /// Several experiments: `weir sweep`.
    Study,
    /// A machine alone: `--machine`.
    Machine,
    /// A program in C: `weir cc`.
    Program,
    /// The network of an experiment.
    Network,
    /// A table or measured times that a tutorial reads.
    Table,
}

macro_rules! shipped {
    (text $path:literal) => {
        include_str!(concat!("../../../../examples/", $path))
    };
    (text $path:literal $folder:literal) => {
        include_str!(concat!("../../../../", $folder))
    };
    ($($path:literal $(from $folder:literal)? $(by $command:literal)?),+) => {
        &[$(Shipped { path: $path, text: shipped!(text $path $($folder)?), command: concat!($($command)?) }),+]
    };
}

/// All of them. Of several with one name the first is found by it, the others by their folders.
pub const SHIPPED: &[Shipped] = shipped! {
    "all-to-all.toml", "demo.toml", "faults.toml", "jobs.toml", "ring.toml",
    "bruck.toml" from "benches/packet/bruck.toml", "torus-uniform.toml" from "benches/packet/torus-uniform.toml",
    "nicam.toml" from "papers/004-pacing/small.toml",
    "gallery/dragonfly.toml", "gallery/exchange.toml", "gallery/halo.toml", "gallery/hot-spot.toml", "gallery/shuffle.toml",
    "studies/load.toml", "studies/stencil.toml",
    "gallery/buffers.toml", "gallery/load-latency.toml", "studies/topologies.toml",
    "fat-tree.toml", "tofu.toml", "torus.toml",
    "machines/archer2-like.toml", "machines/dgx-h100.toml", "machines/dgx-h100-16.toml", "machines/dgx-h100-128.toml", "machines/frontier-like.toml",
    "machines/fugaku.toml", "machines/gb200-nvl72-like.toml", "machines/k-computer.toml", "machines/leaf-spine-512.toml",
    "machines/leonardo.toml", "machines/lumi.toml", "machines/marenostrum5.toml", "machines/summit.toml",
    "studies/fat-tree.toml", "studies/mesh.toml", "studies/torus.toml",
    "ring.c" by "weir cc ring.c -o ring; weir mpirun -n 128 --machine torus ./ring",
    "mgen-ring.c" by "weir cc mgen-ring.c -o mgen-ring; weir mpirun --no-data -n 8 --machine torus ./mgen-ring",
    "nicam.c" by "weir cc nicam.c -o nicam; weir mpirun --no-data -n 40 --machine torus ./nicam 2 98304",
    "victims.c" by "weir cc victims.c -o victims; weir mpirun -n 128 --machine fat-tree --engine packet --set mapping.kind=random ./victims 2",
    "skeletons/eri.c" by "weir cc skeletons/eri.c -o eri -lm; weir mpirun -n 4 --compute measured ./eri -n 60",
    "skeletons/ft.c" by "weir cc skeletons/ft.c -o ft -lm; weir mpirun -n 4 --compute measured ./ft -c S",
    "skeletons/levels.c" by "weir cc skeletons/levels.c -o levels -lm; weir mpirun -n 8 --compute measured ./levels",
    "skeletons/neighbours.c" by "weir cc skeletons/neighbours.c -o neighbours; weir mpirun -n 27 --machine torus ./neighbours hydro 30 10",
    "tutorials/which-collective.csv", "tutorials/two-networks-stencil.csv", "tutorials/two-networks-prices.csv",
    "tutorials/slow.c" by "weir cc -g tutorials/slow.c -o slow; weir mpirun -n 16 --machine fat-tree ./slow",
    "tutorials/lumi-8.csv", "tutorials/lumi-16.csv", "tutorials/lumi-allgather.csv", "tutorials/azure.log",
    "gallery/dragonfly.csv" by "weir topology --set topology.file=gallery/dragonfly.csv dragonfly"
};

/// Machines that are found by the names of their presets of `[packet]` as well.
const PRESETS: [(&str, &str); 2] = [("nsim-torus", "torus"), ("nsim-infiniband", "fat-tree")];

impl Shipped {
    /// Purpose of the file.
    pub fn kind(&self) -> ShippedKind {
        let has = |table: &str| self.text.lines().any(|line| line.starts_with(table));
        match Path::new(self.path).extension().and_then(|ending| ending.to_str()) {
            Some("toml") if has("[study") => ShippedKind::Study,
            Some("toml") if has("[workload") || has("[[jobs") => ShippedKind::Experiment,
            Some("toml") => ShippedKind::Machine,
            Some("log") => ShippedKind::Table,
            Some("csv") if has("source,") => ShippedKind::Network,
            Some("csv") => ShippedKind::Table,
            _ => ShippedKind::Program,
        }
    }

    /// The command that shows or runs it.
    pub fn how(&self) -> String {
        let command = match self.kind() {
            ShippedKind::Study => "sweep",
            ShippedKind::Experiment => "run",
            ShippedKind::Machine => "topology",
            ShippedKind::Program | ShippedKind::Network => return self.command.to_owned(),
            ShippedKind::Table => return format!("weir examples {} --copy .", self.name()),
        };
        format!("weir {command} {}", self.name())
    }

    /// By what it is found: its place, without `.toml`, and without its folder if no other one has this name.
    pub fn name(&self) -> &'static str {
        let whole = self.path.strip_suffix(".toml").unwrap_or(self.path);
        let short = whole.rsplit('/').next().unwrap_or(whole);
        let is_found = Self::named(short).is_some_and(|found| found == self);
        if is_found && whole != self.path { short } else { whole }
    }

    /// Description of the file, from the first sentence of its first lines.
    pub fn about(&self) -> String {
        let lines = self.text.lines().map(|line| line.trim_start_matches(['#', '/', '*', ' ']).trim_end());
        let first = lines.skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty());
        let text = first.collect::<Vec<_>>().join(" ");
        let text = match text.split_once(": ") {
            Some((start, rest)) if self.path.ends_with(start) => rest,
            _ => &text,
        };
        text.split_once(". ").map_or(text, |(sentence, _)| sentence).trim_end_matches('.').to_owned()
    }

    /// The one of this name: `torus`, `ring.c`, `gallery/halo`.
    pub fn named(name: &str) -> Option<&'static Self> {
        let of_preset = PRESETS.iter().find(|(preset, _)| is_name(preset, name));
        let name = of_preset.map_or(name, |&(_, machine)| machine);
        let is_it = |path: &str| {
            is_name(path, name) || path.strip_suffix(".toml").is_some_and(|path| is_name(path, name))
        };
        let short = |shipped: &&Self| shipped.path.rsplit('/').next().is_some_and(is_it);
        SHIPPED.iter().find(|shipped| is_it(shipped.path)).or_else(|| SHIPPED.iter().find(short))
    }

    /// The one at this place: `gallery/../torus.toml`.
    pub fn at(path: &Path) -> Option<&'static Self> {
        let mut parts: Vec<&str> = Vec::new();
        for part in path.components() {
            match part {
                Component::CurDir => {}
                Component::ParentDir => _ = parts.pop()?,
                Component::Normal(part) => parts.push(part.to_str()?),
                Component::RootDir | Component::Prefix(_) => return None,
            }
        }
        let place = parts.join("/");
        SHIPPED
            .iter()
            .find(|shipped| shipped.path == place || shipped.path.strip_suffix(".toml") == Some(&place))
    }

    /// Names near to one that nothing has, and all names of a kind.
    pub fn hint(name: &str, kinds: &[ShippedKind]) -> String {
        let of_kind = SHIPPED.iter().filter(|shipped| kinds.contains(&shipped.kind()));
        let names: Vec<&str> = of_kind.map(Self::name).collect();
        let name = name.trim_start_matches("./");
        let meant = nearest(name, names.iter().copied()).map(|name| format!("did you mean {name}? "));
        format!("{}these ship with weir: {}", meant.unwrap_or_default(), names.join(", "))
    }
}

/// Where what a path names is: a file, or something that ships.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A file, or nothing: whoever reads it says so.
    File(PathBuf),
    /// No file is there.
    Shipped(&'static Shipped),
}

impl Found {
    /// A file of this name wins, then one with the ending `.toml`, then what ships. A program is none where an experiment that ships has
    /// its name: `weir cc ring.c -o ring` does not hide `ring`. What begins with `./` is a file and nothing that ships.
    pub fn of(path: &Path) -> Self {
        let is_file = path.components().next() == Some(Component::CurDir);
        let shipped = if is_file { None } else { Self::shipped(path) };
        if is_there(path) && !(shipped.is_some() && is_program(path)) {
            return Self::File(path.to_owned());
        }
        let with_ending = path.with_extension("toml");
        if path.extension().is_none() && is_there(&with_ending) {
            return Self::File(with_ending);
        }
        shipped.map_or_else(|| Self::File(path.to_owned()), Self::Shipped)
    }

    /// The file of a path that has no folder, or that of something that ships.
    pub(crate) fn shipped(path: &Path) -> Option<&'static Shipped> {
        let mut parts = path.components();
        match (parts.next(), parts.next()) {
            (Some(Component::Normal(name)), None) => Shipped::named(name.to_str()?),
            _ => Shipped::at(path),
        }
    }

    /// Where it is; of what ships its place among that.
    pub fn path(&self) -> &Path {
        match self {
            Self::File(path) => path,
            Self::Shipped(shipped) => Path::new(shipped.path),
        }
    }

    /// Contents of the file.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(&self) -> io::Result<Vec<u8>> {
        match self {
            Self::File(path) => fs::read(path),
            Self::Shipped(shipped) => Ok(shipped.text.into()),
        }
    }
}

fn is_there(path: &Path) -> bool {
    path.exists() && !path.is_dir()
}

fn is_program(path: &Path) -> bool {
    let mut begin = [0; 4];
    path.is_file()
        && File::open(path).is_ok_and(|mut file| file.read_exact(&mut begin).is_ok())
        && begin == *b"\x7fELF"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_find_what_ships() {
        for shipped in SHIPPED {
            assert_eq!(Shipped::named(shipped.name()), Some(shipped));
            assert_eq!(Shipped::named(shipped.path), Some(shipped));
            assert_eq!(Shipped::at(Path::new(shipped.path)), Some(shipped));
            assert!(!shipped.about().is_empty() && shipped.about().len() < 180, "{}", shipped.about());
        }
        let paths = |name: &str| Shipped::named(name).map(|shipped| shipped.path);
        let cases = [
            ("torus", Some("torus.toml")),
            ("all_to_all", Some("all-to-all.toml")),
            ("studies/torus", Some("studies/torus.toml")),
            ("fugaku.toml", Some("machines/fugaku.toml")),
            ("ring", Some("ring.toml")),
            ("ring.c", Some("ring.c")),
            ("nsim-torus", Some("torus.toml")),
            ("dragonfly", Some("gallery/dragonfly.toml")),
            ("rin", None),
            ("", None),
        ];
        for (name, path) in cases {
            assert_eq!(paths(name), path, "{name}");
        }
        let places =
            [("gallery/../torus.toml", Some("torus.toml")), ("../torus.toml", None), ("/torus.toml", None)];
        for (place, path) in places {
            assert_eq!(Shipped::at(Path::new(place)).map(|shipped| shipped.path), path, "{place}");
        }
        assert_eq!(
            Shipped::named("ring").unwrap().about(),
            "An experiment: every rank sends to its right neighbor, on the torus of the NSIM paper"
        );
        assert_eq!(
            Shipped::named("ring.c").unwrap().about(),
            "messages go around a ring in both directions at once (after the NSIM paper, figure 3)"
        );
    }

    #[test]
    fn a_file_wins() {
        let folder = tempfile::tempdir().unwrap();
        let find = |name: &str| Found::of(&folder.path().join(name));
        let file = |name: &str| Found::File(folder.path().join(name));
        // A name with a folder is that of a file.
        assert_eq!(find("torus"), file("torus"));
        fs::write(folder.path().join("torus.toml"), "").unwrap();
        assert_eq!(find("torus"), file("torus.toml"));
        fs::create_dir(folder.path().join("torus")).unwrap();
        assert_eq!(find("torus"), file("torus.toml"));
        fs::write(folder.path().join("torus.csv"), "").unwrap();
        assert_eq!(find("torus.csv"), file("torus.csv"));
        assert_eq!(Found::of(Path::new("torus")), Found::Shipped(Shipped::named("torus").unwrap()));
        assert_eq!(Found::of(Path::new("./torus")), Found::File("./torus".into()));
        // A program hides nothing that ships, unless it is named as a file.
        let program = folder.path().join("ring");
        fs::write(&program, "\x7fELF").unwrap();
        assert_eq!(Found::of(&program), Found::File(program.clone()));
    }

    #[test]
    fn every_example_ships() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let place = path.strip_prefix(&root).unwrap();
                let shipped =
                    Shipped::at(place).unwrap_or_else(|| panic!("{} does not ship", place.display()));
                assert_eq!(shipped.text, fs::read_to_string(&path).unwrap());
            }
        }
    }
}
