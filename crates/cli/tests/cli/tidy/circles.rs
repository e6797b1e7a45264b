//! Files of a crate that import each other in a circle: none of them can be read, or moved, without the others.

use super::Text;
use std::collections::{BTreeMap, BTreeSet};

/// The largest circle of files of each crate that has one. Numbers may only fall.
const LARGEST: [(&str, usize); 11] = [
    ("capi", 4),
    ("causes", 2),
    ("cli", 2),
    ("collectives", 4),
    ("coroutine", 3),
    ("experiment", 3),
    ("flow", 3),
    ("message", 2),
    ("network", 2),
    ("packet", 3),
    ("topology", 2),
];

/// A module: its names from the root of its crate.
type Module = Vec<String>;

/// The modules of a crate, each with its text without tests.
fn modules<'a>(texts: &'a [Text], name: &str) -> BTreeMap<Module, &'a str> {
    let folder = format!("crates/{name}/src/");
    let files =
        texts.iter().filter_map(|text| Some((text.path.strip_prefix(&folder)?.strip_suffix(".rs")?, text)));
    let code = files.filter(|(path, _)| !path.split('/').any(|part| part == "tests" || part == "testing"));
    code.map(|(path, text)| {
        let path = path.strip_suffix("/mod").unwrap_or(path);
        let names = path.split('/').filter(|&part| part != "lib" && part != "main");
        let product = text.content.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        (names.map(str::to_owned).collect(), product)
    })
    .collect()
}

/// All paths in a text that begin with `crate`, `super` or `self`, with the braces of imports written out.
fn paths(text: &str, module: &Module) -> Vec<Module> {
    let mut found = Vec::new();
    for line in statements(text) {
        for (start, _) in line.match_indices("::") {
            let before = &line[..start];
            let first = before.rsplit(|letter: char| !letter.is_alphanumeric() && letter != '_').next();
            let base = match first {
                Some("crate") => Vec::new(),
                Some("self") => module.clone(),
                Some("super") if !before.ends_with("super::super") => {
                    module[..module.len().saturating_sub(1)].to_vec()
                }
                _ => continue,
            };
            written_out(&line[start + 2..], base, &mut found);
        }
    }
    found
}

/// The code of a text, imports of several lines on one.
fn statements(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut open = String::new();
    for line in text.lines().map(|line| line.split("//").next().unwrap_or_default().trim()) {
        open += line;
        let import = open.starts_with("use ") || open.starts_with("pub use ") || open.starts_with("pub(");
        if !import || !open.contains("use ") || open.ends_with(';') {
            all.push(std::mem::take(&mut open));
        }
    }
    all
}

/// Adds the paths that a path with braces stands for; returns what is behind it.
fn written_out<'a>(mut rest: &'a str, mut path: Module, found: &mut Vec<Module>) -> &'a str {
    loop {
        if let Some(inner) = rest.strip_prefix('{') {
            rest = inner;
            while !rest.is_empty() && !rest.starts_with('}') {
                rest = written_out(rest, path.clone(), found).trim_start_matches([',', ' ']);
            }
            return rest.strip_prefix('}').unwrap_or(rest);
        }
        let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
        let (name, behind) = rest.split_at(end);
        match name {
            "super" => _ = path.pop(),
            "self" | "" => {}
            _ => path.push(name.to_owned()),
        }
        rest = behind;
        match rest.strip_prefix("::") {
            Some(more) => rest = more,
            None => break,
        }
        if end == 0 {
            break;
        }
    }
    found.push(path);
    // A star or another name for it.
    rest.trim_start_matches(|letter: char| {
        letter == '*' || letter == ' ' || letter.is_alphanumeric() || letter == '_'
    })
}

