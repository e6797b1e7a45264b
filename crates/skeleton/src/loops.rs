//! Loops: how often a `for` goes round, and variables that belong to one loop alone.

use crate::expressions::Reader;
use crate::facts::Facts;
use crate::types::{Type, declared};
use crate::unit::{Bounds, Kind, Trips, Variable};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use tree_sitter::Node;

impl<'t> Reader<'t> {
    pub(crate) fn for_loop(&mut self, node: Node<'t>, parent: Option<usize>) -> usize {
        let mut facts = Facts::default();
        let number = self.add(node, Kind::Loop { trips: None }, parent);
        if let Some(first) = node.child_by_field_name("initializer") {
            if first.kind() == "declaration" {
                for (part, variable) in self.declaration(first, &mut facts) {
                    let value = part.child_by_field_name("value");
                    if let (Some(variable), Some(value)) = (variable, value) {
                        self.initialize(variable.place, &variable.of, value, &mut facts);
                    }
                }
            } else {
                self.value(first, &mut facts);
            }
        }
        for field in ["condition", "update"] {
            node.child_by_field_name(field).into_iter().for_each(|part| _ = self.value(part, &mut facts));
        }
        if facts.odd.is_none() {
            self.unit.statements[number].kind = Kind::Loop { trips: self.trips(node) };
        }
        node.child_by_field_name("body").into_iter().for_each(|body| _ = self.statement(body, Some(number)));
        self.set(number, node, facts);
        number
    }

    /// The iterations of a loop that goes from a value to another in equal steps.
    fn trips(&mut self, node: Node<'t>) -> Option<Trips> {
        let [first, condition, update] =
            ["initializer", "condition", "update"].map(|field| node.child_by_field_name(field));
        let (name, first) = self.first_value(first?)?;
        let condition = condition?;
        let [left, sign, end] =
            ["left", "operator", "right"].map(|field| condition.child_by_field_name(field));
        let (left, sign, end) = (left?, self.words(sign?), end?);
        if self.words(left) != self.words(name) {
            return None;
        }
        let update = update?;
        let (is_down, step) = match update.kind() {
            "update_expression" => {
                let argument = update.child_by_field_name("argument")?;
                let sign = update.child_by_field_name("operator")?;
                (self.words(argument) == self.words(name)).then(|| (self.words(sign) == "--", None))?
            }
            "assignment_expression" => {
                let [left, sign, right] =
                    ["left", "operator", "right"].map(|field| update.child_by_field_name(field));
                let is_down = match self.words(sign?) {
                    "+=" => false,
                    "-=" => true,
                    _ => return None,
                };
                (self.words(left?) == self.words(name)).then_some((is_down, right))?
            }
            _ => return None,
        };
        let is_closed = match (sign, is_down) {
            ("<", false) | (">", true) => false,
            ("<=", false) | (">=", true) => true,
            _ => return None,
        };
        let mut facts = Facts::default();
        let (counter, _) = self.place(name, &mut facts)?;
        for part in [Some(first), Some(end), step].into_iter().flatten() {
            self.value(part, &mut facts);
        }
        let calls = facts.calls.iter().filter_map(|call| call.function).collect();
        let has_effects = !facts.writes.is_empty()
            || !facts.mpi.is_empty()
            || !facts.unknown.is_empty()
            || facts.of_weir.is_some()
            || facts.calls_library
            || facts.odd.is_some()
            || !facts.deep.is_empty()
            || facts.calls.iter().any(|call| call.function.is_none());
        let bounds = Bounds { reads: facts.reads, critical: facts.critical, calls, has_effects };
        let (first, end) = (first.byte_range(), end.byte_range());
        let step = step.map(|step| step.byte_range());
        Some(Trips { first, end, step, is_closed, is_down, bounds, counter })
    }

    /// The variable that the first part of a `for` sets, and its value, if it sets one.
    fn first_value(&self, node: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
        if node.kind() == "assignment_expression" {
            let [left, sign, right] =
                ["left", "operator", "right"].map(|field| node.child_by_field_name(field));
            let left = left?;
            return (left.kind() == "identifier" && self.words(sign?) == "=").then_some((left, right?));
        }
        let mut cursor = node.walk();
        let parts: Vec<Node> = node.children_by_field_name("declarator", &mut cursor).collect();
        match parts[..] {
            [part] if part.kind() == "init_declarator" => {
                let name = declared(part.child_by_field_name("declarator")?, &Type::number()).name?;
                Some((name, part.child_by_field_name("value")?))
            }
            _ => None,
        }
    }

    /// Variables of a function that begin anew in each loop that uses them: a loop that sets a variable in its first part has it for
    /// itself, if no value of it is read outside of such loops.
    pub(crate) fn own_variables_of_loops(&mut self, body: Node<'t>) -> Vec<(Range<usize>, String, Variable)> {
        let mut uses = Uses::default();
        self.collect(body, &[], &mut uses);
        if uses.has_labels {
            return Vec::new();
        }
        let mut found = Vec::new();
        for (name, ranges) in uses.loops {
            let is_number = uses.declared.get(&name).is_some_and(|of| *of == Some(Type::number()));
            if uses.elsewhere.contains(&name) || !is_number {
                continue;
            }
            for (start, end) in ranges {
                let place = self.memory().fresh();
                self.unit.names.insert(place, name.clone());
                self.unit.owners.extend(self.function.map(|function| (place, function)));
                found.push((start..end, name.clone(), Variable { place, of: Type::number() }));
            }
        }
        found
    }

