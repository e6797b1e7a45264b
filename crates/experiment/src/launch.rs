//! Files by which jobs are placed on real machines: host lists of Open MPI, MPICH, PBS and Slurm, rankfiles, what `srun --label
//! hostname` and `mpirun --display map` print, and coordinates in a job's shape as Fujitsu has them. What a file is follows from its
//! first line.
//!
//! # Model
//! They name hosts, which become nodes of the machine by [`hosts`]. Cores, interfaces and whatever else they say is passed over, with a note.

mod host_list;
pub(crate) mod hosts;
mod rank_list;

use crate::Problem;
use crate::source::findings::FileMistake;
use hosts::{Directory, Hosts, relative};
use std::collections::{BTreeMap, BTreeSet};
pub(crate) use weir_foreign::sample::is_number;
use weir_topology::mapping::{Naming, RankLine};
use weir_topology::{Folding, MappingError, Topology, mapping};
use weir_units::NodeId;

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

impl Seat {
    fn of(line: &RankLine<'_>) -> Self {
        Self { line: line.line, rank: line.rank.to_owned(), place: line.node.to_owned() }
    }

    fn line(&self) -> RankLine<'_> {
        RankLine { line: self.line, rank: &self.rank, node: &self.place }
    }
}

#[derive(Clone, Copy)]
struct Line<'a> {
    number: usize,
    text: &'a str,
}

