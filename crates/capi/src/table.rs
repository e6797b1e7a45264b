//! All functions a program can call, by name, and how a loaded program is connected to them.
//!
//! `weir cc` gives every program a jump table with a slot for each function, and the list of their names
//! ([`runtime_source`]). When the program is loaded, [`connect`] fills the slots by name. So a program needs no
//! symbol of the simulator's, and one compiled by an older weir still runs.

mod collectives;
mod communicators;
mod datatypes;
mod environment;
mod extensions;
mod files;
mod handles;
mod libc;
mod point_to_point;
mod tools;
mod windows;

use crate::context::not_offered;
use crate::world::WorldError;
use std::collections::BTreeMap;
use std::ffi::{CStr, c_void};
use std::fmt::Write;
use std::path::Path;
use std::sync::OnceLock;
use weir_coroutine::Program;

/// A function and its name.
pub(crate) type Function = (&'static str, *const c_void);

/// The public headers, as programs see them: the path below the include folder, and the text. `mpi.h`, which is the
/// first, includes the others.
pub(crate) const HEADERS: [(&str, &str); 13] = [
    ("mpi.h", include_str!("../../../include/mpi.h")),
    ("mgen-mpi.h", include_str!("../../../include/mgen-mpi.h")),
    ("weir.h", include_str!("../../../include/weir.h")),
    ("weir/collectives.h", include_str!("../../../include/weir/collectives.h")),
    ("weir/mpi_collectives.h", include_str!("../../../include/weir/mpi_collectives.h")),
    ("weir/mpi_communicators.h", include_str!("../../../include/weir/mpi_communicators.h")),
    ("weir/mpi_datatypes.h", include_str!("../../../include/weir/mpi_datatypes.h")),
    ("weir/mpi_environment.h", include_str!("../../../include/weir/mpi_environment.h")),
    ("weir/mpi_files.h", include_str!("../../../include/weir/mpi_files.h")),
    ("weir/mpi_handles.h", include_str!("../../../include/weir/mpi_handles.h")),
    ("weir/mpi_point_to_point.h", include_str!("../../../include/weir/mpi_point_to_point.h")),
    ("weir/mpi_tools.h", include_str!("../../../include/weir/mpi_tools.h")),
    ("weir/mpi_windows.h", include_str!("../../../include/weir/mpi_windows.h")),
];

/// Defines `list`: names and functions, in the order in which they stand.
macro_rules! offers {
    ($($prefix:literal { $($name:literal $function:path,)* })*) => {
        pub(super) fn list() -> Vec<super::Function> {
            vec![$($((concat!($prefix, $name), $function as *const std::ffi::c_void),)*)*]
        }
    };
}
use offers;

/// Name and function, in the order of the jump table.
pub(crate) fn functions() -> Vec<Function> {
    let lists = [
        environment::list(),
        extensions::list(),
        point_to_point::list(),
        crate::collectives::list(),
        tools::list(),
        collectives::list(),
        communicators::list(),
        datatypes::list(),
        files::list(),
        handles::list(),
        windows::list(),
        libc::list(),
    ];
    lists.concat()
}

/// The address of the MPI function of this name, if it is offered.
#[must_use]
pub fn function(name: &str) -> Option<*const c_void> {
    static ADDRESSES: OnceLock<BTreeMap<&'static str, usize>> = OnceLock::new();
    let addresses = ADDRESSES
        .get_or_init(|| functions().into_iter().map(|(name, function)| (name, function as usize)).collect());
    addresses.get(name).map(|&address| address as *const c_void)
}

/// Names of C library functions that `weir cc` has the linker wrap.
pub(crate) fn wrapped() -> impl Iterator<Item = &'static str> {
    functions().into_iter().filter_map(|(name, _)| name.strip_prefix("__wrap_"))
}

/// Functions that the headers declare, with the prefix `MPI_`.
fn declared() -> impl Iterator<Item = String> {
    let lines = HEADERS.iter().flat_map(|(_, text)| text.lines());
    let declarations = lines.filter_map(|line| line.strip_prefix("WEIR_MPI("));
    declarations.filter_map(|line| Some(format!("MPI_{}", line.split(',').nth(1)?.trim())))
}

/// Functions that the headers declare and nobody offers yet.
pub(crate) fn declared_only() -> Vec<String> {
    let offered = functions();
    declared().filter(|name| !offered.iter().any(|(known, _)| known == name)).collect()
}

/// What marks a file as a program of ours.
pub(crate) const MARK: &str = "weir program, runtime 1";

