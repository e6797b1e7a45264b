//! Writes the C functions of MPI and the constants of `mpi.h`, as the headers declare them.
//!
//! A C function enters the library, makes the arguments of a Rust function of what the program gives, and calls it. That one is
//! somewhere in `src/mpi`, and has the standard's name in small letters; it serves the form for large counts, too:
//!
//! ```text
//! unsafe extern "C" fn MPI_Recv_c(a0: *const c_void, a1: i64, a2: Handle, a3: c_int, a4: c_int, a5: Handle, a6: *mut CStatus) -> c_int {
//!     call("MPI_Recv_c", a5, |context| {
//!         let b0 = Argument::of(context, "buf", Elements::new(a0, a1, a2))?;
//!         ...
//!         recv(context, b0, b3, b6)
//!     })
//! }
//! ```
//!
//! A Rust function that says `args: CartCreate` gets all of them as one struct, which is written, too.

#[path = "src/headers/declarations.rs"]
#[expect(unreachable_pub, reason = "the library makes it public")]
mod declarations;
#[path = "build/parameters.rs"]
mod parameters;

use declarations::{Function, Parameter, functions};
use parameters::{WITH_ERRORS, arguments, field_type, is, rust_type, short};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Functions that a Rust function of another name serves, often several of them: it, and its arguments before those of C. Beside
/// them, a function that has no Rust function of its name is one for several kinds of objects ([`KINDS`]): `MPI_Win_get_attr` is
/// `get_attr(context, Of::Win, ...)`.
const SERVED: [(&str, &str, &str); 39] = [
    ("Address", "get_address", ""),
    ("Allgatherv", "allgather", ""),
    ("Alltoallw", "alltoallv", ""),
    ("Attr_delete", "delete_attr", "Of::Comm"),
    ("Attr_get", "get_attr", "Of::Comm"),
    ("Attr_put", "set_attr", "Of::Comm"),
    ("Buffer_attach", "attach_buffer", "Of::Process, std::ptr::null_mut()"),
    ("Buffer_detach", "detach_buffer", "Of::Process, std::ptr::null_mut()"),
    ("Buffer_flush", "flush_buffer", "Of::Process, std::ptr::null_mut()"),
    ("Buffer_iflush", "iflush_buffer", "Of::Process, std::ptr::null_mut()"),
    ("Comm_group", "get_group", "Of::Comm"),
    ("Comm_spawn", "no_spawn", ""),
    ("Comm_spawn_multiple", "no_spawn", ""),
    ("Errhandler_create", "create_errhandler", "Of::Comm"),
    ("Errhandler_get", "get_errhandler", "Of::Comm"),
    ("Errhandler_set", "set_errhandler", "Of::Comm"),
    ("Exscan", "scan", "Plan::exscan"),
    ("Gatherv", "gather", ""),
    ("Keyval_create", "create_keyval", "Of::Comm"),
    ("Keyval_free", "free_keyval", "Of::Comm"),
    ("Neighbor_allgatherv", "neighbor_allgather", ""),
    ("Neighbor_alltoallv", "neighbor_alltoall", ""),
    ("Neighbor_alltoallw", "neighbor_alltoall", ""),
    ("Request_get_status_all", "visit_all", "Visit::Look"),
    ("Request_get_status_any", "visit_any", "Visit::Look"),
    ("Request_get_status_some", "visit_some", "Visit::Look"),
    ("Scan", "scan", "Plan::scan"),
    ("Scatterv", "scatter", ""),
    ("T_pvar_reset", "t_pvar_start", ""),
    ("T_pvar_stop", "t_pvar_start", ""),
    ("Testall", "visit_all", "Visit::Test"),
    ("Testany", "visit_any", "Visit::Test"),
    ("Testsome", "visit_some", "Visit::Test"),
    ("Type_create_f90_complex", "type_create_f90", "Combiner::F90Complex"),
    ("Type_create_f90_real", "type_create_f90", "Combiner::F90Real"),
    ("Type_hindexed", "type_create_hindexed", ""),
    ("Type_hvector", "type_create_hvector", ""),
    ("Type_struct", "type_create_struct", ""),
    ("Waitsome", "visit_some", "Visit::Wait"),
];

/// Kinds of objects, as names of functions begin with them.
const KINDS: [&str; 5] = ["Comm", "File", "Session", "Type", "Win"];

/// Beginnings of the names of functions that may be called before `MPI_Init` and after `MPI_Finalize`.
const AT_ANY_TIME: &str = "\
    Abi_ Abort Add_error_ Error_ Finalized Get_hw_resource_info Get_library_version Get_version Info_ \
    Init Remove_error_ Session_create_errhandler Session_finalize Status_get_ Status_set_cancelled \
    Status_set_error Status_set_source Status_set_tag Test_cancelled";

