//! The files of all ranks become one profile.

use crate::clock::Clock;
use crate::file::{FileError, Head, Layout, Records};
use crate::groups::Numbers;
use crate::rank::{Lost, RankReader};
use crate::sites::Sites;
use crate::source;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use weir_formats::profile::{Format, Writer};
use weir_operations::{Operation, Step};
use weir_units::{Duration, Rank};

/// Records between which events are handed on.
const AT_ONCE: usize = 4096;

/// Says what is in a profile, and what is not.
#[derive(Debug, Default)]
pub struct Joined {
    /// Number of ranks, and of events.
    pub ranks: usize,
    /// Number of events.
    pub events: u64,
    /// The things that the profile does not hold, and how often they were; calls by their names.
    pub lost: Vec<(String, u64)>,
    /// Ranks whose recording ends before `MPI_Finalize`, in words.
    pub unfinished: Vec<String>,
    /// Ranks that have no file.
    pub missing: Vec<usize>,
    /// The most by which clocks of different computers may differ from each other; `None` if all ranks had one clock.
    pub clock_error: Option<Duration>,
}

/// The files of a folder, of which the first belongs to the first rank that there is.
struct Ranks {
    files: Vec<(PathBuf, Head)>,
    size: usize,
    fingerprint: u64,
}

/// Writes what the ranks in a folder have recorded as a profile, and where their calls were made, if `sites` is given (as CSV, an
/// event a line: rank, number of the event, call, place).
///
/// # Errors
/// When the folder holds no recording of this version of weir, or something cannot be written.
pub fn join(
    folder: &Path,
    title: &str,
    format: Format,
    out: impl Write + Send,
    sites: Option<&mut dyn Write>,
) -> Result<Joined, FileError> {
    let functions = source::all();
    let layout = Layout::new(&functions);
    let ranks = Ranks::find(folder, &functions)?;
    let mut joined = Joined { ranks: ranks.size, ..Joined::default() };
    let mut lost = Lost::new();
    ranks.report(&layout, &mut joined, &mut lost);
    let clocks = ranks.clocks();
    let incomplete = joined.unfinished.len() + joined.missing.len();
    let title = match incomplete {
        0 => title.to_owned(),
        count => format!("{title}: up to where {count} ranks ended before MPI_Finalize"),
    };
    let mut writer = Writer::new(format, ranks.size, &title, out).map_err(FileError::Write)?;
    let mut numbers = Numbers::new(ranks.size as u32);
    let mut sites = sites.map(|out| Sites::new(folder, out)).transpose().map_err(FileError::Write)?;
    for ((path, head), clock) in ranks.files.iter().zip(clocks) {
        let (head, records) = (head, Head::read(path, &functions, ranks.fingerprint)?.1);
        numbers.begin(head.rank);
        if let Some(sites) = &mut sites {
            sites.begin(head.rank);
        }
        let mut reader = RankReader::new(&layout, head, clock, &mut numbers, &mut lost);
        let rank = Rank(head.rank);
        write_rank(&mut reader, (rank, head, records), &mut writer, sites.as_mut())
            .map_err(FileError::Write)?;
    }
    for &rank in &joined.missing {
        let end = Step { compute: Duration::ZERO, took: Some(Duration::ZERO), operation: Operation::End };
        writer.add(Rank::new(rank), end).map_err(FileError::Write)?;
    }
    joined.events = writer.finish().map_err(FileError::Write)?;
    joined.lost = lost.into_iter().collect();
    Ok(joined)
}

fn write_rank<W: Write + Send>(
    reader: &mut RankReader<'_>,
    (rank, head, records): (Rank, &Head, Records),
    writer: &mut Writer<W>,
    mut sites: Option<&mut Sites<'_>>,
) -> std::io::Result<()> {
    let mut hand_on = |reader: &mut RankReader<'_>| {
        reader.numbers.take_new(|number, groups| writer.define(number, groups))?;
        for (event, site) in reader.take_known() {
            if let Some(sites) = &mut sites {
                sites.add(rank, &event, site)?;
            }
            writer.add(rank, event)?;
        }
        std::io::Result::Ok(())
    };
    for (number, record) in records.enumerate() {
        reader.read(record);
        if number % AT_ONCE == 0 {
            hand_on(reader)?;
        }
    }
    reader.finish(head.end);
    hand_on(reader)
}

