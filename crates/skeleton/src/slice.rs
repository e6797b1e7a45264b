//! The slice has the statements that messages hang on, each with the reason.
//!
//! # Model
//! A backward slice whose criterion is all calls of MPI. It knows no order of statements within a function: a variable matters
//! everywhere or nowhere, but for variables that a loop has for itself. Beside what calls and values hang on there stays what
//! ends the program, and what nothing is known about.

use crate::facts::{Facts, MpiCall, Places};
use crate::memory::{Place, UNKNOWN};
use crate::mpi;
use crate::summaries::{Summary, callees, classes_reached, reason, summaries};
use crate::unit::{Kind, Unit};
use std::collections::{BTreeMap, BTreeSet};

/// Who needs a place.
#[derive(Clone, Debug)]
pub(crate) struct Need {
    /// The line that needs it.
    pub(crate) line: usize,
    /// This is what stands there: `MPI_Send`, a loop, a condition.
    pub(crate) what: String,
}

/// This is what stays, and why.
#[derive(Debug)]
pub(crate) struct Slice {
    /// By class of places: who needs it first.
    pub(crate) needs: BTreeMap<Place, Need>,
    /// By statement: why it stays.
    pub(crate) stays: Vec<Option<String>>,
    /// By function: whether calls of it stay.
    pub(crate) effective: Vec<bool>,
    /// Functions that `main` can reach.
    pub(crate) live: BTreeSet<usize>,
    pub(crate) summaries: Vec<Summary>,
    /// The line of a receive whose data decide something.
    pub(crate) deciding_receive: Option<usize>,
    /// Functions that are called from elsewhere, by threads of their own for example, and stay as they are.
    pub(crate) whole: BTreeSet<usize>,
    named: BTreeSet<usize>,
    /// Statements that cannot be left out, with the reason.
    fixed: BTreeMap<usize, String>,
}

/// Finds what stays. `named` are functions whose loops and conditions are to stay, `fixed` statements that cannot be left out.
pub(crate) fn slice(unit: &Unit, named: &BTreeSet<usize>, fixed: &BTreeMap<usize, String>) -> Slice {
    let summaries = summaries(unit, named);
    let mut made = Slice {
        needs: BTreeMap::new(),
        stays: vec![None; unit.statements.len()],
        effective: summaries.iter().map(|summary| summary.stays.is_some()).collect(),
        live: BTreeSet::new(),
        summaries,
        deciding_receive: None,
        whole: BTreeSet::new(),
        named: named.clone(),
        fixed: fixed.clone(),
    };
    let roots = unit.function("main").into_iter().chain(unit.called_back.iter().copied());
    for root in roots {
        made.live.insert(root);
        made.live.extend(&made.summaries[root].callees);
    }
    for &function in &unit.called_back {
        made.whole.insert(function);
        made.whole.extend(&made.summaries[function].callees);
    }
    made.seed(unit);
    // Every round adds places or statements, of which there are only so many.
    loop {
        let before = (made.needs.len(), made.stays.iter().flatten().count(), made.effective.clone());
        made.round(unit);
        if before == (made.needs.len(), made.stays.iter().flatten().count(), made.effective.clone()) {
            return made;
        }
    }
}

impl Slice {
    pub(crate) fn is_needed(&self, place: Place, unit: &Unit) -> bool {
        self.needs.contains_key(&unit.memory.class(place))
    }

    fn need(&mut self, classes: impl IntoIterator<Item = Place>, unit: &Unit, need: &Need) {
        for place in classes {
            self.needs.entry(unit.memory.class(place)).or_insert_with(|| need.clone());
        }
    }

    fn seed(&mut self, unit: &Unit) {
        let unknown = Need { line: 0, what: "memory about which nothing is known".to_owned() };
        self.need([UNKNOWN], unit, &unknown);
        let outside = &unit.outside;
        if let Some(at) = outside.odd {
            let need = Need { line: unit.expanded.line(at), what: "code that is not understood".to_owned() };
            self.need(outside.reads.iter().copied().chain(classes_reached(outside, unit)), unit, &need);
            for function in callees(outside, unit) {
                self.live.insert(function);
                self.need(self.summaries[function].reads.clone(), unit, &need);
            }
        }
        let called = self.live.iter().flat_map(|&function| unit.within(unit.functions[function].body));
        let unknown: Vec<usize> =
            called.filter(|&at| !unit.statements[at].facts.unknown.is_empty()).collect();
        if let Some(&first) = unknown.first() {
            // Functions of other files may use what this one offers.
            let name = unit.statements[first].facts.unknown[0].clone();
            let need = Need { line: unit.line(first), what: format!("the call of {name}") };
            let offered = unit.external.iter().flat_map(|&place| unit.memory.reachable(place));
            self.need(offered.collect::<Places>(), unit, &need);
            let main = unit.function("main").unwrap_or(usize::MAX);
            for number in 0..unit.functions.len() {
                if !unit.functions[number].is_static {
                    self.live.insert(number);
                    self.live.extend(&self.summaries[number].callees);
                    if number != main {
                        self.whole.insert(number);
                        self.whole.extend(&self.summaries[number].callees);
                    }
                    self.need(self.summaries[number].reads.clone(), unit, &need);
                }
            }
        }
        for &function in &unit.called_back {
            let need = Need {
                line: unit.line(unit.functions[function].body),
                what: "a function that MPI may call".into(),
            };
            self.need(self.summaries[function].reads.clone(), unit, &need);
        }
    }

