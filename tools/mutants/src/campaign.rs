//! Which mutants are tried, by which tests, and what became of each.

use crate::sites::Mutant;
use crate::suite::{Test, Verdict};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

/// Whose tests try a mutant: those of its crate; then, if it lives, those of all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Own,
    Other,
}

/// What became of a mutant under the tests of one level.
#[derive(Clone, PartialEq)]
pub enum Fate {
    /// By this test.
    Killed(String),
    /// By the time limit of this test.
    TimedOut(String),
    Survived,
    /// No test reaches it.
    NotReached,
}

/// The fates that are known, by level and mutant; they grow in a file: a campaign that is broken off goes on.
pub struct Campaign {
    fates: BTreeMap<(Level, usize), Fate>,
    file: File,
}

impl Campaign {
    /// Reads what is known, if it is known of the same sources.
    pub fn open(path: &Path, fingerprint: u64) -> io::Result<Self> {
        let known = fs::read_to_string(path).unwrap_or_default();
        let lines: Vec<Value> = known.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let is_same = lines.first().is_some_and(|first| first["fingerprint"] == fingerprint);
        let mut file =
            OpenOptions::new().create(true).append(is_same).truncate(!is_same).write(true).open(path)?;
        let mut fates = BTreeMap::new();
        if is_same {
            fates.extend(lines[1..].iter().filter_map(read));
        } else {
            writeln!(file, "{}", json!({ "fingerprint": fingerprint }))?;
        }
        Ok(Campaign { fates, file })
    }

    pub fn fate(&self, level: Level, mutant: usize) -> Option<&Fate> {
        self.fates.get(&(level, mutant))
    }

    /// Tries the mutants that have no fate yet, on each level while they live. Once the tests that have passed took
    /// `timeout` together without a mutant, it has survived the level.
    pub fn run(
        &mut self,
        levels: &[Level],
        mutants: &[&Mutant],
        tests: &[Test],
        timeout: Duration,
    ) -> io::Result<()> {
        let mut kills = vec![0; tests.len()];
        for (done, mutant) in mutants.iter().enumerate() {
            for &level in levels {
                if self.fate(level, mutant.id).is_none() {
                    let fate = try_out(mutant, level, tests, &mut kills, timeout)?;
                    eprint!("{level:?} {}/{} ", done + 1, mutants.len());
                    self.note(level, mutant, fate)?;
                }
                if self.is_killed(mutant.id) {
                    break;
                }
            }
        }
        Ok(())
    }

    pub fn is_killed(&self, mutant: usize) -> bool {
        let fates = [self.fate(Level::Own, mutant), self.fate(Level::Other, mutant)];
        fates.iter().any(|fate| matches!(fate, Some(Fate::Killed(_) | Fate::TimedOut(_))))
    }

    fn note(&mut self, level: Level, mutant: &Mutant, fate: Fate) -> io::Result<()> {
        let (word, test) = match &fate {
            Fate::Killed(test) => ("killed", test.as_str()),
            Fate::TimedOut(test) => ("timeout", test.as_str()),
            Fate::Survived => ("survived", ""),
            Fate::NotReached => ("not reached", ""),
        };
        let at = format!("{}:{}:{} {}", mutant.file, mutant.line, mutant.column, mutant.change);
        eprintln!("{word} {at} {test}");
        let level_name = format!("{level:?}");
        let line = json!({ "level": level_name, "id": mutant.id, "at": at, "fate": word, "test": test });
        writeln!(self.file, "{line}")?;
        self.fates.insert((level, mutant.id), fate);
        Ok(())
    }
}

fn read(line: &Value) -> Option<((Level, usize), Fate)> {
    let test = line["test"].as_str()?.to_string();
    let fate = match line["fate"].as_str()? {
        "killed" => Fate::Killed(test),
        "timeout" => Fate::TimedOut(test),
        "survived" => Fate::Survived,
        _ => Fate::NotReached,
    };
    let level = if line["level"] == "Own" { Level::Own } else { Level::Other };
    Some(((level, line["id"].as_u64()? as usize), fate))
}

/// Tries a mutant with the tests of a level that reach it: first those that are quick, or that have killed many.
fn try_out(
    mutant: &Mutant,
    level: Level,
    tests: &[Test],
    kills: &mut [u32],
    timeout: Duration,
) -> io::Result<Fate> {
    let is_of_level = |test: &Test| (test.krate == mutant.krate()) == (level == Level::Own);
    let mut chosen: Vec<usize> =
        (0..tests.len()).filter(|&i| is_of_level(&tests[i]) && tests[i].reaches(mutant.id)).collect();
    chosen.sort_by_key(|&i| tests[i].time / (1 + kills[i]));
    let mut fate = Fate::NotReached;
    let mut spent = Duration::ZERO;
    for i in chosen {
        if spent > timeout {
            break;
        }
        let name = tests[i].name.clone();
        match tests[i].run(mutant.id)? {
            Verdict::Failed => {
                kills[i] += 1;
                return Ok(Fate::Killed(name));
            }
            Verdict::TimedOut => return Ok(Fate::TimedOut(name)),
            Verdict::Passed => fate = Fate::Survived,
        }
        spent += tests[i].time;
    }
    Ok(fate)
}

/// A sample of this size, the same for the same seed and mutants; in the order of the list.
pub fn sample<'a>(mutants: &[&'a Mutant], size: usize, seed: u64) -> Vec<&'a Mutant> {
    let key = |mutant: &Mutant| mix(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ mutant.id as u64);
    let mut drawn = mutants.to_vec();
    drawn.sort_by_key(|mutant| key(mutant));
    drawn.truncate(size);
    drawn.sort_by_key(|mutant| mutant.id);
    drawn
}

/// The finisher of SplitMix64 (Steele, Lea, Flood 2014).
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
