//! Finds the places of a source file where mutants stand.

use crate::changes;
use proc_macro2::{Span, TokenStream, TokenTree};
use std::ops::Range;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Block, Expr, Signature, Stmt};

/// One small change of a program.
pub struct Mutant {
    /// Number within the crate.
    pub id: usize,
    pub file: String,
    pub line: usize,
    pub column: usize,
    /// Operator, body, guard, arm, call, literal, unary.
    pub kind: &'static str,
    /// In words: "replace < by <= in Type::function".
    pub change: String,
    /// The text of the changed program; empty where a part is left out.
    pub code: String,
}

impl Mutant {
    /// The crate that it is in: the second part of its path.
    pub fn krate(&self) -> &str {
        self.file.split('/').nth(1).unwrap_or_default()
    }
}

/// How the mutants of a site stand in the text.
#[derive(Clone, Copy, PartialEq)]
pub enum Form {
    /// `(if on(1) { changed } else { original })`
    Choice,
    /// `if on(1) { return changed; }` before the original.
    Return,
    /// `if !on(1) { original }`
    Omission,
    /// ` if !on(1)` behind a pattern without a guard.
    Guard,
}

/// A range of a file that has mutants: all of an expression, or the empty range where something is added.
pub struct Site {
    pub range: Range<usize>,
    pub form: Form,
    pub mutants: Vec<Mutant>,
}

/// What a file has: sites, outer ones before those in them, and the names of the files of its modules.
#[derive(Default)]
pub struct Found {
    pub sites: Vec<Site>,
    pub modules: Vec<String>,
}

/// The sites of the file, with mutants numbered from `first`.
pub fn find(file: &str, text: &str, first: usize) -> syn::Result<Found> {
    let parsed = syn::parse_file(text)?;
    let mut finder = Finder { file, text, next: first, scope: Vec::new(), found: Found::default() };
    if !is_test(&parsed.attrs) {
        finder.visit_file(&parsed);
    }
    Ok(finder.found)
}

struct Finder<'a> {
    file: &'a str,
    text: &'a str,
    next: usize,
    scope: Vec<String>,
    found: Found,
}

impl Finder<'_> {
    fn code(&self, span: Span) -> &str {
        &self.text[span.byte_range()]
    }

    /// A site of `range` with one mutant for each pair of words and changed text; the words are said to stand at `at`.
    fn site(
        &mut self,
        range: Range<usize>,
        at: Span,
        form: Form,
        kind: &'static str,
        changes: Vec<(String, String)>,
    ) {
        if changes.is_empty() {
            return;
        }
        let mutants = (self.next..).zip(changes).map(|(id, (words, code))| Mutant {
            id,
            file: self.file.into(),
            line: at.start().line,
            column: at.start().column + 1,
            kind,
            change: format!("{words} in {}", self.scope.join("::")),
            code,
        });
        let mutants: Vec<Mutant> = mutants.collect();
        self.next += mutants.len();
        self.found.sites.push(Site { range, form, mutants });
    }

    fn body(&mut self, signature: &Signature, block: &Block) {
        let original: String = block.stmts.iter().map(|statement| self.code(statement.span())).collect();
        if block.stmts.is_empty() {
            return;
        }
        let values = changes::of_body(&signature.output).into_iter().filter(|value| *value != original);
        let words = |value| (format!("return {value} at once"), value);
        let after_brace = block.brace_token.span.open().byte_range().end;
        self.site(
            after_brace..after_brace,
            signature.ident.span(),
            Form::Return,
            "body",
            values.map(words).collect(),
        );
    }

    /// Goes into a function, unless it is only for tests or runs at compile time.
    fn function(&mut self, attributes: &[Attribute], signature: &Signature, block: &Block) {
        if is_test(attributes) || signature.constness.is_some() {
            return;
        }
        self.scope.push(signature.ident.to_string());
        self.body(signature, block);
        self.visit_block(block);
        self.scope.pop();
    }
}

/// Whether the item is there for tests only, those of other crates among them: `cfg(any(test, feature = "harness"))`.
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::Path(path) => path.is_ident("test"),
        syn::Meta::List(list) => list.path.is_ident("cfg") && names_test(list.tokens.clone()),
        syn::Meta::NameValue(_) => false,
    })
}

/// Whether a condition has `test` in it, other than in `not(test)`.
fn names_test(condition: TokenStream) -> bool {
    let mut is_negated = false;
    condition.into_iter().any(|token| match token {
        TokenTree::Ident(word) => {
            is_negated = word == "not";
            word == "test"
        }
        TokenTree::Group(group) => !is_negated && names_test(group.stream()),
        _ => false,
    })
}

/// Whether a condition binds names: `a && let Some(b) = c`.
fn binds(condition: &Expr) -> bool {
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(both) => binds(&both.left) || binds(&both.right),
        _ => false,
    }
}

