//! The text of the recorder: its part that is written by hand, and a function that stands before each one of MPI that counts.

use crate::fields::{Care, Field, Form, care, fields, has_root, is_collective, short};
use std::fmt::Write;
use weir_capi::cache;
use weir_capi::headers::{Function, Parameter, functions};

/// The part that is written by hand, in the order in which it is compiled.
const BY_HAND: [&str; 3] = [
    include_str!("../runtime/records.c"),
    include_str!("../runtime/arguments.c"),
    include_str!("../runtime/recording.c"),
];

/// The first bytes of a file.
pub(crate) const MARK: &str = "weirrec1";

/// All functions that the headers declare; their places are their numbers in files.
pub(crate) fn all() -> Vec<Function> {
    functions().collect()
}

/// Says which functions there are, and what is written of each: files of another version have another one.
pub(crate) fn fingerprint(functions: &[Function]) -> u64 {
    let texts: Vec<String> =
        functions.iter().map(|function| format!("{} {:?}", function.name, fields(function))).collect();
    cache::fingerprint(texts.iter().map(String::as_str).chain(BY_HAND))
}

/// The recorder for a library that has the functions of which `has` says so.
pub(crate) fn text(functions: &[Function], has: impl Fn(&str) -> bool) -> String {
    let mut text = String::from("/* Written by weir. */\n#define _GNU_SOURCE\n");
    _ = writeln!(text, "#define FUNCTIONS {}\n#define MARK \"{MARK}\"", functions.len());
    _ = writeln!(text, "#define FINGERPRINT {:#x}UL", fingerprint(functions));
    for (number, function) in functions.iter().enumerate() {
        _ = writeln!(text, "#define ID_{} {number}", function.name);
    }
    text += &elements();
    text += &BY_HAND.join("\n");
    for function in functions.iter().filter(|function| has(&function.name)) {
        match care(&function.name) {
            Care::Recorded => text += &recorded(function),
            Care::Counted => text += &counted(function),
            Care::Nothing => {}
        }
    }
    text
}

/// Datatypes by the names that elements of reductions have in profiles.
const DATATYPES: [(&str, &str); 26] = [
    ("int8", "INT8_T SIGNED_CHAR"),
    ("int16", "SHORT INT16_T"),
    ("int32", "INT INT32_T INTEGER"),
    ("int64", "LONG LONG_LONG_INT INT64_T AINT COUNT OFFSET"),
    ("uint8", "UINT8_T UNSIGNED_CHAR"),
    ("uint16", "UNSIGNED_SHORT UINT16_T"),
    ("uint32", "UNSIGNED UINT32_T"),
    ("uint64", "UNSIGNED_LONG UNSIGNED_LONG_LONG UINT64_T"),
    ("float", "FLOAT REAL"),
    ("double", "DOUBLE DOUBLE_PRECISION"),
    ("complex-float", "C_COMPLEX COMPLEX"),
    ("complex-double", "C_DOUBLE_COMPLEX DOUBLE_COMPLEX"),
    ("bool", "C_BOOL"),
    ("logical", "LOGICAL"),
    ("byte", "BYTE PACKED"),
    ("char", "CHAR CHARACTER"),
    ("float-int", "FLOAT_INT"),
    ("double-int", "DOUBLE_INT"),
    ("long-int", "LONG_INT"),
    ("2int", "2INT 2INTEGER"),
    ("short-int", "SHORT_INT"),
    ("2real", "2REAL"),
    ("2double-precision", "2DOUBLE_PRECISION"),
    ("long-double", "LONG_DOUBLE"),
    ("complex-long-double", "C_LONG_DOUBLE_COMPLEX"),
    ("long-double-int", "LONG_DOUBLE_INT"),
];

/// The name of an element by its place in a record, from 1.
pub(crate) fn element(place: usize) -> Option<&'static str> {
    DATATYPES.get(place.checked_sub(1)?).map(|(name, _)| *name)
}

fn elements() -> String {
    let mut text = String::from("#define ELEMENTS(IS)");
    for (place, (_, datatypes)) in (1..).zip(DATATYPES) {
        for datatype in datatypes.split(' ') {
            _ = write!(text, " \\\n    IS(MPI_{datatype}, {place}LL)");
        }
    }
    text + "\n"
}

fn declared(parameter: &Parameter) -> String {
    let constant = if parameter.is_constant { "const " } else { "" };
    // Of a table of commands and the like nothing is recorded.
    let brackets = if parameter.is_array { "[]" } else { "" };
    format!("{constant}{} {}{}{brackets}", parameter.kind, "*".repeat(parameter.stars), parameter.name)
}

fn head(function: &Function) -> String {
    let parameters: Vec<String> = function.parameters.iter().map(declared).collect();
    let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
    format!("\nBOTH_NAMES({}, ({parameters})) {{\n", function.name)
}

fn call(function: &Function) -> String {
    let names: Vec<&str> = function.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    format!("REAL({})({})", function.name, names.join(", "))
}

fn counted(function: &Function) -> String {
    format!("{}    weir_count(ID_{});\n    return {};\n}}\n", head(function), function.name, call(function))
}

