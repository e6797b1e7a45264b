//! Host lists: `host slots=4 max_slots=8` of Open MPI, `host:4` of MPICH, a host a line of PBS, `node[001-004,7]` of Slurm.

use super::slurm::expanded;
use super::{Host, Launch, Line, Mistake, Seats, is_number};

/// Returns whether a line begins with a host: letters, digits, and what addresses and lists have between them.
pub(super) fn is_host(line: &str) -> bool {
    let first = line.split([' ', '\t', '=']).next().unwrap_or_default();
    let is_address = first.split('.').count() == 4 && first.split([':', '.']).all(is_number);
    let begins = first.starts_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '_');
    is_address || begins && first.contains(|letter: char| letter.is_ascii_alphabetic())
}

pub(super) fn read(lines: &[Line<'_>]) -> Result<Launch, Vec<Mistake>> {
    let (mut hosts, mut mistakes, mut passed_over) = (Vec::new(), Vec::new(), Vec::new());
    for &line in lines {
        match of_line(line) {
            Ok(OfLine { names, room, passed_over: rest }) => {
                hosts.extend(names.into_iter().map(|name| Host { line: line.number, name, room }));
                passed_over.extend(rest.map(|rest| (line.number, rest)));
            }
            Err(what) => mistakes.push(Mistake::at(line.number, line.text, what)),
        }
    }
    let mut launch = Launch::checked(Seats::Hosts(hosts), &passed_over, mistakes)?;
    if let Seats::Hosts(hosts) = &launch.seats
        && let Some(host) = hosts.iter().find(|host| host.room.is_none())
        && hosts.iter().any(|host| host.room.is_some())
    {
        let count = hosts.iter().filter(|host| host.room.is_none()).count();
        let more = if count > 1 { format!(" and {} more", count - 1) } else { String::new() };
        launch.notes.push(format!("line {}: {}{more} has no slots: it takes one rank", host.line, host.name));
    }
    Ok(launch)
}

struct OfLine {
    names: Vec<String>,
    /// Number of ranks that each of these hosts takes, if the line says it.
    room: Option<usize>,
    passed_over: Option<String>,
}

fn of_line(line: Line<'_>) -> Result<OfLine, String> {
    let (first, rest) = line.text.split_once([' ', '\t']).unwrap_or((line.text, ""));
    if let Some(reason) = refused(first) {
        return Err(reason.to_owned());
    }
    let (list, mut room) = match first.rsplit_once(':') {
        Some((list, count)) if is_number(count) => (list, Some(counted(count)?)),
        _ => (first, None),
    };
    let (mut most, mut passed_over) = (None, None);
    for word in rest.trim().replace(" =", "=").replace("= ", "=").split_whitespace() {
        let Some((key, value)) = word.split_once('=') else {
            return Err(format!(
                "{word:?} is no part of a host list, which has lines as \"HOST slots=4\", \"HOST:4\" or \"HOST\""
            ));
        };
        match key.replace('-', "_").as_str() {
            "slots" | "count" => room = Some(counted(value)?),
            "max_slots" => most = Some(counted(value)?),
            _ => passed_over = Some(word.to_owned()),
        }
    }
    if let (Some(room), Some(most)) = (room, most)
        && room > most
    {
        return Err(format!("has {room} slots, and at most {most} of them"));
    }
    Ok(OfLine { names: expanded(list)?, room: room.or(most), passed_over })
}

fn counted(text: &str) -> Result<usize, String> {
    let count = text.parse::<u32>().ok().filter(|&count| count > 0 && is_number(text));
    count.map(|count| count as usize).ok_or_else(|| format!("{text:?} is no number of ranks, at least 1"))
}

/// Forms of Open MPI that stand for hosts known elsewhere.
fn refused(first: &str) -> Option<&'static str> {
    match first.as_bytes().first()? {
        b'+' => Some("stands for a host of another list; name the host"),
        b'^' => Some("takes a host out of another list; leave that host out"),
        _ => None,
    }
}
