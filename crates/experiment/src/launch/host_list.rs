//! Host lists: `host slots=4 max_slots=8` of Open MPI, `host:4` of MPICH, a host a line of PBS, `node[001-004,7]` and `2(x3),1` of Slurm, with
//! the variables of a job's environment.

use super::{Distribution, FileMistake, Host, Launch, Line, Seats, is_number};
use std::collections::BTreeMap;
use weir_foreign::host_list::{MOST_HOSTS, expanded};

/// Counts such as `2(x3),1`: two three times, then one.
fn counts(text: &str) -> Result<Vec<usize>, String> {
    let mut counts = Vec::new();
    for part in text.split(',').map(str::trim) {
        let (count, times) = match part.strip_suffix(')').and_then(|part| part.split_once("(x")) {
            Some((count, times)) => (count, times),
            None => (part, "1"),
        };
        let numbers = [count, times].map(|text| text.parse::<u32>().ok().filter(|&number| number > 0));
        let [Some(count), Some(times)] = numbers else {
            return Err(format!("{part:?} is no number of ranks such as 2(x3)"));
        };
        if counts.len() + times as usize > MOST_HOSTS {
            return Err(format!("{part:?} is more than {MOST_HOSTS} hosts"));
        }
        counts.resize(counts.len() + times as usize, count as usize);
    }
    Ok(counts)
}

fn variable(line: &str) -> Option<(&str, &str)> {
    let line = ["export ", "declare -x "].iter().find_map(|word| line.strip_prefix(word)).unwrap_or(line);
    let (name, value) = line.split_once('=')?;
    let value = value.trim().trim_matches(['\u{22}', '\'']);
    Some((name.trim().strip_prefix("SLURM_")?, value))
}

pub(super) fn is_variable(line: &str) -> bool {
    variable(line).is_some()
}

const LISTS: [&str; 3] = ["STEP_NODELIST", "JOB_NODELIST", "NODELIST"];
const COUNTS: [&str; 3] = ["STEP_TASKS_PER_NODE", "TASKS_PER_NODE", "NTASKS_PER_NODE"];

/// The environment of a job: what `env | grep ^SLURM` prints.
pub(super) fn variables(lines: &[Line<'_>]) -> Result<Launch, Vec<FileMistake>> {
    let mut found: BTreeMap<&str, (Line<'_>, &str)> = BTreeMap::new();
    let mut mistakes = Vec::new();
    for &line in lines {
        match variable(line.text) {
            Some((name, value)) => _ = found.insert(name, (line, value)),
            None => {
                let what = "is not a variable of Slurm, as in SLURM_JOB_NODELIST=node[001-004]";
                mistakes.push(line.faulty(what));
            }
        }
    }
    let first_of = |names: [&'static str; 3]| names.into_iter().find_map(|name| found.get(name));
    let Some(&(line, list)) = first_of(LISTS) else {
        let hint = "write what env | grep ^SLURM_ prints within the job";
        let what = "has no SLURM_JOB_NODELIST: it names no hosts";
        mistakes.push(FileMistake::new(None, "", what).hint(hint));
        return Err(mistakes);
    };
    let mut wrong = |line: Line<'_>, what: String| mistakes.push(line.faulty(what));
    let names = expanded(list).map_err(|what| wrong(line, what)).unwrap_or_default();
    let mut rooms = vec![None; names.len()];
    if let Some(&(line, text)) = first_of(COUNTS) {
        match counts(text) {
            Ok(counts) if counts.len() == 1 => rooms.fill(Some(counts[0])),
            Ok(counts) if counts.len() == names.len() => rooms = counts.into_iter().map(Some).collect(),
            Ok(counts) => {
                let what = format!("has {} numbers of ranks for {} hosts", counts.len(), names.len());
                wrong(line, what);
            }
            Err(what) => wrong(line, what),
        }
    }
    let distribution = found.get("DISTRIBUTION").and_then(|&(line, text)| {
        match text.split([':', ',']).next().unwrap_or_default() {
            "cyclic" => Some(Distribution::Cyclic),
            "block" | "*" | "" => Some(Distribution::Block),
            other => {
                let remedy = "list the host of each rank (srun --label hostname)";
                wrong(line, format!("{other:?} is not block or cyclic; {remedy}"));
                None
            }
        }
    });
    let hosts = names.into_iter().zip(rooms).map(|(name, room)| Host { line: line.number, name, room });
    let launch = Launch::checked(Seats::Hosts(hosts.collect()), &[], mistakes)?;
    Ok(Launch { distribution, ..launch })
}

/// Returns whether a line begins with a host: letters, digits, and what addresses and lists have between them.
pub(super) fn is_host(line: &str) -> bool {
    let first = line.split([' ', '\t', '=']).next().unwrap_or_default();
    let is_address = first.split('.').count() == 4 && first.split([':', '.']).all(is_number);
    let begins = first.starts_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '_');
    is_address || begins && first.contains(|letter: char| letter.is_ascii_alphabetic())
}

pub(super) fn read(lines: &[Line<'_>]) -> Result<Launch, Vec<FileMistake>> {
    let (mut hosts, mut mistakes, mut passed_over) = (Vec::new(), Vec::new(), Vec::new());
    for &line in lines {
        match of_line(line) {
            Ok(OfLine { names, room, passed_over: rest }) => {
                hosts.extend(names.into_iter().map(|name| Host { line: line.number, name, room }));
                passed_over.extend(rest.map(|rest| (line.number, rest)));
            }
            Err(what) => mistakes.push(line.faulty(what)),
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
    // Forms of Open MPI that stand for hosts known elsewhere.
    match first.as_bytes().first() {
        Some(b'+') => return Err("stands for a host of another list; name the host".to_owned()),
        Some(b'^') => return Err("takes a host out of another list; leave that host out".to_owned()),
        _ => {}
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
