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
mod slurm;

use crate::Problem;
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

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mistake {
    pub(crate) line: Option<usize>,
    pub(crate) value: String,
    pub(crate) what: String,
    pub(crate) hint: Option<String>,
}

impl Mistake {
    fn at(line: usize, text: &str, what: impl Into<String>) -> Self {
        Self { line: Some(line), value: text.trim().to_owned(), what: what.into(), hint: None }
    }

    fn whole(what: impl Into<String>, hint: &str) -> Self {
        Self { line: None, value: String::new(), what: what.into(), hint: Some(hint.to_owned()) }
    }

    pub(crate) fn problem(self, file: &str, key: &str) -> Problem {
        let Self { line, value, what, hint } = self;
        Problem { file: file.to_owned(), line, key: key.to_owned(), value, what, hint }
    }
}

#[derive(Clone, Copy)]
struct Line<'a> {
    number: usize,
    text: &'a str,
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
pub(crate) fn read(text: &str) -> Result<Launch, Vec<Mistake>> {
    let lines = content(text);
    let first = lines.first().map_or("", |line| line.text);
    if first.starts_with('(') {
        rank_list::coordinates(&lines)
    } else if rank_list::is_rankfile(first) {
        rank_list::rankfile(&lines)
    } else if rank_list::is_labelled(first) {
        rank_list::labelled(&lines)
    } else if rank_list::is_job_map(first) {
        rank_list::job_map(&lines)
    } else if slurm::is_variable(first) {
        slurm::variables(&lines)
    } else if rank_list::is_order(first) {
        rank_list::order(&lines)
    } else if host_list::is_host(first) {
        host_list::read(&lines)
    } else {
        Ok(Launch::of(rank_list::hosts_of(text).unwrap_or_else(|| Seats::Lines(text.to_owned()))))
    }
}

impl Launch {
    fn of(seats: Seats) -> Self {
        Self { seats, distribution: None, notes: Vec::new() }
    }

    /// The contents of a file in which nothing is wrong; with a note about the parts that were passed over, and on how many lines.
    fn checked(
        seats: Seats,
        passed_over: &[(usize, String)],
        mistakes: Vec<Mistake>,
    ) -> Result<Self, Vec<Mistake>> {
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
