//! The copy of the project in which some crates have their mutants.

use crate::rewrite::{Rewritten, rewrite};
use crate::sites::{self, Site};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, hash};

/// The module with the switch, which each crate under test gets.
const SWITCH: &str = include_str!("../switch/mutant.rs");

/// A source file of a crate under test.
pub struct Source {
    /// From the project's folder.
    pub path: String,
    pub text: String,
    pub sites: Vec<Site>,
}

/// The copy, and the crates under test.
pub struct Tree {
    pub folder: PathBuf,
    pub sources: Vec<Source>,
    /// Of the crates and the mutants: results are good for as long as it stays.
    pub fingerprint: u64,
    /// Of the mutants and the sources that they are in: which of them compile stays as long.
    pub of_sources: u64,
}

impl Tree {
    /// Copies all files of the project that git knows or would take, and finds the mutants of the crates.
    pub fn new(root: &Path, folder: PathBuf, crates: &[String]) -> Result<Self, String> {
        let sources = sources(root, crates)?;
        let own: BTreeSet<&str> = sources.iter().map(|source| source.path.as_str()).collect();
        let mut hasher = hash::DefaultHasher::new();
        for mutant in sources.iter().flat_map(|source| &source.sites).flat_map(|site| &site.mutants) {
            hash::Hash::hash(&(mutant.id, &mutant.change), &mut hasher);
        }
        sources.iter().for_each(|source| hash::Hash::hash(&source.text, &mut hasher));
        let of_sources = hash::Hasher::finish(&hasher);
        let files = files(root)?;
        for path in &files {
            let content = fs::read(root.join(path)).map_err(|error| format!("{path}: {error}"))?;
            if path.starts_with("crates/") || path == "Cargo.toml" {
                hash::Hash::hash(&(path, &content), &mut hasher);
            }
            if !own.contains(path.as_str()) {
                write(&folder.join(path), &content).map_err(|error| format!("{path}: {error}"))?;
            }
        }
        remove_others(&folder.join("crates"), &folder, &files).map_err(|error| error.to_string())?;
        Ok(Tree { folder, sources, fingerprint: hash::Hasher::finish(&hasher), of_sources })
    }

    /// Writes the crates with all mutants but those that are dropped; returns where they are in each file.
    pub fn write_crates(&self, dropped: &BTreeSet<usize>) -> io::Result<BTreeMap<String, Rewritten>> {
        let mut written = BTreeMap::new();
        for source in &self.sources {
            let mut file = rewrite(&source.text, &source.sites, dropped);
            if source.path.ends_with("src/lib.rs") {
                file.text.push_str("\nmod mutant;\n");
                write(&self.folder.join(source.path.replace("lib.rs", "mutant.rs")), SWITCH.as_bytes())?;
            }
            write(&self.folder.join(&source.path), file.text.as_bytes())?;
            written.insert(source.path.clone(), file);
        }
        Ok(written)
    }
}

/// The source files of crates that are not for tests only: those that their modules name.
fn sources(root: &Path, crates: &[String]) -> Result<Vec<Source>, String> {
    let mut sources = Vec::new();
    let mut first = 0;
    let mut waiting: Vec<String> =
        crates.iter().rev().map(|krate| format!("crates/{krate}/src/lib.rs")).collect();
    while let Some(path) = waiting.pop() {
        let text = fs::read_to_string(root.join(&path)).map_err(|error| format!("{path}: {error}"))?;
        let found = sites::find(&path, &text, first).map_err(|error| format!("{path}: {error}"))?;
        first += found.sites.iter().map(|site| site.mutants.len()).sum::<usize>();
        let (folder, name) = path.rsplit_once('/').expect("it is in a folder");
        let folder = match name {
            "lib.rs" | "mod.rs" => folder.to_string(),
            name => format!("{folder}/{}", name.trim_end_matches(".rs")),
        };
        for module in found.modules.iter().rev() {
            let file = format!("{folder}/{module}.rs");
            let is_file = root.join(&file).exists();
            waiting.push(if is_file { file } else { format!("{folder}/{module}/mod.rs") });
        }
        sources.push(Source { path, text, sites: found.sites });
    }
    Ok(sources)
}

fn files(root: &Path) -> Result<BTreeSet<String>, String> {
    let git = ["ls-files", "--cached", "--others", "--exclude-standard"];
    let listed =
        Command::new("git").args(git).current_dir(root).output().map_err(|error| error.to_string())?;
    let listed = String::from_utf8(listed.stdout).map_err(|error| error.to_string())?;
    Ok(listed.lines().filter(|path| root.join(path).is_file()).map(str::to_string).collect())
}

/// Writes what is not there yet: cargo builds again what has a new date.
fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    if fs::read(path).is_ok_and(|there| there == content) {
        return Ok(());
    }
    fs::create_dir_all(path.parent().expect("it is in a folder"))?;
    fs::write(path, content)
}

/// Removes files of the copy that the project no longer has.
fn remove_others(at: &Path, folder: &Path, files: &BTreeSet<String>) -> io::Result<()> {
    for entry in fs::read_dir(at)? {
        let path = entry?.path();
        let name = path.strip_prefix(folder).expect("it is in the folder").to_string_lossy().into_owned();
        if path.is_dir() {
            remove_others(&path, folder, files)?;
        } else if !files.contains(&name) {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}
