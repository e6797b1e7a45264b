//! Calls: of functions of the program, of MPI, of the C library, and of what is not known.

use crate::expressions::{Indirect, Reader, Value};
use crate::facts::{Call, Facts, MpiCall};
use crate::library::{Effect, effect, is_arithmetic};
use crate::memory::{Place, UNKNOWN};
use crate::mpi::{self, Argument};
use crate::types::Type;
use std::collections::BTreeSet;
use tree_sitter::Node;

impl<'t> Reader<'t> {
    pub(crate) fn call(&mut self, node: Node<'t>, facts: &mut Facts) -> Value {
        let [called, list] = ["function", "arguments"].map(|field| node.child_by_field_name(field));
        let (Some(called), Some(list)) = (called, list) else { return Self::not_understood(node, facts) };
        let mut cursor = list.walk();
        let arguments: Vec<Node> = list.named_children(&mut cursor).collect();
        let inner = std::iter::successors(Some(called), |node| {
            (node.kind() == "parenthesized_expression").then(|| node.named_child(0)).flatten()
        })
        .last()
        .unwrap_or(called);
        let name = self.words(inner);
        if self.is_cast(inner) {
            // The parser takes `(type)(value)` for a call where it does not know the type.
            return arguments.first().map(|&value| self.value(value, facts)).unwrap_or_default();
        }
        let is_name = inner.kind() == "identifier";
        let is_variable = is_name && (self.locals.contains_key(name) || self.unit.globals.contains_key(name));
        if !is_name || is_variable {
            self.critical(inner, facts);
            return self.indirect(&arguments, facts);
        }
        if let Some(function) = self.unit.function(name) {
            return self.own(function, &arguments, facts);
        }
        if name.starts_with("MPI") || name.starts_with("PMPI") {
            return self.mpi(name, inner.start_byte(), &arguments, facts);
        }
        match effect(name) {
            Some(effect) => self.library(name, effect, &arguments, facts),
            None => self.unknown(name, &arguments, facts),
        }
    }

    /// This says whether what looks like a function is a type in parentheses, or several: `(long)(number)`.
    fn is_cast(&self, called: Node<'t>) -> bool {
        let first = |node: Node<'t>| node.named_child(0);
        match called.kind() {
            "identifier" => {
                let is_bare =
                    called.parent().is_some_and(|parent| parent.kind() != "parenthesized_expression");
                !is_bare && self.unit.types.is_named(self.words(called))
            }
            "parenthesized_expression" => first(called).is_some_and(|inner| self.is_cast(inner)),
            "call_expression" => called
                .child_by_field_name("function")
                .is_some_and(|inner| inner.kind() == "parenthesized_expression" && self.is_cast(inner)),
            _ => false,
        }
    }

