//! From expressions to what they read, write and call, and to which pointers go where.

use crate::facts::Facts;
use crate::memory::{Memory, Place, UNKNOWN};
use crate::types::{Step, Type, declared};
use crate::unit::{Unit, Variable};
use std::collections::BTreeMap;
use std::ops::Range;
use tree_sitter::Node;

/// A value: its type, and what it points to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Value {
    pub(crate) to: Option<Place>,
    pub(crate) of: Type,
    /// The function that it is the name of.
    pub(crate) function: Option<usize>,
    /// This says whether it is written down as a number.
    pub(crate) is_literal: bool,
}

/// A call through a pointer: the values of its arguments, and the place of what it returns.
#[derive(Debug)]
pub(crate) struct Indirect {
    pub(crate) arguments: Vec<Value>,
    pub(crate) result: Place,
}

/// Reads the statements and expressions of a program into a [`Unit`].
pub(crate) struct Reader<'t> {
    pub(crate) text: &'t str,
    pub(crate) unit: Unit,
    pub(crate) locals: BTreeMap<String, Variable>,
    pub(crate) function: Option<usize>,
    /// Variables of loops that are their own: within this range the name is this variable.
    pub(crate) splits: Vec<(Range<usize>, String, Variable)>,
    pub(crate) indirect: Vec<Indirect>,
    /// This is what all files of the program are.
    pub(crate) files: Place,
    /// This is what the next random number hangs on.
    pub(crate) random: Place,
    /// This says how many addresses, divisors or choices the expression is a part of.
    depth: usize,
}

impl<'t> Reader<'t> {
    pub(crate) fn new(text: &'t str, mut unit: Unit) -> Self {
        let (files, random) = (unit.memory.fresh(), unit.memory.fresh());
        unit.names
            .extend([(files, "a file".to_owned()), (random, "a sequence of random numbers".to_owned())]);
        let (locals, splits, indirect) = (BTreeMap::new(), Vec::new(), Vec::new());
        Self { text, unit, locals, function: None, splits, indirect, files, random, depth: 0 }
    }

    pub(crate) fn memory(&mut self) -> &mut Memory {
        &mut self.unit.memory
    }

