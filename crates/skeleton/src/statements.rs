//! From the tree of the parser to the functions and statements of a [`Unit`].

use crate::expanded::Expanded;
use crate::expressions::Reader;
use crate::facts::{Call, Facts, MpiCall};
use crate::memory::Memory;
use crate::types::{Type, Types, declared};
use crate::unit::{Function, Kind, Statement, Unit, Variable};
use std::collections::{BTreeMap, BTreeSet};
use tree_sitter::Node;

/// Reads a program.
pub(crate) fn read(expanded: Expanded) -> Unit {
    let text = expanded.text.clone();
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&tree_sitter_c::LANGUAGE.into()).expect("both are of one version");
    let tree = parser.parse(&text, None).expect("there is a language, and no limit");
    let unit = Unit {
        expanded,
        memory: Memory::new(),
        types: Types::default(),
        globals: BTreeMap::new(),
        functions: Vec::new(),
        statements: Vec::new(),
        pointed: BTreeSet::new(),
        called_back: BTreeSet::new(),
        names: BTreeMap::new(),
        owners: BTreeMap::new(),
        shared: BTreeSet::new(),
        external: BTreeSet::new(),
        outside: Facts::default(),
    };
    let mut reader = Reader::new(&text, unit);
    reader.program(tree.root_node());
    reader.join_indirect();
    reader.unit
}

impl<'t> Reader<'t> {
    fn program(&mut self, root: Node<'t>) {
        self.unit.types.learn(root, self.text);
        let mut cursor = root.walk();
        let parts: Vec<Node> = root.named_children(&mut cursor).collect();
        for name in ["stdin", "stdout", "stderr"] {
            let of = Type::pointer_to(&Type::number());
            let variable = Variable { place: self.memory().fresh(), of };
            self.unit.globals.insert(name.to_owned(), variable);
        }
        let mut functions = Vec::new();
        for &part in parts.iter().filter(|part| part.kind() == "declaration") {
            self.declaration(part, &mut Facts::default());
        }
        for &part in parts.iter().filter(|part| part.kind() == "function_definition") {
            functions.extend(self.head(part).map(|locals| (part, locals)));
        }
        for (number, (part, locals)) in functions.into_iter().enumerate() {
            self.function = Some(number);
            self.locals = locals;
            self.body(part, number);
            self.function = None;
            self.locals.clear();
        }
        let mut outside = Facts::default();
        for part in parts {
            match part.kind() {
                "function_definition" => {}
                "declaration" if !part.has_error() => self.initial_values(part, &mut outside),
                "type_definition" | "struct_specifier" | "union_specifier" | "enum_specifier" | ";"
                    if !part.has_error() => {}
                _ => self.sweep(part, &mut outside),
            }
        }
        self.unit.outside = outside;
    }

    /// Initial values of variables of the program: constants, among them addresses.
    fn initial_values(&mut self, declaration: Node<'t>, facts: &mut Facts) {
        let mut cursor = declaration.walk();
        for part in declaration.children_by_field_name("declarator", &mut cursor) {
            let [inner, value] = ["declarator", "value"].map(|field| part.child_by_field_name(field));
            let (Some(inner), Some(value)) = (inner, value) else { continue };
            let Some(name) = declared(inner, &Type::number()).name else { continue };
            let Some(variable) = self.unit.globals.get(self.words(name)).cloned() else { continue };
            let mut own = Facts::default();
            self.initialize(variable.place, &variable.of, value, &mut own);
            facts.odd = facts.odd.or(own.odd);
        }
    }

    /// Name, result and parameters of a function; returns its names.
    fn head(&mut self, node: Node<'t>) -> Option<BTreeMap<String, Variable>> {
        let base = self.unit.types.base(node, self.text);
        let found = declared(node.child_by_field_name("declarator")?, &base);
        let name = self.words(found.name?).to_owned();
        let result = Variable { place: self.memory().fresh(), of: found.of.target() };
        self.unit.names.insert(result.place, format!("{name}()"));
        let number = self.unit.functions.len();
        self.function = Some(number);
        self.locals.clear();
        let mut parameters = Vec::new();
        if let Some(list) = found.parameters {
            let mut cursor = list.walk();
            for parameter in list.named_children(&mut cursor) {
                let base = self.unit.types.base(parameter, self.text);
                let Some(declarator) = parameter.child_by_field_name("declarator") else { continue };
                let mut of = declared(declarator, &base).of;
                let Some(known) = declared(declarator, &base).name.map(|name| self.words(name).to_owned())
                else {
                    continue;
                };
                if !of.steps.is_empty() {
                    // Arrays and functions are pointers here.
                    of = Type::pointer_to(&of.target());
                }
                let place = self.memory().fresh();
                self.unit.owners.insert(place, number);
                self.unit.names.insert(place, known.clone());
                let variable = Variable { place, of };
                self.locals.insert(known, variable.clone());
                parameters.push(variable);
            }
        }
        self.function = None;
        let specifier = node.child_by_field_name("type");
        let mut cursor = node.walk();
        let is_static = node
            .children(&mut cursor)
            .any(|child| child.kind() == "storage_class_specifier" && self.words(child) == "static");
        let type_words = specifier.map_or("int", |specifier| self.words(specifier)).to_owned();
        self.unit.functions.push(Function { name, result, parameters, body: 0, type_words, is_static });
        Some(std::mem::take(&mut self.locals))
    }

