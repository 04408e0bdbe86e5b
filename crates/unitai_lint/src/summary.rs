//! What is kept of a file for rules about the whole project.

use std::hash::Hasher;

use ruff_text_size::{Ranged, TextRange};
use rustc_hash::FxHasher;

use crate::{
    Class, ClassSummary, Def, File, FileRole, FixtureSummary, Layer, MethodSummary, Role, Summary, dotted,
};

/// A body of fewer tokens says nothing of its own: `return None`, `pass`.
const TOO_SHORT: usize = 8;

impl Summary {
    /// Of a file of Python.
    pub(crate) fn of(file: &File<'_>) -> Summary {
        let imports = file.imports().iter().map(|import| {
            let dots = ".".repeat(import.level as usize);
            let dot = if import.name.is_empty() || import.module.is_empty() { "" } else { "." };
            (import.bound.to_owned(), format!("{dots}{}{dot}{}", import.module, import.name))
        });
        let mut uses = Uses::default();
        if file.layer == Some(Layer::Contract) {
            let is_outside =
                |range: TextRange| !file.classes.iter().any(|class| class.node.range.contains_range(range));
            uses.add(file, is_outside);
        }
        let fixtures = file.fixtures().filter(|fixture| fixture.class.is_none());
        Summary {
            uses: uses.0,
            fixtures: fixtures.map(|fixture| fixture_summary(file, fixture)).collect(),
            path: file.path.to_owned(),
            is_test: file.role != FileRole::Other,
            classes: file.classes.iter().map(|class| class_summary(file, class)).collect(),
            imports: imports.collect(),
        }
    }
}

/// Names that are used somewhere, each once.
#[derive(Default)]
struct Uses(Vec<String>);

impl Uses {
    fn one(&mut self, name: &str) {
        if !self.0.iter().any(|used| used == name) {
            self.0.push(name.to_owned());
        }
    }

    /// Everything that is used where `is_there` says so.
    fn add(&mut self, file: &File<'_>, is_there: impl Fn(TextRange) -> bool) {
        for name in file.names.iter().filter(|name| name.is_read() && is_there(name.range())) {
            self.one(name.id());
        }
        for call in file.calls.iter().filter(|call| call.name.contains('.') && is_there(call.range())) {
            self.one(call.name);
        }
    }
}

fn fixture_summary(file: &File<'_>, fixture: Def<'_, '_>) -> FixtureSummary {
    let mut uses = Uses::default();
    fixture.parameters().for_each(|parameter| uses.one(parameter.name.as_str()));
    let range = fixture.node.range;
    uses.add(file, |other| range.contains_range(other));
    FixtureSummary { name: fixture.name().to_owned(), uses: uses.0 }
}

fn class_summary(file: &File<'_>, class: &Class<'_>) -> ClassSummary {
    let range = class.node.range;
    let is_inside = |other: TextRange| range.contains_range(other);
    let mut uses = Uses::default();
    // Sources are asked for their bases and methods alone.
    if file.role != FileRole::Other || file.methods(class).any(|method| method.role != Role::Other) {
        for method in file.methods(class) {
            method.parameters().for_each(|parameter| uses.one(parameter.name.as_str()));
        }
        uses.add(file, is_inside);
    }
    let bound =
        |name: &&crate::Name<'_>| name.is_bound() && name.owner == class.owner && is_inside(name.range());
    let attributes = file.names.iter().filter(bound).map(|name| name.id().to_owned()).collect();
    let parameters = class.node.bases().iter().filter_map(|base| base.as_subscript_expr());
    let parameters = parameters.map(|base| dotted(&base.slice, file.source)).filter(|name| !name.is_empty());
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
        parameters: parameters.map(str::to_owned).collect(),
        uses: uses.0,
        attributes,
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
