//! Kind of program of a file, which decides on the way its ranks run.

use elf::ElfBytes;
use elf::abi::DT_NEEDED;
use elf::endian::NativeEndian;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use weir_coroutine::elf_file::{self, Expected};

/// Text that marks a file as a program of ours.
pub const MARK: &str = "weir program, runtime 1";

/// Way in which the ranks of a program run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// In one process: it was built by `weir cc` or one of its kin.
    Loadable,
    /// Each in a process of its own: any other program, with the standard's binary interface
    /// ([`remote`](crate::remote)).
    Separate,
}

/// Says what kind of program a file is. Reads it.
///
/// # Errors
/// Why it cannot be run, in a few words, and what to do.
pub fn kind(path: &Path) -> Result<Kind, (String, &'static str)> {
    let bytes =
        fs::read(path).map_err(|error| (format!("cannot be read: {error}"), "name a compiled program"))?;
    let mark = MARK.as_bytes();
    let is_elf = bytes.starts_with(b"\x7fELF");
    if is_elf {
        let is_loadable = bytes.windows(mark.len()).any(|window| window == mark);
        let expected = if is_loadable { Expected::SharedObject } else { Expected::Executable };
        let hint = "compile it on this computer with weir cc: weir cc program.c -o program";
        elf_file::check(&bytes, expected).map_err(|why| (why, hint))?;
        if is_loadable {
            return Ok(Kind::Loadable);
        }
    }
    let is_executable = fs::metadata(path).is_ok_and(|data| data.permissions().mode() & 0o111 != 0);
    if !is_executable {
        let hint = "compile it with weir cc: weir cc program.c -o program";
        return Err(("is neither built by weir cc nor executable".into(), hint));
    }
    if !is_elf && !bytes.starts_with(b"#!") {
        let hint = "compile it with weir cc, or let the first line of a script say what runs it: #!/bin/sh";
        return Err(("is neither a compiled program nor a script that begins with #!".into(), hint));
    }
    let linked = Linked::of(&bytes);
    if linked.as_ref().is_some_and(Linked::is_alone) {
        let what = "is no MPI program: it is linked to no MPI library, and it neither loads libraries nor starts programs";
        return Err((what.into(), "compile it with weir cc: weir cc program.c -o program"));
    }
    let other = linked.unwrap_or_default().needed.into_iter().find(|library| is_other_mpi(library));
    if let Some(library) = other {
        let hint = "compile it with weir cc, or with the mpicc_abi of an MPI that has the standard's binary interface";
        return Err((format!("is built for another MPI library, {library}"), hint));
    }
    Ok(Kind::Separate)
}

/// Returns true if a library has an MPI of its own, with an interface of its own.
fn is_other_mpi(library: &str) -> bool {
    ["libmpi.so", "libmpich.so", "libmpi_cxx.so", "libmpi_mpifh.so", "libsimgrid.so"]
        .iter()
        .any(|known| library.starts_with(known))
}

/// Demands of a dynamically linked executable on others.
#[derive(Debug, Default)]
struct Linked {
    needed: Vec<String>,
    /// The functions and variables that it takes from them.
    taken: Vec<String>,
}

impl Linked {
    /// `None` if the file is no such executable.
    fn of(bytes: &[u8]) -> Option<Self> {
        let file = ElfBytes::<NativeEndian>::minimal_parse(bytes).ok()?;
        let common = file.find_common_data().ok()?;
        let (entries, names) = (common.dynamic?, common.dynsyms_strs?);
        let name = |offset: usize| names.get(offset).ok().map(str::to_owned);
        let needed = entries.iter().filter(|entry| entry.d_tag == DT_NEEDED);
        let needed = needed.filter_map(|entry| name(entry.d_val() as usize)).collect();
        let symbols = common.dynsyms?;
        let taken = symbols.iter().filter(|symbol| symbol.is_undefined());
        let taken = taken.filter_map(|symbol| name(symbol.st_name as usize)).collect();
        Some(Self { needed, taken })
    }