fn main() {
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let headers: Vec<String> = texts(&folder.join("../../include"), "h");
    let sources = texts(&folder.join("src/mpi"), "rs").concat();
    let all: Vec<Function> = headers.iter().flat_map(|text| functions(text)).collect();
    let writer = Writer::new(&all, &sources);
    fs::write(out.join("functions.rs"), writer.text()).expect("it can be written");
    fs::write(out.join("arguments.rs"), writer.text_of_structs()).expect("it can be written");
    fs::write(out.join("constants.rs"), constants(&headers.concat())).expect("it can be written");
}

/// The texts of all files with this ending in a folder, in the order of their paths.
fn texts(folder: &Path, ending: &str) -> Vec<String> {
    println!("cargo:rerun-if-changed={}", folder.display());
    let entries = fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be read").path()).collect();
    paths.sort();
    let text = |path: PathBuf| match path.extension() {
        None => texts(&path, ending),
        Some(found) if found == ending => vec![fs::read_to_string(&path).expect("it can be read")],
        Some(_) => Vec::new(),
    };
    paths.into_iter().flat_map(text).collect()
}

/// The constants that are numbers or handles: as `i32`, as `i64` if they are distances in a file, and as `usize` if they are handles
/// or other addresses. Then the classes of errors, with their names and the comments behind them, which are the texts that programs get.
fn constants(headers: &str) -> String {
    let (mut text, mut classes) = (String::new(), String::new());
    for line in headers.lines().filter_map(|line| line.strip_prefix("#define ")) {
        let Some((name, value)) = line.split_once(' ') else { continue };
        if !name.starts_with("MPI_") && !name.starts_with("WEIR_") {
            continue;
        }
        let value = value.split("/*").next().unwrap_or_default().trim().trim_matches(['(', ')']);
        let (kind, number) = match value.rsplit_once(')') {
            Some((cast, number)) if cast.ends_with("MPI_Offset") => ("i64", number),
            Some((_, number)) => ("usize", number),
            None => (if value.contains('.') { "f64" } else { "i32" }, value),
        };
        if number.trim_start_matches('-').starts_with(|first: char| first.is_ascii_digit()) {
            _ = writeln!(text, "pub const {name}: {kind} = {number};");
        }
        let what = line.split_once("/* ").and_then(|(_, comment)| comment.strip_suffix(" */"));
        if let Some(what) = what
            .filter(|_| name.starts_with("MPI_ERR_") && name != "MPI_ERR_LASTCODE" || name == "MPI_SUCCESS")
        {
            _ = writeln!(classes, "({number}, \"{name}: {what}\"),");
        }
    }
    text + "pub(crate) const ERROR_CLASSES: &[(i32, &str)] = &[\n" + &classes + "];\n"
}

/// Writes the functions.
struct Writer<'a> {
    all: &'a [Function],
    /// The Rust functions, to see which of them have counts of a generic type.
    sources: &'a str,
    /// All words in them: the names of functions among them.
    words: BTreeSet<&'a str>,
    /// Names of the collectives that wait; the others are called after them.
    collectives: BTreeSet<&'a str>,
    structs: BTreeMap<String, Vec<(String, String)>>,
}

impl<'a> Writer<'a> {
    fn new(all: &'a [Function], sources: &'a str) -> Self {
        let is_there = |name: &str| all.iter().any(|function| function.name == name);
        let is_collective = |function: &&Function| {
            let (name, parameters) = (&function.name, &function.parameters);
            let of_two =
                parameters.iter().any(|parameter| ["dest", "source"].contains(&parameter.name.as_str()));
            !of_two && is_there(&format!("{name}_init")) && is_there(&format!("I{}", small(name)))
        };
        let collectives = all.iter().filter(is_collective).map(|function| function.name.as_str()).collect();
        let words = sources.split(|sign: char| !sign.is_alphanumeric() && sign != '_').collect();
        let writer = Self { all, sources, words, collectives, structs: BTreeMap::new() };
        Self { structs: writer.structs(), ..writer }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        let mut table = "const FUNCTIONS: &[Function] = &[\n".to_owned();
        for function in self.all {
            let name = &function.name;
            let is_plain =
                function.returns != "int" || ["Is_thread_main", "Pcontrol"].contains(&name.as_str());
            let c_function = match name.rsplit_once('_') {
                Some((_, "fromint")) => "from_int".into(),
                Some((_, "toint")) => "to_int".into(),
                _ if is_plain => name.to_lowercase(),
                _ => {
                    text += &self.function(function);
                    format!("MPI_{name}")
                }
            };
            _ = writeln!(table, "(\"MPI_{name}\", {c_function} as *const c_void),");
        }
        let names = self.all.iter().map(|function| &function.name);
        let waiting = names.filter(|name| self.collectives.contains(name.strip_suffix("_c").unwrap_or(name)));
        let collectives: Vec<String> = waiting.map(|name| format!("MPI_{name}")).collect();
        let collectives = format!("pub(super) const COLLECTIVES: &[&str] = &{collectives:?};\n");
        text + &table + "];\n" + &collectives
    }

