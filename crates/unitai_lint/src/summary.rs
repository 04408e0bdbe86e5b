//! What is kept of a file for rules about the whole project.

use std::hash::Hasher;

use ruff_python_ast::token::TokenKind;
use ruff_text_size::{Ranged, TextRange};
use rustc_hash::{FxHashSet, FxHasher};

use crate::known::around::is_autouse;
use crate::{
    Call, Class, ClassSummary, Def, File, FileRole, FixtureSummary, Layer, MethodSummary, Name, Role,
    Summary, ast, dotted, inside,
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
        let classes: Vec<ClassSummary> =
            file.classes.iter().map(|class| class_summary(file, class)).collect();
        let is_contract = file.layer == Some(Layer::Contract);
        let is_asked = is_contract
            || file.role == FileRole::Conftest
            || classes.iter().any(|class| !class.uses.is_empty());
        let fixtures = file.fixtures().filter(|fixture| is_asked && fixture.class.is_none());
        Summary {
            uses: if is_contract { outside_of_classes(file) } else { vec![] },
            fixtures: fixtures.map(fixture_summary).collect(),
            path: file.path.to_owned(),
            is_test: file.role != FileRole::Other,
            classes,
            contract_tests: contract_tests(file),
            imports: imports.collect(),
        }
    }
}

/// Names that are used somewhere, each once.
#[derive(Default)]
struct Uses<'a> {
    names: Vec<String>,
    seen: FxHashSet<&'a str>,
}

impl<'a> Uses<'a> {
    fn one(&mut self, name: &'a str) {
        if self.seen.insert(name) {
            self.names.push(name.to_owned());
        }
    }

    /// What is read, and what is called with dots.
    fn add(&mut self, names: &[Name<'a>], calls: &[Call<'a>]) {
        names.iter().filter(|name| name.is_read()).for_each(|name| self.one(name.id()));
        calls.iter().filter(|call| call.name.contains('.')).for_each(|call| self.one(call.name));
    }

    fn add_parameters(&mut self, of: Def<'_, 'a>) {
        of.parameters().for_each(|parameter| self.one(parameter.name.as_str()));
    }
}

/// What the functions of a file use, and the file itself. A fixture counts only where somebody asks for it.
fn outside_of_classes(file: &File<'_>) -> Vec<String> {
    let classes = file.classes.iter().filter(|class| class.class.is_none() && class.owner.is_none());
    let fixtures = file.fixtures().filter(|fixture| fixture.class.is_none() && !is_autouse(*fixture));
    let mut left_out: Vec<TextRange> =
        classes.map(|class| class.node.range).chain(fixtures.map(|fixture| fixture.node.range)).collect();
    left_out.sort_by_key(|range| range.start());
    let is_outside = |range: TextRange| {
        let before = left_out.partition_point(|left_out| left_out.start() <= range.start());
        before == 0 || !left_out[before - 1].contains_range(range)
    };
    let mut uses = Uses::default();
    file.names.iter().filter(|name| is_outside(name.range())).for_each(|name| uses.add(&[*name], &[]));
    file.calls.iter().filter(|call| is_outside(call.range())).for_each(|call| uses.add(&[], &[*call]));
    file.tests().filter(|test| test.class.is_none()).for_each(|test| uses.add_parameters(test));
    // `usefixtures("store")`, `request.getfixturevalue(name)` with the names in a list.
    if file
        .calls
        .iter()
        .any(|call| matches!(call.last, "usefixtures" | "getfixturevalue" | "lazy_fixture" | "lf"))
    {
        let strings = file.tokens.iter().filter(|token| token.kind() == TokenKind::String);
        let texts = strings.map(|token| file.text(token).trim_matches(['"', '\'']));
        texts
            .filter(|text| text.chars().all(|c| c.is_alphanumeric() || c == '_'))
            .for_each(|text| uses.one(text));
    }
    uses.names
}

fn fixture_summary(fixture: Def<'_, '_>) -> FixtureSummary {
    let mut uses = Uses::default();
    uses.add_parameters(fixture);
    uses.add(fixture.names(), fixture.calls());
    // `params=[MemoryStore, FileStore]`.
    for decorator in fixture.decorators() {
        inside(&decorator.node.expression, |expr| {
            if let Some(name) = expr.as_name_expr() {
                uses.one(name.id.as_str());
            }
        });
    }
    FixtureSummary { name: fixture.name().to_owned(), uses: uses.names }
}

