//! The jump table of a program, in assembly: through it a program reaches the functions of weir, and it needs no symbol of
//! the simulator's. Its slots are filled, by name, when the program is loaded.

use std::fmt::Write;
use weir_capi::executable::MARK;
use weir_capi::headers::declared;
use weir_capi::{CALL_SITE, function, offered};

/// Names of C library functions that `weir cc` has the linker wrap.
pub(crate) fn wrapped() -> impl Iterator<Item = &'static str> {
    offered().filter_map(|name| name.strip_prefix("__wrap_"))
}

/// Functions that the headers declare and that are not offered yet.
pub(crate) fn declared_only() -> Vec<String> {
    declared().filter(|name| function(name).is_none()).collect()
}

/// The runtime of a program, in assembly: a jump for every function, as `MPI_x` (weak, so that a profiling library
/// may stand before it) and `PMPI_x`; the slots they jump through; and the names, in the order of the slots. The last name,
/// [`CALL_SITE`], is that of no function: its slot says where a function of MPI notes the address that it returns to.
pub(crate) fn source() -> String {
    let mut text = String::from("    .text\n");
    let functions: Vec<&str> = offered().collect();
    let mut jump = |name: &str, code: &str| {
        let strong = name.strip_prefix("MPI_").map_or_else(|| name.to_owned(), |rest| format!("PMPI_{rest}"));
        _ = write!(text, "    .globl {strong}\n    .type {strong}, @function\n{strong}:\n{code}");
        if strong != name {
            _ = write!(text, "    .weak {name}\n    .set {name}, {strong}\n");
        }
    };
    for (slot, name) in functions.iter().enumerate() {
        // Both registers are free for such code between caller and callee (System V ABI, AMD64, section 3.2.3).
        let note = if name.starts_with("__wrap_") {
            String::new()
        } else {
            let place = 8 * functions.len();
            format!("    movq .Lslots+{place}(%rip), %r10\n    movq (%rsp), %r11\n    movq %r11, (%r10)\n")
        };
        jump(name, &format!("{note}    jmp *.Lslots+{}(%rip)\n", 8 * slot));
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
    for name in functions.iter().chain([&CALL_SITE]) {
        _ = writeln!(text, "    .asciz \"{name}\"");
    }
    let count = functions.len() + 1;
    let size = 8 * count + 8;
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Every function has a slot, a jump through it and its name, in one order; functions of MPI can be stood before.
    #[test]
    fn the_runtime_jumps_through_slots() {
        let (text, functions) = (source(), offered().collect::<Vec<_>>());
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let names = lines.iter().position(|line| *line == "weir_names:").unwrap();
        for (slot, name) in functions.iter().enumerate() {
            let of_mpi = name.starts_with("MPI_");
            let strong = if of_mpi { format!("P{name}") } else { (*name).to_owned() };
            let at = lines.iter().position(|line| *line == format!("{strong}:")).unwrap();
            let before = [format!(".globl {strong}"), format!(".type {strong}, @function")];
            assert_eq!(lines[at - 2..at], before);
            let note = [
                format!("movq .Lslots+{}(%rip), %r10", 8 * functions.len()),
                "movq (%rsp), %r11".into(),
                "movq %r11, (%r10)".into(),
            ];
            let notes = !name.starts_with("__wrap_");
            assert_eq!(lines[at + 1..at + 4] == note, notes, "{name}");
            let at = if notes { at + 4 } else { at + 1 };
            assert_eq!(lines[at], format!("jmp *.Lslots+{}(%rip)", 8 * slot), "{name}");
            let weak = [format!(".weak {name}"), format!(".set {name}, {strong}")];
            assert_eq!(lines[at + 1..at + 3] == weak, of_mpi, "{name}");
            assert_eq!(lines[names + 1 + slot], format!(".asciz \"{name}\""));
        }
        let count = functions.len() + 1;
        let end = [
            format!(".asciz \"{CALL_SITE}\""),
            ".asciz \"\"".into(),
            format!(".asciz \"{MARK}\""),
            ".bss".into(),
            ".balign 8".into(),
            ".globl weir_slots".into(),
            ".type weir_slots, @object".into(),
            format!(".size weir_slots, {}", 8 * count + 8),
            "weir_slots:".into(),
            format!(".Lslots: .skip {}", 8 * count),
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
}