    fn body(&mut self, node: Node<'t>, number: usize) {
        let Some(body) = node.child_by_field_name("body") else { return };
        self.splits = if node.has_error() { Vec::new() } else { self.own_variables_of_loops(body) };
        let top = if node.has_error() { self.odd(node, None) } else { self.statement(body, None) };
        self.unit.functions[number].body = top;
        self.splits.clear();
    }

    pub(crate) fn add(&mut self, node: Node, kind: Kind, parent: Option<usize>) -> usize {
        let number = self.unit.statements.len();
        let function = self.function.expect("statements are in functions");
        let (text, facts) = (node.byte_range(), Facts::default());
        self.unit.statements.push(Statement { kind, text, facts, children: Vec::new(), parent, function });
        if let Some(parent) = parent {
            self.unit.statements[parent].children.push(number);
        }
        number
    }

    /// Sets the facts of a statement; what cannot be understood makes an odd one of it.
    pub(crate) fn set(&mut self, number: usize, node: Node<'t>, facts: Facts) {
        if facts.odd.is_some() {
            let mut swept = Facts::default();
            self.sweep(node, &mut swept);
            self.unit.statements[number].facts = swept;
            if self.unit.statements[number].children.is_empty() {
                self.unit.statements[number].kind = Kind::Odd;
            }
        } else {
            self.unit.statements[number].facts = facts;
        }
    }

    fn odd(&mut self, node: Node<'t>, parent: Option<usize>) -> usize {
        let number = self.add(node, Kind::Odd, parent);
        let mut facts = Facts::default();
        self.sweep(node, &mut facts);
        self.unit.statements[number].facts = facts;
        number
    }

