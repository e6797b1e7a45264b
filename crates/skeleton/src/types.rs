//! The types of a program, as far as they say where pointers are.

use crate::library::is_number;
use std::collections::BTreeMap;
use tree_sitter::Node;

/// A step from a type to the one that it is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Pointer,
    Array,
    Function,
}

/// A type: the steps from the outermost, then whether what they end in may hold pointers (a struct, a type of a library).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Type {
    pub(crate) steps: Vec<Step>,
    pub(crate) may_point: bool,
}

impl Type {
    pub(crate) fn number() -> Self {
        Self::default()
    }

    pub(crate) fn unknown() -> Self {
        Self { steps: Vec::new(), may_point: true }
    }

    pub(crate) fn pointer_to(target: &Self) -> Self {
        Self { steps: [&[Step::Pointer], &target.steps[..]].concat(), may_point: target.may_point }
    }

    /// This is what a pointer of this type points to, or an array consists of.
    pub(crate) fn target(&self) -> Self {
        match self.steps.split_first() {
            Some((_, rest)) => Self { steps: rest.to_vec(), may_point: self.may_point },
            None => Self::unknown(),
        }
    }

    pub(crate) fn is(&self, step: Step) -> bool {
        self.steps.first() == Some(&step)
    }

    /// This says whether a pointer may be within a value of this type.
    pub(crate) fn holds_pointers(&self) -> bool {
        self.may_point || self.steps.contains(&Step::Pointer)
    }
}

/// This is what a declarator declares.
#[derive(Debug)]
pub(crate) struct Declared<'t> {
    /// The node of the name; abstract declarators have none.
    pub(crate) name: Option<Node<'t>>,
    pub(crate) of: Type,
    /// Lengths of arrays.
    pub(crate) lengths: Vec<Node<'t>>,
    /// The parameters, if it is a function.
    pub(crate) parameters: Option<Node<'t>>,
    /// This says whether an array leaves its length to its initial value.
    pub(crate) is_open: bool,
}

/// Types with a name, and members of structs.
#[derive(Debug, Default)]
pub(crate) struct Types {
    named: BTreeMap<String, Type>,
    /// By name of the member; `None` where several structs differ.
    members: BTreeMap<String, Option<Type>>,
}

impl Types {
    /// Learns the names and members that a node and its children declare.
    pub(crate) fn learn(&mut self, node: Node, text: &str) {
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            self.learn(child, text);
        }
        let is_type = node.kind() == "type_definition";
        if !is_type && node.kind() != "field_declaration" {
            return;
        }
        let base = self.base(node, text);
        let mut cursor = node.walk();
        for declarator in node.children_by_field_name("declarator", &mut cursor) {
            let declared = declared(declarator, &base);
            let Some(name) = declared.name.map(|name| text[name.byte_range()].to_owned()) else { continue };
            if is_type {
                self.named.insert(name, declared.of);
            } else {
                let known = self.members.entry(name).or_insert_with(|| Some(declared.of.clone()));
                if known.as_ref() != Some(&declared.of) {
                    *known = None;
                }
            }
        }
    }

    /// The type that the specifiers of a declaration name.
    pub(crate) fn base(&self, node: Node, text: &str) -> Type {
        let Some(specifier) = node.child_by_field_name("type") else { return Type::unknown() };
        match specifier.kind() {
            "primitive_type" if &text[specifier.byte_range()] == "void" => Type::unknown(),
            "primitive_type" | "sized_type_specifier" | "enum_specifier" => Type::number(),
            "type_identifier" => {
                let name = &text[specifier.byte_range()];
                let known = self.named.get(name).cloned();
                let is_plain = is_number(name) || name.starts_with("MPI_");
                known.unwrap_or_else(|| if is_plain { Type::number() } else { Type::unknown() })
            }
            _ => Type::unknown(),
        }
    }

    pub(crate) fn is_named(&self, name: &str) -> bool {
        self.named.contains_key(name) || is_number(name)
    }

    /// The type of a member: a number if no struct of the program has it; `None` where several differ.
    pub(crate) fn member(&self, name: &str) -> Option<Type> {
        self.members.get(name).cloned().unwrap_or_else(|| Some(Type::number()))
    }

    /// The type in a cast or in a compound literal.
    pub(crate) fn descriptor(&self, node: Node, text: &str) -> Type {
        let base = self.base(node, text);
        node.child_by_field_name("declarator").map_or_else(|| base.clone(), |inner| declared(inner, &base).of)
    }
}

/// This is what a declarator makes of the type before it.
pub(crate) fn declared<'t>(declarator: Node<'t>, base: &Type) -> Declared<'t> {
    let mut steps = Vec::new();
    let mut made =
        Declared { name: None, of: Type::default(), lengths: Vec::new(), parameters: None, is_open: false };
    let mut next = Some(declarator);
    while let Some(node) = next {
        let kind = node.kind();
        next = node.child_by_field_name("declarator");
        match kind {
            "identifier" | "field_identifier" | "type_identifier" | "primitive_type" => {
                made.name = Some(node)
            }
            "parenthesized_declarator" | "abstract_parenthesized_declarator" | "attributed_declarator" => {
                next = node.named_child(0);
            }
            _ if kind.ends_with("pointer_declarator") => steps.push(Step::Pointer),
            _ if kind.ends_with("array_declarator") => {
                steps.push(Step::Array);
                match node.child_by_field_name("size") {
                    Some(size) => made.lengths.push(size),
                    None => made.is_open = true,
                }
            }
            _ if kind.ends_with("function_declarator") => {
                steps.push(Step::Function);
                made.parameters = node.child_by_field_name("parameters");
            }
            _ => {}
        }
    }
    steps.reverse();
    steps.extend(&base.steps);
    made.of = Type { steps, may_point: base.may_point };
    made
}
