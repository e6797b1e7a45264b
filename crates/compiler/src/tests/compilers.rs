//! What `weir cc` and its kin have the system's compilers do: a script stands for each, which notes its arguments and writes
//! what it is asked for.

use crate::{CompileError, Language, command, run};
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use weir_capi::harness::apart::apart;

const COMPILER: &str = r#"#!/bin/sh
echo "$@" >> "$0.log"
while [ $# -gt 0 ]; do
    case $1 in
        -o) echo object > "$2"; shift ;;
        -J) echo module > "$2/one.mod"; shift ;;
        --version) echo one ;;
        fails.c) exit 3 ;;
    esac
    shift
done
"#;

/// Has this script stand for a compiler.
fn stands_for(variable: &str, path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    // SAFETY: the test has this process to itself.
    unsafe { std::env::set_var(variable, path) };
}

fn words(text: &str) -> Vec<OsString> {
    text.split_whitespace().map(OsString::from).collect()
}

fn arguments(language: Language, given: &str) -> Vec<String> {
    let command = command(language, &words(given)).unwrap();
    command.get_args().map(|word| word.to_str().unwrap().to_owned()).collect()
}

/// The calls of a compiler so far.
fn calls(path: &Path) -> Vec<String> {
    let log = std::fs::read_to_string(path.with_extension("log")).unwrap_or_default();
    log.lines().map(str::to_owned).collect()
}

fn position(arguments: &[String], asked: &str) -> Option<usize> {
    arguments.iter().position(|argument| argument == asked)
}

/// Every word of a link is there: what the program asks for between our options, and every function that is to be wrapped.
#[test]
fn programs_are_linked_to_be_loaded() {
    apart("compilers::programs_are_linked_to_be_loaded", |folder| {
        let compiler = folder.join("compiler");
        stands_for("WEIR_CC", &compiler, COMPILER);
        let linked = arguments(Language::C, "-O1 program.c -lm -o program");
        let include = PathBuf::from(&linked[position(&linked, "-I").unwrap() + 1]);
        for (path, text) in weir_capi::headers::HEADERS {
            assert_eq!(std::fs::read_to_string(include.join(path)).unwrap(), text);
        }
        let own = position(&linked, "-O1").unwrap();
        assert_eq!(linked[own..own + 5], ["-O1", "program.c", "-lm", "-o", "program"]);
        assert!(position(&linked, "-fPIC").unwrap() < own && position(&linked, "-shared").unwrap() > own);
        let objects = linked.iter().filter(|word| word.ends_with(".o"));
        assert_eq!(objects.clone().count(), 5, "four parts in C and the jump table");
        assert!(objects.clone().all(|object| Path::new(object).exists()), "{linked:?}");
        let behind = position(&linked, "none").unwrap();
        assert_eq!(linked[behind - 1], "-x", "whatever language the program's last file had");
        assert!(objects.clone().all(|object| position(&linked, object).unwrap() > behind));
        let script = linked.iter().find_map(|word| word.strip_prefix("-Wl,-T,")).unwrap();
        assert!(std::fs::read_to_string(script).unwrap().contains("weir_init_start"));
        for name in ["malloc_is_not", "exit", "sleep", "vfork", "execl", "__cxa_atexit", "at_quick_exit"] {
            let is_wrapped = linked.contains(&format!("-Wl,--wrap={name}"));
            assert_eq!(is_wrapped, name != "malloc_is_not", "{name}");
        }
        for name in weir_capi::offered() {
            let Some(name) = name.strip_prefix("__wrap_") else { continue };
            assert!(linked.contains(&format!("-Wl,--wrap={name}")), "{name}");
        }
        assert!(linked.iter().any(|word| word.starts_with("-Wl,-u,main,-Bsymbolic,-z,defs")));
        // What is there is not compiled again; each part once, as position-independent code.
        let compiled = calls(&compiler);
        assert_eq!(compiled.len(), 5);
        assert!(compiled.iter().all(|call| call.contains("-c ") && call.contains("-fPIC")), "{compiled:?}");
        assert!(compiled[0].contains("-x assembler") && compiled[1].contains("-x c "), "{compiled:?}");
        arguments(Language::C, "other.c");
        assert_eq!(calls(&compiler).len(), 5);
        // Nothing of what was written beside its place is left.
        let place = include.parent().unwrap();
        let left = std::fs::read_dir(place).unwrap().map(|entry| entry.unwrap().file_name());
        let left: Vec<String> = left.map(|name| name.into_string().unwrap()).collect();
        let strange =
            |name: &&String| ![".o", ".c", ".s", ".ld", "include"].iter().any(|end| name.ends_with(end));
        assert_eq!(left.iter().find(strange), None);
        // One object that is missing is made anew.
        std::fs::remove_file(place.join("leaving.o")).unwrap();
        arguments(Language::C, "other.c");
        assert!(place.join("leaving.o").exists());
        // Another compiler has another folder.
        let second = folder.join("second");
        stands_for("WEIR_CC", &second, COMPILER);
        let of_second = arguments(Language::C, "other.c");
        assert_ne!(of_second[position(&of_second, "-I").unwrap() + 1], include.to_str().unwrap());
        assert_eq!(calls(&second).len(), 5);
    });
}

