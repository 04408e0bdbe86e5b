//! What gets a name: assignments and imports.

use ruff_python_ast::{self as ast, Expr};
use ruff_text_size::TextRange;

use super::Gather;
use crate::facts::{Assign, Import, dotted};

impl<'a> Gather<'a> {
    pub(super) fn assign(&mut self, target: &'a Expr, value: Option<&'a Expr>, range: TextRange) {
        if let Expr::Tuple(ast::ExprTuple { elts, .. }) | Expr::List(ast::ExprList { elts, .. }) = target {
            // `a, b = f()`: each gets a part of the value.
            self.deeper(range, |it| elts.iter().for_each(|element| it.assign(element, value, range)));
            return;
        }
        let name = dotted(target, self.file.source);
        if name == "pytestmark" && self.function.is_none() {
            match self.class {
                Some(class) => self.file.classes[class as usize].pytestmark = value,
                None => self.file.pytestmark = value,
            }
        }
        let (owner, context) = (self.function, self.context);
        self.file.assigns.push(Assign { target, name, value, owner, context, range });
    }

    pub(super) fn import(&mut self, node: &'a ast::StmtImport) {
        for alias in &node.names {
            let written = alias.name.as_str();
            let first = written.split('.').next().unwrap_or_default();
            let (bound, module) = match &alias.asname {
                Some(name) => (name.as_str(), written),
                None => (first, first),
            };
            let (owner, range) = (self.function, alias.range);
            let import =
                Import { bound, module, name: "", is_relative: false, level: 0, owner, written, range };
            self.file.imports.add(import);
        }
    }

    pub(super) fn import_from(&mut self, node: &'a ast::StmtImportFrom) {
        let module = node.module.as_ref().map_or("", |module| module.as_str());
        for alias in &node.names {
            self.file.imports.add(Import {
                bound: alias.asname.as_ref().unwrap_or(&alias.name).as_str(),
                module,
                name: alias.name.as_str(),
                is_relative: node.level > 0,
                level: node.level,
                owner: self.function,
                written: module,
                range: alias.range,
            });
        }
    }
}
