//! The recorder as a library that programs load first: compiled once for each MPI, by its own mpicc, into the user's cache.

use crate::source;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::Command;
use weir_capi::cache;
use weir_capi::headers::HEADERS;

/// Why there is no recorder.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LibraryError {
    /// The compiler cannot be started.
    #[error(
        "cannot start {0:?}: {1}\n\nhint: the recorder is compiled by the mpicc of the MPI that the program runs with; --mpicc \
         FILE says which one that is"
    )]
    NoCompiler(PathBuf, io::Error),
    /// It does not compile.
    #[error("{0:?} does not compile the recorder:\n{1}")]
    NotCompiled(PathBuf, String),
    /// A file cannot be written.
    #[error("cannot write {0}: {1}\n\nhint: set XDG_CACHE_HOME to a folder that can be written")]
    Unwritable(PathBuf, io::Error),
}

/// The MPI of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mpi {
    /// The one of this mpicc.
    Of(PathBuf),
    /// Any one with the standard's binary interface: the program is linked to libmpi_abi.
    Standard,
}

/// The way in which a command hands environment variables to the ranks that it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launcher {
    /// By `-x NAME=VALUE` (Open MPI), which reaches other computers, too.
    OpenMpi,
    /// By `-genv NAME VALUE` (MPICH and its kin).
    Hydra,
    /// They have its own environment (srun, and programs that start themselves).
    Other,
}