    pub(crate) fn words(&self, node: Node) -> &'t str {
        &self.text[node.byte_range()]
    }

    /// The variable of a name at a place of the text.
    fn variable(&self, name: &str, at: usize) -> Option<Variable> {
        let split = self.splits.iter().find(|(range, split, _)| split == name && range.contains(&at));
        let found = split.map(|(_, _, variable)| variable);
        found.or_else(|| self.locals.get(name)).or_else(|| self.unit.globals.get(name)).cloned()
    }

    pub(crate) fn read(&self, place: Place, facts: &mut Facts) {
        facts.reads.insert(place);
        if self.depth > 0 {
            facts.critical.insert(place);
        }
    }

    /// Evaluates what an address, a divisor or a choice hangs on.
    pub(crate) fn critical(&mut self, node: Node<'t>, facts: &mut Facts) -> Value {
        self.depth += 1;
        let value = self.value(node, facts);
        self.depth -= 1;
        value
    }

    /// This is what an expression that can be assigned to stands for; `None` for other expressions.
    pub(crate) fn place(&mut self, node: Node<'t>, facts: &mut Facts) -> Option<(Place, Type)> {
        match node.kind() {
            "identifier" => {
                let name = self.words(node);
                if let Some(variable) = self.variable(name, node.start_byte()) {
                    return Some((variable.place, variable.of));
                }
                if self.unit.function(name).is_some() {
                    return None;
                }
                // A variable of a library, as errno is.
                let variable = Variable { place: self.memory().fresh(), of: Type::number() };
                self.unit.names.insert(variable.place, name.to_owned());
                self.unit.globals.insert(name.to_owned(), variable.clone());
                Some((variable.place, variable.of))
            }
            "parenthesized_expression" | "extension_expression" => self.place(node.named_child(0)?, facts),
            "subscript_expression" => {
                let base = self.critical(node.child_by_field_name("argument")?, facts);
                let index = self.critical(node.child_by_field_name("index")?, facts);
                let base = if base.to.is_none() && index.to.is_some() { index } else { base };
                Some(self.target(&base))
            }
            "pointer_expression" if self.words(node).starts_with('*') => {
                let base = self.critical(node.child_by_field_name("argument")?, facts);
                Some(self.target(&base))
            }
            "field_expression" => {
                let argument = node.child_by_field_name("argument")?;
                let is_arrow = node.child_by_field_name("operator").is_some_and(|sign| sign.kind() == "->");
                let place = if is_arrow {
                    let base = self.critical(argument, facts);
                    self.target(&base).0
                } else {
                    match self.place(argument, facts) {
                        Some((place, _)) => place,
                        // A member of what a function returns.
                        None => self.value(argument, facts).to.unwrap_or(UNKNOWN),
                    }
                };
                let name = node.child_by_field_name("field").map_or("", |field| self.words(field));
                Some((place, self.member(place, name)))
            }
            "compound_literal_expression" => {
                let of = self.unit.types.descriptor(node.child_by_field_name("type")?, self.text);
                let place = self.memory().fresh();
                self.initialize(place, &of, node.child_by_field_name("value")?, facts);
                Some((place, of))
            }
            _ => None,
        }
    }

    /// The type of a member. Where structs differ in it, it may be an array in its place or a pointer: both are one.
    fn member(&mut self, place: Place, name: &str) -> Type {
        self.unit.types.member(name).unwrap_or_else(|| {
            let pointee = self.memory().pointee(place);
            self.memory().unite(place, pointee);
            Type::unknown()
        })
    }

    /// This is what a pointer points to.
    fn target(&mut self, pointer: &Value) -> (Place, Type) {
        let place = pointer.to.unwrap_or(UNKNOWN);
        if pointer.of.steps.is_empty() && pointer.to.is_some() {
            let pointee = self.memory().pointee(place);
            self.memory().unite(place, pointee);
        }
        (place, pointer.of.target())
    }

    /// The value of what is in a place.
    pub(crate) fn load(&mut self, place: Place, of: Type, facts: &mut Facts) -> Value {
        if of.is(Step::Array) {
            return Value { to: Some(place), of: Type::pointer_to(&of.target()), ..Value::default() };
        }
        self.read(place, facts);
        let to = of.holds_pointers().then(|| self.memory().pointee(place));
        Value { to, of, ..Value::default() }
    }

    /// Lets a place hold a value: what that points to, pointers in the place point to as well.
    pub(crate) fn assign(&mut self, place: Place, of: &Type, value: &Value) {
        if let Some(to) = value.to
            && of.holds_pointers()
        {
            let pointee = self.memory().pointee(place);
            self.memory().unite(pointee, to);
        }
    }

    /// Gives a place its first value, which may be a list.
    pub(crate) fn initialize(&mut self, place: Place, of: &Type, value: Node<'t>, facts: &mut Facts) {
        facts.writes.insert(place);
        if value.kind() != "initializer_list" {
            let found = self.value(value, facts);
            // An array of characters is filled from a string.
            if !of.is(Step::Array) {
                self.assign(place, of, &found);
            }
            return;
        }
        let mut cursor = value.walk();
        for item in value.named_children(&mut cursor) {
            let inner = match item.kind() {
                "initializer_pair" => item.child_by_field_name("value"),
                _ => Some(item),
            };
            // Which member it is does not matter, since all are one place.
            let of_item = Type { steps: vec![Step::Pointer], may_point: of.holds_pointers() };
            let of_item = if of.holds_pointers() { of_item } else { Type::number() };
            inner.into_iter().for_each(|inner| self.initialize(place, &of_item, inner, facts));
        }
    }

    pub(crate) fn value(&mut self, node: Node<'t>, facts: &mut Facts) -> Value {
        match node.kind() {
            "identifier" => self.named(node, facts),
            "subscript_expression" | "field_expression" | "compound_literal_expression" => {
                match self.place(node, facts) {
                    Some((place, of)) => self.load(place, of, facts),
                    None => Self::not_understood(node, facts),
                }
            }
            "pointer_expression" => self.pointer(node, facts),
            "parenthesized_expression" | "extension_expression" => match node.named_child(0) {
                Some(inner) if inner.kind() != "compound_statement" => self.value(inner, facts),
                _ => Self::not_understood(node, facts),
            },
            "assignment_expression" => self.assignment(node, facts),
            "update_expression" => {
                // The parser takes `!a++` for `(!a)++`.
                let argument = std::iter::successors(node.child_by_field_name("argument"), |node| {
                    (node.kind() == "unary_expression")
                        .then(|| node.child_by_field_name("argument"))
                        .flatten()
                });
                let Some((place, of)) = argument.last().and_then(|argument| self.place(argument, facts))
                else {
                    return Self::not_understood(node, facts);
                };
                facts.writes.insert(place);
                self.load(place, of, facts)
            }
            "binary_expression" => self.binary(node, facts),
            "unary_expression" => {
                if let Some(argument) = node.child_by_field_name("argument") {
                    self.value(argument, facts);
                }
                Value { is_literal: true, ..Value::default() }
            }
            "conditional_expression" => {
                facts.branches = true;
                let [condition, one, other] =
                    ["condition", "consequence", "alternative"].map(|field| node.child_by_field_name(field));
                condition.into_iter().for_each(|condition| _ = self.critical(condition, facts));
                let [one, other] = [one, other].map(|side| side.map(|side| self.value(side, facts)));
                self.either(one.unwrap_or_default(), other.unwrap_or_default())
            }
            "comma_expression" => {
                let [left, right] = ["left", "right"].map(|field| node.child_by_field_name(field));
                left.into_iter().for_each(|left| _ = self.value(left, facts));
                right.map(|right| self.value(right, facts)).unwrap_or_default()
            }
            "cast_expression" => self.cast(node, facts),
            "call_expression" => self.call(node, facts),
            "string_literal" | "concatenated_string" => {
                let to = Some(self.memory().fresh());
                Value { to, of: Type::pointer_to(&Type::number()), ..Value::default() }
            }
            "number_literal"
            | "char_literal"
            | "true"
            | "false"
            | "null"
            | "sizeof_expression"
            | "alignof_expression"
            | "offsetof_expression" => Value { is_literal: true, ..Value::default() },
            "comment" => Value::default(),
            _ => Self::not_understood(node, facts),
        }
    }

    pub(crate) fn not_understood(node: Node, facts: &mut Facts) -> Value {
        facts.odd.get_or_insert(node.start_byte());
        Value::default()
    }

    fn named(&mut self, node: Node<'t>, facts: &mut Facts) -> Value {
        let name = self.words(node);
        if let Some(variable) = self.variable(name, node.start_byte()) {
            return self.load(variable.place, variable.of, facts);
        }
        if let Some(function) = self.unit.function(name) {
            self.unit.pointed.insert(function);
            return Value { function: Some(function), ..Value::default() };
        }
        // Enumerators, and constants of libraries.
        Value { is_literal: true, ..Value::default() }
    }

    fn pointer(&mut self, node: Node<'t>, facts: &mut Facts) -> Value {
        let Some(argument) = node.child_by_field_name("argument") else {
            return Self::not_understood(node, facts);
        };
        if self.words(node).starts_with('&') {
            let Some((place, of)) = self.place(argument, facts) else { return self.value(argument, facts) };
            self.unit.shared.insert(place);
            return Value { to: Some(place), of: Type::pointer_to(&of), ..Value::default() };
        }
        let pointer = self.critical(argument, facts);
        if pointer.function.is_some() || pointer.of.target().is(Step::Function) {
            return pointer;
        }
        let (place, of) = self.target(&pointer);
        self.load(place, of, facts)
    }

    fn assignment(&mut self, node: Node<'t>, facts: &mut Facts) -> Value {
        let [left, right] = ["left", "right"].map(|field| node.child_by_field_name(field));
        let (Some(left), Some(right)) = (left, right) else { return Self::not_understood(node, facts) };
        let sign = node.child_by_field_name("operator").map_or("=", |sign| self.words(sign));
        let Some((place, of)) = self.place(left, facts) else { return Self::not_understood(node, facts) };
        let value =
            if matches!(sign, "/=" | "%=") { self.critical(right, facts) } else { self.value(right, facts) };
        facts.writes.insert(place);
        self.assign(place, &of, &value);
        if sign != "=" {
            return self.load(place, of, facts);
        }
        Value { of, ..value }
    }

    fn binary(&mut self, node: Node<'t>, facts: &mut Facts) -> Value {
        let [left, right] = ["left", "right"].map(|field| node.child_by_field_name(field));
        let (Some(left), Some(right)) = (left, right) else { return Self::not_understood(node, facts) };
        let sign = node.child_by_field_name("operator").map_or("", |sign| self.words(sign));
        let decides = matches!(sign, "&&" | "||");
        let one = if decides { self.critical(left, facts) } else { self.value(left, facts) };
        let divides = matches!(sign, "/" | "%");
        let other = if divides { self.critical(right, facts) } else { self.value(right, facts) };
        if !matches!(sign, "+" | "-") {
            return Value { is_literal: true, ..Value::default() };
        }
        match (one.to, other.to) {
            (Some(_), Some(_)) => Value { is_literal: true, ..self.either(one, other) },
            (None, Some(_)) => other,
            _ => one,
        }
    }

    /// One of two values.
    fn either(&mut self, one: Value, other: Value) -> Value {
        match (one.to, other.to) {
            (Some(a), Some(b)) => self.memory().unite(a, b),
            (None, Some(_)) => return other,
            _ => {}
        }
        one
    }

    fn cast(&mut self, node: Node<'t>, facts: &mut Facts) -> Value {
        let [of, value] = ["type", "value"].map(|field| node.child_by_field_name(field));
        let (Some(of), Some(value)) = (of, value) else { return Self::not_understood(node, facts) };
        let of = self.unit.types.descriptor(of, self.text);
        let value = self.value(value, facts);
        // A number that becomes a pointer may point anywhere.
        let is_made_up =
            of.is(Step::Pointer) && value.to.is_none() && value.function.is_none() && !value.is_literal;
        let to = if is_made_up { Some(UNKNOWN) } else { value.to };
        Value { to, of, ..value }
    }

    /// A variable of the function, or of the program where there is none.
    pub(crate) fn declare(&mut self, declarator: Node<'t>, base: &Type, is_static: bool) -> Option<Variable> {
        let found = declared(declarator, base);
        let name = self.words(found.name?);
        if found.of.is(Step::Function) {
            return None;
        }
        let of_loop = |(range, split, _): &&(Range<usize>, String, Variable)| {
            split == name && range.contains(&declarator.start_byte())
        };
        if let Some((_, _, variable)) = self.splits.iter().find(of_loop) {
            return Some(variable.clone());
        }
        let place = self.memory().fresh();
        let variable = Variable { place, of: found.of };
        self.unit.names.insert(place, name.to_owned());
        let Some(function) = self.function else {
            // Declared anew, it is the same one.
            let known = self.unit.globals.entry(name.to_owned()).or_insert(variable).clone();
            if !is_static {
                self.unit.external.insert(known.place);
            }
            return Some(known);
        };
        if !is_static {
            self.unit.owners.insert(place, function);
        }
        if variable.of.is(Step::Array) {
            self.unit.shared.insert(place);
        }
        if let Some(global) = self.unit.globals.get(name).cloned() {
            self.memory().unite(place, global.place);
            self.unit.owners.remove(&place);
        }
        // Variables of one name in one function are one.
        let known = self.locals.entry(name.to_owned()).or_insert_with(|| variable.clone()).clone();
        self.memory().unite(place, known.place);
        if known.of != variable.of {
            let pointee = self.memory().pointee(place);
            self.memory().unite(place, pointee);
            self.locals.insert(name.to_owned(), Variable { place: known.place, of: Type::unknown() });
        }
        Some(variable)
    }
}