fn contract_tests(file: &File<'_>) -> Vec<MethodSummary> {
    let tests = file.tests().filter(|test| test.layer == Some(Layer::Contract) && test.class.is_none());
    tests.map(|test| method_summary(file, test)).collect()
}

fn class_summary(file: &File<'_>, class: &Class<'_>) -> ClassSummary {
    let names = &file.names[class.from.names as usize..class.to.names as usize];
    let layer = file.methods(class).find_map(|method| method.layer).or(file.layer);
    let mut uses = Uses::default();
    // Only these can be held to a contract: classes of tests that inherit some, or that stand among contract tests.
    let is_suite =
        file.role != FileRole::Other || file.methods(class).any(|method| method.role != Role::Other);
    if is_suite && (layer == Some(Layer::Contract) || !class.node.bases().is_empty()) {
        file.methods(class).for_each(|method| uses.add_parameters(method));
        uses.add(names, &file.calls[class.from.calls as usize..class.to.calls as usize]);
    }
    let attributes = names.iter().filter(|name| name.is_bound() && name.owner == class.owner);
    let attributes = attributes.map(|name| name.id().to_owned()).collect();
    let parameters = class.node.bases().iter().filter_map(|base| base.as_subscript_expr());
    let parameters = parameters.map(|base| dotted(&base.slice, file.source)).filter(|name| !name.is_empty());
    let methods: Vec<MethodSummary> =
        file.methods(class).map(|method| method_summary(file, method)).collect();
    ClassSummary {
        name: class.name().to_owned(),
        range: pair(class.range()),
        bases: class.bases(file.source).map(str::to_owned).collect(),
        layer: layer.map_or("", Layer::word).to_owned(),
        methods,
        parameters: parameters.map(str::to_owned).collect(),
        uses: uses.names,
        attributes,
        is_collected: said_by_itself(class),
    }
}

/// `__test__ = False` in the body of a class.
fn said_by_itself(class: &Class<'_>) -> Option<bool> {
    class.node.body.iter().rev().find_map(|statement| {
        let assign = statement.as_assign_stmt()?;
        let [ast::Expr::Name(target)] = assign.targets.as_slice() else { return None };
        assign.value.as_boolean_literal_expr().filter(|_| target.id == "__test__").map(|said| said.value)
    })
}

fn method_summary(file: &File<'_>, method: Def<'_, '_>) -> MethodSummary {
    let is_contract = method.role == Role::Test && method.layer == Some(Layer::Contract);
    MethodSummary {
        name: method.name().to_owned(),
        range: pair(method.range()),
        is_abstract: method
            .decorators()
            .any(|decorator| decorator.name.rsplit('.').next() == Some("abstractmethod")),
        is_test: method.role == Role::Test,
        digest: if is_contract { digest(file, method) } else { 0 },
    }
}

/// A digest of what a test says, however it is laid out and commented.
fn digest(file: &File<'_>, method: Def<'_, '_>) -> u64 {
    let (Some(first), Some(last)) = (method.body().first(), method.body().last()) else { return 0 };
    let parameters: Vec<&str> = method.parameters().map(|parameter| parameter.name.as_str()).collect();
    let mut hasher = FxHasher::default();
    let mut count = 0;
    for token in file.tokens.in_range(TextRange::new(first.start(), last.end())) {
        if token.kind().is_trivia() {
            continue;
        }
        count += 1;
        let text = file.text(token).trim();
        // A copy for another implementation names another class.
        let is_class = token.kind() == TokenKind::Name
            && text.starts_with(|first: char| first.is_ascii_uppercase())
            && text.contains(|c: char| c.is_ascii_lowercase());
        // And takes another fixture.
        let taken = parameters.iter().position(|name| token.kind() == TokenKind::Name && *name == text);
        match taken {
            Some(at) => hasher.write_usize(at),
            None if is_class => hasher.write(b"Class"),
            None => hasher.write(text.as_bytes()),
        }
        hasher.write_u8(0xff);
    }
    if count < TOO_SHORT { 0 } else { hasher.finish().max(1) }
}

fn pair(range: TextRange) -> (u32, u32) {
    (range.start().into(), range.end().into())
}
