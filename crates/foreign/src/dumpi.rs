//! Traces of DUMPI (sst-dumpi, SST/macro): a binary file of MPI calls for each rank, `PREFIX-0000.bin`, and a text about all of them, `PREFIX.meta`.
//!
//! Sources: `docs/traceformat.dox` and the headers of sst-dumpi. Files are read once, call by call; a second time only where ranks make communicators, for it takes the calls of all to know
//! who is in one.

mod calls;
mod communicators;
mod functions;
mod stream;

use crate::calls::{Calls, Clock};
use crate::reading::Reading;
use crate::work::Work;
use calls::OfRank;
use communicators::{Event, Made};
use functions::{ABOUT_GROUPS, Function};
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use stream::{Call, Trace};
use weir_formats::MOST_RANKS;
use weir_formats::graph::GraphFile;
use weir_units::Rank;

pub(crate) fn read(path: &Path, reading: &mut Reading) -> Option<GraphFile> {
    let files = files(path).map_err(|what| reading.wrong_whole(what, None)).ok()?;
    let functions = functions::functions();
    let wrong = |(file, what): (&PathBuf, String)| format!("{}: {what}", name_of(file));
    let mut events = Vec::with_capacity(files.len());
    for file in &files {
        match events_of(file, &functions) {
            Ok(of_rank) => events.push(of_rank),
            Err(what) => reading.wrong_whole(wrong((file, what)), None),
        }
    }
    if reading.is_wrong() {
        return None;
    }
    let made = communicators::resolve(events).map_err(|what| reading.wrong_whole(what, None)).ok()?;
    let mut work = Work::new(files.len() as u64, 0, reading)?;
    for known in made.all.iter().filter(|known| known.number > 1) {
        let members = known.members.iter().copied().map(Rank).collect();
        work.builder.define(known.number, (members, Vec::new()));
    }
    let mut looked = 0;
    for (rank, file) in (0..).zip(&files) {
        match of_rank(rank, files.len() as u32, file, &made, &functions, &mut work) {
            Ok(vain) => looked += vain,
            Err(what) => work.reading.wrong_whole(wrong((file, what)), None),
        }
    }
    if looked > 0 {
        work.reading.note(format!("{looked} probes and tests in vain are not tasks: time between them is that of the rank's own work"));
    }
    work.finish()
}

fn name_of(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The files of all ranks, by the text about them or by one of them.
fn files(path: &Path) -> Result<Vec<PathBuf>, String> {
    let name = name_of(path);
    let (prefix, digits) = match name.strip_suffix(".bin").and_then(|stem| stem.rsplit_once('-')) {
        Some((prefix, rank)) => (prefix.to_owned(), rank.len()),
        None => {
            let text = std::fs::read_to_string(path).map_err(|error| format!("cannot be read: {error}"))?;
            let prefix =
                value(&text, "fileprefix").ok_or("fileprefix is missing: it names the files of the ranks")?;
            (name_of(Path::new(prefix)), 4)
        }
    };
    let meta = path.with_file_name(format!("{prefix}.meta"));
    let meta = if meta.is_file() { meta } else { path.to_owned() };
    let said = std::fs::read_to_string(&meta).ok().map(|text| {
        let ranks = value(&text, "numprocs").and_then(|number| number.parse().ok());
        ranks.filter(|ranks| (1..=MOST_RANKS).contains(ranks))
    });
    let of = |rank: u32| path.with_file_name(format!("{prefix}-{rank:0digits$}.bin"));
    let found = (0..MOST_RANKS).take_while(|&rank| of(rank).is_file()).count() as u32;
    match said {
        Some(None) => {
            Err(format!("{}: numprocs is no number of ranks from 1 to {MOST_RANKS}", name_of(&meta)))
        }
        Some(Some(ranks)) if found < ranks => Err(format!(
            "{} is missing: {} says that there are {ranks} ranks",
            name_of(&of(found)),
            name_of(&meta)
        )),
        Some(Some(ranks)) => Ok((0..ranks).map(of).collect()),
        None if found == 0 => Err(format!("{} is missing, the file of the first rank", name_of(&of(0)))),
        None => Ok((0..found).map(of).collect()),
    }
}

/// The value of a key in the text about all files.
fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.trim().strip_prefix(key)?.strip_prefix('=')).map(str::trim)
}

/// The calls of a rank about groups and communicators; none, if it makes no communicator.
fn events_of(file: &Path, functions: &[Function]) -> Result<VecDeque<Event>, String> {
    let mut trace = Trace::open(file)?;
    let makes = |(place, &(name, _)): (usize, &Function)| {
        !name.starts_with("Group_")
            && !matches!(name, "Comm_group" | "Comm_free")
            && ABOUT_GROUPS.contains(&name)
            && trace.counts[place] > 0
    };
    let mut events = VecDeque::new();
    if !functions.iter().enumerate().any(makes) {
        return Ok(events);
    }
    let mut call = Call::default();
    while trace
        .next(&mut call, functions)
        .map_err(|what| format!("call {} at byte {}: {what}", call.number, call.at))?
    {
        let name = functions.get(usize::from(call.function)).map_or("", |&(name, _)| name);
        if ABOUT_GROUPS.contains(&name) {
            let (numbers, lists) = (std::mem::take(&mut call.numbers), std::mem::take(&mut call.lists));
            events.push_back(Event { name, call: call.number, numbers, lists });
        }
    }
    Ok(events)
}

/// Adds the tasks of a rank, and returns how often it has looked in vain.
fn of_rank(
    rank: u32,
    ranks: u32,
    file: &Path,
    made: &Made,
    functions: &[Function],
    work: &mut Work<'_>,
) -> Result<u64, String> {
    let mut trace = Trace::open(file)?;
    let name = name_of(file);
    let mut state = OfRank {
        rank,
        ranks,
        file: &name,
        made,
        next: made.of_rank[rank as usize].clone(),
        sizes: (0..).zip(trace.sizes.iter().copied()).collect(),
        calls: Calls::default(),
        clock: Clock::default(),
        requests: BTreeMap::new(),
        communicators: BTreeMap::new(),
        ordered: Vec::new(),
        thread: None,
        is_over: false,
        looked: 0,
    };
    let mut call = Call::default();
    while trace
        .next(&mut call, functions)
        .map_err(|what| format!("call {} at byte {}: {what}", call.number, call.at))?
    {
        let Some(&(name, _)) = functions.get(usize::from(call.function)) else { continue };
        if let Err(what) = state.call(name, &call, work) {
            work.reading.wrong_whole(
                format!("{}, call {} at byte {}: MPI_{name}: {what}", state.file, call.number, call.at),
                None,
            );
        }
    }
    if !state.is_over {
        return Err("it has no MPI_Finalize: it is cut off".into());
    }
    Ok(state.looked)
}
