//! Files in CSV: edge lists, and routes of a graph. Empty fields say nothing; lines that begin with `#` do not count.

use super::{Cable, FileMistake, Network};
use crate::source::read_text::Lines;
use csv::{ReaderBuilder, StringRecord, Trim};
use weir_topology::{GivenRoutes, Graph, Hop, Topology};

pub(super) const COLUMNS: [&str; 7] =
    ["source", "target", "bandwidth", "latency", "source_kind", "target_kind", "directed"];

type Place = [Option<usize>; COLUMNS.len()];

fn reader() -> ReaderBuilder {
    let mut reader = ReaderBuilder::new();
    reader.comment(Some(b'#')).trim(Trim::All).flexible(true);
    reader
}

fn not_csv(line: usize, error: &csv::Error) -> FileMistake {
    FileMistake::new(line, "", format!("not CSV: {error}"))
}

/// Reads an edge list: a header, then one cable per row. Columns, in any order: `source`, `target`; and if need be `bandwidth`,
/// `latency`, `source_kind`, `target_kind`, `directed`. A row without `target` is a vertex without a cable.
pub(super) fn edge_list(text: &str) -> Result<Network, Vec<FileMistake>> {
    quotes(text)?;
    let mut network = Network::default();
    let mut reader = reader().from_reader(text.as_bytes());
    let header = reader.headers().map_err(|error| vec![not_csv(1, &error)])?.clone();
    let place: Place = COLUMNS.map(|column| header.iter().position(|field| field == column));
    let lines = Lines::new(text);
    let line = lines.of_record(header.position());
    let hint = || format!("known columns are {}", COLUMNS.join(", "));
    if place[0].is_none() || place[1].is_none() {
        let what = "the first line must name the columns source and target";
        return Err(vec![FileMistake::new(line, header.get(0).unwrap_or_default(), what).hint(hint())]);
    }
    for (at, field) in header.iter().enumerate() {
        if header.iter().take(at).any(|before| before == field) {
            network.mistake(FileMistake::new(line, field, "the column is there twice"));
        }
    }
    for field in header.iter().filter(|field| !COLUMNS.contains(field)) {
        network.mistake(FileMistake::new(line, field, "unknown column").hint(hint()));
    }
    for record in reader.records() {
        match record {
            Ok(record) => {
                let line = lines.of_record(record.position());
                cable(&record, line, &place, header.len(), &mut network);
            }
            Err(error) => network.mistake(not_csv(lines.of_record(error.position()), &error)),
        }
    }
    Ok(network)
}

fn cable(record: &StringRecord, line: usize, place: &Place, columns: usize, network: &mut Network) {
    if record.len() != columns {
        let what = format!("{} fields, but the first line has {columns} columns", record.len());
        let hint = "a field may be empty, but its comma must be there";
        network.mistake(FileMistake::new(line, "", what).hint(hint));
        return;
    }
    let field = |column: usize| {
        let text = record.get(place[column]?)?;
        (!text.is_empty()).then_some(text)
    };
    let Some(source) = field(0) else {
        network.mistake(FileMistake::new(line, "", "the row has no source"));
        return;
    };
    let kind = field(4).and_then(|text| network.kind(text, line));
    let from = network.mention(source, kind, line);
    let Some(target) = field(1) else { return };
    let kind = field(5).and_then(|text| network.kind(text, line));
    let to = network.mention(target, kind, line);
    let bandwidth = field(2).and_then(|text| network.bandwidth(text, line));
    let latency = field(3).and_then(|text| network.latency(text, line));
    let duplex = match field(6) {
        None | Some("false") => true,
        Some("true") => false,
        Some(text) => {
            network.mistake(FileMistake::new(line, text, "directed must be true or false"));
            true
        }
    };
    network.cables.push(Cable { from, to, bandwidth, latency, duplex, line });
}

/// Checks the quotation marks of each line: the reader of CSV lets one that is not closed swallow the rows behind it. A field begins and
/// ends with one or has none; within it two stand for one; names have no line breaks.
fn quotes(text: &str) -> Result<(), Vec<FileMistake>> {
    let quoted = |line: &&str| line.contains('"') && !line.starts_with('#');
    let lines = (1..).zip(text.lines()).filter(|(_, line)| quoted(line));
    let wrong = lines.filter_map(|(number, line)| {
        let what = mistake(line)?;
        let hint = "write \"a field\" with one at each end, and two for one within it";
        Some(FileMistake::new(number, line, what).hint(hint))
    });
    let wrong: Vec<FileMistake> = wrong.collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

fn mistake(line: &str) -> Option<&'static str> {
    let mut rest = line;
    loop {
        let field = rest.trim_start();
        rest = match field.strip_prefix('"') {
            Some(quoted) => {
                let Some(behind) = closed(quoted) else { return Some("a quotation mark is not closed") };
                let behind = behind.trim_start();
                if !behind.is_empty() && !behind.starts_with(',') {
                    return Some("there is something behind a closing quotation mark");
                }
                behind
            }
            None => {
                let (own, behind) = field.split_at(field.find(',').unwrap_or(field.len()));
                if own.contains('"') {
                    return Some("there is a quotation mark within a field");
                }
                behind
            }
        };
        rest = rest.strip_prefix(',')?;
    }
}