    fn round(&mut self, unit: &Unit) {
        for function in 0..unit.functions.len() {
            let writes = &self.summaries[function].writes;
            self.effective[function] |= writes.iter().any(|class| self.needs.contains_key(class));
        }
        for function in self.live.clone() {
            if self.effective[function] || unit.functions[function].name == "main" {
                for statement in unit.within(unit.functions[function].body) {
                    self.look_at(statement, unit);
                }
            }
        }
        self.meet(unit);
    }

    /// Keeps a statement if there is a reason, and then what it hangs on.
    fn look_at(&mut self, number: usize, unit: &Unit) {
        if self.stays[number].is_none() {
            self.stays[number] = self.why(number, unit);
        }
        if self.stays[number].is_none() {
            return;
        }
        let statement = &unit.statements[number];
        let need = Need { line: unit.line(number), what: description(&statement.kind, &statement.facts) };
        match self.is_idle_return(number, unit) {
            true => self.hang_on(&of_address(&statement.facts), unit, &need),
            false => self.hang_on(&statement.facts, unit, &need),
        }
        for around in unit.around(number) {
            if self.stays[around].is_none() {
                self.stays[around] = Some(format!("it decides about {} in line {}", need.what, need.line));
            }
        }
        // Lengths of arrays are there where the arrays are.
        for &child in &statement.children {
            if unit.statements[child].kind == Kind::Declaration {
                let need = Need { line: unit.line(child), what: "a declaration".to_owned() };
                self.hang_on(&unit.statements[child].facts, unit, &need);
            }
        }
    }

    /// This says whether the value of a return is needed nowhere: then another value may be returned.
    fn is_idle_return(&self, number: usize, unit: &Unit) -> bool {
        let statement = &unit.statements[number];
        matches!(statement.kind, Kind::Return(_))
            && reason(&statement.facts).is_none()
            && !self.is_needed(unit.functions[statement.function].result.place, unit)
    }

    /// Keeps what facts read.
    fn hang_on(&mut self, facts: &Facts, unit: &Unit, need: &Need) {
        let deep = classes_reached(facts, unit);
        self.need(facts.reads.iter().copied().chain(deep), unit, need);
        for function in callees(facts, unit) {
            if !self.effective[function] {
                // It is executed as it is.
                self.need(self.summaries[function].reads.clone(), unit, need);
            }
            for call in &facts.calls {
                let is_it = call.function.is_none_or(|called| called == function);
                for (parameter, argument) in unit.functions[function].parameters.iter().zip(&call.arguments) {
                    if is_it && self.is_needed(parameter.place, unit) {
                        self.need(argument.reads.clone(), unit, need);
                    }
                }
            }
        }
    }

    fn why(&self, number: usize, unit: &Unit) -> Option<String> {
        let statement = &unit.statements[number];
        let facts = &statement.facts;
        if let Some(what) = reason(facts) {
            return Some(format!("it calls {what}").replace("calls code", "has code"));
        }
        if let Some(function) = callees(facts, unit).into_iter().find(|&function| self.effective[function]) {
            let name = &unit.functions[function].name;
            return Some(match &self.summaries[function].stays {
                Some(why) => format!("it calls {name}, with {why}"),
                None => format!("it calls {name}, which sets what messages hang on"),
            });
        }
        let needed = facts.writes.iter().find(|&&place| self.is_needed(place, unit));
        if let Some(&place) = needed {
            let Need { line, what } = &self.needs[&unit.memory.class(place)];
            let name = self.name(place, unit);
            return Some(format!("it sets {name}, which is needed by {what} in line {line}"));
        }
        if let Some(why) = self.fixed.get(&number) {
            return Some(why.clone());
        }
        if self.whole.contains(&statement.function) {
            return Some("its function may be called from elsewhere".to_owned());
        }
        let is_named = self.named.contains(&statement.function);
        match statement.kind {
            Kind::Return(_) | Kind::Goto(_) | Kind::Label(_) => Some("it decides what is reached".to_owned()),
            Kind::If | Kind::Loop { .. } | Kind::Switch | Kind::Break | Kind::Continue if is_named => {
                Some("its function is to stay".to_owned())
            }
            Kind::Break | Kind::Continue => {
                let target = target(number, unit)?;
                self.stays[target].is_some().then(|| "it decides about a loop that stays".to_owned())
            }
            _ => None,
        }
    }