impl Line<'_> {
    fn faulty(self, what: impl Into<String>) -> FileMistake {
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

pub(crate) fn read(text: &str) -> Result<Launch, Mistakes> {
    let lines = content(text);
    let first = lines.first().map_or("", |line| line.text);
    match FORMS.iter().find(|(is_one, _)| is_one(first)) {
        Some((_, read)) => read(&lines),
        None => Ok(Launch::of(rank_list::hosts_of(text).unwrap_or_else(|| Seats::Lines(text.to_owned())))),
    }
}

type Form = (fn(&str) -> bool, fn(&[Line<'_>]) -> Result<Launch, Mistakes>);

/// The forms by their first lines: the first that fits is taken.
const FORMS: [Form; 7] = [
    (|line| line.starts_with('('), rank_list::coordinates),
    (rank_list::is_rankfile, rank_list::rankfile),
    (rank_list::is_labeled, rank_list::labeled),
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
    fn checked(seats: Seats, passed_over: &[(usize, String)], mistakes: Mistakes) -> Result<Self, Mistakes> {
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

type Mistakes = Vec<FileMistake>;

/// The node of each rank, and what has been assumed on the way.
type Seated = Result<(Vec<NodeId>, Option<String>), Vec<Problem>>;

pub(crate) struct Dealing<'a> {
    pub(crate) ranks: usize,
    pub(crate) machine: &'a Topology,
    pub(crate) per_node: usize,
    /// True if that is said, so that it bounds what the file says.
    pub(crate) is_bound: bool,
    pub(crate) hosts: Option<&'a Hosts>,
    pub(crate) distribution: Option<Distribution>,
    pub(crate) job: Option<&'a Folding>,
    pub(crate) file: &'a str,
}

impl Launch {
    /// Number of ranks that it places, where it says that; `per_node` of a host that has no number.
    pub(crate) fn ranks(&self, per_node: usize) -> Option<u64> {
        let count = match &self.seats {
            Seats::Lines(_) => return None,
            Seats::Hosts(hosts) => {
                let rooms = rooms(hosts, per_node);
                rooms.iter().fold(0_usize, |sum, &room| sum.saturating_add(room))
            }
            Seats::Ranks(seats) => {
                let ranks = seats.iter().filter_map(|seat| seat.rank.parse::<u32>().ok());
                ranks.max().map_or(0, |rank| rank as usize + 1)
            }
            Seats::Places(seats) | Seats::Order(seats) => seats.len(),
        };
        Some(count as u64)
    }

    pub(crate) fn most_on_a_host(&self) -> Option<usize> {
        let mut loads: BTreeMap<&str, usize> = BTreeMap::new();
        match &self.seats {
            Seats::Lines(_) | Seats::Order(_) => return None,
            Seats::Hosts(hosts) if !hosts.iter().any(|host| host.room.is_some()) && !repeats(hosts) => {
                return None;
            }
            Seats::Hosts(hosts) => {
                hosts.iter().for_each(|host| *loads.entry(&host.name).or_default() += host.room.unwrap_or(1));
            }
            Seats::Ranks(seats) | Seats::Places(seats) => {
                seats.iter().for_each(|seat| *loads.entry(&seat.place).or_default() += 1);
            }
        }
        loads.into_values().max()
    }

    pub(crate) fn seat(&self, dealing: &Dealing<'_>) -> Seated {
        match &self.seats {
            Seats::Lines(text) => dealing.lines(text),
            Seats::Hosts(hosts) if repeats(hosts) && self.distribution.or(dealing.distribution).is_none() => {
                let seats = hosts.iter().zip(0..).map(|(host, rank)| {
                    let place = host.name.clone();
                    Seat { line: host.line, rank: format!("{rank}"), place }
                });
                dealing.named(&seats.take(dealing.ranks).collect::<Vec<_>>())
            }
            Seats::Hosts(hosts) => {
                dealing.dealt(hosts, dealing.distribution.or(self.distribution).unwrap_or_default())
            }
            Seats::Ranks(seats) => dealing.named(seats),
            Seats::Places(seats) => dealing.places(&seats[..seats.len().min(dealing.ranks)]),
            Seats::Order(seats) => dealing.in_order(seats),
        }
    }
}

/// Returns whether hosts come again and again, without numbers: each line is a rank then.
fn repeats(hosts: &[Host]) -> bool {
    let mut names = BTreeSet::new();
    hosts.iter().all(|host| host.room.is_none()) && !hosts.iter().all(|host| names.insert(&host.name))
}

/// Number of ranks for which each line has room: one without a number, or as many as a node has where no line has any.
fn rooms(hosts: &[Host], per_node: usize) -> Vec<usize> {
    let some_have = hosts.iter().any(|host| host.room.is_some()) || repeats(hosts);
    let default = if some_have { 1 } else { per_node };
    hosts.iter().map(|host| host.room.unwrap_or(default)).collect()
}

impl Dealing<'_> {
    fn problem(&self, mistake: FileMistake) -> Problem {
        mistake.problem(self.file, "mapping.file")
    }

    fn mistake(&self, mistake: &MappingError, written: impl Fn(usize) -> Option<String>) -> Problem {
        let full = "set mapping.ranks_per_node to how many ranks may share a node";
        let hint = mistake.node_is_full.then(|| full.to_owned());
        let (line, what) = (mistake.line, mistake.what.clone());
        self.problem(FileMistake { line, value: line.and_then(written).unwrap_or_default(), what, hint })
    }

    /// Lines `rank node`; with a table of hosts a node may be a host.
    fn lines(&self, text: &str) -> Seated {
        let (lines, wrong) = mapping::rank_lines(text);
        if self.hosts.is_some() && wrong.is_empty() {
            return self.named(&lines.iter().map(Seat::of).collect::<Vec<_>>());
        }
        let written = |line: usize| text.lines().nth(line - 1).map(|line| line.trim().to_owned());
        mapping::from_file(text, self.ranks, self.machine, self.per_node)
            .map(|nodes| (nodes, None))
            .map_err(|mistakes| mistakes.iter().map(|mistake| self.mistake(mistake, written)).collect())
    }

    fn directory<'a>(&self, names: impl Iterator<Item = &'a str>) -> Result<Directory, Vec<Problem>> {
        let mut seen = BTreeSet::new();
        let names: Vec<&str> = names.filter(|name| relative(name).is_none() && seen.insert(*name)).collect();
        Directory::of(&names, self.hosts, self.machine)
    }

    fn named(&self, seats: &[Seat]) -> Seated {
        let directory = self.directory(seats.iter().map(|seat| seat.place.as_str()))?;
        let is_relative = seats.iter().any(|seat| relative(&seat.place).is_some());
        let counted = is_relative && self.hosts.is_none();
        let note = "hosts +n0, +n1, ... are taken for nodes 0, 1, ...; with a list of hosts (mapping.hosts) they are those of the list";
        let note = directory.note.clone().or_else(|| counted.then(|| note.to_owned()));
        let node_of = |name: &str| directory.node(name, self.machine);
        Ok((self.seated(seats, &node_of, &directory.expected)?.0, note))
    }

    fn seated(&self, seats: &[Seat], node_of: &dyn Fn(&str) -> Option<NodeId>, expected: &str) -> Seated {
        let written = |at: usize| {
            let seat = seats.iter().find(|seat| seat.line == at)?;
            Some(format!("{} {}", seat.rank, seat.place).trim().to_owned())
        };
        let lines: Vec<RankLine<'_>> = seats.iter().map(Seat::line).collect();
        let ranks_per_node = if self.is_bound { self.per_node } else { usize::MAX };
        let naming = Naming { node_of, expected, nodes: self.machine.nodes(), ranks_per_node };
        let nodes = mapping::from_lines(&lines, self.ranks, naming);
        nodes
            .map(|nodes| (nodes, None))
            .map_err(|mistakes| mistakes.iter().map(|mistake| self.mistake(mistake, written)).collect())
    }

    fn dealt(&self, hosts: &[Host], how: Distribution) -> Seated {
        let directory = self.directory(hosts.iter().map(|host| host.name.as_str()))?;
        let (mut problems, mut rooms_of) = (Vec::new(), Vec::<(NodeId, usize)>::new());
        let mut place_of = BTreeMap::new();
        for (host, room) in hosts.iter().zip(rooms(hosts, self.per_node)) {
            let line = host.line;
            let Some(node) = directory.node(&host.name, self.machine) else {
                let mistake = MappingError::no_node(line, &host.name, &directory.expected);
                problems.push(self.mistake(&mistake, |_| Some(host.name.clone())));
                continue;
            };
            let place = *place_of.entry(node).or_insert(rooms_of.len());
            match rooms_of.get_mut(place) {
                Some((_, sum)) => *sum = sum.saturating_add(room),
                None => rooms_of.push((node, room)),
            }
            if self.is_bound && rooms_of[place].1 > self.per_node {
                let mistake = MappingError::node_full(line, &host.name, self.per_node);
                problems.push(self.mistake(&mistake, |_| Some(host.name.clone())));
            }
        }
        let total = rooms_of.iter().fold(0_usize, |sum, (_, room)| sum.saturating_add(*room));
        if problems.is_empty() && total < self.ranks {
            let what =
                format!("has room for {total} ranks on {} hosts: too few for {}", rooms_of.len(), self.ranks);
            let hint =
                "write behind a host how many ranks it takes (slots=4, or :4), or set mapping.ranks_per_node";
            problems.push(self.problem(FileMistake::new(None, "", what).hint(hint)));
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        Ok((deal(rooms_of, self.ranks, how), directory.note))
    }

    fn places(&self, seats: &[Seat]) -> Seated {
        let Some(job) = self.job else {
            let node_of = |place: &str| self.machine.parse_address(place);
            let found = self.seated(seats, &node_of, &self.machine.address_form());
            let hint = "coordinates are those of the machine, or with mapping.job = [X, Y, Z] of a job of this shape on it";
            let hinted =
                |problem: Problem| Problem { hint: problem.hint.or(Some(hint.to_owned())), ..problem };
            return found.map_err(|problems| problems.into_iter().map(hinted).collect());
        };
        let (nodes, _) = job.nodes(self.machine).map_err(|why| {
            let hint = "write the shape that the job has asked for";
            vec![FileMistake::new(None, "", why).hint(hint).problem(self.file, "mapping.job")]
        })?;
        let number = |place: &str| {
            let numbers = place.strip_prefix('(')?.strip_suffix(')')?.split(',');
            let at: Vec<u32> = numbers.map(|number| number.trim().parse().ok()).collect::<Option<_>>()?;
            let fits = at.len() == job.job.len() && at.iter().zip(&job.job).all(|(at, side)| at < side);
            let number = |(sum, stride): (usize, usize), (&at, &side): (&u32, &u32)| {
                (sum + stride * at as usize, stride * side as usize)
            };
            fits.then(|| at.iter().zip(&job.job).fold((0, 1), number).0)
        };
        let last: Vec<String> = job.job.iter().map(|side| (side - 1).to_string()).collect();
        let first = vec!["0"; last.len()].join(",");
        let expected = format!("a place of the job, from ({first}) to ({})", last.join(","));
        self.seated(seats, &|place| nodes.get(number(place)?).copied(), &expected)
    }

    fn in_order(&self, seats: &[Seat]) -> Seated {
        let place = |(seat, place): (&Seat, usize)| Seat {
            place: (place / self.per_node).to_string(),
            ..seat.clone()
        };
        let seats: Vec<Seat> = seats.iter().zip(0..).map(place).collect();
        let nodes = self.machine.nodes();
        let node = |text: &str| text.parse().ok().filter(|&node: &usize| node < nodes).map(NodeId::new);
        let expected = format!("a node from 0 to {}", nodes - 1);
        self.seated(&seats, &node, &expected)
    }
}

/// The nodes of ranks on places of which there are enough.
fn deal(mut rooms: Vec<(NodeId, usize)>, ranks: usize, how: Distribution) -> Vec<NodeId> {
    let mut nodes = Vec::with_capacity(ranks);
    match how {
        Distribution::Block => {
            for (node, room) in rooms {
                nodes.resize(ranks.min(nodes.len().saturating_add(room)), node);
            }
        }
        Distribution::Cyclic => {
            while nodes.len() < ranks {
                rooms.retain(|&(_, room)| room > 0);
                nodes.extend(rooms.iter().map(|&(node, _)| node).take(ranks - nodes.len()));
                rooms.iter_mut().for_each(|(_, room)| *room -= 1);
            }
        }
    }
    nodes
}
