//! Archives of OTF2 (Score-P): `NAME.otf2`, which says how the others are written, `NAME.def` with definitions, and `NAME/LOCATION.def` and `NAME/LOCATION.evt` for each location.
//!
//! The format has no description but the library that writes it (OTF2, BSD licence); what is read here was compared with what its `otf2-print` says. An own reader, because the library is one
//! of C that those who build weir would have to install.

mod definitions;
mod events;
mod records;

use crate::reading::Reading;
use crate::work::Work;
use definitions::{Definitions, Mappings};
use events::OfRank;
use records::Records;
use std::path::Path;
use weir_formats::graph::GraphFile;
use weir_units::Rank;

/// Counts of all that is passed over.
#[derive(Default)]
struct Passed {
    events: u64,
    looks: u64,
    totals: u64,
}

pub(crate) fn read(path: &Path, reading: &mut Reading) -> Option<GraphFile> {
    let [events, definitions] = chunks(path).map_err(|what| reading.wrong_whole(what, None)).ok()?;
    let file = path.with_extension("def");
    let all = definitions::read(&file, definitions);
    let wrong = |what| reading.wrong_whole(format!("{}: {what}", file.display()), None);
    let all = all.map_err(wrong).ok()?;
    let mut work = Work::new(all.locations.len() as u64, 0, reading)?;
    for (number, members) in all.communicators.values().filter(|(number, _)| *number > 1) {
        let members = members.iter().copied().map(Rank).collect();
        work.builder.define(*number, (members, Vec::new()));
    }
    let mut passed = Passed::default();
    for (rank, location) in (0..).zip(&all.locations) {
        let folder = path.with_extension("");
        let name = format!("{}/{location}", folder.file_name().unwrap_or_default().to_string_lossy());
        let of_rank = (events, definitions, rank);
        if let Err(what) =
            of_location(&folder.join(location.to_string()), &name, of_rank, &all, &mut passed, &mut work)
        {
            work.reading.wrong_whole(what, None);
        }
    }
    if passed.events > 0 {
        work.reading
            .note(format!("{} events of other kinds, such as metrics, are passed over", passed.events));
    }
    if passed.looks > 0 {
        work.reading.note(format!("{} tests of requests in vain are not tasks", passed.looks));
    }
    if passed.totals > 0 {
        work.reading.note(format!(
            "{} calls of MPI_Allgatherv have equal blocks here: the trace has sums only",
            passed.totals
        ));
    }
    work.finish()
}

/// Sizes of the chunks of events and of definitions.
fn chunks(path: &Path) -> Result<[u64; 2], String> {
    let bytes = std::fs::read(path).map_err(|error| format!("cannot be read: {error}"))?;
    let (Some(head), Some(&[substrate, compression])) = (bytes.get(12..28), bytes.get(28..30)) else {
        return Err("it is no archive of OTF2, or cut off".into());
    };
    if (substrate, compression) != (1, 1) {
        return Err("its files are compressed, or in one of SIONlib: Score-P writes plain files with SCOREP_TRACING_USE_SION=no".into());
    }
    let is_little = bytes[1] == b'B';
    let number = |bytes: &[u8]| {
        let bytes = bytes.try_into().unwrap_or_default();
        if is_little { u64::from_le_bytes(bytes) } else { u64::from_be_bytes(bytes) }
    };
    Ok([number(&head[..8]), number(&head[8..])].map(|chunk| chunk.max(1)))
}

fn of_location(
    files: &Path,
    name: &str,
    (events, definitions, rank): (u64, u64, u32),
    all: &Definitions,
    passed: &mut Passed,
    work: &mut Work<'_>,
) -> Result<(), String> {
    let own = files.with_extension("def");
    let own = if own.is_file() {
        Mappings::read(&own, definitions).map_err(|what| format!("{name}.def: {what}"))?
    } else {
        Mappings::default()
    };
    let of_file = |what: String| format!("{name}.evt: {what}");
    let mut records = Records::open(&files.with_extension("evt"), events, true).map_err(of_file)?;
    let mut state = OfRank::new(rank, name, all, own);
    loop {
        let place = |what: String, records: &Records| format!("{name}.evt, {}: {what}", records.place());
        let Some(kind) = records.next().map_err(|what| place(what, &records))? else { break };
        state.event(kind, &records, work).map_err(|what| place(what, &records))?;
    }
    state.finish(work);
    passed.events += state.passed;
    passed.looks += state.looked;
    passed.totals += state.totals;
    if state.is_over { Ok(()) } else { Err(of_file("it has no MPI_Finalize: it is cut off".into())) }
}