/// The runtime of a program, in assembly: a jump for every function, as `MPI_x` (weak, so that a profiling library
/// may stand before it) and `PMPI_x`; the slots they jump through; and the names, in the order of the slots.
pub(crate) fn runtime_source() -> String {
    let mut text = String::from("    .text\n");
    let functions = functions();
    let mut jump = |name: &str, code: &str| {
        let strong = name.strip_prefix("MPI_").map_or_else(|| name.to_owned(), |rest| format!("PMPI_{rest}"));
        _ = write!(text, "    .globl {strong}\n    .type {strong}, @function\n{strong}:\n{code}");
        if strong != name {
            _ = write!(text, "    .weak {name}\n    .set {name}, {strong}\n");
        }
    };
    for (slot, (name, _)) in functions.iter().enumerate() {
        jump(name, &format!("    jmp *.Lslots+{}(%rip)\n", 8 * slot));
    }
    let missing = declared_only();
    for (number, name) in missing.iter().enumerate() {
        jump(name, &format!("    leaq .Lmissing{number}(%rip), %rdi\n    jmp *.Lnot_offered(%rip)\n"));
    }
    // For the Fortran bindings of such functions.
    jump("weir_not_offered", "    jmp *.Lnot_offered(%rip)\n");
    text.push_str("    .section .rodata\n");
    for (number, name) in missing.iter().enumerate() {
        _ = writeln!(text, ".Lmissing{number}: .asciz \"{name}\"");
    }
    text.push_str("    .globl weir_names\nweir_names:\n");
    for (name, _) in &functions {
        _ = writeln!(text, "    .asciz \"{name}\"");
    }
    let (count, size) = (functions.len(), 8 * functions.len() + 8);
    _ = write!(
        text,
        "    .asciz \"\"\n    .asciz \"{MARK}\"\n    .bss\n    .balign 8\n    .globl weir_slots\n    \
         .type weir_slots, @object\n    .size weir_slots, {size}\nweir_slots:\n.Lslots: .skip {}\n.Lnot_offered: .skip 8\n    \
         .section .note.GNU-stack,\"\",@progbits\n",
        8 * count
    );
    for name in &missing {
        text.push_str(&link_warning(name));
    }
    text
}

/// Has the linker say so where a program mentions a function that is not offered (the linker prints the contents of a
/// section of this name when it meets the symbol).
fn link_warning(name: &str) -> String {
    let what = format!("{name} is not offered by this version of weir: a run that calls it ends there");
    let section =
        |symbol: &str| format!("    .section .gnu.warning.{symbol},\"\",@progbits\n    .string \"{what}\"\n");
    section(name) + &section(&format!("P{name}"))
}

/// The program's slots: address and bytes. All ranks share them.
pub(crate) fn slots(program: &Program) -> Result<(*mut u8, usize), WorldError> {
    let start = program.symbol("weir_slots")?.cast();
    Ok((start, 8 * (names(program)?.len() + 1)))
}

fn names(program: &Program) -> Result<Vec<String>, WorldError> {
    let mut next = program.symbol("weir_names")?.cast_const().cast();
    let mut names = Vec::new();
    loop {
        // SAFETY: the runtime's list: strings one behind the other, the last one empty.
        let name = unsafe { CStr::from_ptr(next) };
        if name.is_empty() {
            return Ok(names);
        }
        names.push(name.to_string_lossy().into_owned());
        // SAFETY: as above: the next string begins behind this one's end.
        next = unsafe { next.add(name.count_bytes() + 1) };
    }
}

