//! An extrapolation from the profiles to the profile, and what is said of it.

use crate::cells::{Cell, NONE};
use crate::classes::{Choice, Class, Corner, Learner, SpotRules, name_of};
use crate::generate::{Generator, Impossible, Model};
use crate::groups;
use crate::matching::{Members, Tally};
use crate::members::Seen;
use crate::quantities::{Grid, Size};
use crate::tokens::{Run, Shapes};
use crate::totals::{ClassReport, CommunicatorReport, RuleReport, Totals};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use weir_formats::profile::{Format, Profile, Writer};
use weir_units::Rank;

/// Why there is no profile of so many ranks.
#[derive(Debug)]
pub enum ExtrapolationError {
    /// Numbers that no form fits, operations that cannot be, messages that do not match: each in a sentence.
    Refused(Vec<String>),
    /// The file cannot be written.
    Write(io::Error),
}

impl From<io::Error> for ExtrapolationError {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}

impl From<Impossible> for ExtrapolationError {
    fn from(impossible: Impossible) -> Self {
        Self::Refused(vec![impossible.0])
    }
}

/// The rules of a program, for so many ranks.
#[derive(Debug)]
pub struct Extrapolation {
    model: Model,
    communicators: Vec<CommunicatorReport>,
}

impl Extrapolation {
    /// Fits profiles of one program, two or more of different numbers of ranks.
    ///
    /// # Errors
    /// All that is not the same in the profiles but for numbers that a form fits.
    pub fn fit(profiles: &[Profile], target: u32) -> Result<Self, ExtrapolationError> {
        let refused = |what: String| ExtrapolationError::Refused(vec![what]);
        let sizes: BTreeSet<usize> = profiles.iter().map(Profile::ranks).collect();
        if sizes.len() < 2 || sizes.len() != profiles.len() {
            return Err(refused(
                "profiles of at least two different numbers of ranks are needed, one of each".into(),
            ));
        }
        let mut shapes = Shapes::default();
        let runs = profiles.iter().map(|profile| {
            let ranks = profile.ranks();
            Run::of(profile, &mut shapes).map_err(|what| format!("the profile of {ranks} ranks: {what}"))
        });
        let runs = runs.collect::<Result<Vec<_>, _>>().map_err(refused)?;
        let world = Size::of(target);
        let (families, communicators) = families(&runs, &world).map_err(ExtrapolationError::Refused)?;
        let mut seen = Seen::of(runs, shapes);
        crate::periods::prepare(&mut seen);
        let mut learner = Learner::new(&seen);
        let members: Vec<usize> = (0..seen.members.len()).collect();
        let choice = learner.learn(&members, 0);
        let choice = choice.map_err(|unfit| {
            ExtrapolationError::Refused(unfit.into_iter().map(|unfit| unfit.what).collect())
        })?;
        let classes = learner.classes;
        let groups = families.iter().flat_map(|family: &crate::families::Family| &family.groups);
        let sizes = groups.map(|group| group.len() as u32).chain([1, target]);
        let sizes: BTreeMap<u32, Size> = sizes.map(|ranks| (ranks, Size::of(ranks))).collect();
        Ok(Self { model: Model { seen, classes, choice, families, target, sizes }, communicators })
    }

    /// Writes the profile.
    ///
    /// # Errors
    /// When it cannot be written; when an operation cannot be, or messages do not match. What has been written then is no profile.
    pub fn write(
        &self,
        format: Format,
        title: &str,
        out: impl Write + Send,
    ) -> Result<Totals, ExtrapolationError> {
        let model = &self.model;
        let mut writer = Writer::new(format, model.target as usize, title, out)?;
        for (number, members) in model.communicators() {
            writer.define(number, (members.iter().map(|&rank| Rank(rank)).collect(), Vec::new()))?;
        }
        let members = Members::new(model.target, &model.families);
        let mut tally = Tally::new(model.target);
        let mut generator = Generator::new(model);
        for rank in 0..model.target {
            generator.rank::<ExtrapolationError>(rank, &mut |step| {
                tally.count(rank, &step.operation, &members);
                Ok(writer.add(Rank(rank), step)?)
            })?;
        }
        let mismatches = tally.mismatches(&members);
        if !mismatches.is_empty() {
            return Err(ExtrapolationError::Refused(mismatches));
        }
        let steps = writer.finish()?;
        let mut totals = Totals { steps, messages: tally.sent, message_bytes: tally.bytes, ..self.totals() };
        for (class, made) in totals.classes.iter_mut().zip(&generator.counts) {
            class.made = *made;
        }
        totals.ambiguities = generator.ambiguities.into_values().collect();
        Ok(totals)
    }

    fn totals(&self) -> Totals {
        let mut who = vec![String::new(); self.model.classes.len()];
        let mut predicates = Vec::new();
        self.describe(&self.model.choice, &mut Vec::new(), &mut who, &mut predicates);
        let classes = self.model.classes.iter().zip(who).map(|(class, who)| self.class(class, who)).collect();
        Totals {
            classes,
            communicators: self.communicators.clone(),
            predicates,
            polls: self.model.seen.runs.iter().map(|run| run.polls).sum(),
            sources_are_open: self.model.found_is_open(),
            ..Totals::default()
        }
    }

