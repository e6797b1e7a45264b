//! Files by which jobs are placed on real machines: host lists of Open MPI, MPICH, PBS and Slurm, rankfiles, what `srun --label
//! hostname` and `mpirun --display map` print, and coordinates in a job's shape as Fujitsu has them. What a file is follows from its
//! first line.
//!
//! # Model
//! They name hosts, which become nodes of the machine by [`hosts`]. Cores, interfaces and whatever else they say is passed over, with a note.

mod host_list;
pub(crate) mod hosts;
mod rank_list;
mod seats;

use crate::source::findings::FileMistake;
pub(crate) use seats::Dealing;

/// Order in which the ranks of a host list are dealt out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Distribution {
    /// One host after the other is filled.
    #[default]
    Block,
    /// One rank on each host in turn, as long as it has room.
    Cyclic,
}

/// Places of ranks as a file says them, before its hosts are nodes of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Launch {
    pub(crate) seats: Seats,
    /// Order in which ranks are dealt out, if the file says so.
    pub(crate) distribution: Option<Distribution>,
    pub(crate) notes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Seats {
    /// Lines `rank node`, as they are written.
    Lines(String),
    Hosts(Vec<Host>),
    /// The host of each rank that is named.
    Ranks(Vec<Seat>),
    Places(Vec<Seat>),
    Order(Vec<Seat>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Host {
    /// Number of its line, from 1.
    pub(crate) line: usize,
    pub(crate) name: String,
    /// Number of ranks that it takes, if that is said.
    pub(crate) room: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seat {
    /// Number of its line, from 1.
    pub(crate) line: usize,
    pub(crate) rank: String,
    pub(crate) place: String,
}

#[derive(Clone, Copy)]
struct Line<'a> {
    number: usize,
    text: &'a str,
}

impl Line<'_> {
    fn wrong(self, what: impl Into<String>) -> FileMistake {
        FileMistake::new(self.number, self.text, what)
    }
}

fn content(text: &str) -> Vec<Line<'_>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = text.lines().zip(1..).map(|(line, number)| {
        let text = line.split_once('#').map_or(line, |(content, _)| content).trim();
        Line { number, text }
    });
    lines.filter(|line| !line.text.is_empty()).collect()
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Reads a file of any of these forms.
pub(crate) fn read(text: &str) -> Result<Launch, Vec<FileMistake>> {
    let lines = content(text);
    let first = lines.first().map_or("", |line| line.text);
    match FORMS.iter().find(|(is_one, _)| is_one(first)) {
        Some((_, read)) => read(&lines),
        None => Ok(Launch::of(rank_list::hosts_of(text).unwrap_or_else(|| Seats::Lines(text.to_owned())))),
    }
}

type Form = (fn(&str) -> bool, fn(&[Line<'_>]) -> Result<Launch, Vec<FileMistake>>);

/// The forms by their first lines: the first that fits is taken.
const FORMS: [Form; 7] = [
    (|line| line.starts_with('('), rank_list::coordinates),
    (rank_list::is_rankfile, rank_list::rankfile),
    (rank_list::is_labelled, rank_list::labelled),
    (rank_list::is_job_map, rank_list::job_map),
    (host_list::is_variable, host_list::variables),
    (rank_list::is_order, rank_list::order),
    (host_list::is_host, host_list::read),
];

impl Launch {
    fn of(seats: Seats) -> Self {
        Self { seats, distribution: None, notes: Vec::new() }
    }

    /// The contents of a file in which nothing is wrong; with a note about the parts that were passed over, and on how many lines.
    fn checked(
        seats: Seats,
        passed_over: &[(usize, String)],
        mistakes: Vec<FileMistake>,
    ) -> Result<Self, Vec<FileMistake>> {
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        let notes = passed_over.first().map(|(line, what)| match passed_over.len() {
            1 => format!("line {line}: {what:?} is passed over"),
            lines => format!("line {line}: {what:?} and the like on {lines} lines are passed over"),
        });
        Ok(Self { notes: notes.into_iter().collect(), ..Self::of(seats) })
    }
}