/// Fills the program's slots.
///
/// # Errors
/// When the program was not built by `weir cc`, or needs functions that this version does not know.
pub(crate) fn connect(program: &Program, path: &Path) -> Result<(), WorldError> {
    let functions = functions();
    let names = names(program)?;
    let slots: *mut *const c_void = slots(program)?.0.cast();
    let mut unknown = Vec::new();
    for (slot, name) in names.iter().enumerate() {
        match functions.iter().find(|(known, _)| known == name) {
            // SAFETY: the runtime has a slot for each name.
            Some((_, function)) => unsafe { *slots.add(slot) = *function },
            None => unknown.push(name.as_str()),
        }
    }
    // SAFETY: the slot behind the last name's.
    unsafe { *slots.add(names.len()) = not_offered as *const c_void };
    if unknown.is_empty() {
        return Ok(());
    }
    Err(WorldError::Newer { program: path.to_owned(), functions: unknown.join(", ") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_function_we_offer_is_declared() {
        let declared: Vec<String> = declared().collect();
        for (name, _) in functions().iter().filter(|(name, _)| name.starts_with("MPI_")) {
            assert!(declared.iter().any(|known| known == name), "{name} is not in mpi.h");
        }
        assert_eq!(declared_only(), Vec::<String>::new(), "declared and not offered");
        assert_eq!(declared.len(), 672);
    }

    /// Every function has a slot, a jump through it and its name, in one order; functions of MPI can be stood before.
    #[test]
    fn the_runtime_jumps_through_slots() {
        let (text, functions) = (runtime_source(), functions());
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let names = lines.iter().position(|line| *line == "weir_names:").unwrap();
        for (slot, (name, _)) in functions.iter().enumerate() {
            let of_mpi = name.starts_with("MPI_");
            let strong = if of_mpi { format!("P{name}") } else { (*name).to_owned() };
            let at = lines.iter().position(|line| *line == format!("{strong}:")).unwrap();
            let before = [format!(".globl {strong}"), format!(".type {strong}, @function")];
            assert_eq!(lines[at - 2..at], before);
            assert_eq!(lines[at + 1], format!("jmp *.Lslots+{}(%rip)", 8 * slot), "{name}");
            let weak = [format!(".weak {name}"), format!(".set {name}, {strong}")];
            assert_eq!(lines[at + 2..at + 4] == weak, of_mpi, "{name}");
            assert_eq!(lines[names + 1 + slot], format!(".asciz \"{name}\""));
        }
        let end = [
            ".asciz \"\"".to_owned(),
            format!(".asciz \"{MARK}\""),
            ".bss".into(),
            ".balign 8".into(),
            ".globl weir_slots".into(),
            ".type weir_slots, @object".into(),
            format!(".size weir_slots, {}", 8 * functions.len() + 8),
            "weir_slots:".into(),
            format!(".Lslots: .skip {}", 8 * functions.len()),
            ".Lnot_offered: .skip 8".into(),
            ".section .note.GNU-stack,\"\",@progbits".into(),
        ];
        assert_eq!(lines[names + 1 + functions.len()..], end);
        let what = "MPI_X is not offered by this version of weir: a run that calls it ends there";
        let section =
            |name| format!("    .section .gnu.warning.{name},\"\",@progbits\n    .string \"{what}\"\n");
        assert_eq!(link_warning("MPI_X"), section("MPI_X") + &section("PMPI_X"));
        assert!(wrapped().any(|name| name == "sleep") && wrapped().all(|name| !name.starts_with("MPI_")));
    }

    /// The names of MPI in a text of C without its comments, but for those that are no program's business.
    fn names_of_mpi(text: &str) -> BTreeSet<String> {
        let parts = text.split("/*").map(|part| part.split_once("*/").map_or(part, |(_, code)| code));
        let code: String = parts.collect();
        let mut names = BTreeSet::new();
        let mut last = "";
        for word in
            code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty())
        {
            if word.len() > 4 && word.starts_with("MPI_") && last != "struct" && word != "MPI_internal" {
                names.insert(word.to_owned());
            }
            last = word;
        }
        names
    }

    #[test]
    fn mgen_mpi_h_has_every_name_of_mpi_h() {
        let of_mpi = |path: &str| path == "mpi.h" || path.starts_with("weir/mpi_");
        let headers = HEADERS.iter().filter(|(path, _)| of_mpi(path));
        let mut wanted: BTreeSet<String> = headers.flat_map(|(_, text)| names_of_mpi(text)).collect();
        wanted.extend(declared());
        let (_, text) = HEADERS.iter().find(|(path, _)| *path == "mgen-mpi.h").expect("it is a header");
        let lines = text.lines().filter_map(|line| line.strip_prefix("#define MGEN_")?.split_once(' '));
        let aliases: Vec<(&str, &str)> = lines.filter(|(name, _)| !name.starts_with("Key(")).collect();
        for (name, meaning) in &aliases {
            assert_eq!(meaning.strip_prefix("MPI_"), Some(*name), "an alias of another name");
        }
        let had: BTreeSet<String> = aliases.iter().map(|(_, meaning)| (*meaning).to_owned()).collect();
        assert_eq!(had.len(), aliases.len(), "an alias stands twice");
        assert!(declared().count() >= 672);
        let missing: Vec<&String> = wanted.difference(&had).collect();
        let surplus: Vec<&String> = had.difference(&wanted).collect();
        assert!(missing.is_empty() && surplus.is_empty(), "missing: {missing:?}, surplus: {surplus:?}");
    }
}