    /// Returns true if it can never come to MPI: it is linked to the libraries of its language alone, and neither loads others nor
    /// starts programs, as interpreters do.
    fn is_alone(&self) -> bool {
        const OF_LANGUAGES: &str = "\
            libc. libm. libpthread. libdl. librt. ld-linux libgcc_s. libstdc++. libgfortran. libquadmath. \
            libgomp. linux-vdso";
        const WAYS_OUT: &str = "\
            dlopen dlmopen execl execle execlp execv execve execvp execvpe execveat fexecve posix_spawn \
            posix_spawnp popen system syscall _execve";
        let of_language = |library: &String| OF_LANGUAGES.split(' ').any(|known| library.starts_with(known));
        self.needed.iter().all(of_language)
            && !self.taken.iter().any(|name| WAYS_OUT.split(' ').any(|known| known == name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linked(needed: &[&str], taken: &[&str]) -> Linked {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Linked { needed: owned(needed), taken: owned(taken) }
    }

    #[test]
    fn what_can_come_to_mpi_is_not_alone() {
        assert!(linked(&["libc.so.6", "libm.so.6"], &["printf", "sqrt"]).is_alone());
        assert!(!linked(&["libmpi_abi.so.1", "libc.so.6"], &["MPI_Init"]).is_alone());
        assert!(!linked(&["libpython3.13.so.1.0", "libc.so.6"], &["Py_BytesMain"]).is_alone());
        assert!(!linked(&["libc.so.6"], &["execve"]).is_alone());
        assert!(!linked(&["libc.so.6"], &["dlopen"]).is_alone());
    }

    /// By the first bytes and the rights of a file.
    #[test]
    fn kinds_of_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        assert_eq!(kind(&path).unwrap_err().1, "name a compiled program");
        let cases: [(&[u8], u32, Result<Kind, &str>); 9] = [
            (b"#!/bin/sh\n", 0o601, Ok(Kind::Separate)),
            (b"#!/bin/sh\n", 0o602, Err("is neither built by weir cc nor executable")),
            (b"#!/bin/sh\n", 0o755, Ok(Kind::Separate)),
            (b"#!/bin/sh\n", 0o610, Ok(Kind::Separate)),
            (b"#!/bin/sh\n", 0o644, Err("is neither built by weir cc nor executable")),
            (b"words", 0o600, Err("is neither built by weir cc nor executable")),
            (b"words", 0o755, Err("is neither a compiled program nor a script that begins with #!")),
            (b"", 0o755, Err("is neither a compiled program nor a script that begins with #!")),
            (b" #!/bin/sh", 0o755, Err("is neither a compiled program nor a script that begins with #!")),
        ];
        for (bytes, mode, expected) in cases {
            fs::write(&path, bytes).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let found = kind(&path).map_err(|(why, _)| why);
            assert_eq!(found, expected.map_err(str::to_owned));
        }
        fs::write(&path, b"\x7fELF and nothing else").unwrap();
        assert!(kind(&path).is_err());
        // A shell starts programs, and may so come to MPI.
        assert_eq!(kind(Path::new("/bin/sh")), Ok(Kind::Separate));
        assert!(["libmpi.so.40", "libmpich.so.12", "libsimgrid.so.3.36"].into_iter().all(is_other_mpi));
        assert!(!["libmpi_abi.so.0", "libm.so.6", "libc.so.6"].into_iter().any(is_other_mpi));
    }

    /// The libraries of a compiled program, and the names it takes from them, say whether it can come to MPI.
    #[test]
    fn kinds_of_programs() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        let compile = |text: &str, name: &str, options: &[&str]| {
            let source = file("program.c");
            fs::write(&source, text).unwrap();
            let mut command = std::process::Command::new("cc");
            command.arg(&source).arg("-o").arg(file(name)).args(options).current_dir(folder.path());
            assert!(command.status().unwrap().success(), "{name}");
            kind(&file(name)).map_err(|(why, _)| why)
        };
        // What it defines itself is no way out.
        let alone = compile(
            "int system(void) { return 0; }\nint main(void) { return system(); }\n",
            "alone",
            &["-rdynamic"],
        );
        assert!(
            alone.as_ref().is_err_and(|why| why.starts_with("is no MPI program: it is linked to no MPI")),
            "{alone:?}"
        );
        let starts = "#include <stdlib.h>\nint main(void) { return system(\"true\"); }\n";
        assert_eq!(compile(starts, "starts", &[]), Ok(Kind::Separate));
        let library = "int MPI_Init(void) { return 0; }\n";
        for (name, expected) in [
            ("libmpi.so.40", Err("is built for another MPI library, libmpi.so.40".to_owned())),
            ("libmpi_abi.so.1", Ok(Kind::Separate)),
        ] {
            _ = compile(library, name, &["-shared", "-fPIC", &format!("-Wl,-soname,{name}")]);
            let program = "int MPI_Init(void);\nint main(void) { return MPI_Init(); }\n";
            assert_eq!(compile(program, "program", &[name]), expected);
        }
    }
}