fn recorded(function: &Function) -> String {
    let (name, fields, call) = (&function.name, fields(function), call(function));
    let mut text = head(function);
    _ = writeln!(text, "    struct call at;");
    _ = writeln!(text, "    if (!enters(ID_{name}, &at, __builtin_return_address(0))) {{");
    _ = writeln!(text, "        int returned = {call};\n        leaves();\n        return returned;\n    }}");
    for parameter in function.parameters.iter().filter(|parameter| parameter.kind == "MPI_Status") {
        let status = &parameter.name;
        let count = if function.name.ends_with("some") { "incount" } else { "count" };
        if parameter.is_array {
            _ = writeln!(
                text,
                "    if ({status} == MPI_STATUSES_IGNORE)\n        {status} = statuses_for({count});"
            );
        } else {
            _ = writeln!(text, "    MPI_Status own_status;");
            _ = writeln!(text, "    if ({status} == MPI_STATUS_IGNORE)\n        {status} = &own_status;");
        }
    }
    for Field { name, form } in &fields {
        match form {
            Form::Before(value) => _ = writeln!(text, "    int64_t {name}_before = {value};"),
            Form::Requests(count) => {
                _ = writeln!(text, "    const int64_t *{name}_before = before({name}, {count});")
            }
            _ => {}
        }
    }
    if short(name).starts_with("Comm_idup") {
        _ = writeln!(text, "    *newcomm = MPI_COMM_NULL;");
    }
    _ = writeln!(text, "    int returned = {call};\n    at.end = now();");
    _ = writeln!(text, "    if (UNLIKELY(returned != MPI_SUCCESS) && !is_carried_out(returned)) {{");
    _ = writeln!(
        text,
        "        head->failed[ID_{name}]++;\n        leaves();\n        return returned;\n    }}"
    );
    if let Some(nothing) = in_vain(function) {
        _ = writeln!(text, "    if ({nothing}) {{");
        _ = writeln!(
            text,
            "        looked_in_vain(ID_{name}, &at);\n        leaves();\n        return returned;\n    }}"
        );
    }
    text += &written(function, &fields);
    text + "    leaves();\n    return returned;\n}\n"
}

/// The condition of C under which a call has found nothing.
fn in_vain(function: &Function) -> Option<&'static str> {
    let looks = ["Test", "Testall", "Testany", "Iprobe", "Improbe", "Request_get_status", "Win_test"];
    match short(&function.name) {
        "Testsome" => Some("*outcount == 0"),
        name if looks.contains(&name) => Some("!*flag"),
        _ => None,
    }
}

/// The part behind the call: it computes the fields, and writes them.
fn written(function: &Function, fields: &[Field]) -> String {
    let (mut before, mut words, mut after) = (String::new(), String::new(), String::new());
    let mut count = 0;
    let mut lists = String::new();
    if has_root(function) {
        _ = writeln!(before, "    int part = role(comm, root);");
    }
    if function.name.to_lowercase().contains("neighbor_") {
        _ = writeln!(before, "    int neighbors_in, neighbors_out;");
        _ = writeln!(before, "    neighbors(comm, &neighbors_in, &neighbors_out, NULL, NULL);");
    }
    for Field { name, form } in fields {
        count += 1;
        match form {
            Form::Word { text, condition: None } => _ = writeln!(words, "        *to++ = {text};"),
            Form::Word { text, condition: Some(condition) } => {
                _ = writeln!(words, "        *to++ = {condition} ? {text} : 0;");
            }
            Form::Before(_) => _ = writeln!(words, "        *to++ = {name}_before;"),
            Form::List { length, item } => {
                _ = writeln!(before, "    long {name}_length = {length};");
                _ = writeln!(before, "    if ({name}_length < 0)\n        {name}_length = 0;");
                _ = write!(lists, " + {name}_length");
                _ = writeln!(words, "        *to++ = {name}_length;");
                _ = writeln!(
                    words,
                    "        for (long i = 0; i < {name}_length; i++)\n            *to++ = {item};"
                );
            }
            Form::Requests(length) => {
                _ = write!(lists, " + {length}");
                _ = writeln!(words, "        *to++ = {length};");
                _ = writeln!(
                    words,
                    "        for (long i = 0; i < {length}; i++)\n            *to++ = {name}_before[i];"
                );
            }
            Form::Neighbors => {
                lists += " + 3 + neighbors_in + neighbors_out";
                words += "        to = write_neighbors(to, comm, neighbors_in, neighbors_out);\n";
            }
            Form::Group => {
                _ = writeln!(before, "    int {name}_length;\n    PMPI_Group_size({name}, &{name}_length);");
                _ = write!(lists, " + {name}_length");
                _ = writeln!(words, "        *to++ = {name}_length;");
                _ = writeln!(words, "        to = write_group(to, {name}, {name}_length);");
            }
        }
    }
    let made = |parameter: &&Parameter| parameter.kind == "MPI_Comm" && parameter.stars == 1;
    if let Some(parameter) = function.parameters.iter().find(made).filter(|_| !frees(&function.name)) {
        let later = if function.name.starts_with("Comm_idup") { "define_later(" } else { "define(*" };
        _ = writeln!(before, "    {later}{});", parameter.name);
    }
    if completes(&function.name) {
        after += "    if (UNLIKELY(unfinished_count))\n        define_finished();\n";
    }
    let name = &function.name;
    format!(
        "{before}    int64_t *to = begin_record(&at, {count}{lists});\n    if (to) {{\n{words}        end_record(ID_{name}, to);\n    }}\n{after}"
    )
}

fn frees(name: &str) -> bool {
    ["Comm_free", "Comm_disconnect"].contains(&name)
}

fn completes(name: &str) -> bool {
    (name.starts_with("Wait") || name.starts_with("Test")) && !is_collective(name)
}
