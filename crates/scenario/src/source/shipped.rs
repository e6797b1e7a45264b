//! Machine files that ship with weir, by name.

use std::path::Path;

/// A machine file that ships with weir.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShippedMachine {
    /// What `--machine` calls it.
    pub name: &'static str,
    /// The file, TOML; its first lines say what it is and where its numbers are from.
    pub text: &'static str,
}

/// All of them, in alphabetical order.
pub const MACHINES: [ShippedMachine; 6] = [
    ShippedMachine { name: "fugaku", text: include_str!("../../../../examples/machines/fugaku.toml") },
    ShippedMachine {
        name: "k-computer",
        text: include_str!("../../../../examples/machines/k-computer.toml"),
    },
    ShippedMachine {
        name: "marenostrum5",
        text: include_str!("../../../../examples/machines/marenostrum5.toml"),
    },
    ShippedMachine { name: "nsim-infiniband", text: include_str!("../../../../examples/fat-tree.toml") },
    ShippedMachine { name: "nsim-torus", text: include_str!("../../../../examples/torus.toml") },
    ShippedMachine { name: "summit", text: include_str!("../../../../examples/machines/summit.toml") },
];

impl ShippedMachine {
    /// The machine that a path names: of one that is no file, its last part.
    pub(crate) fn named(path: &Path) -> Option<&'static Self> {
        let name = path.file_name()?.to_str()?;
        MACHINES.iter().find(|machine| machine.name == name).filter(|_| !path.exists())
    }

    /// What it is, in one sentence: the first lines of the file.
    #[must_use]
    pub fn about(&self) -> String {
        let lines = self.text.lines().map_while(|line| line.strip_prefix('#').map(str::trim));
        lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
    }
}