/// A program by its name, as the shell finds it.
fn find(program: &OsStr) -> Option<PathBuf> {
    let path = Path::new(program);
    if path.components().count() > 1 {
        return path.exists().then(|| path.to_owned());
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// Returns whether a file begins as programs do. Others, such as input, may be long.
fn is_program(path: &Path) -> bool {
    let mut first = [0; 4];
    path.is_file()
        && File::open(path).and_then(|mut file| file.read_exact(&mut first)).is_ok()
        && first == *b"\x7fELF"
}

const LAUNCHERS: [&str; 4] = ["mpirun", "mpiexec", "orterun", "prterun"];

/// Returns the end of a launcher's name, as in `mpirun.openmpi`; `None` for other commands.
fn ending_of_launcher(command: &OsStr) -> Option<String> {
    let name = Path::new(command).file_name()?.to_string_lossy().into_owned();
    LAUNCHERS.iter().find_map(|launcher| name.strip_prefix(launcher).map(str::to_owned))
}

impl Launcher {
    /// The launcher that a command begins with, by what it says of itself.
    pub fn of(command: &[OsString]) -> Self {
        let Some(first) = command.first().filter(|first| ending_of_launcher(first).is_some()) else {
            return Self::Other;
        };
        let output = Command::new(first).arg("--version").output();
        let text =
            output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
        if text.contains("Open MPI") || text.contains("OpenRTE") || text.contains("PRTE") {
            Self::OpenMpi
        } else if text.contains("HYDRA") {
            Self::Hydra
        } else {
            Self::Other
        }
    }

    /// The command with these variables for its ranks.
    pub fn with(self, command: &[OsString], variables: &[(&str, OsString)]) -> Command {
        let mut with = Command::new(&command[0]);
        for (name, value) in variables {
            match self {
                Self::OpenMpi => {
                    let mut set = OsString::from(format!("{name}="));
                    set.push(value);
                    with.arg("-x").arg(set);
                }
                Self::Hydra => _ = with.arg("-genv").arg(name).arg(value),
                Self::Other => _ = with.env(name, value),
            }
        }
        with.args(&command[1..]);
        with
    }
}

impl Mpi {
    /// The MPI of the program in a command: the standard's interface, if the program names its library; otherwise that of the mpicc
    /// beside the launcher, or of the first one in `PATH`.
    pub fn of(command: &[OsString]) -> Self {
        const STANDARD: &[u8] = b"libmpi_abi.so";
        let names_it = |word: &OsString| {
            let path = find(word).filter(|path| is_program(path));
            let bytes = path.and_then(|path| fs::read(path).ok()).unwrap_or_default();
            bytes.windows(STANDARD.len()).any(|part| part == STANDARD)
        };
        let words = command
            .iter()
            .skip(usize::from(command.first().is_some_and(|first| ending_of_launcher(first).is_some())));
        if words.clone().any(names_it) {
            return Self::Standard;
        }
        let first = command.first().filter(|first| ending_of_launcher(first).is_some());
        let folder = first.and_then(|first| find(first)).and_then(|path| path.parent().map(Path::to_owned));
        let ending = first.and_then(|first| ending_of_launcher(first)).unwrap_or_default();
        let beside = folder
            .into_iter()
            .flat_map(|folder| [folder.join(format!("mpicc{ending}")), folder.join("mpicc")]);
        let found = beside.into_iter().find(|path| path.is_file());
        Self::Of(found.unwrap_or_else(|| "mpicc".into()))
    }

    fn compiler(&self) -> PathBuf {
        match self {
            Self::Of(mpicc) => mpicc.clone(),
            Self::Standard => std::env::var_os("WEIR_CC").unwrap_or_else(|| "cc".into()).into(),
        }
    }

    /// Makes sure of the recorder for this MPI, and says where it is.
    ///
    /// # Errors
    /// When it cannot be compiled or written.
    pub fn recorder(&self) -> Result<PathBuf, LibraryError> {
        let compiler = self.compiler();
        let unwritable = |path: &Path| {
            let path = path.to_owned();
            move |reason| LibraryError::Unwritable(path, reason)
        };
        let scratch = cache::folder().join(format!("recorder-{}", std::process::id()));
        fs::create_dir_all(scratch.join("weir")).map_err(unwritable(&scratch))?;
        let made = self.recorder_in(&scratch, &compiler, &unwritable);
        // A folder that cannot be removed does no harm.
        _ = fs::remove_dir_all(&scratch);
        made
    }

    fn recorder_in<E: FnOnce(io::Error) -> LibraryError>(
        &self,
        scratch: &Path,
        compiler: &Path,
        unwritable: &dyn Fn(&Path) -> E,
    ) -> Result<PathBuf, LibraryError> {
        let write = |name: &str, text: &str| {
            let path = scratch.join(name);
            fs::write(&path, text).map_err(unwritable(&path)).map(|()| path)
        };
        let mut options: Vec<OsString> = Vec::new();
        if *self == Self::Standard {
            HEADERS.iter().try_for_each(|(name, text)| write(name, text).map(|_| ()))?;
            options.extend(["-I".into(), scratch.into()]);
        }
        let asked = write("header.c", "#include <mpi.h>\n")?;
        let header = run(compiler, &options, &["-E".as_ref(), asked.as_os_str()])?;
        let declared = functions_in(&header);
        let functions = source::all();
        let text = source::text(&functions, |name| declared.contains(name));
        let name = compiler.to_string_lossy();
        let plain: Vec<&str> = header.lines().filter(|line| !line.starts_with('#')).collect();
        let fingerprint = cache::fingerprint([&*text, &*name].into_iter().chain(plain));
        let library = cache::folder().join(format!("recorder-{fingerprint:016x}.so"));
        if library.exists() {
            return Ok(library);
        }
        let source = write("recorder.c", &text)?;
        let made = scratch.join("recorder.so");
        let how = ["-O2", "-fPIC", "-shared", "-w", "-o"].map(OsStr::new);
        run(
            compiler,
            &options,
            &[&how[..], &[made.as_os_str(), source.as_os_str(), "-ldl".as_ref()]].concat(),
        )?;
        fs::rename(&made, &library).map_err(unwritable(&library))?;
        Ok(library)
    }
}

/// Lines of a compiler's complaints that are shown.
const MOST_LINES: usize = 8;

fn run(compiler: &Path, options: &[OsString], rest: &[&OsStr]) -> Result<String, LibraryError> {
    let output = Command::new(compiler).args(options).args(rest).output();
    let output = output.map_err(|reason| LibraryError::NoCompiler(compiler.to_owned(), reason))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let first: Vec<&str> = said.trim().lines().take(MOST_LINES).collect();
        return Err(LibraryError::NotCompiled(compiler.to_owned(), first.join("\n")));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The functions of MPI that a header declares under their second names, without the prefix.
fn functions_in(header: &str) -> BTreeSet<String> {
    let parts = header.split("PMPI_").skip(1);
    let name = |part: &str| {
        let end = part.find(|sign: char| !sign.is_alphanumeric() && sign != '_')?;
        part[end..].trim_start().starts_with('(').then(|| part[..end].to_owned())
    };
    parts.filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_found() {
        let found = functions_in(
            "int PMPI_Send(const void *);\nint PMPI_Recv (void);\nx PMPI_Send; typedef PMPI_Fn;",
        );
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["Recv", "Send"]);
    }

    #[test]
    fn launchers_are_known_by_their_names() {
        let check = |name: &str, expected: Option<&str>| {
            assert_eq!(ending_of_launcher(OsStr::new(name)).as_deref(), expected, "{name}");
        };
        check("/usr/bin/mpirun", Some(""));
        check("mpiexec.hydra", Some(".hydra"));
        check("srun", None);
        check("./mpi", None);
    }
}
