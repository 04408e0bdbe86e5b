//! A function of a file: a test, a fixture, or neither.

use std::ops::Deref;

use ruff_python_ast::{self as ast, Expr};
use ruff_text_size::{Ranged, TextRange};
use unitai_model::Layer;

use super::gather::Marks;
use super::{
    Assert, Assign, Call, Class, ClassId, File, FunctionId, Name, Qualified, Statement, Subscript, With,
    Yield, dotted,
};

/// What a function is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A test that pytest or unittest collects, or that subclasses inherit.
    Test,
    /// A fixture.
    Fixture,
    /// Anything else: helpers, `setUp`, hooks, functions in functions.
    Other,
}

/// A function of a file.
#[derive(Debug, Clone)]
pub struct Function<'a> {
    /// Its index.
    pub id: FunctionId,
    /// The node.
    pub node: &'a ast::StmtFunctionDef,
    /// The function around it, if any.
    pub owner: Option<FunctionId>,
    /// The class whose body it stands in, if any.
    pub class: Option<ClassId>,
    /// What it is for.
    pub role: Role,
    /// The layer that its markers say, else those of its class, of its file, else its folder.
    pub layer: Option<Layer>,
    pub(crate) from: Marks,
    pub(crate) to: Marks,
}

/// A function together with its file: what a rule looks at. Everything that stands in functions inside of it counts
/// as its own; `owner` tells them apart.
#[derive(Debug, Clone, Copy)]
pub struct Def<'f, 'a> {
    /// The file.
    pub file: &'f File<'a>,
    /// The function.
    pub function: &'f Function<'a>,
}

impl<'a> Deref for Def<'_, 'a> {
    type Target = Function<'a>;

    fn deref(&self) -> &Function<'a> {
        self.function
    }
}

