//! Node-link JSON, as `networkx.node_link_data` makes it: `nodes` with `id`, and `links` or `edges` with `source` and
//! `target`; `directed` says whether an edge goes one way.

use super::{Cable, FileMistake, Network};
use crate::source::read_text::Lines;
use crate::source::tree::Keys;
use serde_json::Value;
use serde_json::value::RawValue;

type Object<'a> = Keys<&'a RawValue>;

pub(super) fn read(text: &str) -> Result<Network, Vec<FileMistake>> {
    let mut network = Network::default();
    let root: Object<'_> = serde_json::from_str(text)
        .map_err(|error| vec![FileMistake::new(error.line(), "", format!("not a JSON object: {error}"))])?;
    let lines = Lines::new(text);
    let mut file = File { network: &mut network, lines: &lines };
    let directed = root.get("directed").is_some_and(|raw| raw.get() == "true");
    for (object, line) in file.objects(&root, &["nodes"]) {
        match object.get("id").or(object.get("name")) {
            Some(id) => {
                let kind = object.get("kind").map(|raw| in_words(raw));
                let kind = kind.and_then(|text| file.network.kind(&text, line));
                file.network.declare(in_words(id).trim(), kind, line);
            }
            None => file.network.mistake(FileMistake::new(line, "", "a vertex has no id")),
        }
    }
    for (object, line) in file.objects(&root, &["links", "edges"]) {
        let mut end = |key| match object.get(key) {
            Some(id) => file.network.end(in_words(id).trim(), line),
            None => {
                file.network.mistake(FileMistake::new(line, "", format!("a cable has no {key}")));
                None
            }
        };
        let ends = (end("source"), end("target"));
        let words = |key| object.get(key).filter(|raw| raw.get() != "null").map(|raw| in_words(raw));
        let bandwidth = words("bandwidth").and_then(|text| file.network.bandwidth(&text, line));
        let latency = words("latency").and_then(|text| file.network.latency(&text, line));
        if let (Some(from), Some(to)) = ends {
            file.network.cables.push(Cable { from, to, bandwidth, latency, duplex: !directed, line });
        }
    }
    Ok(network)
}

struct File<'a, 'text> {
    network: &'a mut Network,
    lines: &'a Lines<'text>,
}

impl File<'_, '_> {
    fn objects<'a>(&mut self, root: &Object<'a>, names: &[&str]) -> Vec<(Object<'a>, usize)> {
        let Some(raw) = names.iter().find_map(|name| root.get(name)) else {
            let what = format!("not node-link JSON: there is no list {}", names.join(" or "));
            self.network.mistake(FileMistake::new(None, "", what));
            return Vec::new();
        };
        let Ok(list) = serde_json::from_str::<Vec<&RawValue>>(raw.get()) else {
            let what = format!("{} must be a list", names.join(" or "));
            self.network.mistake(FileMistake::new(self.lines.of_part(raw.get()), "", what));
            return Vec::new();
        };
        let mut objects = Vec::with_capacity(list.len());
        for item in list {
            let line = self.lines.of_part(item.get());
            match serde_json::from_str(item.get()) {
                Ok(object) => objects.push((object, line)),
                Err(error) if item.get().starts_with('{') => {
                    // The place counts within the object.
                    let what = error.to_string();
                    let what = what.split(" at line ").next().unwrap_or(&what);
                    self.network.mistake(FileMistake::new(line, item.get(), what));
                }
                Err(_) => self.network.mistake(FileMistake::new(line, item.get(), "must be an object")),
            }
        }
        objects
    }
}

/// A text without its quotes; anything else as JSON without blanks: `0`, `[0,1]`.
fn in_words(raw: &RawValue) -> String {
    match serde_json::from_str(raw.get()) {
        Ok(Value::String(text)) => text,
        // A number stays as it is written.
        Ok(Value::Number(_)) | Err(_) => raw.get().to_owned(),
        Ok(value) => value.to_string(),
    }
}
