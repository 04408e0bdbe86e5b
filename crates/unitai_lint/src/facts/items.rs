//! What the tables hold.

use ruff_python_ast::{self as ast, Expr};
use ruff_text_size::{Ranged, TextRange};

use super::{Context, FunctionId};

/// A call.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// The node.
    pub node: &'a ast::ExprCall,
    /// What is called, as it is written: `agent.memory.recall.assert_called_once`. Empty where it is no name with
    /// attributes, as in `make()()`.
    pub name: &'a str,
    /// The last part of what is called: `assert_called_once`, also in `make().assert_called_once()`. Empty where it
    /// has no name.
    pub last: &'a str,
    /// The innermost function around it.
    pub owner: Option<FunctionId>,
    /// What stands around it.
    pub context: Context,
}

impl<'a> Call<'a> {
    /// The first part of the name: `agent` in `agent.run()`.
    pub fn root(&self) -> &'a str {
        self.name.split('.').next().unwrap_or_default()
    }

    /// What stands before the last dot: `agent.memory` in `agent.memory.recall()`. Empty for plain names.
    pub fn receiver(&self) -> &'a str {
        self.name.rsplit_once('.').map_or("", |(receiver, _)| receiver)
    }

    /// The positional argument at this index, unless one with a star stands before it.
    pub fn positional(&self, index: usize) -> Option<&'a Expr> {
        self.node.arguments.find_positional(index)
    }

    /// The value of a keyword.
    pub fn keyword(&self, name: &str) -> Option<&'a Expr> {
        self.node.arguments.find_keyword(name).map(|keyword| &keyword.value)
    }

    /// The value of an argument that may be given by keyword or by position.
    pub fn argument(&self, name: &str, index: usize) -> Option<&'a Expr> {
        self.keyword(name).or_else(|| self.positional(index))
    }
}

impl Ranged for Call<'_> {
    fn range(&self) -> TextRange {
        self.node.range()
    }
}

/// An `assert` statement.
#[derive(Debug, Clone, Copy)]
pub struct Assert<'a> {
    /// The node.
    pub node: &'a ast::StmtAssert,
    /// The innermost function around it.
    pub owner: Option<FunctionId>,
    /// What stands around it.
    pub context: Context,
}

impl Ranged for Assert<'_> {
    fn range(&self) -> TextRange {
        self.node.range
    }
}

/// One item of a `with`.
#[derive(Debug, Clone, Copy)]
pub struct With<'a> {
    /// The node; it may have more items.
    pub node: &'a ast::StmtWith,
    /// The item.
    pub item: &'a ast::WithItem,
    /// The innermost function around it.
    pub owner: Option<FunctionId>,
    /// What stands around it.
    pub context: Context,
}

impl<'a> With<'a> {
    /// What is called to open it, if it is a call.
    pub fn call(&self) -> Option<&'a ast::ExprCall> {
        self.item.context_expr.as_call_expr()
    }

    /// The name behind `as`, if it is one name.
    pub fn bound(&self) -> Option<&'a str> {
        self.item.optional_vars.as_deref()?.as_name_expr().map(|name| name.id.as_str())
    }
}

impl Ranged for With<'_> {
    fn range(&self) -> TextRange {
        self.item.range()
    }
}

/// One target of an assignment, with or without annotation, plain or augmented, or of `:=`.
#[derive(Debug, Clone, Copy)]
pub struct Assign<'a> {
    /// What is assigned to.
    pub target: &'a Expr,
    /// The target as it is written, `mock.embed.return_value`; empty where it is no name with attributes.
    pub name: &'a str,
    /// What is assigned; none for a bare annotation.
    pub value: Option<&'a Expr>,
    /// The innermost function around it.
    pub owner: Option<FunctionId>,
    /// What stands around it.
    pub context: Context,
    /// The whole statement.
    pub range: TextRange,
}

impl Ranged for Assign<'_> {
    fn range(&self) -> TextRange {
        self.range
    }
}

/// A name that is read, bound or deleted. Parameters, imports and definitions are not among them.
#[derive(Debug, Clone, Copy)]
pub struct Name<'a> {
    /// The node: its name, place, and whether it is read or bound (`ctx`).
    pub node: &'a ast::ExprName,
    /// The innermost function around it.
    pub owner: Option<FunctionId>,
}

impl<'a> Name<'a> {
    /// The name.
    pub fn id(&self) -> &'a str {
        self.node.id.as_str()
    }

    /// Whether its value is used.
    pub fn is_read(&self) -> bool {
        self.node.ctx.is_load()
    }

    /// Whether it gets a value.
    pub fn is_bound(&self) -> bool {
        self.node.ctx.is_store()
    }
}

impl Ranged for Name<'_> {
    fn range(&self) -> TextRange {
        self.node.range
    }
}

/// `os.environ["KEY"]`: a subscript of a name with attributes.
#[derive(Debug, Clone, Copy)]
pub struct Subscript<'a> {
    /// The node.
    pub node: &'a ast::ExprSubscript,
    /// What stands before the bracket, `os.environ`; empty where it is no name with attributes.
    pub name: &'a str,
    /// The innermost function around it.
    pub owner: Option<FunctionId>,
}

impl<'a> Subscript<'a> {
    /// The text in the bracket, if it is one plain string.
    pub fn key(&self) -> Option<&'a str> {
        self.node.slice.as_string_literal_expr().map(|string| string.value.to_str())
    }
}

impl Ranged for Subscript<'_> {
    fn range(&self) -> TextRange {
        self.node.range
    }
}

/// A `yield` or `yield from`.
#[derive(Debug, Clone, Copy)]
pub struct Yield<'a> {
    /// The node.
    pub node: &'a Expr,
    /// The innermost function around it.
    pub owner: Option<FunctionId>,
    /// What stands around it.
    pub context: Context,
}

impl Ranged for Yield<'_> {
    fn range(&self) -> TextRange {
        self.node.range()
    }
}

/// A statement that no other table has: `return`, `raise`, `try`, `for`, `if`, `pass`, `del`, an expression ...
#[derive(Debug, Clone, Copy)]
pub struct Statement<'a> {
    /// The node.
    pub node: &'a ast::Stmt,
    /// The innermost function around it.
    pub owner: Option<FunctionId>,
    /// What stands around it.
    pub context: Context,
}

impl Ranged for Statement<'_> {
    fn range(&self) -> TextRange {
        self.node.range()
    }
}
