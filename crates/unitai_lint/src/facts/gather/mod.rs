//! The one walk over a file.

mod bindings;
mod definitions;
mod layers;

use std::cell::OnceCell;
use std::path::Path;

use ruff_python_ast::token::Tokens;
use ruff_python_ast::visitor::{
    Visitor, walk_expr, walk_interpolated_string_element, walk_pattern, walk_stmt,
};
use ruff_python_ast::{self as ast, Expr, InterpolatedStringElement, Pattern, Stmt};
use ruff_text_size::{Ranged, TextRange};
use unitai_model::Layer;

use super::imports::Imports;
use super::{
    Assert, Call, ClassId, Context, File, FileRole, FunctionId, Name, Statement, Subscript, With, Yield,
    dotted,
};
use crate::Options;

/// Expressions in expressions and blocks in blocks, further than this, are made by programs, to be run by none.
const DEEPEST: u32 = 5_000;

/// Somewhere a file is nested too deeply to be looked at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TooDeep(pub(crate) TextRange);

/// How long the tables are at some place.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Marks {
    pub(crate) calls: u32,
    pub(crate) asserts: u32,
    pub(crate) withs: u32,
    pub(crate) assigns: u32,
    pub(crate) names: u32,
    pub(crate) subscripts: u32,
    pub(crate) yields: u32,
    pub(crate) statements: u32,
    pub(crate) functions: u32,
}

/// Walks over a file once.
pub(crate) fn gather<'a>(
    path: &'a str,
    source: &'a str,
    role: FileRole,
    module: &'a ast::ModModule,
    tokens: &'a Tokens,
    options: &'a Options,
) -> Result<File<'a>, TooDeep> {
    let file = File {
        path,
        source,
        role,
        layer: Layer::of_path(Path::new(path)),
        options,
        body: &module.body,
        tokens,
        functions: Vec::new(),
        classes: Vec::new(),
        calls: Vec::with_capacity(source.len() / 96),
        asserts: Vec::with_capacity(source.len() / 256),
        withs: Vec::new(),
        assigns: Vec::with_capacity(source.len() / 256),
        names: Vec::with_capacity(source.len() / 32),
        subscripts: Vec::new(),
        yields: Vec::new(),
        statements: Vec::with_capacity(source.len() / 192),
        imports: Imports::default(),
        pytestmark: None,
        by_name: OnceCell::new(),
        by_place: OnceCell::new(),
        is_made_up: OnceCell::new(),
    };
    let mut gather = Gather {
        file,
        function: None,
        class: None,
        is_in_class_body: false,
        context: Context::default(),
        statement: None,
        awaited: None,
        depth: 0,
        too_deep: None,
    };
    gather.visit_body(&module.body);
    match gather.too_deep {
        Some(range) => Err(TooDeep(range)),
        None => {
            let mut file = gather.file;
            layers::say(&mut file);
            Ok(file)
        }
    }
}

struct Gather<'a> {
    file: File<'a>,
    function: Option<FunctionId>,
    class: Option<ClassId>,
    /// Whether a function that begins here stands in the class itself.
    is_in_class_body: bool,
    context: Context,
    /// The call that is the statement at hand.
    statement: Option<&'a ast::ExprCall>,
    awaited: Option<&'a ast::ExprCall>,
    depth: u32,
    too_deep: Option<TextRange>,
}

impl<'a> Gather<'a> {
    fn marks(&self) -> Marks {
        let file = &self.file;
        Marks {
            calls: file.calls.len() as u32,
            asserts: file.asserts.len() as u32,
            withs: file.withs.len() as u32,
            assigns: file.assigns.len() as u32,
            names: file.names.len() as u32,
            subscripts: file.subscripts.len() as u32,
            yields: file.yields.len() as u32,
            statements: file.statements.len() as u32,
            functions: file.functions.len() as u32,
        }
    }

    /// Goes one level down, unless that is too deep.
    fn deeper(&mut self, range: TextRange, visit: impl FnOnce(&mut Self)) {
        if self.depth >= DEEPEST {
            self.too_deep.get_or_insert(range);
            return;
        }
        self.depth += 1;
        visit(self);
        self.depth -= 1;
    }

    /// Visits with more around it.
    fn around(&mut self, more: Context, visit: impl FnOnce(&mut Self)) {
        let before = self.context;
        self.context = before.and(more);
        visit(self);
        self.context = before;
    }

    fn with(&mut self, node: &'a ast::StmtWith) {
        let mut is_raises = false;
        for item in &node.items {
            if let Some(call) = item.context_expr.as_call_expr() {
                is_raises |= expects_trouble(last_part(&call.func));
            }
            let (owner, context) = (self.function, self.context);
            self.file.withs.push(With { node, item, owner, context });
            self.around(Context::WITH_ITEM, |it| it.visit_expr(&item.context_expr));
            if let Some(bound) = &item.optional_vars {
                self.visit_expr(bound);
            }
        }
        let more = if is_raises { Context::RAISES } else { Context::default() };
        self.around(more, |it| it.visit_body(&node.body));
    }
}

fn expects_trouble(name: &str) -> bool {
    matches!(name, "raises" | "warns" | "deprecated_call")
        || name.starts_with("assertRaises")
        || name.starts_with("assertWarns")
}