fn is_call(expression: &Expr) -> bool {
    match expression {
        Expr::Call(_) | Expr::MethodCall(_) => true,
        Expr::Try(inner) => is_call(&inner.expr),
        _ => false,
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.attrs, &item.sig, &item.block);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.attrs, &item.sig, &item.block);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.function(&item.attrs, &item.sig, block);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let for_people = item
            .trait_
            .as_ref()
            .is_some_and(|(_, path, _)| path.segments.last().is_some_and(|last| last.ident == "Debug"));
        if is_test(&item.attrs) || for_people {
            return;
        }
        self.scope.push(self.code(item.self_ty.span()).to_string());
        visit::visit_item_impl(self, item);
        self.scope.pop();
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.scope.push(item.ident.to_string());
        visit::visit_item_trait(self, item);
        self.scope.pop();
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if is_test(&item.attrs) {
            return;
        }
        match &item.content {
            Some(_) => visit::visit_item_mod(self, item),
            None => self.found.modules.push(item.ident.to_string()),
        }
    }

    fn visit_expr(&mut self, expression: &'ast Expr) {
        let range = expression.span().byte_range();
        match expression {
            Expr::Binary(both) if !binds(expression) => {
                let (left, right) = (self.code(both.left.span()), self.code(both.right.span()));
                let (operator, others) = changes::of_operator(&both.op);
                let changed = |other: &&str| {
                    let code = if other.ends_with('=') && operator.len() > 1 && !is_comparison(operator) {
                        format!("{left} {other} {right}")
                    } else {
                        format!("({left}) {other} ({right})")
                    };
                    (format!("replace {operator} by {other}"), code)
                };
                let changes = others.iter().map(changed).collect();
                self.site(range, both.op.span(), Form::Choice, "operator", changes);
            }
            Expr::Unary(unary) if !matches!(unary.op, syn::UnOp::Deref(_)) => {
                let sign = self.code(unary.op.span());
                let change = (format!("remove {sign}"), self.code(unary.expr.span()).to_string());
                self.site(range, unary.op.span(), Form::Choice, "unary", vec![change]);
            }
            Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. }) => {
                if let Ok(value) = number.base10_parse::<u128>() {
                    let code = format!("{}{}", value + 1, number.suffix());
                    let change = (format!("replace {} by {code}", number.token()), code);
                    self.site(range, number.span(), Form::Choice, "literal", vec![change]);
                }
            }
            _ => {}
        }
        visit::visit_expr(self, expression);
    }

    fn visit_expr_match(&mut self, item: &'ast syn::ExprMatch) {
        self.visit_expr(&item.expr);
        let is_rest = |arm: &syn::Arm| matches!(arm.pat, syn::Pat::Wild(_)) && arm.guard.is_none();
        let has_rest = item.arms.iter().any(is_rest);
        for arm in &item.arms {
            let pattern = arm.pat.span();
            let name: String = self.code(pattern).split_whitespace().collect::<Vec<_>>().join(" ");
            if let Some((_, guard)) = &arm.guard {
                if !binds(guard) {
                    let change =
                        |value: &str| (format!("replace guard of {name} by {value}"), value.to_string());
                    let changes = vec![change("true"), change("false")];
                    self.site(guard.span().byte_range(), guard.span(), Form::Choice, "guard", changes);
                }
                self.visit_expr(guard);
            } else if has_rest && !is_rest(arm) {
                let end = pattern.byte_range().end;
                let change = vec![(format!("delete arm {name}"), String::new())];
                self.site(end..end, pattern, Form::Guard, "arm", change);
            }
            self.visit_expr(&arm.body);
        }
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        if let Stmt::Expr(expression, Some(_)) = statement
            && is_call(expression)
        {
            let words: String = self.code(expression.span()).split_whitespace().collect::<Vec<_>>().join(" ");
            let span = statement.span();
            let change = vec![(format!("delete {words}"), String::new())];
            self.site(span.byte_range(), span, Form::Omission, "call", change);
        }
        if let Stmt::Local(local) = statement
            && is_test(&local.attrs)
        {
            return;
        }
        visit::visit_stmt(self, statement);
    }

    // What runs at compile time, and what is no code.
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_item_enum(&mut self, _: &'ast syn::ItemEnum) {}
    fn visit_item_macro(&mut self, _: &'ast syn::ItemMacro) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_macro(&mut self, _: &'ast syn::Macro) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_attribute(&mut self, _: &'ast Attribute) {}
    fn visit_generic_argument(&mut self, _: &'ast syn::GenericArgument) {}

    fn visit_expr_repeat(&mut self, item: &'ast syn::ExprRepeat) {
        self.visit_expr(&item.expr);
    }
}

fn is_comparison(operator: &str) -> bool {
    matches!(operator, "==" | "!=" | "<" | "<=" | ">" | ">=")
}
