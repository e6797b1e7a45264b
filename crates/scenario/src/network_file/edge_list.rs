//! Edge lists in CSV: a header, then one cable per row.
//!
//! Columns, in any order: `source`, `target`; and if need be `bandwidth`, `latency`, `source_kind`, `target_kind`,
//! `directed`. A row without `target` is a vertex without a cable. Empty fields say nothing; lines that begin with `#`
//! do not count.

use super::lines::Lines;
use super::network::{Cable, FileMistake, Network};
use super::quotes;
use csv::{ReaderBuilder, StringRecord, Trim};

const COLUMNS: [&str; 7] =
    ["source", "target", "bandwidth", "latency", "source_kind", "target_kind", "directed"];

type Place = [Option<usize>; COLUMNS.len()];

pub(super) fn read(text: &str) -> Network {
    let mut network = Network::default();
    network.mistakes = quotes::check(text);
    if !network.mistakes.is_empty() {
        return network;
    }
    let mut reader =
        ReaderBuilder::new().comment(Some(b'#')).trim(Trim::All).flexible(true).from_reader(text.as_bytes());
    let header = match reader.headers() {
        Ok(header) => header.clone(),
        Err(error) => {
            network.mistake(FileMistake::new(1, "", format!("not CSV: {error}")));
            return network;
        }
    };
    let place: Place = COLUMNS.map(|column| header.iter().position(|field| field == column));
    let lines = Lines::new(text);
    let line = lines.of_record(header.position());
    if place[0].is_none() || place[1].is_none() {
        let hint = format!("known columns are {}", COLUMNS.join(", "));
        let what = "the first line must name the columns source and target";
        network.mistake(FileMistake::new(line, header.get(0).unwrap_or_default(), what).hint(hint));
        return network;
    }
    for (at, field) in header.iter().enumerate() {
        if header.iter().take(at).any(|before| before == field) {
            network.mistake(FileMistake::new(line, field, "the column is there twice"));
        }
    }
    for field in header.iter().filter(|field| !COLUMNS.contains(field)) {
        let hint = format!("known columns are {}", COLUMNS.join(", "));
        network.mistake(FileMistake::new(line, field, "unknown column").hint(hint));
    }
    for record in reader.records() {
        match record {
            Ok(record) => {
                let line = lines.of_record(record.position());
                row(&record, line, &place, header.len(), &mut network);
            }
            Err(error) => {
                let line = lines.of_record(error.position());
                network.mistake(FileMistake::new(line, "", format!("not CSV: {error}")));
            }
        }
    }
    network
}

fn row(record: &StringRecord, line: usize, place: &Place, columns: usize, network: &mut Network) {
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