    fn function(&self, function: &Function) -> String {
        let Function { name, parameters, .. } = function;
        let types: Vec<String> = parameters.iter().map(rust_type).collect();
        let given: Vec<String> =
            types.iter().enumerate().map(|(index, kind)| format!("a{index}: {kind}")).collect();
        let body = self.collective(function, &types).unwrap_or_else(|| self.entered(function));
        format!("unsafe extern \"C\" fn MPI_{name}({}) -> c_int {{\n{body}\n}}\n", given.join(", "))
    }

    /// A call of the Rust function with these parameters, made of those of C.
    fn called(&self, first: &str, context: &str, name: &str, parameters: &[Parameter]) -> String {
        let (rust, before) = self.served(short(name));
        let (mut text, mut made) = ("{\n".to_owned(), Vec::new());
        for (index, _, given) in arguments(name, parameters) {
            let parameter = &parameters[index].name;
            _ = writeln!(text, "let b{index} = Argument::of({context}, \"{parameter}\", {given})?;");
            made.push(format!("b{index}"));
        }
        if let Some(fields) = self.structs.get(&rust) {
            let fields = fields.iter().zip(&made).map(|((field, _), made)| format!("{field}: {made}"));
            made = vec![format!("{} {{ {} }}", camel(&rust), fields.collect::<Vec<_>>().join(", "))];
        }
        let before = [first, &before].into_iter().filter(|argument| !argument.is_empty()).map(str::to_owned);
        let all: Vec<String> = before.chain(made).collect();
        let counts = match name.ends_with("_c") {
            _ if !self.is_generic(&rust) => "",
            true => "::<i64>",
            false => "::<c_int>",
        };
        text + &format!("{rust}{counts}({})\n}}", all.join(", "))
    }

    /// True for a Rust function that serves counts of both widths.
    fn is_generic(&self, rust: &str) -> bool {
        self.sources.contains(&format!(" {rust}<C"))
    }

    /// The structs of arguments, by the functions that take them: `fn cart_create(context: &mut Context, args: CartCreate)`. Their
    /// fields have the names of the header.
    fn structs(&self) -> BTreeMap<String, Vec<(String, String)>> {
        let mut structs = BTreeMap::new();
        for function in self.all {
            let (rust, before) = self.served(short(&function.name));
            let takes_it = |ending| self.sources.contains(&format!("args: {}{ending}", camel(&rust)));
            if takes_it(")") || takes_it("<C>)") {
                structs.entry(rust.clone()).or_insert_with(|| self.fields(function, &rust, &before));
            }
        }
        structs
    }

    fn fields(&self, function: &Function, rust: &str, before: &str) -> Vec<(String, String)> {
        let (large, count) = (format!("{}_c", function.name), function.parameters.len());
        let large = self.all.iter().find(|other| other.name == large && other.parameters.len() == count);
        let wide = if self.is_generic(rust) { "C" } else { "i64" };
        let field = |(index, kind, _): (usize, Option<&str>, String)| {
            let parameter = &function.parameters[index];
            if index == 0 && before.starts_with("Of::") && parameter.stars == 0 {
                return ("object".to_owned(), "Handle".to_owned());
            }
            let own_large = large.and_then(|large| large.parameters.get(index));
            let kind = kind.map_or_else(|| field_type(parameter, own_large, wide), str::to_owned);
            let name =
                if kind == "Array<Handle>" { &function.parameters[index + 1].name } else { &parameter.name };
            let name = if name == "type" { "datatype" } else { name.trim_start_matches("array_of_") };
            (name.to_owned(), kind)
        };
        arguments(&function.name, &function.parameters).into_iter().map(field).collect()
    }

    fn text_of_structs(&self) -> String {
        let text = |(rust, fields): (&String, &Vec<(String, String)>)| {
            let fields = fields.iter().map(|(name, kind)| format!("    pub(crate) {name}: {kind},\n"));
            let counts = if self.is_generic(rust) { "<C>" } else { "" };
            format!("pub(crate) struct {}{counts} {{\n{}}}\n", camel(rust), fields.collect::<String>())
        };
        self.structs.iter().map(text).collect()
    }

    /// The Rust function that serves a function of MPI, and its arguments before those of C.
    fn served(&self, name: &str) -> (String, String) {
        if let Some((_, rust, before)) = SERVED.iter().find(|(of, ..)| *of == name) {
            return ((*rust).to_owned(), (*before).to_owned());
        }
        let own = name.to_lowercase();
        match name.split_once('_').filter(|(kind, _)| KINDS.contains(kind)) {
            Some((kind, rest)) if !self.words.contains(&*own) => (rest.to_owned(), format!("Of::{kind}")),
            _ => (own, String::new()),
        }
    }

