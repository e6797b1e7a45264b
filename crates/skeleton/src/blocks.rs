//! This says which statements are left out, and how they come together as blocks.

use crate::facts::Places;
use crate::slice::{Slice, slice, target};
use crate::summaries::{callees, classes_read};
use crate::unit::{Kind, Unit};
use std::collections::{BTreeMap, BTreeSet};

/// A statement, or the initial value of a variable, that does not stay for the sake of messages.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) statement: usize,
    /// 1 straight-line code, 2 with choices, 3 with loops, 4 with calls.
    pub(crate) level: u8,
    /// No loop, and no call of a function with one: a clock call would take as long.
    pub(crate) is_short: bool,
    /// Short, and everything that it reads is as in the program: it stays.
    pub(crate) remains: bool,
}

/// This is what is left out of a program.
#[derive(Debug)]
pub(crate) struct Selection {
    pub(crate) slice: Slice,
    /// Statements next to each other that do not stay: each list in the order of the program.
    pub(crate) runs: Vec<Vec<Item>>,
    /// Classes of places whose values are not those of the program.
    pub(crate) wrong: Places,
    /// Loops and calls that stay although they have no call of MPI.
    pub(crate) kept: Vec<usize>,
}

/// Selects what is left out. `named` are functions whose loops and conditions are to stay.
pub(crate) fn select(unit: &Unit, named: &BTreeSet<usize>) -> Selection {
    let mut fixed = BTreeMap::new();
    loop {
        let mut selection = Selection {
            slice: slice(unit, named, &fixed),
            runs: Vec::new(),
            wrong: Places::new(),
            kept: Vec::new(),
        };
        let mut found = BTreeMap::new();
        for function in selection.slice.live.clone() {
            if selection.slice.effective[function] || unit.functions[function].name == "main" {
                selection.walk(&[unit.functions[function].body], unit, &mut found);
            }
        }
        let known = fixed.len();
        fixed.extend(found);
        if fixed.len() == known {
            selection.find_wrong(unit);
            selection.open_conditions(unit);
            return selection;
        }
    }
}

impl Selection {
    /// Statements of one list.
    fn walk(&mut self, list: &[usize], unit: &Unit, fixed: &mut BTreeMap<usize, String>) {
        let mut run = Vec::new();
        for &number in list {
            let kind = &unit.statements[number].kind;
            if *kind != Kind::Declaration && self.can_go(number, unit) {
                run.push(self.item(number, unit));
                continue;
            }
            if !run.is_empty() {
                self.runs.push(std::mem::take(&mut run));
            }
            self.enter(number, unit, fixed);
        }
        if !run.is_empty() {
            self.runs.push(run);
        }
    }

    /// A statement that is not left out as a whole.
    fn enter(&mut self, number: usize, unit: &Unit, fixed: &mut BTreeMap<usize, String>) {
        let statement = &unit.statements[number];
        let stays = self.slice.stays[number].is_some();
        let source = unit.expanded.source(&statement.text);
        if source.is_some_and(|source| unit.expanded.is_parallel(source.start)) {
            // Only the thread that runs main may make clock calls.
            let why = "several threads execute it";
            fixed.extend(unit.within(number).into_iter().map(|at| (at, why.to_owned())));
            return;
        }
        match &statement.kind {
            Kind::Declaration => {
                for &initial in &statement.children {
                    self.initial(initial, unit, fixed);
                }
            }
            Kind::If | Kind::Loop { .. } | Kind::Switch if !stays => {
                // Something within cannot go, so neither can what decides about it.
                fixed.insert(number, "it cannot be taken out of the file as a whole".to_owned());
            }
            Kind::Block | Kind::Case | Kind::Label(_) => self.walk(&statement.children, unit, fixed),
            Kind::If | Kind::Loop { .. } | Kind::Switch => {
                if matches!(statement.kind, Kind::Loop { .. }) && self.is_costly(number, unit) {
                    self.kept.push(number);
                    if self.is_free_of_blocks(number, unit) {
                        return;
                    }
                }
                for &child in &statement.children {
                    self.walk(&[child], unit, fixed);
                }
            }
            _ if !stays => {
                fixed.insert(number, "it comes out of a macro or a header".to_owned());
            }
            _ => {
                if self.is_costly(number, unit) {
                    self.kept.push(number);
                }
            }
        }
    }

    /// Blocks that a program samples already are not looked into: blocks do not contain each other.
    fn is_free_of_blocks(&self, number: usize, unit: &Unit) -> bool {
        unit.statements[number].facts.of_weir.as_deref().is_some_and(|name| name.starts_with("weir_sample"))
    }