impl<'f, 'a> Def<'f, 'a> {
    /// Its calls, in order.
    pub fn calls(&self) -> &'f [Call<'a>] {
        &self.file.calls[self.function.from.calls as usize..self.function.to.calls as usize]
    }

    /// Its `assert` statements.
    pub fn asserts(&self) -> &'f [Assert<'a>] {
        &self.file.asserts[self.function.from.asserts as usize..self.function.to.asserts as usize]
    }

    /// The items of its `with` statements.
    pub fn withs(&self) -> &'f [With<'a>] {
        &self.file.withs[self.function.from.withs as usize..self.function.to.withs as usize]
    }

    /// The targets of its assignments.
    pub fn assigns(&self) -> &'f [Assign<'a>] {
        &self.file.assigns[self.function.from.assigns as usize..self.function.to.assigns as usize]
    }

    /// The names that it reads, binds and deletes.
    pub fn names(&self) -> &'f [Name<'a>] {
        &self.file.names[self.function.from.names as usize..self.function.to.names as usize]
    }

    /// Its subscripts.
    pub fn subscripts(&self) -> &'f [Subscript<'a>] {
        &self.file.subscripts[self.function.from.subscripts as usize..self.function.to.subscripts as usize]
    }

    /// Its `yield`s.
    pub fn yields(&self) -> &'f [Yield<'a>] {
        &self.file.yields[self.function.from.yields as usize..self.function.to.yields as usize]
    }

    /// Its statements of other kinds.
    pub fn statements(&self) -> &'f [Statement<'a>] {
        &self.file.statements[self.function.from.statements as usize..self.function.to.statements as usize]
    }

    /// Its name.
    pub fn name(&self) -> &'a str {
        self.function.node.name.as_str()
    }

    /// Its class.
    pub fn class(&self) -> Option<&'f Class<'a>> {
        self.function.class.map(|id| &self.file.classes[id as usize])
    }

    /// Its statements at the top, without its docstring.
    pub fn body(&self) -> &'a [ast::Stmt] {
        let body = &self.function.node.body[..];
        if self.docstring().is_some() { &body[1..] } else { body }
    }

    /// Its docstring.
    pub fn docstring(&self) -> Option<&'a ast::ExprStringLiteral> {
        self.function.node.body.first()?.as_expr_stmt()?.value.as_string_literal_expr()
    }

    /// The names of its parameters, `self` and `cls` left out, without those behind stars.
    pub fn parameters(&self) -> impl Iterator<Item = &'a ast::Parameter> + use<'a> {
        let is_method = self.function.class.is_some();
        self.function
            .node
            .parameters
            .iter_non_variadic_params()
            .map(|with_default| &with_default.parameter)
            .enumerate()
            .filter(move |(at, parameter)| {
                !(is_method && *at == 0 && matches!(parameter.name.as_str(), "self" | "cls"))
            })
            .map(|(_, parameter)| parameter)
    }

    /// Whether it has a parameter of this name: whether a test asks for a fixture.
    pub fn takes(&self, name: &str) -> bool {
        self.parameters().any(|parameter| parameter.name.as_str() == name)
    }

    /// Its own decorators, from the top.
    pub fn decorators(&self) -> impl Iterator<Item = Decorator<'a>> + use<'a> {
        let source = self.file.source;
        self.function.node.decorator_list.iter().map(move |node| Decorator::new(node, source))
    }

    /// Its markers, the nearest first, as pytest has them: its own from below, then those of its classes and of its file.
    /// `slow` for `@pytest.mark.slow(...)`, with the call if it is one.
    pub fn markers(&self) -> impl Iterator<Item = (&'a str, Option<&'a ast::ExprCall>)> + use<'f, 'a> {
        let file = self.file;
        let classes =
            std::iter::successors(self.class(), |class| class.class.map(|id| &file.classes[id as usize]));
        let own = self.function.node.decorator_list.iter().rev();
        own.map(|node| &node.expression)
            .chain(classes.flat_map(Class::marks))
            .chain(file.module_marks())
            .filter_map(move |expr| file.marker(expr))
    }

    /// The parameters that get their values from `@pytest.mark.parametrize`, and are no fixtures.
    pub fn parametrized(&self) -> impl Iterator<Item = &'a str> + use<'f, 'a> {
        let names = self.markers().filter(|(marker, _)| *marker == "parametrize").filter_map(|(_, call)| {
            let names: &'a Expr = call?.arguments.find_argument_value("argnames", 0)?;
            Some(match names {
                Expr::List(list) => &list.elts[..],
                Expr::Tuple(tuple) => &tuple.elts[..],
                one => std::slice::from_ref(one),
            })
        });
        names
            .flatten()
            .filter_map(|name| name.as_string_literal_expr())
            .flat_map(|name| name.value.to_str().split(',').map(str::trim))
    }

    /// Whether a parameter is one of them.
    pub fn is_parametrized(&self, name: &str) -> bool {
        self.parametrized().any(|given| given == name)
    }

    /// Whether it has a marker of this name.
    pub fn has_marker(&self, name: &str) -> bool {
        self.markers().any(|(marker, _)| marker == name)
    }

    /// What a name in it stands for.
    pub fn qualified(&self, name: &'a str) -> Qualified<'a> {
        self.file.qualified(name)
    }

    /// Whether the function itself has this item, not a function inside of it.
    pub fn owns(&self, owner: Option<FunctionId>) -> bool {
        owner == Some(self.function.id)
    }

    /// Whether some name that is read in it is this one.
    pub fn reads(&self, name: &str) -> bool {
        self.names().iter().any(|found| found.is_read() && found.id() == name)
    }
}

impl Ranged for Def<'_, '_> {
    /// Its name, where a finding about the whole function points at.
    fn range(&self) -> TextRange {
        self.function.node.name.range
    }
}

/// A decorator.
#[derive(Debug, Clone, Copy)]
pub struct Decorator<'a> {
    /// The node.
    pub node: &'a ast::Decorator,
    /// Its name without the arguments: `pytest.mark.skip`; empty where it is no name with attributes.
    pub name: &'a str,
    /// The call, if it has arguments.
    pub call: Option<&'a ast::ExprCall>,
}

impl<'a> Decorator<'a> {
    pub(crate) fn new(node: &'a ast::Decorator, source: &'a str) -> Decorator<'a> {
        let call = node.expression.as_call_expr();
        let named: &Expr = call.map_or(&node.expression, |call| &call.func);
        Decorator { node, name: dotted(named, source), call }
    }
}

impl Ranged for Decorator<'_> {
    fn range(&self) -> TextRange {
        self.node.range
    }
}