    /// This is what to call a place: a variable, or what a variable points to.
    fn name(&self, place: Place, unit: &Unit) -> String {
        let class = unit.memory.class(place);
        let is_it = |other: Place| unit.memory.class(other) == class;
        let variable = unit
            .names
            .get(&place)
            .or_else(|| unit.names.iter().find(|&(&other, _)| is_it(other)).map(|(_, name)| name));
        let pointer = || {
            let found = unit.names.iter().find(|&(&other, _)| unit.memory.target(other).is_some_and(is_it));
            found.map(|(_, name)| format!("what {name} points to"))
        };
        variable.cloned().or_else(pointer).unwrap_or_else(|| "memory".to_owned())
    }

    /// Data that are received and needed have been sent: what is in these buffers is needed, too.
    fn meet(&mut self, unit: &Unit) {
        let calls: Vec<&MpiCall> = self
            .live
            .iter()
            .flat_map(|&function| unit.within(unit.functions[function].body))
            .flat_map(|statement| &unit.statements[statement].facts.mpi)
            .collect();
        for call in &calls {
            if !call.received.iter().any(|&place| self.is_needed(place, unit)) {
                continue;
            }
            let line = unit.expanded.line(call.at);
            self.deciding_receive.get_or_insert(line);
            let need = Need { line, what: call.name.clone() };
            let group = mpi::group(&call.name);
            for other in
                calls.iter().filter(|other| mpi::group(&other.name) == group && can_meet(call, other))
            {
                self.need(other.sent.iter().copied(), unit, &need);
                if group != "messages" || other.name.contains("replace") {
                    self.need(other.received.iter().copied(), unit, &need);
                }
            }
        }
    }
}

/// This is what must be right for an expression that is executed for the calls in it alone.
fn of_address(facts: &Facts) -> Facts {
    match facts.calls.is_empty() {
        true => Facts::default(),
        false => Facts { reads: facts.critical.clone(), ..facts.clone() },
    }
}

/// This says whether the types of two calls do not exclude that data go from one to the other.
fn can_meet(one: &MpiCall, other: &MpiCall) -> bool {
    let is_plain =
        |name: &String| PLAIN.split_whitespace().any(|plain| name.strip_prefix("MPI_") == Some(plain));
    let are_plain = |call: &MpiCall| !call.types.is_empty() && call.types.iter().all(is_plain);
    !are_plain(one) || !are_plain(other) || one.types.iter().any(|name| other.types.contains(name))
}

/// Datatypes of the language: what is sent as one of them is received as the same.
const PLAIN: &str = "CHAR SHORT INT LONG LONG_LONG LONG_LONG_INT UNSIGNED_CHAR UNSIGNED_SHORT UNSIGNED UNSIGNED_LONG \
    UNSIGNED_LONG_LONG SIGNED_CHAR FLOAT DOUBLE LONG_DOUBLE INT8_T INT16_T INT32_T INT64_T UINT8_T UINT16_T UINT32_T UINT64_T \
    C_BOOL C_COMPLEX C_FLOAT_COMPLEX C_DOUBLE_COMPLEX AINT OFFSET COUNT FLOAT_INT DOUBLE_INT LONG_INT 2INT SHORT_INT";

/// The loop or `switch` that a `break` or `continue` is for.
pub(crate) fn target(jump: usize, unit: &Unit) -> Option<usize> {
    let continues = unit.statements[jump].kind == Kind::Continue;
    unit.around(jump).find(|&around| match unit.statements[around].kind {
        Kind::Loop { .. } => true,
        Kind::Switch => !continues,
        _ => false,
    })
}

fn description(kind: &Kind, facts: &Facts) -> String {
    if let Some(call) = facts.mpi.first() {
        return call.name.clone();
    }
    if let Some(name) = facts.unknown.first() {
        return format!("the call of {name}");
    }
    let what = match kind {
        Kind::Loop { .. } => "the loop",
        Kind::If => "the condition",
        Kind::Switch => "the switch",
        Kind::Return(_) => "the return",
        Kind::Initial { .. } | Kind::Declaration => "the declaration",
        _ => facts.ends.as_deref().or(facts.of_weir.as_deref()).unwrap_or("the statement"),
    };
    what.to_owned()
}