    /// Enters the library by the functions of the object whose error handler is asked about mistakes.
    fn entered(&self, function: &Function) -> String {
        let Function { name, parameters, .. } = function;
        let is_any_of = |names: &[&str]| names.contains(&name.as_str());
        let of_several = ["all", "some"].iter().any(|end| name.ends_with(end))
            && ["Wait", "Test", "Request_get_status"].iter().any(|begin| name.starts_with(begin));
        let first = if of_several { "context, failed" } else { "context" };
        let body = self.called(first, "context", name, parameters);
        let by_value = |kind: &str| {
            let place = parameters.iter().position(|parameter| is(parameter, &[kind], 0));
            place.map(|place| format!("a{place}"))
        };
        if name.starts_with("T_") {
            return self.tool(function, &body);
        }
        if of_several {
            return format!("call_for_several(\"MPI_{name}\", |context, failed| {body})");
        }
        if let Some(errors) = by_value("MPI_Errhandler").filter(|_| is_any_of(&WITH_ERRORS)) {
            return format!("make(\"MPI_{name}\", {errors}, |context, handler| {body})");
        }
        let at_first = || "at(a0)".to_owned();
        let (enter, object) = if let Some(session) = by_value("MPI_Session") {
            ("sessions::call", session)
        } else if let Some(file) = by_value("MPI_File").or_else(|| (name == "File_close").then(at_first)) {
            ("files::call", file)
        } else if is_any_of(&["File_open", "File_delete", "Register_datarep", "Register_datarep_c"]) {
            ("files::call", "predefined(MPI_FILE_NULL)".into())
        } else {
            let freed = is_any_of(&["Comm_free", "Comm_disconnect", "Win_free"]).then(at_first);
            let object = by_value("MPI_Win").or_else(|| by_value("MPI_Comm")).or(freed);
            let at_any_time = AT_ANY_TIME.split(' ').any(|beginning| name.starts_with(beginning));
            (if at_any_time { "enter" } else { "call" }, object.unwrap_or("std::ptr::null_mut()".into()))
        };
        format!("{enter}(\"MPI_{name}\", {object}, |context| {body})")
    }

    /// A function of the tools interface. Most are questions about something that does not exist.
    fn tool(&self, function: &Function, body: &str) -> String {
        let Function { name, parameters, .. } = function;
        let body = if self.words.contains(&*self.served(name).0) {
            body
        } else if name.ends_with("_get_num") || name == "T_category_changed" {
            "none(context, a0)"
        } else if name.ends_with("_get_index") {
            "refuse(context, MPI_T_ERR_INVALID_NAME)"
        } else if is(&parameters[0], &["int"], 0) {
            "refuse(context, MPI_T_ERR_INVALID_INDEX)"
        } else {
            "refuse(context, MPI_T_ERR_INVALID_HANDLE)"
        };
        format!("tool(\"MPI_{name}\", |context| {body})")
    }

    /// One of the three forms of a collective, if the function is one.
    fn collective(&self, function: &Function, types: &[String]) -> Option<String> {
        let Function { name, parameters, .. } = function;
        let short = name.strip_suffix("_c").unwrap_or(name);
        let waits = |name: &str| self.collectives.contains(name).then(|| name.to_owned());
        let going_on = || short.strip_prefix('I').and_then(|rest| waits(&capital(rest)));
        let (form, of) = None
            .or_else(|| Some(("blocking", waits(short)?)))
            .or_else(|| Some(("persistent", waits(short.strip_suffix("_init")?)?)))
            .or_else(|| Some(("nonblocking", going_on()?)))?;
        let comm = parameters.iter().position(|parameter| parameter.kind == "MPI_Comm")?;
        let body = self.called("at", "at.context", &of, &parameters[..comm]);
        let last = if form == "blocking" {
            let given: String = (0..comm).map(|index| format!("a{index}, ")).collect();
            let kind = format!("unsafe extern \"C\" fn({}) -> c_int", types.join(", "));
            // SAFETY (of the code that is written): the program says that its function has the arguments of the collective.
            format!("|own, comm| unsafe {{ std::mem::transmute::<*const c_void, {kind}>(own)({given}comm) }}")
        } else {
            format!("a{}", parameters.len() - 1)
        };
        Some(format!("collectives::{form}(\"MPI_{name}\", a{comm}, {last}, |at| {body})"))
    }
}

/// The name of a function as that of a type.
fn camel(name: &str) -> String {
    name.split('_').filter(|word| !word.is_empty()).map(capital).collect()
}

fn small(name: &str) -> String {
    name[..1].to_lowercase() + &name[1..]
}

fn capital(name: &str) -> String {
    name[..1].to_uppercase() + &name[1..]
}
