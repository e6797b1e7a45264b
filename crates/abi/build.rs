//! Writes an export for every function of the headers, and compiles the arithmetic of `long double`.

#[path = "../capi/src/headers/declarations.rs"]
#[expect(unreachable_pub, reason = "the library that it belongs to makes it public")]
#[allow(dead_code)] // only names are needed
mod declarations;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = Path::new(&env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../..");
    let headers = root.join("include/weir");
    println!("cargo:rerun-if-changed={}", headers.display());
    let entries = fs::read_dir(&headers).expect("the headers are there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be read").path()).collect();
    paths.sort();
    let mut names = Vec::new();
    for path in paths {
        let text = fs::read_to_string(path).expect("it can be read");
        names.extend(declarations::functions(&text).map(|function| function.name));
    }

    let count = names.len();
    let mut text = format!("/// Functions of the standard.\npub(crate) const COUNT: usize = {count};\n");
    _ = writeln!(text, "/// Their names.\npub(crate) static NAMES: [&str; COUNT] = [");
    for name in &names {
        _ = writeln!(text, "    \"MPI_{name}\",");
    }
    _ = writeln!(text, "];");
    for (number, name) in names.iter().enumerate() {
        _ = writeln!(text, "export!(MPI_{name} PMPI_{name} {number});");
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("exports.rs"), text).expect("it can be written");

    let long_double = root.join("crates/compiler/runtime/long_double.c");
    println!("cargo:rerun-if-changed={}", long_double.display());
    cc::Build::new().file(long_double).compile("weir_long_double");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libmpi_abi.so.1");
}