    /// The arguments of a call of the program's functions: their values; the reads stay with the call.
    fn arguments(&mut self, arguments: &[Node<'t>], facts: &mut Facts) -> (Vec<Value>, Vec<Facts>) {
        let (mut values, mut found) = (Vec::new(), Vec::new());
        for &argument in arguments {
            let mut own = Facts::default();
            values.push(self.value(argument, &mut own));
            facts.absorb_but_reads(own.clone());
            found.push(own);
        }
        (values, found)
    }

    fn own(&mut self, function: usize, arguments: &[Node<'t>], facts: &mut Facts) -> Value {
        let (values, arguments) = self.arguments(arguments, facts);
        self.bind(function, &values);
        facts.calls.push(Call { function: Some(function), arguments });
        let result = self.unit.functions[function].result.clone();
        self.load(result.place, result.of, facts)
    }

    /// Lets the parameters hold the values.
    pub(crate) fn bind(&mut self, function: usize, values: &[Value]) {
        let parameters = self.unit.functions[function].parameters.clone();
        for (parameter, value) in parameters.iter().zip(values) {
            self.assign(parameter.place, &parameter.of, value);
        }
    }

    /// A call through a pointer may be one of any function whose address is taken somewhere.
    fn indirect(&mut self, arguments: &[Node<'t>], facts: &mut Facts) -> Value {
        let (values, arguments) = self.arguments(arguments, facts);
        // It may be a function of a library as well.
        for (value, argument) in values.iter().zip(&arguments) {
            facts.deep.extend(value.to);
            facts.writes.extend(value.to);
            facts.reads.extend(&argument.reads);
        }
        let result = self.memory().fresh();
        self.indirect.push(Indirect { arguments: values, result });
        facts.calls.push(Call { function: None, arguments });
        facts.reads.insert(result);
        Value { to: Some(self.memory().pointee(result)), of: Type::unknown(), ..Value::default() }
    }

    fn mpi(&mut self, name: &str, at: usize, arguments: &[Node<'t>], facts: &mut Facts) -> Value {
        let roles = mpi::arguments(name).unwrap_or_default();
        let mut call = MpiCall {
            name: name.to_owned(),
            at,
            sent: Vec::new(),
            received: Vec::new(),
            types: BTreeSet::new(),
        };
        for (number, &argument) in arguments.iter().enumerate() {
            if mpi::is_type(name, number) {
                call.types.insert(self.words(argument).to_owned());
            }
            let value = self.value(argument, facts);
            if let Some(function) = value.function {
                self.unit.called_back.insert(function);
            }
            let Some(to) = value.to else { continue };
            match roles.get(number).copied().unwrap_or(Argument::Deep) {
                Argument::Sent => call.sent.push(to),
                Argument::Received => {
                    call.received.push(to);
                    facts.writes.insert(to);
                }
                Argument::Result => _ = facts.writes.insert(to),
                Argument::Deep => {
                    facts.deep.insert(to);
                    facts.writes.insert(to);
                }
            }
            if name.contains("shared") {
                // Other ranks write to it.
                let pointee = self.memory().pointee(to);
                self.memory().unite(UNKNOWN, pointee);
            }
        }
        if name.ends_with("MPI_Abort") {
            facts.ends = Some(name.to_owned());
        }
        facts.mpi.push(call);
        Value { is_literal: true, ..Value::default() }
    }

    fn unknown(&mut self, name: &str, arguments: &[Node<'t>], facts: &mut Facts) -> Value {
        for &argument in arguments {
            let value = self.value(argument, facts);
            facts.deep.extend(value.to);
            facts.writes.extend(value.to);
            self.unit.called_back.extend(value.function);
        }
        if name.starts_with("weir_") {
            facts.of_weir = Some(name.to_owned());
            return Value::default();
        }
        facts.unknown.push(name.to_owned());
        // It may be macro-like, a constructor, anything: what it points to is not known.
        Value { to: Some(UNKNOWN), of: Type::unknown(), ..Value::default() }
    }

    fn library(&mut self, name: &str, effect: Effect, arguments: &[Node<'t>], facts: &mut Facts) -> Value {
        let values: Vec<Value> = arguments.iter().map(|&argument| self.value(argument, facts)).collect();
        let all: Vec<Place> = values.iter().filter_map(|value| value.to).collect();
        let first = values.first().and_then(|value| value.to);
        facts.deep.extend(&all);
        facts.calls_library |= !is_arithmetic(effect);
        let pointer = |to| Value { to, of: Type::pointer_to(&Type::number()), ..Value::default() };
        match effect {
            Effect::Pure if name == "getenv" => return pointer(Some(self.memory().fresh())),
            Effect::Pure | Effect::Waits => {}
            Effect::Within => return pointer(first),
            Effect::Allocates => {
                facts.calls_library = false;
                let to = Some(self.memory().fresh());
                return Value { to, of: Type::pointer_to(&Type::unknown()), ..Value::default() };
            }
            Effect::Frees => {
                facts.deep.clear();
                facts.calls_library = false;
                if let Some((place, _)) = arguments.first().and_then(|&argument| self.place(argument, facts))
                {
                    facts.writes.insert(place);
                }
            }
            Effect::Reallocates => return values.into_iter().next().unwrap_or_default(),
            Effect::Fills => {
                let target = first.unwrap_or(UNKNOWN);
                facts.writes.insert(target);
                if name.starts_with("mem") {
                    self.copy_pointers(target, &all);
                }
                return values.into_iter().next().unwrap_or_default();
            }
            Effect::Scans => self.scan(first, &all, facts),
            Effect::Inputs(file) => {
                let file = file.and_then(|number| values.get(number)).and_then(|value| value.to);
                self.exchange(file.unwrap_or(self.files), facts);
                facts.writes.extend(&all);
                return pointer(first);
            }
            Effect::Prints(file) => {
                facts.prints = true;
                let file = file.and_then(|number| values.get(number)).and_then(|value| value.to);
                facts.writes.extend(file);
            }
            Effect::Random => {
                self.exchange(self.random, facts);
                facts.writes.extend(&all);
                return pointer(first);
            }
            Effect::Asks => {
                facts.writes.extend(&all);
                return pointer(Some(self.memory().fresh()));
            }
            Effect::Ends => facts.ends = Some(name.to_owned()),
            Effect::Opens => return pointer(Some(self.files)),
            Effect::Sorts => {
                facts.writes.extend(first);
                for function in values.iter().filter_map(|value| value.function) {
                    facts.calls.push(Call { function: Some(function), arguments: Vec::new() });
                    let sorted = values.first().cloned().unwrap_or_default();
                    self.bind(function, &[sorted.clone(), sorted]);
                }
                if values.iter().all(|value| value.function.is_none()) {
                    facts.calls.push(Call { function: None, arguments: Vec::new() });
                    let sorted = values.first().cloned().unwrap_or_default();
                    let result = self.memory().fresh();
                    self.indirect.push(Indirect { arguments: vec![sorted.clone(), sorted], result });
                }
                return pointer(first);
            }
        }
        Value::default()
    }

    /// Copied bytes may be pointers.
    fn copy_pointers(&mut self, target: Place, all: &[Place]) {
        let inner = self.memory().pointee(target);
        for &source in all {
            let other = self.memory().pointee(source);
            self.memory().unite(inner, other);
        }
    }

    /// The others are written from the first; `strtol` and the like leave a pointer into it.
    fn scan(&mut self, first: Option<Place>, all: &[Place], facts: &mut Facts) {
        for &place in all.iter().filter(|&&place| Some(place) != first) {
            facts.writes.insert(place);
            if let Some(first) = first {
                let pointee = self.memory().pointee(place);
                self.memory().unite(pointee, first);
            }
        }
    }

    /// This is what is read from a sequence changes what comes next.
    fn exchange(&self, place: Place, facts: &mut Facts) {
        self.read(place, facts);
        facts.writes.insert(place);
    }

    /// Calls through pointers: each function whose address is taken gets the arguments.
    pub(crate) fn join_indirect(&mut self) {
        let pointed: Vec<usize> = self.unit.pointed.iter().copied().collect();
        for Indirect { arguments, result } in std::mem::take(&mut self.indirect) {
            for &function in &pointed {
                self.bind(function, &arguments);
                let returned = self.unit.functions[function].result.clone();
                self.memory().unite(result, returned.place);
            }
        }
    }
}
