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
    pub(crate) from: Marks,
    pub(crate) to: Marks,
}

impl<'a> Class<'a> {
    /// Its name.
    pub fn name(&self) -> &'a str {
        self.node.name.as_str()
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
