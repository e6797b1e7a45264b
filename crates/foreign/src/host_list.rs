//! Lists of hosts as Slurm writes them: `node[001-004,7],gpu[1-2]-ib`.

use crate::sample::is_number;

/// More hosts than a machine can have here.
pub const MOST_HOSTS: usize = 1 << 24;

/// All hosts of a list such as `node[001-004,7],gpu[1-2]-ib`.
///
/// # Errors
/// A sentence about what is no such list, or has more than [`MOST_HOSTS`] hosts.
pub fn expanded(list: &str) -> Result<Vec<String>, String> {
    let mut hosts = Vec::new();
    for item in items(list)? {
        let mut names = vec![String::new()];
        let mut rest = item;
        while let Some((before, behind)) = rest.split_once('[') {
            let (inside, after) =
                behind.split_once(']').ok_or_else(|| format!("{item:?} has no ] for its ["))?;
            let numbers = numbers(inside)?;
            if hosts.len() + names.len().saturating_mul(numbers.len()) > MOST_HOSTS {
                return Err(format!("{list:?} has more than {MOST_HOSTS} hosts"));
            }
            let all =
                |name: &String| numbers.iter().map(|number| format!("{name}{before}{number}")).collect();
            names = names.iter().flat_map::<Vec<String>, _>(all).collect();
            rest = after;
        }
        names.iter_mut().for_each(|name| name.push_str(rest));
        hosts.append(&mut names);
    }
    Ok(hosts)
}

fn items(list: &str) -> Result<Vec<&str>, String> {
    let mut depth = 0_u32;
    let split = |letter: char| {
        match letter {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ',' && depth == 0
    };
    let items: Vec<&str> = list.split(split).collect();
    let wrong = |item: &&str| item.is_empty() || item.contains(['(', ')', '=', '\u{22}']);
    match items.iter().find(|item| wrong(item)) {
        Some(item) => Err(format!("{item:?} is no host, nor a list of hosts such as node[001-004,7]")),
        None => Ok(items),
    }
}

fn numbers(inside: &str) -> Result<Vec<String>, String> {
    let wrong = |part: &str| format!("{part:?} is no range of numbers such as 001-004");
    let mut numbers = Vec::new();
    for part in inside.split(',').map(str::trim) {
        let (low, high) = part.split_once('-').unwrap_or((part, part));
        let ends = [low, high].map(|end| end.parse::<usize>().ok().filter(|_| is_number(end)));
        let [Some(first), Some(last)] = ends else { return Err(wrong(part)) };
        if last < first {
            return Err(wrong(part));
        }
        if last - first >= MOST_HOSTS - numbers.len() {
            return Err(format!("[{inside}] has more than {MOST_HOSTS} hosts"));
        }
        let width = low.len();
        numbers.extend((first..=last).map(|number| format!("{number:0width$}")));
    }
    Ok(numbers)
}

/// The shortest list of these hosts, in their order: consecutive numbers behind one prefix become a range.
pub(crate) fn folded(hosts: &[String]) -> String {
    let split = |host: &str| {
        let digits = host.bytes().rev().take_while(u8::is_ascii_digit).count().min(9);
        let (prefix, number) = host.split_at(host.len() - digits);
        (prefix.to_owned(), number.to_owned())
    };
    let mut items: Vec<(String, Vec<(String, String)>)> = Vec::new();
    for host in hosts {
        let (prefix, number) = split(host);
        match items.last_mut() {
            Some((last, ranges)) if *last == prefix && !number.is_empty() && !ranges.is_empty() => {
                let follows = ranges.last().is_some_and(|(_, high)| {
                    high.len() == number.len()
                        && high.parse::<u64>().ok().map(|high| high + 1) == number.parse().ok()
                });
                match ranges.last_mut() {
                    Some(range) if follows => range.1 = number,
                    _ => ranges.push((number.clone(), number)),
                }
            }
            _ if number.is_empty() => items.push((prefix, Vec::new())),
            _ => items.push((prefix, vec![(number.clone(), number)])),
        }
    }
    let of_range =
        |(low, high): &(String, String)| if low == high { low.clone() } else { format!("{low}-{high}") };
    let of_item = |(prefix, ranges): &(String, Vec<(String, String)>)| match &ranges[..] {
        [] => prefix.clone(),
        [(low, high)] if low == high => format!("{prefix}{low}"),
        ranges => format!("{prefix}[{}]", ranges.iter().map(of_range).collect::<Vec<_>>().join(",")),
    };
    items.iter().map(of_item).collect::<Vec<_>>().join(",")
}