/// The last part of what is called.
fn last_part(func: &Expr) -> &str {
    match func {
        Expr::Name(name) => name.id.as_str(),
        Expr::Attribute(attribute) => attribute.attr.as_str(),
        _ => "",
    }
}

impl<'a> Visitor<'a> for Gather<'a> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        self.deeper(stmt.range(), |it| it.statement(stmt));
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        self.deeper(expr.range(), |it| it.expression(expr));
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        self.deeper(pattern.range(), |it| walk_pattern(it, pattern));
    }

    fn visit_interpolated_string_element(&mut self, element: &'a InterpolatedStringElement) {
        self.deeper(element.range(), |it| walk_interpolated_string_element(it, element));
    }
}

impl<'a> Gather<'a> {
    fn statement(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::FunctionDef(node) => return self.function(node),
            Stmt::ClassDef(node) => return self.class(node),
            Stmt::Import(node) => return self.import(node),
            Stmt::ImportFrom(node) => return self.import_from(node),
            Stmt::With(node) => return self.with(node),
            Stmt::Assert(node) => {
                let (owner, context) = (self.function, self.context);
                self.file.asserts.push(Assert { node, owner, context });
                return self.around(Context::ASSERT, |it| walk_stmt(it, stmt));
            }
            Stmt::Assign(node) => {
                for target in &node.targets {
                    self.assign(target, Some(&node.value), node.range);
                }
                return walk_stmt(self, stmt);
            }
            Stmt::AugAssign(node) => {
                self.assign(&node.target, Some(&node.value), node.range);
                return walk_stmt(self, stmt);
            }
            Stmt::AnnAssign(node) => {
                self.assign(&node.target, node.value.as_deref(), node.range);
                return walk_stmt(self, stmt);
            }
            _ => {}
        }
        self.file.statements.push(Statement { node: stmt, owner: self.function, context: self.context });
        match stmt {
            Stmt::Expr(node) => {
                let call = match &*node.value {
                    Expr::Await(awaited) => awaited.value.as_call_expr(),
                    value => value.as_call_expr(),
                };
                self.statement = call;
                walk_stmt(self, stmt);
            }
            Stmt::For(node) => {
                self.visit_expr(&node.iter);
                self.visit_expr(&node.target);
                self.around(Context::LOOP, |it| it.visit_body(&node.body));
                self.around(Context::BRANCH, |it| it.visit_body(&node.orelse));
            }
            Stmt::While(node) => {
                self.visit_expr(&node.test);
                self.around(Context::LOOP, |it| it.visit_body(&node.body));
                self.around(Context::BRANCH, |it| it.visit_body(&node.orelse));
            }
            Stmt::If(node) => {
                self.visit_expr(&node.test);
                self.around(Context::BRANCH, |it| {
                    it.visit_body(&node.body);
                    for clause in &node.elif_else_clauses {
                        it.visit_elif_else_clause(clause);
                    }
                });
            }
            Stmt::Match(node) => {
                self.visit_expr(&node.subject);
                self.around(Context::BRANCH, |it| {
                    for case in &node.cases {
                        it.visit_match_case(case);
                    }
                });
            }
            Stmt::Try(node) => {
                self.around(Context::TRY, |it| it.visit_body(&node.body));
                self.around(Context::HANDLER, |it| {
                    for handler in &node.handlers {
                        it.visit_except_handler(handler);
                    }
                });
                self.visit_body(&node.orelse);
                self.visit_body(&node.finalbody);
            }
            _ => walk_stmt(self, stmt),
        }
    }

    fn expression(&mut self, expr: &'a Expr) {
        let source = self.file.source;
        let owner = self.function;
        match expr {
            Expr::Name(node) => self.file.names.push(Name { node, owner }),
            Expr::Call(node) => {
                let is = |other: Option<&ast::ExprCall>| other.is_some_and(|other| std::ptr::eq(other, node));
                let mut context = self.context;
                if is(self.statement) {
                    context = context.and(Context::STATEMENT);
                }
                if is(self.awaited) {
                    context = context.and(Context::AWAITED);
                }
                let call = Call {
                    node,
                    name: dotted(&node.func, source),
                    last: last_part(&node.func),
                    owner,
                    context,
                };
                self.file.calls.push(call);
                walk_expr(self, expr);
            }
            Expr::Await(node) => {
                self.awaited = node.value.as_call_expr();
                walk_expr(self, expr);
            }
            Expr::Subscript(node) => {
                let name = dotted(&node.value, source);
                self.file.subscripts.push(Subscript { node, name, owner });
                walk_expr(self, expr);
            }
            Expr::Yield(_) | Expr::YieldFrom(_) => {
                self.file.yields.push(Yield { node: expr, owner, context: self.context });
                walk_expr(self, expr);
            }
            Expr::Named(node) => {
                self.assign(&node.target, Some(&node.value), node.range);
                walk_expr(self, expr);
            }
            Expr::Lambda(_) => self.around(Context::LAMBDA, |it| walk_expr(it, expr)),
            Expr::ListComp(_) | Expr::SetComp(_) | Expr::DictComp(_) | Expr::Generator(_) => {
                self.around(Context::LOOP, |it| walk_expr(it, expr));
            }
            _ => walk_expr(self, expr),
        }
    }
}
