//! Null pointers are mistakes that programs get as errors, wherever they are given: a program made of the declarations in our
//! headers calls every function with every pointer null, one at a time and all else valid. No such call may crash.

use crate::command::{compile_text, files, mpirun, root, run, scratch};
use std::fmt::Write;

/// A parameter of a function: its type, with its stars, and its name.
#[derive(Clone, Debug)]
struct Parameter {
    kind: String,
    name: String,
}

impl Parameter {
    fn new(text: &str) -> Self {
        let array = text.contains('[');
        let text = text.split('[').next().unwrap().trim();
        let start = text.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |place| place + 1);
        let (kind, name) = text.split_at(start);
        let stars = if array { "*" } else { "" };
        let kind = kind.replace("const ", "").replace(' ', "") + stars;
        Self { kind, name: name.into() }
    }

    fn is_pointer(&self) -> bool {
        self.kind.ends_with('*') || self.kind.ends_with("_function")
    }

    /// Whether the function does something with a null pointer: it stands for something not asked for, or for an address.
    fn may_be_null(&self, function: &str) -> bool {
        let statuses = matches!(self.name.as_str(), "status" | "statuses" | "array_of_statuses");
        let reported = matches!(function, "Get_count" | "Get_elements" | "Test_cancelled");
        match self.name.as_str() {
            // What is not asked for is null.
            _ if function.starts_with("T_") => true,
            _ if statuses => !function.starts_with("Status_") && !reported && !function.starts_with("Get_"),
            "argc" | "argv" | "extra" | "extra_state" | "user_data" | "object" | "obj_handle" => true,
            // Values and addresses, of which nothing is looked at.
            "attribute_val" if function.contains("_set_") || function.ends_with("_put") => true,
            "location" | "array_of_errcodes" | "array_of_argv" => true,
            // Nothing is given back; nothing is received; no text has room; no request is complete.
            "base" if function == "Free_mem" => true,
            "recvbuf" if function.to_lowercase().contains("exscan") => true,
            "value" | "pset_name" if function == "Info_get_string" || function.contains("nth_pset") => true,
            "indices" | "array_of_indices" => true,
            // MPI_COMM_NULL_COPY_FN, MPI_CONVERSION_FN_NULL and their kin.
            "copy" | "del" => true,
            name if name.ends_with("_attr_fn") || name.ends_with("_conversion_fn") => true,
            _ => false,
        }
    }
}

/// The functions of our headers that have pointers, with their parameters.
fn functions() -> Vec<(String, Vec<Parameter>)> {
    let mut text = String::new();
    for path in files(&root().join("include/weir"), "h") {
        text += &std::fs::read_to_string(path).unwrap();
    }
    let mut found = Vec::new();
    for declaration in text.split("WEIR_MPI(").skip(1) {
        let end = declaration.find("));").expect("a declaration ends");
        let mut parts = declaration[..end].splitn(3, ',');
        let (kind, name) = (parts.next().unwrap(), parts.next().unwrap().trim());
        let parameters = parts.next().unwrap().trim().trim_start_matches('(');
        let parameters: Vec<Parameter> = parameters.split(',').map(Parameter::new).collect();
        if kind == "int" && parameters.iter().any(Parameter::is_pointer) {
            found.push((name.to_owned(), parameters));
        }
    }
    found
}

