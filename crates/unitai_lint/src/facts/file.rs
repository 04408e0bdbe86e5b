//! A file of Python, and what it holds.

use std::cell::OnceCell;

use ruff_python_ast::token::Tokens;
use ruff_python_ast::{self as ast, Expr, Stmt};
use ruff_text_size::{Ranged, TextRange};
use unitai_model::Layer;

use super::class::marks;
use super::imports::Imports;
use super::{
    Assert, Assign, Call, Class, Def, Function, FunctionId, Import, Name, Qualified, Role, Statement,
    Subscript, With, Yield, dotted,
};
use crate::Options;

/// What a file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum FileRole {
    /// pytest collects its tests.
    Test,
    /// A `conftest.py`.
    Conftest,
    /// Any other that somebody named.
    Other,
}

/// A file of Python, and what it holds. The tables are in the order of the source.
#[derive(Debug)]
pub struct File<'a> {
    /// Its path from the root of the project, with `/`.
    pub path: &'a str,
    /// Its text.
    pub source: &'a str,
    /// What it is for.
    pub role: FileRole,
    /// The layer that its `pytestmark` says, else its folder.
    pub layer: Option<Layer>,
    /// What rules may be told by the settings.
    pub options: &'a Options,
    /// Its statements.
    pub body: &'a [Stmt],
    /// Its tokens, with comments.
    pub tokens: &'a Tokens,
    /// Every function.
    pub functions: Vec<Function<'a>>,
    /// Every class.
    pub classes: Vec<Class<'a>>,
    /// Every call.
    pub calls: Vec<Call<'a>>,
    /// Every `assert`.
    pub asserts: Vec<Assert<'a>>,
    /// Every item of every `with`.
    pub withs: Vec<With<'a>>,
    /// Every target of every assignment.
    pub assigns: Vec<Assign<'a>>,
    /// Every name that is read, bound or deleted.
    pub names: Vec<Name<'a>>,
    /// Every subscript.
    pub subscripts: Vec<Subscript<'a>>,
    /// Every `yield`.
    pub yields: Vec<Yield<'a>>,
    /// Every statement that no other table has.
    pub statements: Vec<Statement<'a>>,
    pub(crate) imports: Imports<'a>,
    /// What `pytestmark` is set to at the top of the file.
    pub(crate) pytestmark: Option<&'a Expr>,
    /// Its functions in the order of their names, when somebody has asked for one.
    pub(crate) by_name: OnceCell<Vec<FunctionId>>,
    /// Its calls in the order of their places, the same: the table has them as they are walked over.
    pub(crate) by_place: OnceCell<Vec<u32>>,
    /// Whether answers of models are made up in it, the same.
    pub(crate) is_made_up: OnceCell<bool>,
}

impl<'a> File<'a> {
    /// Its tests.
    pub fn tests(&self) -> impl Iterator<Item = Def<'_, 'a>> {
        self.of_role(Role::Test)
    }

    /// Its fixtures.
    pub fn fixtures(&self) -> impl Iterator<Item = Def<'_, 'a>> {
        self.of_role(Role::Fixture)
    }

    /// Its functions of every role.
    pub fn defs(&self) -> impl Iterator<Item = Def<'_, 'a>> {
        self.functions.iter().map(|function| Def { file: self, function })
    }

    fn of_role(&self, role: Role) -> impl Iterator<Item = Def<'_, 'a>> {
        self.defs().filter(move |def| def.role == role)
    }

    /// The fixture of this name, if this file has it.
    pub fn fixture(&self, name: &str) -> Option<Def<'_, 'a>> {
        self.named(name).find(|def| def.role == Role::Fixture)
    }

    /// Whether it has a function of this name, in classes and functions too.
    pub fn has_function(&self, name: &str) -> bool {
        self.named(name).next().is_some()
    }

    /// The functions of this name, from the top.
    fn named(&self, name: &str) -> impl Iterator<Item = Def<'_, 'a>> {
        let name_of = |id: &FunctionId| self.functions[*id as usize].node.name.as_str();
        let by_name = self.by_name.get_or_init(|| {
            let mut ids: Vec<FunctionId> = (0..self.functions.len() as FunctionId).collect();
            ids.sort_by_key(name_of);
            ids
        });
        let from = by_name.partition_point(|id| name_of(id) < name);
        let until = from + by_name[from..].partition_point(|id| name_of(id) == name);
        by_name[from..until].iter().map(|id| Def { file: self, function: &self.functions[*id as usize] })
    }

    /// What the table has of a call.
    pub fn call(&self, node: &ast::ExprCall) -> Option<&Call<'a>> {
        let place = |range: TextRange| (range.start(), range.end());
        let place_of = |index: &u32| place(self.calls[*index as usize].range());
        let by_place = self.by_place.get_or_init(|| {
            let mut indexes: Vec<u32> = (0..self.calls.len() as u32).collect();
            indexes.sort_unstable_by_key(place_of);
            indexes
        });
        let found = by_place.binary_search_by_key(&place(node.range()), place_of).ok()?;
        Some(&self.calls[by_place[found] as usize])
    }

    /// The functions that stand in a class itself.
    pub fn methods<'f>(&'f self, class: &Class<'a>) -> impl Iterator<Item = Def<'f, 'a>> + use<'f, 'a> {
        let id = class.id;
        let functions = class.from.functions as usize..class.to.functions as usize;
        self.functions[functions]
            .iter()
            .filter(move |function| function.class == Some(id))
            .map(|function| Def { file: self, function })
    }

    /// Everything that it imports, in functions too.
    pub fn imports(&self) -> &[Import<'a>] {
        &self.imports.all
    }

    /// The import that binds this name.
    pub fn import(&self, bound: &str) -> Option<&Import<'a>> {
        self.imports.find(bound)
    }

    /// What a name of this file stands for, by its imports.
    pub fn qualified(&self, name: &'a str) -> Qualified<'a> {
        self.imports.qualified(name)
    }

    /// What an expression that is a name with attributes stands for.
    pub fn qualified_expr(&self, expr: &Expr) -> Option<Qualified<'a>> {
        let name = dotted(expr, self.source);
        (!name.is_empty()).then(|| self.qualified(name))
    }

    /// The text of a node.
    pub fn text(&self, node: impl Ranged) -> &'a str {
        &self.source[node.range()]
    }

    /// The marker that an expression is: `pytest.mark.slow` or `pytest.mark.slow(...)`.
    pub fn marker(&self, expr: &'a Expr) -> Option<(&'a str, Option<&'a ast::ExprCall>)> {
        let call = expr.as_call_expr();
        let named: &Expr = call.map_or(expr, |call| &call.func);
        let marker = self.qualified_expr(named)?.behind("pytest.mark")?;
        Some((marker, call))
    }

    /// The markers of the whole file.
    pub(crate) fn module_marks(&self) -> impl Iterator<Item = &'a Expr> + use<'a> {
        marks(self.pytestmark)
    }
}