impl Ranks {
    fn find(folder: &Path, functions: &[weir_capi::headers::Function]) -> Result<Self, FileError> {
        let fingerprint = source::fingerprint(functions);
        let unreadable = |error| FileError::Unreadable(folder.to_owned(), error);
        let mut files = Vec::new();
        for entry in fs::read_dir(folder).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            if path.extension().is_some_and(|ending| ending == "weir") {
                let (head, _) = Head::read(&path, functions, fingerprint)?;
                files.push((path, head));
            }
        }
        files.sort_by_key(|(_, head)| head.rank);
        let Some((_, first)) = files.first() else { return Err(FileError::Nothing(folder.to_owned())) };
        let size = first.size;
        if let Some((_, other)) = files.iter().find(|(_, head)| head.size != size) {
            return Err(FileError::Several(folder.to_owned(), size.into(), other.size.into()));
        }
        Ok(Self { files, size: size as usize, fingerprint })
    }

    /// The clocks of the ranks, all beginning with the first that began to record.
    fn clocks(&self) -> Vec<Clock> {
        let first = &self.files[0].1;
        let clocks = self.files.iter().map(|(_, head)| (head, Clock::of(head, first)));
        let zero = clocks.clone().map(|(head, clock)| clock.aligned(head.start)).min().unwrap_or_default();
        clocks.map(|(_, clock)| clock.since(zero)).collect()
    }

    fn report(&self, layout: &Layout, joined: &mut Joined, lost: &mut Lost) {
        let first = &self.files[0].1;
        let there = |rank: &usize| self.files.iter().any(|(_, head)| head.rank as usize == *rank);
        joined.missing = (0..self.size).filter(|rank| !there(rank)).collect();
        for (_, head) in &self.files {
            let counts = head.counted.iter().zip(&head.failed).enumerate();
            for (function, (&counted, &failed)) in counts {
                let mut add = |what: String, count: u64| {
                    if count > 0 {
                        *lost.entry(what).or_default() += count;
                    }
                };
                add(format!("calls of {}", layout.name(function)), counted);
                add(format!("calls of {} that returned an error", layout.name(function)), failed);
            }
            if let Some(error) = head.stopped {
                let error = std::io::Error::from_raw_os_error(error);
                joined
                    .unfinished
                    .push(format!("rank {} on {}: no more could be written: {error}", head.rank, head.host));
            }
            if head.end.is_none() {
                let call = head.calls.map(|(function, _)| format!(", in {}", layout.name(function)));
                let call = call.unwrap_or_default();
                joined
                    .unfinished
                    .push(format!("rank {} on {}: it ended before MPI_Finalize{call}", head.rank, head.host));
            }
            if head.boot != first.boot || head.host != first.host || head.boot.is_empty() {
                let error = Duration::from_ns(head.at_start.error().max(head.at_end.error()).max(0) as u64);
                joined.clock_error = joined.clock_error.max(Some(error));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::{HEAD_BYTES, PAUSE};
    use crate::source::MARK;

    /// Three barriers of a rank alone. To write the second one took 1000 ns, which are none of the work between that and the third.
    #[test]
    fn writing_a_record_is_no_work() {
        let functions = source::all();
        let barrier = functions.iter().position(|function| function.name == "Barrier").unwrap() as i64;
        let mut head = MARK.as_bytes().to_vec();
        let [rank, size, start, end] = [0, 1, 1000, 7500];
        let words = [source::fingerprint(&functions) as i64, rank, size, start, end];
        head.extend(words.iter().flat_map(|word| word.to_ne_bytes()));
        head.resize(HEAD_BYTES, 0);
        let call = |begin, end| vec![5 << 16 | barrier, begin, end, 0, 0];
        let pause = vec![4 << 16 | PAUSE, 5200, 6200, 0];
        let records = [call(2000, 2500), pause, call(5000, 5050), call(7000, 7100)].concat();
        head.extend(records.iter().flat_map(|word| word.to_ne_bytes()));
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("rank-0.weir"), head).unwrap();
        let mut text = Vec::new();
        join(folder.path(), "three", Format::Text, &mut text, None).unwrap();
        let text = String::from_utf8(text).unwrap();
        let work: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("0 compute ")).collect();
        assert_eq!(work, ["1 us", "2500 ns", "950 ns", "400 ns"]);
    }
}