/// A valid value for a parameter.
fn valid(function: &str, parameter: &Parameter) -> String {
    let of = |beginning: &str| function.starts_with(beginning);
    let Parameter { kind, name } = parameter;
    let (kind, name) = (kind.as_str(), name.as_str());
    let topology = match () {
        () if of("Graph") => "graph",
        () if of("Dist_graph_neighbors") => "adjacent",
        () if of("Cart") || function.to_lowercase().contains("neighbor_") => "grid",
        () if function.contains("emote") || of("Intercomm_merge") => "between",
        () => "world",
    };
    match (kind, name) {
        ("MPI_Comm", _) => topology,
        ("MPI_Datatype", _) => "MPI_INT",
        ("MPI_Op", _) => "MPI_SUM",
        ("MPI_Info", "info") if of("Info_") => "info",
        ("MPI_Info", _) => "MPI_INFO_NULL",
        ("MPI_Group", _) => "group",
        ("MPI_Win", _) => "win",
        ("MPI_File", _) => "file",
        ("MPI_Session", _) => "session",
        ("MPI_Errhandler", _) => "MPI_ERRORS_RETURN",
        ("MPI_Request", _) => "MPI_REQUEST_NULL",
        ("MPI_Message", _) => "MPI_MESSAGE_NO_PROC",
        ("int", "target_rank") => "0",
        ("int", "indegree" | "outdegree") => "1",
        ("int*", "index") if of("Graph_") => "(int[]){1}",
        ("int*", "degrees") => "(int[]){1}",
        ("int", "dest" | "source" | "rank") if !of("Graph") && !of("Cart") && !of("Win_") => "MPI_PROC_NULL",
        ("int", "amode") => "MPI_MODE_CREATE | MPI_MODE_RDWR",
        ("int", "order") => "MPI_ORDER_C",
        ("int", "typeclass") => "MPI_TYPECLASS_REAL",
        ("int", "lock") => "MPI_LOCK_SHARED",
        ("int", "split_type") => "MPI_COMM_TYPE_SHARED",
        ("int", "type_keyval" | "win_keyval" | "keyval" | "key") if !of("Comm_split") => "MPI_TAG_UB",
        ("int", "size" | "logical_size" | "p") => "4",
        ("int", "r" | "root" | "tag" | "sendtag" | "recvtag" | "assert" | "partition" | "color") => "0",
        ("MPI_Aint" | "MPI_Count" | "MPI_Offset" | "int", name)
            if name.contains("count") || name.starts_with('n') || name.contains("length") =>
        {
            "1"
        }
        ("MPI_Aint" | "MPI_Count" | "MPI_Offset", "size" | "outsize" | "insize") => "64",
        ("MPI_Aint" | "MPI_Count" | "MPI_Offset", _) => "0",
        ("int", name)
            if name.starts_with("max") || name == "len" || name == "unit" || name == "disp_unit" =>
        {
            "1"
        }
        ("int", "incount" | "outcount" | "n" | "outsize" | "insize") => "8",
        ("int", _) => "0",
        ("MPI_T_cvar_handle", _) => "cvar",
        ("MPI_T_pvar_handle", _) => "pvar",
        ("MPI_T_pvar_session", _) => "pvar_session",
        (kind, _) if kind.starts_with("MPI_T_") && !parameter.is_pointer() => "0",
        ("char*", "datarep") => "(void *)\"native\"",
        ("char*", "filename") => "(void *)\"null_pointers.data\"",
        ("char*", "key" | "name" | "service_name") => "(void *)\"weir_key\"",
        ("char*", "pset_name" | "stringtag" | "string" | "value" | "command") => "(void *)\"mpi://SELF\"",
        ("char*", _) => "text",
        ("MPI_Datatype*", _) => "types",
        ("MPI_Request*", _) => "requests",
        ("MPI_Status*", _) => "statuses",
        ("MPI_Comm*", _) => "&(MPI_Comm){MPI_COMM_NULL}",
        ("MPI_Message*", _) => "&(MPI_Message){MPI_MESSAGE_NO_PROC}",
        ("int*", name) if name.contains("counts") || name.contains("sizes") || name.contains("dims") => {
            "ones"
        }
        ("MPI_Count*", name) if name.contains("counts") || name.contains("sizes") => "long_ones",
        (_, name) if parameter.is_pointer() && (kind.contains("_function") || name.ends_with("_fn")) => {
            "(void *)nothing"
        }
        (_, _) if parameter.is_pointer() => "(void *)fresh()",
        _ => "0",
    }
    .to_owned()
}

const HEAD: &str = include_str!("../programs/null_pointers_head.c");

/// The program, and what each of its cases is: the function and the parameter.
fn program() -> (String, Vec<(String, Parameter)>) {
    let mut text = HEAD.replace("MPI_T_ERR_CANNOT_INIT_LIMIT", "1000");
    let mut cases = Vec::new();
    for (name, parameters) in functions() {
        for null in parameters.iter().filter(|parameter| parameter.is_pointer()) {
            let values: Vec<String> = parameters
                .iter()
                .map(
                    |parameter| {
                        if parameter.name == null.name { "0".into() } else { valid(&name, parameter) }
                    },
                )
                .collect();
            let call = format!("MPI_{name}({})", values.join(", "));
            _ = writeln!(text, "    CASE({}, \"{name} {}\", {call})", cases.len(), null.name);
            cases.push((name.clone(), null.clone()));
        }
    }
    text += "    printf(\"end\\n\");\n    fflush(stdout);\n    MPI_Abort(MPI_COMM_WORLD, 1);\n}\n";
    (text, cases)
}

#[test]
fn null_pointers_are_error_classes_everywhere() {
    let folder = scratch();
    let (text, cases) = program();
    assert!(cases.len() > 900, "{} pointers", cases.len());
    let program = compile_text(&text, "null_pointers", folder.path());
    let (mut next, mut mistakes) = (0, Vec::new());
    while next < cases.len() {
        let ended = run(mpirun(1).arg(&program).arg(next.to_string()).current_dir(folder.path()));
        let mut open = None;
        for line in ended.stdout.lines().filter(|line| line.starts_with("case ")) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let number: usize = words[1].parse().unwrap();
            next = number + 1;
            let (function, parameter) = &cases[number];
            match words.get(5).map(|code| code.parse::<i32>().unwrap()) {
                None => open = Some(number),
                Some(0) if !parameter.may_be_null(function) => {
                    mistakes.push(format!("MPI_{function}: {} null is no mistake", parameter.name));
                }
                Some(_) => {}
            }
        }
        if let Some(number) = open {
            let (function, parameter) = &cases[number];
            let why = ended.stderr.lines().find(|line| line.contains("rank 0")).unwrap_or("it ends the run");
            mistakes.push(format!("MPI_{function}: {} null: {why}", parameter.name));
        } else if !ended.stdout.contains("end\n") {
            panic!("it ends before its end: {}\n{}", ended.stdout, ended.stderr);
        }
    }
    assert!(mistakes.is_empty(), "{} mistakes\n{}", mistakes.len(), mistakes.join("\n"));
}