/// Where nothing is linked, nothing is said of linking; options that do not fit a shared object are left out or refused.
#[test]
fn programs_that_are_not_linked() {
    apart("compilers::programs_that_are_not_linked", |folder| {
        stands_for("WEIR_CC", &folder.join("compiler"), COMPILER);
        let links = |given: &str| {
            let all = arguments(Language::C, given);
            assert!(all.contains(&"-fPIC".into()) && all.contains(&"-I".into()), "{given}");
            let wrapped = all.iter().any(|word| word.starts_with("-Wl,--wrap="));
            assert_eq!(wrapped, all.iter().any(|word| word.starts_with("-Wl,-T,")), "{given}");
            assert_eq!(wrapped, all.iter().any(|word| word.ends_with("start.o")), "{given}");
            wrapped
        };
        assert!(links("a.c") && links("a.o -o a") && links("-g a.c"));
        for option in ["-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-shared"] {
            assert!(!links(&format!("a.c {option}")), "{option}");
        }
        assert!(!links("--version") && !links("") && !links("-v -O2"));
        for option in ["-pie", "-no-pie"] {
            let all = arguments(Language::C, &format!("a.c {option}"));
            assert!(position(&all, option).is_none() && position(&all, "a.c").is_some());
        }
        let refused = command(Language::C, &words("a.c -static")).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "the option \"-static\" makes programs that cannot be loaded: leave it out; a program for weir is a shared object"
        );
        assert_eq!(run(Language::C, &words("fails.c")).unwrap().code(), Some(3));
        assert!(run(Language::C, &words("a.c -o a")).unwrap().success());
        assert_eq!(std::fs::read_to_string("a").unwrap(), "object\n");
    });
}

