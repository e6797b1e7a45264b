//! Several programs that run as one job, as launchers take them: `-n 2 ./a x : -n 3 ./b y`.

use weir_scenario::{CommandOnRanks, ProgramCommand};

/// The programs of these words: the first one, which runs on so many ranks if that is said, and those behind it; in words what
/// is wrong.
pub(crate) fn programs(
    ranks: Option<usize>,
    words: &[String],
) -> Result<(ProgramCommand, Vec<CommandOnRanks>), String> {
    let mut parts = words.split(|word| word == ":");
    let first = of_words(parts.next().unwrap_or_default())?;
    let further: Vec<CommandOnRanks> = parts
        .map(|words| {
            let (ranks, words) = ranks_of(words)?;
            of_words(words).map(|program| CommandOnRanks { program, ranks })
        })
        .collect::<Result<_, _>>()?;
    if ranks.is_none() && !further.is_empty() {
        return Err("-n RANKS is missing before the first program, as in -n 2 ./a : -n 2 ./b".to_owned());
    }
    Ok((first, further))
}

fn of_words(words: &[String]) -> Result<ProgramCommand, String> {
    let words = words.strip_prefix(&["--".to_owned()]).unwrap_or(words);
    let (path, args) =
        words.split_first().ok_or("a program is missing beside a :, as in -n 2 ./a : -n 2 ./b")?;
    Ok(ProgramCommand { path: path.into(), args: args.to_vec() })
}

/// The number of ranks before a program behind a colon.
fn ranks_of(words: &[String]) -> Result<(usize, &[String]), String> {
    let none = || {
        let found = words.first().map_or_else(String::new, |word| format!(", not {word}"));
        format!("behind a : -n RANKS PROGRAM is expected{found}")
    };
    let (option, rest) = words.split_first().ok_or_else(none)?;
    let (option, value) =
        option.split_once('=').map_or((option.as_str(), None), |(option, value)| (option, Some(value)));
    if !["-n", "-np", "--np", "--ranks"].contains(&option) {
        return Err(none());
    }
    let (value, rest) = match value {
        Some(value) => (value, rest),
        None => rest.split_first().map(|(value, rest)| (value.as_str(), rest)).ok_or_else(none)?,
    };
    match value.parse() {
        Ok(ranks) if ranks > 0 => Ok((ranks, rest)),
        _ => Err(format!("behind a : {option} {value} is no number of ranks")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(ranks: Option<usize>, text: &str) -> Result<Vec<(usize, String)>, String> {
        let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        let (first, further) = programs(ranks, &words)?;
        let first = ranks.map(|ranks| CommandOnRanks { program: first, ranks });
        let one = |of: CommandOnRanks| {
            let words = [of.program.path.display().to_string()].into_iter().chain(of.program.args);
            (of.ranks, words.collect::<Vec<_>>().join(" "))
        };
        Ok(first.into_iter().chain(further).map(one).collect())
    }

    #[test]
    fn programs_stand_between_colons() {
        let cases: [(&str, &[(usize, &str)]); 5] = [
            ("./a", &[(2, "./a")]),
            ("./a -n 3 x", &[(2, "./a -n 3 x")]),
            ("./a x : -n 3 ./b -y", &[(2, "./a x"), (3, "./b -y")]),
            ("./a : -np 1 -- ./b : --ranks=4 ./c", &[(2, "./a"), (1, "./b"), (4, "./c")]),
            ("./a x:y :z", &[(2, "./a x:y :z")]),
        ];
        for (text, expected) in cases {
            let expected: Vec<_> = expected.iter().map(|&(ranks, words)| (ranks, words.to_owned())).collect();
            assert_eq!(read(Some(2), text), Ok(expected), "{text}");
        }
        for (text, why) in [
            ("./a : ./b", "behind a : -n RANKS PROGRAM is expected, not ./b"),
            ("./a :", "behind a : -n RANKS PROGRAM is expected"),
            ("./a : -n", "behind a : -n RANKS PROGRAM is expected, not -n"),
            ("./a : -n 0 ./b", "behind a : -n 0 is no number of ranks"),
            ("./a : -n x ./b", "behind a : -n x is no number of ranks"),
            ("./a : -n 2", "a program is missing beside a :, as in -n 2 ./a : -n 2 ./b"),
            (": -n 2 ./b", "a program is missing beside a :, as in -n 2 ./a : -n 2 ./b"),
        ] {
            assert_eq!(read(Some(2), text), Err(why.to_owned()), "{text}");
        }
        assert_eq!(read(None, "./a x"), Ok(vec![]));
        let why = "-n RANKS is missing before the first program, as in -n 2 ./a : -n 2 ./b";
        assert_eq!(read(None, "./a : -n 2 ./b"), Err(why.to_owned()));
    }
}
