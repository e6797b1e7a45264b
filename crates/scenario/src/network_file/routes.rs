//! Routes of a graph: CSV with the header `source,destination,via`, then one row per pair of nodes: the names of both
//! nodes and of all routers between them, as many fields as it takes. A field `#2` says that the second of several links
//! leads from the router before it to the router behind it. A field `@1` says that the route is in class 1 of virtual
//! channels from the next link on; it begins in class 0. Without such a field in the whole file classes are found.

use super::FileMistake;
use super::lines::Lines;
use super::quotes;
use csv::{ReaderBuilder, StringRecord, Trim};
use weir_topology::{GivenRoutes, Graph, Hop, Topology};

const HEADER: [&str; 3] = ["source", "destination", "via"];
/// More missing routes are only counted.
const MOST_MISSING: usize = 5;

/// The graph with the routes of a file.
pub(crate) fn read(text: &str, graph: &Graph) -> Result<Graph, Vec<FileMistake>> {
    let marks = quotes::check(text);
    if !marks.is_empty() {
        return Err(marks);
    }
    let mut reader = ReaderBuilder::new()
        .comment(Some(b'#'))
        .trim(Trim::All)
        .flexible(true)
        .has_headers(false)
        .from_reader(text.as_bytes());
    let mut routes = GivenRoutes::of(graph);
    let mut mistakes = Vec::new();
    let lines = Lines::new(text);
    let mut header = false;
    for record in reader.records() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                let line = lines.of_record(error.position());
                mistakes.push(FileMistake::new(line, "", format!("not CSV: {error}")));
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
        if let Err((what, hint)) = row(&record, graph, &mut routes) {
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
        vec![FileMistake {
            line: None,
            value: String::new(),
            what: format!("there is no route {}{more}", some.join(", ")),
            hint: Some("a routes file has a line for every ordered pair of different nodes".into()),
        }]
    })
}

fn written(record: &StringRecord) -> String {
    record.iter().collect::<Vec<_>>().join(",")
}

type Wrong = (String, Option<String>);

fn row(record: &StringRecord, graph: &Graph, routes: &mut GivenRoutes) -> Result<(), Wrong> {
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