    fn initial(&mut self, number: usize, unit: &Unit, fixed: &mut BTreeMap<usize, String>) {
        let Kind::Initial { declarator, value, is_list } = &unit.statements[number].kind else { return };
        if self.slice.stays[number].is_some() {
            if self.is_costly(number, unit) {
                self.kept.push(number);
            }
            return;
        }
        let places = [declarator, value].map(|range| unit.expanded.source(range));
        let item = self.item(number, unit);
        let parent = unit.statements[number].parent.expect("initial values are within declarations");
        let words = &unit.expanded.text[unit.statements[parent].text.clone()];
        let is_constant =
            words.split(|c: char| !c.is_alphanumeric()).any(|word| matches!(word, "const" | "static"));
        if places.iter().any(Option::is_none) || *is_list || is_constant && !item.is_short {
            fixed.insert(number, "an initial value that cannot be left out".to_owned());
            return;
        }
        self.runs.push(vec![item]);
    }

    /// This says whether a statement that stays takes time: a loop, or a call of a function with loops, without MPI in it.
    fn is_costly(&self, number: usize, unit: &Unit) -> bool {
        let within = unit.within(number);
        let communicates = within.iter().any(|&at| {
            let facts = &unit.statements[at].facts;
            !facts.mpi.is_empty() || callees(facts, unit).iter().any(|&callee| self.slice.effective[callee])
        });
        !communicates && !self.item(number, unit).is_short
    }

    /// This says whether a statement can be left out: nothing in it stays, nothing jumps into it or out of it, and it is whole in the file.
    fn can_go(&self, number: usize, unit: &Unit) -> bool {
        let within = unit.within(number);
        let inside = |statement: usize| within.contains(&statement);
        let can_stand = within.iter().all(|&at| {
            let is_right = match &unit.statements[at].kind {
                Kind::Break | Kind::Continue => target(at, unit).is_some_and(inside),
                Kind::Case => unit
                    .around(at)
                    .find(|&around| unit.statements[around].kind == Kind::Switch)
                    .is_some_and(inside),
                Kind::Label(_) | Kind::Goto(_) | Kind::Return(_) | Kind::Odd => false,
                _ => true,
            };
            is_right && self.slice.stays[at].is_none()
        });
        let statement = &unit.statements[number];
        let source = unit.expanded.source(&statement.text);
        can_stand && source.is_some_and(|source| unit.expanded.is_balanced(&source))
    }

    fn item(&self, number: usize, unit: &Unit) -> Item {
        let within = unit.within(number);
        let has = |what: &dyn Fn(&Kind) -> bool| within.iter().any(|&at| what(&unit.statements[at].kind));
        let facts = || within.iter().map(|&at| &unit.statements[at].facts);
        let called: BTreeSet<usize> = facts().flat_map(|facts| callees(facts, unit)).collect();
        let loops = has(&|kind| matches!(kind, Kind::Loop { .. }));
        let level = if !called.is_empty() || facts().any(|facts| facts.calls_library) {
            4
        } else if loops {
            3
        } else if has(&|kind| matches!(kind, Kind::If | Kind::Switch)) || facts().any(|facts| facts.branches)
        {
            2
        } else {
            1
        };
        let is_long = |&function: &usize| self.has_loops(function, unit);
        Item { statement: number, level, is_short: !loops && !called.iter().any(is_long), remains: false }
    }

    /// This says whether a call of a function may go round: by a loop or a recursion in it, or in what it calls.
    fn has_loops(&self, function: usize, unit: &Unit) -> bool {
        let all = &self.slice.summaries[function].callees;
        let goes_round = |function: usize| {
            let of_loop = |&at: &usize| matches!(unit.statements[at].kind, Kind::Loop { .. } | Kind::Goto(_));
            unit.within(unit.functions[function].body).iter().any(of_loop)
                || self.slice.summaries[function].callees.contains(&function)
        };
        goes_round(function) || all.iter().any(|&callee| goes_round(callee))
    }

    /// Finds which values are not those of the program, and which short statements stay for that they read none of these.
    fn find_wrong(&mut self, unit: &Unit) {
        let in_runs: BTreeSet<usize> =
            self.runs.iter().flatten().flat_map(|item| unit.within(item.statement)).collect();
        let walked =
            self.slice.live.iter().filter(|&&function| {
                self.slice.effective[function] || unit.functions[function].name == "main"
            });
        let staying: Vec<usize> = walked
            .flat_map(|&function| unit.within(unit.functions[function].body))
            .filter(|statement| !in_runs.contains(statement))
            .collect();
        let mut wrong = Places::new();
        for &number in &staying {
            let received = unit.statements[number].facts.mpi.iter().flat_map(|call| &call.received);
            self.spoil(received.copied(), unit, &mut wrong);
        }
        loop {
            let before = wrong.len();
            for item in self.runs.iter().flatten() {
                let within = unit.within(item.statement);
                let is_right = item.is_short && !within.iter().any(|&at| reads_any(at, &wrong, self, unit));
                if !is_right {
                    for at in within {
                        self.spoil_by(at, unit, &mut wrong);
                    }
                }
            }
            for &number in &staying {
                if reads_any(number, &wrong, self, unit) {
                    self.spoil_by(number, unit, &mut wrong);
                }
                self.spoil_parameters(number, unit, &mut wrong);
            }
            if wrong.len() == before {
                break;
            }
        }
        self.wrong = wrong;
        self.find_remaining(unit);
    }

