//! Headers, compiled runtime and Fortran modules, in a folder of the user's cache named by their contents.

use super::{CompileError, Language};
use crate::{fortran, jump_table};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use weir_capi::cache;
use weir_capi::headers::HEADERS;

const PARTS: [(&str, &str); 4] = [
    ("clock_calls.c", include_str!("../runtime/clock_calls.c")),
    ("leaving.c", include_str!("../runtime/leaving.c")),
    ("long_double.c", include_str!("../runtime/long_double.c")),
    ("start.c", include_str!("../runtime/start.c")),
];

const SCRIPT: (&str, &str) = ("constructors.ld", include_str!("../runtime/constructors.ld"));

/// Replacements for parts of the Fortran library, which must be met before it.
const GLUE: &str = "fortran.c";

/// Functions that `start.c` and `leaving.c` stand before.
const WRAPPED: [&str; 9] = [
    "__cxa_atexit",
    "__cxa_thread_atexit",
    "_ZNSt8ios_base15sync_with_stdioEb",
    "at_quick_exit",
    "quick_exit",
    "vfork",
    "execl",
    "execlp",
    "execle",
];

/// Files that programs of one language are compiled and linked with.
pub(super) struct Support {
    folder: PathBuf,
    language: Language,
    sources: Vec<&'static str>,
}

/// One file to compile: its text, and the command that will be given `-o OBJECT SOURCE`.
struct Part {
    name: &'static str,
    text: String,
    language: Language,
    options: Vec<OsString>,
}

impl Support {
    /// Makes sure that everything is there.
    pub(super) fn set_up(language: Language) -> Result<Self, CompileError> {
        let mut parts = vec![part("runtime.s", jump_table::source(), "assembler")];
        parts.extend(PARTS.iter().map(|(name, text)| part(name, (*text).to_owned(), "c")));
        // A compiler of C++ compiles these as C, too; for those of Fortran that is less sure.
        let compiles_runtime = if language == Language::Fortran { Language::C } else { language };
        parts.iter_mut().for_each(|part| part.language = compiles_runtime);
        let mut files: Vec<(&str, String)> = vec![(SCRIPT.0, SCRIPT.1.to_owned())];
        files.extend(HEADERS.iter().map(|(path, text)| (*path, (*text).to_owned())));
        if language == Language::Fortran {
            parts.push(part(GLUE, fortran::RUNTIME.to_owned(), "c"));
            let mut bindings = part("fortran_bindings.c", fortran::bindings(), "c");
            // Where the program called is found by way of their frames.
            bindings.options.retain(|option| option != NO_UNWINDING);
            parts.push(bindings);
            for (name, text) in fortran::modules() {
                let options = vec!["-c".into(), "-fPIC".into()];
                parts.push(Part { name, text, language: Language::Fortran, options });
            }
            files.push(("mpif.h", fortran::include_file()));
        }
        let compilers =
            [compiles_runtime.compiler(), version(language)].map(|name| name.to_string_lossy().into_owned());
        let texts = files.iter().flat_map(|(path, text)| [*path, text.as_str()]);
        let texts = texts
            .chain(parts.iter().map(|part| part.text.as_str()))
            .chain(parts.iter().flat_map(|part| &part.options).filter_map(|option| option.to_str()))
            .chain(compilers.iter().map(String::as_str));
        let name = format!("{:016x}", cache::fingerprint(texts));
        let sources = parts.iter().map(|part| part.name).collect();
        let support = Self { folder: cache::folder().join(name), language, sources };
        if support.sources.iter().all(|source| object(&support.folder.join(source)).exists()) {
            return Ok(support);
        }
        let folder = support.include().join("weir");
        fs::create_dir_all(&folder).map_err(|reason| CompileError::NoSupport { path: folder, reason })?;
        for (path, text) in files {
            write(&if path == SCRIPT.0 { support.script() } else { support.include().join(path) }, &text)?;
        }
        for part in parts {
            support.compile(&part)?;
        }
        Ok(support)
    }

