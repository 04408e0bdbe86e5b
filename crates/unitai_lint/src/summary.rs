//! What is kept of a file for rules about the whole project.

use std::hash::Hasher;

use ruff_text_size::{Ranged, TextRange};
use rustc_hash::FxHasher;

use crate::{Class, ClassSummary, Def, File, FileRole, MethodSummary, Role, Summary};

/// A body of fewer tokens says nothing of its own: `return None`, `pass`.
const TOO_SHORT: usize = 8;

impl Summary {
    /// Of a file of Python.
    pub(crate) fn of(file: &File<'_>) -> Summary {
        let imports = file.imports().iter().map(|import| {
            let dots = if import.is_relative { "." } else { "" };
            let dot = if import.name.is_empty() || import.module.is_empty() { "" } else { "." };
            (import.bound.to_owned(), format!("{dots}{}{dot}{}", import.module, import.name))
        });
        Summary {
            path: file.path.to_owned(),
            is_test: file.role != FileRole::Other,
            classes: file.classes.iter().map(|class| class_summary(file, class)).collect(),
            imports: imports.collect(),
        }
    }
}

fn class_summary(file: &File<'_>, class: &Class<'_>) -> ClassSummary {
    let mut uses: Vec<String> = Vec::new();
    for name in file.methods(class).flat_map(|method| method.names().iter()) {
        if name.is_read() && !uses.iter().any(|used| used == name.id()) {
            uses.push(name.id().to_owned());
        }
    }
    let metaclass = class.node.arguments.as_ref().and_then(|arguments| arguments.find_keyword("metaclass"));
    let methods: Vec<MethodSummary> =
        file.methods(class).map(|method| method_summary(file, method)).collect();
    ClassSummary {
        name: class.name().to_owned(),
        range: pair(class.range()),
        bases: class.bases(file.source).map(str::to_owned).collect(),
        metaclass: metaclass.map(|keyword| file.text(&keyword.value).to_owned()).unwrap_or_default(),
        layer: file
            .methods(class)
            .find_map(|method| method.layer)
            .map_or("", |layer| layer.word())
            .to_owned(),
        methods,
        uses,
    }
}

fn method_summary(file: &File<'_>, method: Def<'_, '_>) -> MethodSummary {
    MethodSummary {
        name: method.name().to_owned(),
        range: pair(method.range()),
        is_abstract: method
            .decorators()
            .any(|decorator| decorator.name.rsplit('.').next() == Some("abstractmethod")),
        is_fixture: method.role == Role::Fixture,
        is_test: method.role == Role::Test,
        digest: if method.role == Role::Test { digest(file, method) } else { 0 },
    }
}

/// A digest of what a test says, however it is laid out and commented.
fn digest(file: &File<'_>, method: Def<'_, '_>) -> u64 {
    let (Some(first), Some(last)) = (method.body().first(), method.body().last()) else { return 0 };
    let mut hasher = FxHasher::default();
    let mut count = 0;
    for token in file.tokens.in_range(TextRange::new(first.start(), last.end())) {
        if token.kind().is_trivia() {
            continue;
        }
        count += 1;
        hasher.write(file.text(token).trim().as_bytes());
        hasher.write_u8(0xff);
    }
    if count < TOO_SHORT { 0 } else { hasher.finish().max(1) }
}

fn pair(range: TextRange) -> (u32, u32) {
    (range.start().into(), range.end().into())
}
