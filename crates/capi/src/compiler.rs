//! `weir cc`: the system's C compiler with our header, our runtime, and the options that make a program loadable.

use crate::table;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use thiserror::Error;

/// Why nothing was compiled.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CompileError {
    /// The compiler cannot be started.
    #[error(
        "cannot start the compiler {compiler:?}: {reason}\n\nhint: install a C compiler, or name one in the environment variable WEIR_CC"
    )]
    NoCompiler {
        /// What was to be started.
        compiler: OsString,
        /// Why it was not.
        reason: io::Error,
    },
    /// Header and runtime cannot be written.
    #[error("cannot write {path}: {reason}\n\nhint: set XDG_CACHE_HOME to a folder that can be written")]
    NoSupport {
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        reason: io::Error,
    },
    /// The runtime does not compile.
    #[error("the compiler {compiler:?} does not compile the runtime of weir ({status})")]
    Runtime {
        /// The compiler.
        compiler: OsString,
        /// How it ended.
        status: ExitStatus,
    },
    /// An option cannot be combined with what a loadable program needs.
    #[error("the option {option:?} makes programs that cannot be loaded: {hint}")]
    Option {
        /// The option.
        option: String,
        /// What to do.
        hint: &'static str,
    },
}

/// Options with which the compiler does not link a program.
const NOT_LINKING: [&str; 7] = ["-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-shared"];

/// The command that `weir cc` with these arguments stands for.
///
/// # Errors
/// When header and runtime cannot be set up, or an option is impossible.
pub fn command(args: &[OsString]) -> Result<Command, CompileError> {
    let is = |arg: &OsString, option: &str| arg.as_os_str() == OsStr::new(option);
    if args.iter().any(|arg| is(arg, "-static")) {
        let hint = "leave it out; a program for weir is a shared object";
        return Err(CompileError::Option { option: "-static".into(), hint });
    }
    let compiler = std::env::var_os("WEIR_CC").unwrap_or_else(|| "cc".into());
    let support = Support::set_up(&compiler)?;
    let mut command = Command::new(&compiler);
    command.arg("-fPIC").arg("-fstack-clash-protection").arg("-I").arg(support.include());
    command.args(args.iter().filter(|arg| !is(arg, "-pie") && !is(arg, "-no-pie")));
    let has_input = args.iter().any(|arg| !arg.as_encoded_bytes().starts_with(b"-"));
    let links = has_input && !args.iter().any(|arg| NOT_LINKING.iter().any(|option| is(arg, option)));
    if links {
        command.arg("-x").arg("none").args(support.objects()).arg("-shared");
        // Nothing else asks for main, which may be in a library.
        command.arg("-Wl,-u,main,-Bsymbolic,-z,defs,-z,now,-z,relro");
        command.args(table::wrapped().map(|name| format!("-Wl,--wrap={name}")));
    }
    Ok(command)
}

/// Carries out `weir cc` with these arguments. What the compiler prints goes where ours goes.
///
/// # Errors
/// When the compiler cannot be started or set up; a program that does not compile is told by the exit status.
pub fn run(args: &[OsString]) -> Result<ExitStatus, CompileError> {
    let mut command = command(args)?;
    let compiler = command.get_program().to_owned();
    command.status().map_err(|reason| CompileError::NoCompiler { compiler, reason })
}

/// Header and compiled runtime, in a folder of the user's cache named by their contents.
struct Support {
    folder: PathBuf,
}

impl Support {
    fn set_up(compiler: &OsStr) -> Result<Self, CompileError> {
        let runtime = table::runtime_source();
        let long_double = include_str!("../runtime/long_double.c");
        let compiler_name = compiler.to_string_lossy();
        let mut contents = vec![runtime.as_str(), long_double, &compiler_name];
        contents.extend(table::HEADERS.iter().flat_map(|(path, text)| [*path, *text]));
        let name = format!("{:016x}", fingerprint(&contents));
        let support = Self { folder: cache().join("weir").join(name) };
        if support.objects().iter().all(|object| object.exists()) {
            return Ok(support);
        }
        let include = support.include();
        let parts = include.join("weir");
        fs::create_dir_all(&parts).map_err(|reason| CompileError::NoSupport { path: parts, reason })?;
        for (path, text) in table::HEADERS {
            write(&include.join(path), text)?;
        }
        let sources = [support.folder.join("runtime.s"), support.folder.join("long_double.c")];
        write(&sources[0], &runtime)?;
        write(&sources[1], long_double)?;
        for (source, object) in sources.iter().zip(support.objects()) {
            // Compiled beside its place and moved there, so that nobody ever sees half of it.
            let unfinished = object.with_extension(format!("{}.o", std::process::id()));
            let mut command = Command::new(compiler);
            // A compiler of C++ compiles these as C, too.
            let language = if source.extension() == Some(OsStr::new("c")) { "c" } else { "assembler" };
            command.args(["-c", "-O2", "-fPIC", "-x", language, "-o"]).arg(&unfinished).arg(source);
            let status = command
                .status()
                .map_err(|reason| CompileError::NoCompiler { compiler: compiler.to_owned(), reason })?;
            if !status.success() {
                return Err(CompileError::Runtime { compiler: compiler.to_owned(), status });
            }
            fs::rename(&unfinished, &object)
                .map_err(|reason| CompileError::NoSupport { path: object.clone(), reason })?;
        }
        Ok(support)
    }

    fn include(&self) -> PathBuf {
        self.folder.join("include")
    }

    fn objects(&self) -> [PathBuf; 2] {
        [self.folder.join("runtime.o"), self.folder.join("long_double.o")]
    }
}

fn write(path: &Path, text: &str) -> Result<(), CompileError> {
    let unfinished = path.with_extension(format!("{}.new", std::process::id()));
    let written = fs::write(&unfinished, text).and_then(|()| fs::rename(&unfinished, path));
    written.map_err(|reason| CompileError::NoSupport { path: path.to_owned(), reason })
}

pub(crate) fn cache() -> PathBuf {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("XDG_CACHE_HOME")
        .or_else(|| set("HOME").map(|home| home.join(".cache")))
        .unwrap_or_else(std::env::temp_dir)
}

/// FNV-1a, 64 bits: names a folder, protects nothing.
pub(crate) fn fingerprint(texts: &[&str]) -> u64 {
    let bytes = texts.iter().flat_map(|text| text.bytes().chain([0]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
