//! Lists the files of the folder `papers` that `weir papers` runs, with what is in them.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let papers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../papers");
    println!("cargo::rerun-if-changed={}", papers.display());
    let mut files = Vec::new();
    collect(&papers, &mut files);
    files.sort_unstable();
    let row = |path: &PathBuf| {
        let name = path.strip_prefix(&papers).expect("it is in the folder");
        format!("({name:?}, include_str!({path:?})),\n")
    };
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("papers.rs");
    let text = format!("&[\n{}]", files.iter().map(row).collect::<String>());
    fs::write(out, text).expect("the folder can be written");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder is there").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "toml" || ending == "csv") {
            files.push(path);
        }
    }
}