    fn find_remaining(&mut self, unit: &Unit) {
        let mut runs = std::mem::take(&mut self.runs);
        for item in runs.iter_mut().flatten() {
            item.remains = item.is_short && self.is_right(item.statement, unit);
        }
        self.runs = runs;
    }

    /// This says whether a statement reads only values that are those of the program.
    fn is_right(&self, statement: usize, unit: &Unit) -> bool {
        !unit.within(statement).iter().any(|&at| reads_any(at, &self.wrong, self, unit))
    }

    /// Conditions whose values are those of the program stay, and what they are for is charged when it is executed: what one rank
    /// does alone is charged to that rank.
    fn open_conditions(&mut self, unit: &Unit) {
        let mut pending = std::mem::take(&mut self.runs);
        let mut closed = Vec::new();
        while let Some(run) = pending.pop() {
            let mut list = Vec::new();
            for item in run {
                match self.branches(&item, unit) {
                    Some(branches) => {
                        closed.push(std::mem::take(&mut list));
                        pending.extend(branches);
                    }
                    None => list.push(item),
                }
            }
            closed.push(list);
        }
        closed.retain(|run| !run.is_empty());
        self.runs = closed;
        self.find_remaining(unit);
    }

    /// The statements that a condition is for, if it can stay.
    fn branches(&mut self, item: &Item, unit: &Unit) -> Option<Vec<Vec<Item>>> {
        let statement = &unit.statements[item.statement];
        if item.is_short || statement.kind != Kind::If {
            return None;
        }
        let facts = &statement.facts;
        let only_computes = facts.writes.is_empty()
            && !facts.calls_library
            && callees(facts, unit).iter().all(|&callee| {
                let summary = &self.slice.summaries[callee];
                summary.writes.is_empty() && !summary.prints && !self.has_loops(callee, unit)
            });
        if !only_computes || reads_any(item.statement, &self.wrong, self, unit) {
            return None;
        }
        let mut fixed = BTreeMap::new();
        let known = self.kept.len();
        for &child in &statement.children {
            self.walk(&[child], unit, &mut fixed);
        }
        let found = std::mem::take(&mut self.runs);
        self.kept.truncate(known);
        fixed.is_empty().then_some(found)
    }

    /// This is what is needed for messages is right whatever happens.
    fn spoil(&self, places: impl IntoIterator<Item = usize>, unit: &Unit, wrong: &mut Places) {
        wrong.extend(
            places
                .into_iter()
                .filter(|&place| !self.slice.is_needed(place, unit))
                .map(|place| unit.memory.class(place)),
        );
    }

    fn spoil_by(&self, number: usize, unit: &Unit, wrong: &mut Places) {
        let facts = &unit.statements[number].facts;
        self.spoil(facts.writes.iter().copied(), unit, wrong);
        for function in callees(facts, unit) {
            self.spoil(self.slice.summaries[function].writes.clone(), unit, wrong);
            self.spoil([unit.functions[function].result.place], unit, wrong);
        }
    }

    fn spoil_parameters(&self, number: usize, unit: &Unit, wrong: &mut Places) {
        let facts = &unit.statements[number].facts;
        for function in callees(facts, unit) {
            for call in
                facts.calls.iter().filter(|call| call.function.is_none_or(|called| called == function))
            {
                for (parameter, argument) in unit.functions[function].parameters.iter().zip(&call.arguments) {
                    if classes_read(argument, unit).iter().any(|class| wrong.contains(class)) {
                        self.spoil([parameter.place], unit, wrong);
                    }
                }
            }
        }
    }
}

/// This says whether a statement, with what it calls, reads a value that is not that of the program.
pub(crate) fn reads_any(number: usize, wrong: &Places, selection: &Selection, unit: &Unit) -> bool {
    let facts = &unit.statements[number].facts;
    let called =
        callees(facts, unit).into_iter().flat_map(|function| &selection.slice.summaries[function].reads);
    classes_read(facts, unit).iter().chain(called).any(|class| wrong.contains(class))
}