/// The file that a path leads to, through the names that modules import from others.
fn target(
    path: &Module,
    modules: &BTreeMap<Module, &str>,
    imports: &BTreeMap<(Module, String), Module>,
    depth: usize,
) -> Option<Module> {
    let length = (0..=path.len()).rev().find(|&length| modules.contains_key(&path[..length]))?;
    let module = path[..length].to_vec();
    let next = path.get(length).and_then(|name| imports.get(&(module.clone(), name.clone())));
    match next {
        Some(next) if depth < 8 && *next != path[..=length] => target(next, modules, imports, depth + 1),
        _ => Some(module),
    }
}

/// For each module the modules that it imports.
fn arrows(modules: &BTreeMap<Module, &str>) -> BTreeMap<Module, BTreeSet<Module>> {
    let mut imports = BTreeMap::new();
    for (module, text) in modules {
        for line in statements(text).iter().filter(|line| line.contains("use ")) {
            let line = line.split_once("use ").map_or("", |(_, line)| line);
            let first = line.split("::").next().unwrap_or_default();
            let child = [&module[..], &[first.to_owned()]].concat();
            let mut found = Vec::new();
            if modules.contains_key(&child) {
                written_out(line, module.clone(), &mut found);
            } else {
                found = paths(line, module);
            }
            for path in found.into_iter().filter(|path| !path.is_empty()) {
                imports.insert((module.clone(), path[path.len() - 1].clone()), path);
            }
        }
    }
    let of = |(module, text): (&Module, &&str)| {
        let reached = paths(text, module).into_iter().filter_map(|path| target(&path, modules, &imports, 0));
        (module.clone(), reached.filter(|other| other != module).collect())
    };
    modules.iter().map(of).collect()
}

/// Everything that is reached from a module.
fn reached(from: &Module, arrows: &BTreeMap<Module, BTreeSet<Module>>) -> BTreeSet<Module> {
    let (mut seen, mut next) = (BTreeSet::new(), vec![from.clone()]);
    while let Some(module) = next.pop() {
        for other in arrows.get(&module).into_iter().flatten() {
            if seen.insert(other.clone()) {
                next.push(other.clone());
            }
        }
    }
    seen
}

/// The largest set of modules that all reach each other.
fn largest(arrows: &BTreeMap<Module, BTreeSet<Module>>) -> BTreeSet<Module> {
    let reach: BTreeMap<&Module, BTreeSet<Module>> =
        arrows.keys().map(|module| (module, reached(module, arrows))).collect();
    let circle = |module: &&Module| -> BTreeSet<Module> {
        reach[*module].iter().filter(|other| reach[other].contains(*module)).cloned().collect()
    };
    reach.keys().map(circle).max_by_key(BTreeSet::len).unwrap_or_default()
}

#[test]
fn no_new_circle_of_files() {
    let texts = super::texts();
    let mut mistakes = Vec::new();
    for (name, _) in super::arrows() {
        let circle = largest(&arrows(&modules(&texts, name)));
        let most = LARGEST.iter().find(|(other, _)| *other == name).map_or(0, |(_, most)| *most);
        if circle.len() != most {
            let files: Vec<String> = circle.iter().map(|module| module.join("/")).collect();
            mistakes.push(format!(
                "{name}: {} files in a circle, {most} expected: {}",
                circle.len(),
                files.join(", ")
            ));
        }
    }
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}

#[test]
fn a_circle_is_found() {
    let texts: Vec<Text> = [
        ("lib", "mod a;\nmod b;\nmod c;\npub use a::One;"),
        ("a", "use crate::b::{\n    deep::Two,\n    Three,\n};"),
        ("b", "mod deep;\nuse crate::c::Four;"),
        ("b/deep", "use super::Five; // crate::a::Six"),
        ("c", "fn f() { crate::One::new() }"),
        ("d", "use crate::a::One;"),
    ]
    .map(|(name, content)| Text { path: format!("crates/x/src/{name}.rs"), content: content.to_owned() })
    .into();
    let circle = largest(&arrows(&modules(&texts, "x")));
    let files: Vec<String> = circle.iter().map(|module| module.join("/")).collect();
    assert_eq!(files, ["a", "b", "b/deep", "c"]);
}
