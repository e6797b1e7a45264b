//! What came out, as Markdown.

use crate::campaign::{Campaign, Fate, Level};
use crate::sites::Mutant;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Counts of mutants by what became of them.
#[derive(Default)]
pub struct Counts {
    tried: usize,
    own: usize,
    other: usize,
    timeouts: usize,
    not_reached: usize,
    survived: usize,
}

impl Counts {
    fn add(&mut self, fates: [Option<&Fate>; 2]) {
        self.tried += 1;
        match fates {
            [Some(Fate::Killed(_)), _] => self.own += 1,
            [_, Some(Fate::Killed(_))] => self.other += 1,
            [Some(Fate::TimedOut(_)), _] | [_, Some(Fate::TimedOut(_))] => self.timeouts += 1,
            [Some(Fate::Survived), _] | [_, Some(Fate::Survived)] => self.survived += 1,
            _ => self.not_reached += 1,
        }
    }

    /// The share that was killed, in per cent.
    pub fn rate(&self) -> f64 {
        100.0 * (self.own + self.other + self.timeouts) as f64 / self.tried.max(1) as f64
    }

    fn row(&self, name: &str) -> String {
        let Counts { tried, own, other, timeouts, not_reached, survived } = self;
        format!(
            "| {name} | {tried} | {own} | {other} | {timeouts} | {not_reached} | {survived} | {:.1} % |\n",
            self.rate()
        )
    }
}

/// The table by crates and by kinds of mutants with the list of those that live, and the counts of each crate.
pub fn report(mutants: &[&Mutant], campaign: &Campaign) -> (String, Vec<Counts>) {
    let mut crates: BTreeMap<&str, Counts> = BTreeMap::new();
    let mut kinds: BTreeMap<&str, Counts> = BTreeMap::new();
    let mut living = String::new();
    for mutant in mutants {
        let fates = [campaign.fate(Level::Own, mutant.id), campaign.fate(Level::Other, mutant.id)];
        crates.entry(mutant.krate()).or_default().add(fates);
        kinds.entry(mutant.kind).or_default().add(fates);
        if !campaign.is_killed(mutant.id) {
            let is_reached = fates.contains(&Some(&Fate::Survived));
            let word = if is_reached { "" } else { " (not reached)" };
            let Mutant { file, line, column, change, .. } = mutant;
            writeln!(living, "- {file}:{line}:{column} {change}{word}").expect("strings grow");
        }
    }
    let head = "| mutants | tried | killed by own tests | by other tests | by time | not reached | survived | killed |\n\
                |---|---|---|---|---|---|---|---|\n";
    let rows = crates.iter().chain(&kinds).map(|(name, counts)| counts.row(name));
    let table: String = rows.collect();
    (format!("{head}{table}\n{living}"), crates.into_values().collect())
}
