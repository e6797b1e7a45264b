//! Files that name the place of each rank: rankfiles of Open MPI, what `srun --label hostname` and `mpirun --display map` print, coordinates
//! as Fujitsu's `--vcoordfile` has them, and the order of ranks of MPICH on a Cray.

use super::{FileMistake, Launch, Line, Seat, Seats, is_number};
use weir_topology::mapping::{self, RankLine};

/// Lines `rank host`, if all are: the names of hosts begin with letters.
pub(super) fn hosts_of(text: &str) -> Option<Seats> {
    let (lines, wrong) = mapping::rank_lines(text);
    let is_host = |line: &RankLine<'_>| line.node.starts_with(|letter: char| letter.is_ascii_alphabetic());
    (!lines.is_empty() && wrong.is_empty() && lines.iter().all(is_host))
        .then(|| Seats::Ranks(lines.iter().map(Seat::of).collect()))
}

/// Rank and place of each line; `form` is how a line is to look.
fn each<'a>(
    lines: &[Line<'a>],
    seat: impl Fn(&'a str) -> Option<(&'a str, &'a str, &'a str)>,
    form: &str,
) -> Result<Launch, Vec<FileMistake>> {
    let (mut seats, mut mistakes, mut passed_over) = (Vec::new(), Vec::new(), Vec::new());
    for line in lines {
        match seat(line.text) {
            Some((rank, place, rest)) => {
                seats.push(Seat { line: line.number, rank: rank.to_owned(), place: place.to_owned() });
                if !rest.trim().is_empty() {
                    passed_over.push((line.number, rest.trim().to_owned()));
                }
            }
            None => mistakes.push(line.faulty(format!("is not {form}"))),
        }
    }
    Launch::checked(Seats::Ranks(seats), &passed_over, mistakes)
}

/// `rank 3=node01 slot=0:0-1`.
fn of_rankfile(line: &str) -> Option<(&str, &str, &str)> {
    let (rank, rest) = line.strip_prefix("rank")?.split_once('=')?;
    let rest = rest.trim_start();
    let (host, rest) = rest.split_once([' ', '\t']).unwrap_or((rest, ""));
    let is_one = rank.starts_with([' ', '\t']) && is_number(rank.trim()) && !host.is_empty();
    is_one.then_some((rank.trim(), host, rest))
}

pub(super) fn is_rankfile(line: &str) -> bool {
    line.strip_prefix("rank").is_some_and(|rest| rest.starts_with([' ', '\t']) && rest.contains('='))
}

pub(super) fn rankfile(lines: &[Line<'_>]) -> Result<Launch, Vec<FileMistake>> {
    each(lines, of_rankfile, "a line of a rankfile, as in \"rank 0=node01 slot=0:0-1\"")
}

/// `3: node01`.
fn of_label(line: &str) -> Option<(&str, &str, &str)> {
    let (rank, rest) = line.split_once(':')?;
    let rest = rest.trim_start();
    let (host, rest) = rest.split_once([' ', '\t']).unwrap_or((rest, ""));
    (is_number(rank) && !host.is_empty()).then_some((rank, host, rest))
}

pub(super) fn is_labeled(line: &str) -> bool {
    of_label(line).is_some() && line.split_once(':').is_some_and(|(_, rest)| rest.starts_with([' ', '\t']))
}

pub(super) fn labeled(lines: &[Line<'_>]) -> Result<Launch, Vec<FileMistake>> {
    each(lines, of_label, "a rank and its host, as in \"0: node01\"")
}

const OF_NODE: &str = "Data for node:";
const OF_RANK: &str = "Process rank:";

pub(super) fn is_job_map(line: &str) -> bool {
    line.starts_with(OF_NODE) || line.starts_with("=====") && line.contains("JOB MAP")
}

fn behind<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    line.split_once(word)?.1.split_whitespace().next()
}

pub(super) fn job_map(lines: &[Line<'_>]) -> Result<Launch, Vec<FileMistake>> {
    let (mut seats, mut mistakes, mut node) = (Vec::new(), Vec::new(), None);
    for line in lines {
        if line.text.starts_with(OF_NODE) {
            node = behind(line.text, OF_NODE);
        } else if let Some(rank) = behind(line.text, OF_RANK) {
            match node {
                Some(node) => {
                    seats.push(Seat { line: line.number, rank: rank.to_owned(), place: node.to_owned() })
                }
                None => mistakes.push(line.faulty("has no line \"Data for node: NAME\" above it")),
            }
        }
    }
    Launch::checked(Seats::Ranks(seats), &[], mistakes)
}

/// `(3,0,2)`, and what follows.
fn of_coordinates(line: &str) -> Option<(&str, &str, &str)> {
    let (place, rest) = line.split_at(line.find(')')? + 1);
    let numbers = place.strip_prefix('(')?.strip_suffix(')')?;
    numbers.split(',').all(|number| is_number(number.trim())).then_some(("", place, rest))
}

pub(super) fn coordinates(lines: &[Line<'_>]) -> Result<Launch, Vec<FileMistake>> {
    let mut launch = each(lines, of_coordinates, "the place of a rank, as in (3,0,2)")?;
    if let Seats::Ranks(mut seats) = launch.seats {
        seats.iter_mut().zip(0..).for_each(|(seat, rank)| seat.rank = format!("{rank}"));
        launch.seats = Seats::Places(seats);
    }
    Ok(launch)
}

pub(super) fn is_order(line: &str) -> bool {
    let line = line.replace(", ", ",");
    let is_of_order = |letter: char| letter.is_ascii_digit() || letter == ',' || letter == '-';
    line.contains([',', '-'])
        && line.chars().all(is_of_order)
        && line.starts_with(|letter: char| letter.is_ascii_digit())
}

/// `0,4,1,5-7`: the ranks on the places of the nodes in their order.
pub(super) fn order(lines: &[Line<'_>]) -> Result<Launch, Vec<FileMistake>> {
    let (mut seats, mut mistakes) = (Vec::new(), Vec::new());
    for line in lines {
        for part in line.text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (low, high) = part.split_once('-').unwrap_or((part, part));
            let ends = [low, high].map(|end| end.parse::<u32>().ok().filter(|_| is_number(end)));
            match ends {
                [Some(low), Some(high)] if low <= high && high - low < 1 << 24 => {
                    let seat =
                        |rank: u32| Seat { line: line.number, rank: rank.to_string(), place: String::new() };
                    seats.extend((low..=high).map(seat));
                }
                _ => {
                    let what = format!("{part:?} is no rank, nor a range of ranks such as 4-7");
                    mistakes.push(line.faulty(what));
                }
            }
        }
    }
    Launch::checked(Seats::Order(seats), &[], mistakes)
}