fn closed(field: &str) -> Option<&str> {
    let mut rest = field;
    loop {
        rest = &rest[rest.find('"')? + 1..];
        match rest.strip_prefix('"') {
            Some(behind) => rest = behind,
            None => return Some(rest),
        }
    }
}

const HEADER: [&str; 3] = ["source", "destination", "via"];
/// More missing routes are only counted.
const MOST_MISSING: usize = 5;

/// Reads the routes of a graph: the header `source,destination,via`, then one row per pair of nodes: the names of both
/// nodes and of all routers between them, as many fields as it takes. A field `#2` says that the second of several links
/// leads from the router before it to the router behind it. A field `@1` says that the route is in class 1 of virtual
/// channels from the next link on; it begins in class 0. Without such a field in the whole file classes are found.
pub(crate) fn routes(text: &str, graph: &Graph) -> Result<Graph, Vec<FileMistake>> {
    quotes(text)?;
    let mut reader = reader().has_headers(false).from_reader(text.as_bytes());
    let mut routes = GivenRoutes::of(graph);
    let mut mistakes = Vec::new();
    let lines = Lines::new(text);
    let mut header = false;
    for record in reader.records() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                mistakes.push(not_csv(lines.of_record(error.position()), &error));
                continue;
            }
        };
        let line = lines.of_record(record.position());
        if !std::mem::replace(&mut header, true) {
            if record.iter().ne(HEADER) {
                let what = "the first line must be source,destination,via";
                return Err(vec![FileMistake::new(line, &written(&record), what)]);
            }
            continue;
        }
        if let Err((what, hint)) = route(&record, graph, &mut routes) {
            mistakes.push(FileMistake { hint, ..FileMistake::new(line, &written(&record), what) });
        }
    }
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    graph.with_routes(routes).map_err(|missing| {
        let machine = Topology::Graph(graph.clone());
        let pair = |&(a, b): &(_, _)| format!("from {:?} to {:?}", machine.address(a), machine.address(b));
        let some: Vec<_> = missing.iter().take(MOST_MISSING).map(pair).collect();
        let rest = missing.len().saturating_sub(MOST_MISSING);
        let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
        let what = format!("there is no route {}{more}", some.join(", "));
        let hint = "a routes file has a line for every ordered pair of different nodes";
        vec![FileMistake::new(None, "", what).hint(hint)]
    })
}

fn written(record: &StringRecord) -> String {
    record.iter().collect::<Vec<_>>().join(",")
}

type Wrong = (String, Option<String>);

fn route(record: &StringRecord, graph: &Graph, routes: &mut GivenRoutes) -> Result<(), Wrong> {
    let node = |place| {
        let name = record.get(place).unwrap_or_default();
        graph.node_named(name).ok_or_else(|| (format!("there is no node {name:?}"), None))
    };
    let (source, destination) = (node(0)?, node(1)?);
    let mut hops = Vec::new();
    let (mut parallel, mut class) = (0, None);
    for field in record.iter().skip(2).filter(|field| !field.is_empty()) {
        if let Some(number) = field.strip_prefix('#') {
            let number: Option<u32> = number.parse().ok().filter(|&number| number > 0);
            parallel = number
                .ok_or_else(|| (format!("{field:?} is not the number of a link such as #2"), None))?
                - 1;
            continue;
        }
        // A router may have such a name.
        if let Some(number) = field.strip_prefix('@')
            && graph.router_named(field).is_none()
        {
            let number: Option<u8> = number.parse().ok();
            class = Some(number.ok_or_else(|| (format!("{field:?} is not a class such as @1"), None))?);
            continue;
        }
        let router =
            graph.router_named(field).ok_or_else(|| (format!("there is no router {field:?}"), None))?;
        hops.push(Hop { router, parallel: std::mem::take(&mut parallel), class });
    }
    routes.add(graph, source, destination, &hops).map_err(|mistake| (mistake.what, mistake.hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_come_in_pairs() {
        for right in ["a,b", "\"a\",b", "\"a\"\"b\", \"c,d\" ,", "", "\"\",\"\""] {
            assert_eq!(mistake(right), None, "{right}");
        }
        assert_eq!(mistake("a,\"b"), Some("a quotation mark is not closed"));
        assert_eq!(mistake("a,\"b\"\""), Some("a quotation mark is not closed"));
        assert_eq!(mistake("a\"b,c"), Some("there is a quotation mark within a field"));
        assert_eq!(mistake("\"a\"b,c"), Some("there is something behind a closing quotation mark"));
        let lines: Vec<_> =
            quotes("# \"\na,b\n\"a,b\nc,d\"\n").unwrap_err().iter().map(|mistake| mistake.line).collect();
        assert_eq!(lines, [Some(3), Some(4)]);
    }
}