    /// `open` are the loops around, each with the names that it sets.
    fn collect(&self, node: Node<'t>, open: &[(Range<usize>, Vec<&'t str>)], uses: &mut Uses) {
        let mut around = open.to_vec();
        match node.kind() {
            "labeled_statement" => uses.has_labels = true,
            "declaration" => self.note_types(node, uses),
            "for_statement" => {
                if let Some(first) = node.child_by_field_name("initializer") {
                    let names = self.set_names(first);
                    around.push((node.byte_range(), names));
                }
            }
            "identifier" => {
                let name = self.words(node);
                match open.iter().find(|(_, names)| names.contains(&name)) {
                    Some((range, _)) => {
                        uses.loops.entry(name.to_owned()).or_default().insert((range.start, range.end));
                        if self.is_read_first(node, range) {
                            uses.elsewhere.insert(name.to_owned());
                        }
                    }
                    None if self.is_only_set(node) => {}
                    None => _ = uses.elsewhere.insert(name.to_owned()),
                }
            }
            "pointer_expression" if self.words(node).starts_with('&') => {
                if let Some(name) = node.child_by_field_name("argument") {
                    uses.elsewhere.insert(self.words(name).to_owned());
                }
            }
            _ => {}
        }
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            self.collect(child, &around, uses);
        }
    }

    fn note_types(&self, declaration: Node<'t>, uses: &mut Uses) {
        let base = self.unit.types.base(declaration, self.text);
        let mut cursor = declaration.walk();
        let is_plain =
            !declaration.children(&mut cursor).any(|child| child.kind() == "storage_class_specifier");
        let mut cursor = declaration.walk();
        for part in declaration.children_by_field_name("declarator", &mut cursor) {
            let inner = part.child_by_field_name("declarator").filter(|_| part.kind() == "init_declarator");
            let found = declared(inner.unwrap_or(part), &base);
            let Some(name) = found.name else { continue };
            let of = is_plain.then_some(found.of);
            let known = uses.declared.entry(self.words(name).to_owned()).or_insert_with(|| of.clone());
            if *known != of {
                *known = None;
            }
        }
    }

    /// The names that the first part of a `for` sets, one behind the other.
    fn set_names(&self, first: Node<'t>) -> Vec<&'t str> {
        match first.kind() {
            "comma_expression" => {
                let sides = ["left", "right"].map(|field| first.child_by_field_name(field));
                sides.into_iter().flatten().flat_map(|side| self.set_names(side)).collect()
            }
            "declaration" => {
                let mut cursor = first.walk();
                let parts = first.children_by_field_name("declarator", &mut cursor);
                let set = parts.filter(|part| part.kind() == "init_declarator");
                let names = set.filter_map(|part| {
                    declared(part.child_by_field_name("declarator")?, &Type::number()).name
                });
                names.map(|name| self.words(name)).collect()
            }
            _ => self.first_value(first).map(|(name, _)| self.words(name)).into_iter().collect(),
        }
    }

    /// This says whether the name is in the first part of its loop, and not where it is set.
    fn is_read_first(&self, name: Node<'t>, range: &Range<usize>) -> bool {
        let around = std::iter::successors(name.parent(), Node::parent);
        let outermost = around.take_while(|node| node.byte_range() != *range).last();
        let is_in_first = outermost.is_some_and(|part| {
            part.parent().and_then(|node| node.child_by_field_name("initializer")) == Some(part)
        });
        is_in_first && !self.is_only_set(name)
    }

    /// This says whether the name is on the left of an assignment, or declared.
    fn is_only_set(&self, name: Node<'t>) -> bool {
        let Some(parent) = name.parent() else { return false };
        match parent.kind() {
            "assignment_expression" => {
                let sign = parent.child_by_field_name("operator").map(|sign| self.words(sign));
                let is_left = parent.child_by_field_name("left") == Some(name);
                // Its value may go on, as in `a = b = 0`, but that is the value on the right.
                is_left && sign == Some("=")
            }
            "init_declarator" => parent.child_by_field_name("declarator") == Some(name),
            kind => kind == "declaration" || kind.ends_with("_declarator"),
        }
    }
}

/// This says how the names of a function are used.
#[derive(Default)]
struct Uses {
    /// By name: the outermost loops that set it and use it.
    loops: BTreeMap<String, BTreeSet<(usize, usize)>>,
    /// Names that are read outside of such loops, or whose address is taken.
    elsewhere: BTreeSet<String>,
    /// Types of names; `None` where declarations differ.
    declared: BTreeMap<String, Option<Type>>,
    has_labels: bool,
}
