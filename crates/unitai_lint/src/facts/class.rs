//! A class of a file.

use ruff_python_ast::{self as ast, Expr};
use ruff_text_size::{Ranged, TextRange};

use super::gather::Marks;
use super::{ClassId, FunctionId, dotted};

/// A class of a file.
#[derive(Debug, Clone)]
pub struct Class<'a> {
    /// Its index.
    pub id: ClassId,
    /// The node.
    pub node: &'a ast::StmtClassDef,
    /// The function around it, if any.
    pub owner: Option<FunctionId>,
    /// The class around it, if any.
    pub class: Option<ClassId>,
    /// What `pytestmark` is set to in its body.
    pub(crate) pytestmark: Option<&'a Expr>,
    pub(crate) from: Marks,
    pub(crate) to: Marks,
}

impl<'a> Class<'a> {
    /// Its name.
    pub fn name(&self) -> &'a str {
        self.node.name.as_str()
    }

    /// Its markers, the nearest first as pytest counts: its `pytestmark`, and its decorators, those that are none left in.
    pub(crate) fn marks(&self) -> impl Iterator<Item = &'a Expr> + use<'a> {
        marks(self.pytestmark).chain(self.node.decorator_list.iter().rev().map(|node| &node.expression))
    }

    /// Its bases as they are written; those that are no names, such as `Base[int]`, as `Base`.
    pub fn bases(&self, source: &'a str) -> impl Iterator<Item = &'a str> + use<'a> {
        self.node.bases().iter().map(move |base| match base {
            Expr::Subscript(subscript) => dotted(&subscript.value, source),
            base => dotted(base, source),
        })
    }
}

impl Ranged for Class<'_> {
    /// Its name, where a finding about the whole class points at.
    fn range(&self) -> TextRange {
        self.node.name.range
    }
}

/// What stands in a `pytestmark`: one marker, or a list of them.
pub(super) fn marks(pytestmark: Option<&Expr>) -> impl Iterator<Item = &Expr> {
    let marks: &[Expr] = match pytestmark {
        Some(Expr::List(list)) => &list.elts,
        Some(Expr::Tuple(tuple)) => &tuple.elts,
        Some(one) => std::slice::from_ref(one),
        None => &[],
    };
    marks.iter()
}