    fn compile(&self, part: &Part) -> Result<(), CompileError> {
        let source = self.folder.join(part.name);
        write(&source, &part.text)?;
        let object = object(&source);
        // Compiled beside its place and moved there, so that half of it is never seen.
        let scratch = self.folder.join(format!("{}.{}", part.name, std::process::id()));
        let no_scratch = |reason| CompileError::NoSupport { path: scratch.clone(), reason };
        fs::create_dir_all(&scratch).map_err(no_scratch)?;
        let compiler = part.language.compiler();
        let unfinished = scratch.join("object.o");
        let mut command = Command::new(&compiler);
        command.args(&part.options).arg("-I").arg(self.include()).arg("-o").arg(&unfinished).arg(&source);
        if part.language == Language::Fortran {
            command.arg("-J").arg(&scratch).arg("-I").arg(&self.folder);
        }
        let variable = part.language.names().0;
        let status = match command.status() {
            Ok(status) => status,
            Err(reason) => return Err(CompileError::NoCompiler { compiler, reason, variable }),
        };
        if !status.success() {
            return Err(CompileError::Runtime { compiler, status });
        }
        // Modules first: the object says that all is there.
        let entries = fs::read_dir(&scratch).map_err(no_scratch)?;
        for module in entries.flatten().map(|entry| entry.path()) {
            if module != unfinished {
                let place = self.folder.join(module.file_name().unwrap_or_default());
                fs::rename(&module, &place).map_err(no_scratch)?;
            }
        }
        fs::rename(&unfinished, &object).map_err(no_scratch)?;
        fs::remove_dir_all(&scratch).map_err(no_scratch)
    }

    pub(super) fn include(&self) -> PathBuf {
        self.folder.join("include")
    }

    pub(super) fn script(&self) -> PathBuf {
        self.folder.join(SCRIPT.0)
    }

    /// Where compiled modules are, if the language has any.
    pub(super) fn modules(&self) -> Option<&Path> {
        (self.language == Language::Fortran).then_some(&self.folder)
    }

    /// Names that the linker shall wrap besides those of the jump table.
    pub(super) fn wrapped(&self) -> impl Iterator<Item = &'static str> {
        let of_language = if self.language == Language::Fortran { fortran::WRAPPED } else { &[] };
        WRAPPED.iter().chain(of_language).copied()
    }

    /// The objects to link behind the program's own: a library of the program may stand before `MPI_X`.
    pub(super) fn objects(&self) -> Vec<PathBuf> {
        let sources = self.sources.iter().filter(|source| **source != GLUE);
        sources.map(|source| object(&self.folder.join(source))).collect()
    }

    /// The object to link before everything else, if the language has one.
    pub(super) fn first_object(&self) -> Option<PathBuf> {
        (self.language == Language::Fortran).then(|| object(&self.folder.join(GLUE)))
    }
}

/// A frame that cannot be unwound ends the search for a handler of an exception, which is what main does.
const NO_UNWINDING: &str = "-fno-asynchronous-unwind-tables";

fn part(name: &'static str, text: String, language: &str) -> Part {
    let options = ["-c", "-O2", "-fPIC", NO_UNWINDING, "-x", language];
    Part { name, text, language: Language::C, options: options.map(OsString::from).to_vec() }
}

fn object(source: &Path) -> PathBuf {
    source.with_extension("o")
}

/// Modules of one version of a Fortran compiler are nothing for another.
fn version(language: Language) -> OsString {
    if language != Language::Fortran {
        return OsString::new();
    }
    let output = Command::new(language.compiler()).arg("--version").output();
    let text = output.map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&text).into_owned().into()
}

fn write(path: &Path, text: &str) -> Result<(), CompileError> {
    let unfinished = path.with_extension(format!("{}.new", std::process::id()));
    let written = fs::write(&unfinished, text).and_then(|()| fs::rename(&unfinished, path));
    written.map_err(|reason| CompileError::NoSupport { path: path.to_owned(), reason })
}