/// C++ and Fortran bring their own libraries into each rank, and Fortran its modules, and what stands before its library.
#[test]
fn other_languages() {
    apart("compilers::other_languages", |folder| {
        let compilers = ["WEIR_CC", "WEIR_CXX", "WEIR_FC"].map(|variable| {
            let path = folder.join(variable);
            stands_for(variable, &path, COMPILER);
            path
        });
        let cxx = arguments(Language::Cxx, "a.cpp");
        assert!(cxx.contains(&"-static-libstdc++".into()) && !cxx.contains(&"-static-libgfortran".into()));
        assert!(!cxx.contains(&"-fallow-argument-mismatch".into()));
        assert_eq!((calls(&compilers[0]).len(), calls(&compilers[1]).len()), (0, 5), "one compiler will do");
        let fortran = arguments(Language::Fortran, "a.f90");
        assert!(
            fortran.contains(&"-static-libgfortran".into()) && !fortran.contains(&"-static-libstdc++".into())
        );
        assert!(fortran.contains(&"-fallow-argument-mismatch".into()));
        let at = |asked: &str| fortran.iter().position(|word| word.ends_with(asked));
        assert!(at("/fortran.o") < at("a.f90") && at("a.f90") < at("/fortran_bindings.o"));
        assert_eq!(fortran.iter().filter(|word| word.ends_with("/fortran.o")).count(), 1);
        let compiled = |word: &&String| word.ends_with(".o") && Path::new(word).is_absolute();
        assert_eq!(fortran.iter().filter(compiled).count(), 9, "four more than in C");
        assert!(fortran.iter().filter(compiled).all(|object| Path::new(object).exists()), "{fortran:?}");
        // The second -I is where the modules are.
        let places: Vec<usize> = (0..fortran.len()).filter(|&place| fortran[place] == "-I").collect();
        let modules = Path::new(&fortran[places[1] + 1]);
        assert!(modules.join("one.mod").exists(), "modules are kept");
        assert!(Path::new(&fortran[places[0] + 1]).join("mpif.h").exists());
        for call in calls(&compilers[2]).iter().filter(|call| !call.starts_with("--version")) {
            assert!(call.contains("-J ") && call.contains("-c"), "{call}");
        }
        assert!(calls(&compilers[0]).iter().any(|call| call.contains("fortran_bindings.c")));
        let c = arguments(Language::C, "a.c");
        assert!(!c.iter().any(|word| word.contains("static-lib") || word.contains("fortran")));
    });
}

/// What keeps programs from being compiled, in words.
#[test]
fn compilers_that_fail() {
    apart("compilers::compilers_that_fail", |folder| {
        let cc = |given: &str| command(Language::C, &words(given)).unwrap_err();
        stands_for("WEIR_CC", &folder.join("fails"), "#!/bin/sh\nexit 7\n");
        assert!(matches!(cc("a.c"), CompileError::Runtime { status, .. } if status.code() == Some(7)));
        // SAFETY: the test has this process to itself.
        unsafe { std::env::set_var("WEIR_CC", "/no/such/compiler") };
        let text = cc("a.c").to_string();
        assert!(text.starts_with("cannot start the compiler \"/no/such/compiler\": "), "{text}");
        assert!(text.ends_with("name one in the environment variable WEIR_CC"), "{text}");
        // The support is there, and the compiler goes.
        let goes = folder.join("goes");
        stands_for("WEIR_CC", &goes, COMPILER);
        arguments(Language::C, "a.c");
        std::fs::remove_file(&goes).unwrap();
        let text = run(Language::C, &words("a.c")).unwrap_err().to_string();
        assert!(text.starts_with("cannot start the compiler ") && text.contains("WEIR_CC"), "{text}");
        for (language, variable) in [(Language::Cxx, "WEIR_CXX"), (Language::Fortran, "WEIR_FC")] {
            stands_for("WEIR_CC", &goes, COMPILER);
            // SAFETY: as above.
            unsafe { std::env::set_var(variable, "/no/such/compiler") };
            let text = command(language, &words("a.f90")).unwrap_err().to_string();
            assert!(text.ends_with(&format!("name one in the environment variable {variable}")), "{text}");
        }
        // A file where the folder should be; and where nothing is said of a cache, it is below the home.
        std::fs::write(folder.join("file"), "").unwrap();
        // SAFETY: as above.
        unsafe { std::env::set_var("XDG_CACHE_HOME", folder.join("file")) };
        let text = cc("a.c").to_string();
        assert!(
            text.starts_with("cannot write ") && text.contains("set XDG_CACHE_HOME to a folder"),
            "{text}"
        );
        // SAFETY: as above.
        unsafe {
            std::env::set_var("XDG_CACHE_HOME", "");
            std::env::set_var("HOME", folder.join("home"));
        }
        arguments(Language::C, "a.c");
        assert_eq!(std::fs::read_dir(folder.join("home/.cache/weir")).unwrap().count(), 1);
    });
}
