//! A file of Python, and what it holds.

use ruff_python_ast::token::Tokens;
use ruff_python_ast::{self as ast, Expr, Stmt};
use unitai_model::Layer;

use super::class::marks;
use super::imports::Imports;
use super::{
    Assert, Assign, Call, Class, Def, Function, Import, Name, Qualified, Role, Statement, Subscript, With,
    Yield, dotted,
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
        self.fixtures().find(|fixture| fixture.name() == name)
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
    pub fn text(&self, node: impl ruff_text_size::Ranged) -> &'a str {
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