    /// Says how classes are found, and which other predicates would find other ranks.
    fn describe(&self, choice: &Choice, way: &mut Vec<String>, who: &mut [String], open: &mut Vec<String>) {
        match choice {
            Choice::Class(class) => who[*class] = way.join(", "),
            Choice::InGrid(grid, choices) => {
                for (corner, choice) in choices {
                    way.push(place_in(*grid, corner));
                    self.describe(choice, way, who, open);
                    way.pop();
                }
            }
            Choice::By { predicate, others, yes, no } => {
                let size = &self.model.sizes[&self.model.target];
                let truth = |rank| predicate.holds(size, rank);
                // Others are true of the same ranks of the profiles, or of all but those.
                for other in others.iter().take(1) {
                    let same = |is_same: bool| {
                        (0..self.model.target).all(|rank| (other.holds(size, rank) == truth(rank)) == is_same)
                    };
                    if !same(true) && !same(false) {
                        open.push(format!("ranks are divided by \"{predicate}\"; \"{other}\" would do for these profiles, too"));
                    }
                }
                way.push(predicate.to_string());
                self.describe(yes, way, who, open);
                way.pop();
                way.push(format!("not ({predicate})"));
                self.describe(no, way, who, open);
                way.pop();
            }
        }
    }

    fn class(&self, class: &Class, who: String) -> ClassReport {
        let spots = &self.model.seen.trees[class.tree].spots;
        let shapes = &self.model.seen.shapes.0;
        let mut rules: Vec<RuleReport> = Vec::new();
        let mut times: BTreeMap<String, usize> = BTreeMap::new();
        let mut time_error = 0.0_f64;
        let mut add = |what: String, rule: &crate::rules::Rule| {
            let mut forms = Vec::new();
            rule.forms(&mut |form| forms.push(form));
            let is_fixed = forms.iter().all(|form| matches!(form, crate::forms::Form::Constant(_)));
            let is_none = forms.iter().all(|form| *form == crate::forms::Form::Constant(NONE));
            let report = RuleReport { what, forms: forms.iter().map(ToString::to_string).collect() };
            if !is_none && !is_fixed && !rules.contains(&report) {
                rules.push(report);
            }
        };
        for (of, spot) in class.spots.iter().zip(spots) {
            match of {
                SpotRules::Loop(rule) => add("repetitions".into(), rule),
                SpotRules::Token { cells, compute, .. } => {
                    let shape = &shapes[spot.shape.expect("a token has a shape") as usize];
                    for (cell, rule) in shape.cells.iter().zip(cells) {
                        if let (Some(rule), false) =
                            (rule, matches!(cell, Cell::FromOldest | Cell::FromNewest))
                        {
                            add(format!("{} of {}", name_of(*cell), shape.name()), rule);
                        }
                    }
                    if matches!(shape.form, crate::tokens::Form::Operation(_)) {
                        *times.entry(compute.to_string()).or_default() += 1;
                        time_error = time_error.max(compute.error);
                    }
                }
            }
        }
        let loops = spots.iter().filter(|spot| spot.shape.is_none()).count();
        ClassReport {
            who,
            members: class.members,
            sizes: class.seen.iter().copied().collect(),
            made: 0,
            loops,
            operations: spots.len() - loops,
            rules,
            times: times.into_iter().collect(),
            time_error,
        }
    }
}

/// A place in a grid in words.
fn place_in(grid: Grid, corner: &Corner) -> String {
    let word = |&(front, back): &(bool, bool)| match (front, back) {
        (true, true) => "alone",
        (true, false) => "front",
        (false, true) => "back",
        (false, false) => "inside",
    };
    let words: Vec<&str> = corner[grid.first()..].iter().map(word).collect();
    format!("{} in a {grid}", words.join(" and "))
}

type Found = (Vec<crate::families::Family>, Vec<CommunicatorReport>);

/// The communicators of so many ranks.
fn families(runs: &[Run], target: &Size) -> Result<Found, Vec<String>> {
    let counts: BTreeSet<usize> = runs.iter().map(|run| run.families.list.len()).collect();
    if counts.len() > 1 {
        let each = runs.iter().map(|run| format!("{} of {} ranks", run.families.list.len(), run.ranks));
        let each = each.collect::<Vec<_>>().join(", ");
        return Err(vec![format!("communicators are made at different numbers of places: {each}")]);
    }
    let sizes: Vec<Size> = runs.iter().map(|run| Size::of(run.ranks)).collect();
    let (mut found, mut reports, mut refused) = (Vec::new(), Vec::new(), Vec::new());
    for family in 0..counts.first().copied().unwrap_or(0) {
        let seen: Vec<_> =
            sizes.iter().zip(runs).map(|(size, run)| (size, &run.families.list[family])).collect();
        match groups::fit(&seen, target) {
            Some((groups, others)) => {
                let at_target = groups.family(target);
                let others = others.iter().map(ToString::to_string).collect();
                let count = at_target.groups.len();
                reports.push(CommunicatorReport { groups: groups.to_string(), others, count });
                found.push(at_target);
            }
            None => refused.push(format!(
                "communicators: no rule gives the members of those that were made in place {family}"
            )),
        }
    }
    if refused.is_empty() { Ok((found, reports)) } else { Err(refused) }
}