    /// All names in what cannot be understood are read and written, and all functions called.
    fn sweep(&mut self, node: Node<'t>, facts: &mut Facts) {
        facts.odd.get_or_insert(node.start_byte());
        if node.kind() == "identifier" {
            let name = self.words(node);
            let variable = self.locals.get(name).or_else(|| self.unit.globals.get(name)).cloned();
            if let Some(variable) = variable {
                facts.reads.insert(variable.place);
                facts.deep.insert(variable.place);
                facts.writes.extend([variable.place]);
            } else if let Some(function) = self.unit.function(name) {
                self.unit.pointed.insert(function);
                facts.calls.push(Call { function: Some(function), arguments: Vec::new() });
            } else if name.starts_with("MPI_") && name.contains(char::is_lowercase) {
                let (sent, received, types) = (Vec::new(), Vec::new(), BTreeSet::new());
                facts.mpi.push(MpiCall {
                    name: name.to_owned(),
                    at: node.start_byte(),
                    sent,
                    received,
                    types,
                });
            }
        }
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            self.sweep(child, facts);
        }
    }

    pub(crate) fn statement(&mut self, node: Node<'t>, parent: Option<usize>) -> usize {
        let mut facts = Facts::default();
        match node.kind() {
            "compound_statement" | "attributed_statement" => {
                let number = self.add(node, Kind::Block, parent);
                self.all(node, None, number);
                number
            }
            "expression_statement" => {
                let number = self.add(node, Kind::Simple, parent);
                node.named_child(0).into_iter().for_each(|inner| _ = self.value(inner, &mut facts));
                self.set(number, node, facts);
                number
            }
            "declaration" => {
                let number = self.add(node, Kind::Declaration, parent);
                self.declared_within(node, number, &mut facts);
                self.set(number, node, facts);
                number
            }
            "type_definition" | "struct_specifier" | "union_specifier" | "enum_specifier" => {
                self.add(node, Kind::Declaration, parent)
            }
            "if_statement" => {
                let number = self.add(node, Kind::If, parent);
                self.condition(node, &mut facts);
                for field in ["consequence", "alternative"] {
                    let branch = node.child_by_field_name(field);
                    let branch = branch.and_then(|part| {
                        if part.kind() == "else_clause" { part.named_child(0) } else { Some(part) }
                    });
                    branch.into_iter().for_each(|branch| _ = self.statement(branch, Some(number)));
                }
                self.set(number, node, facts);
                number
            }
            "while_statement" | "do_statement" | "switch_statement" => {
                let kind =
                    if node.kind() == "switch_statement" { Kind::Switch } else { Kind::Loop { trips: None } };
                let number = self.add(node, kind, parent);
                self.condition(node, &mut facts);
                node.child_by_field_name("body")
                    .into_iter()
                    .for_each(|body| _ = self.statement(body, Some(number)));
                self.set(number, node, facts);
                number
            }
            "for_statement" => self.for_loop(node, parent),
            "labeled_statement" => {
                let label = node.child_by_field_name("label");
                let name = label.map_or("", |label| self.words(label)).to_owned();
                let number = self.add(node, Kind::Label(name), parent);
                self.all(node, label, number);
                number
            }
            "case_statement" => {
                let number = self.add(node, Kind::Case, parent);
                self.all(node, node.child_by_field_name("value"), number);
                number
            }
            _ => self.jump(node, parent),
        }
    }

    fn jump(&mut self, node: Node<'t>, parent: Option<usize>) -> usize {
        let mut facts = Facts::default();
        match node.kind() {
            "break_statement" => self.add(node, Kind::Break, parent),
            "continue_statement" => self.add(node, Kind::Continue, parent),
            "goto_statement" => {
                let label = node.child_by_field_name("label").map_or("", |label| self.words(label));
                self.add(node, Kind::Goto(label.to_owned()), parent)
            }
            "return_statement" => {
                let value = node.named_child(0);
                let number = self.add(node, Kind::Return(value.map(|value| value.byte_range())), parent);
                if let (Some(value), Some(function)) = (value, self.function) {
                    let found = self.value(value, &mut facts);
                    let result = self.unit.functions[function].result.clone();
                    facts.writes.insert(result.place);
                    self.assign(result.place, &result.of, &found);
                }
                self.set(number, node, facts);
                number
            }
            _ => self.odd(node, parent),
        }
    }

    /// The statements among the children of a node, but for one child.
    fn all(&mut self, node: Node<'t>, but: Option<Node<'t>>, parent: usize) {
        let mut cursor = node.walk();
        let children: Vec<Node> = node.named_children(&mut cursor).collect();
        for child in children
            .into_iter()
            .filter(|child| Some(*child) != but && !child.kind().starts_with("attribute_"))
        {
            self.statement(child, Some(parent));
        }
    }

    fn condition(&mut self, node: Node<'t>, facts: &mut Facts) {
        node.child_by_field_name("condition")
            .into_iter()
            .for_each(|condition| _ = self.value(condition, facts));
    }

    /// Declares the names of a declaration; lengths of arrays are read, initial values are not looked at.
    pub(crate) fn declaration(
        &mut self,
        node: Node<'t>,
        facts: &mut Facts,
    ) -> Vec<(Node<'t>, Option<Variable>)> {
        let base = self.unit.types.base(node, self.text);
        let mut cursor = node.walk();
        let mut is = |word: &str| {
            node.children(&mut cursor).any(|child| {
                child.kind() == "storage_class_specifier" && &self.text[child.byte_range()] == word
            })
        };
        let (is_static, is_extern) = (is("static"), is("extern"));
        let mut cursor = node.walk();
        let declarators: Vec<Node> = node.children_by_field_name("declarator", &mut cursor).collect();
        let function = self.function;
        if is_extern {
            self.function = None;
        }
        let mut found = Vec::new();
        for part in declarators {
            let inner = if part.kind() == "init_declarator" {
                part.child_by_field_name("declarator")
            } else {
                Some(part)
            };
            let Some(inner) = inner else { continue };
            for length in declared(inner, &base).lengths {
                self.critical(length, facts);
            }
            found.push((part, self.declare(inner, &base, is_static)));
        }
        self.function = function;
        found
    }

    fn declared_within(&mut self, node: Node<'t>, number: usize, facts: &mut Facts) {
        for (part, variable) in self.declaration(node, facts) {
            let [inner, value] = ["declarator", "value"].map(|field| part.child_by_field_name(field));
            let (Some(variable), Some(inner), Some(value)) = (variable, inner, value) else { continue };
            if part.kind() != "init_declarator" {
                continue;
            }
            let is_list = value.kind() == "initializer_list" || declared(inner, &Type::number()).is_open;
            let kind = Kind::Initial { declarator: inner.byte_range(), value: value.byte_range(), is_list };
            let child = self.add(part, kind, Some(number));
            let mut own = Facts::default();
            self.initialize(variable.place, &variable.of, value, &mut own);
            self.set(child, part, own);
        }
    }
}
