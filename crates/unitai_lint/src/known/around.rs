//! What runs before a test: the fixtures that it takes and those that nobody asks for, and the `setUp` of its class.

use crate::ast::{Expr, ExprCall};
use crate::{Def, FunctionId, Role};

/// Methods that prepare the tests of a class.
const BEGINS: [&str; 7] =
    ["asyncSetUp", "setUp", "setUpClass", "setup", "setup_class", "setup_method", "setup_test"];

/// Whether a method prepares the tests of its class.
pub(crate) fn is_set_up(def: Def<'_, '_>) -> bool {
    def.class.is_some() && def.role == Role::Other && BEGINS.contains(&def.name())
}

/// Whether a fixture is there for every test.
pub(crate) fn is_autouse(fixture: Def<'_, '_>) -> bool {
    let is_it = |call: &ExprCall| call.arguments.find_keyword("autouse").is_some();
    fixture.decorators().any(|decorator| decorator.call.is_some_and(is_it))
}

/// The names of the fixtures that a test or a fixture asks for: its parameters, and `usefixtures`.
pub(crate) fn asked<'a>(def: Def<'_, 'a>) -> impl Iterator<Item = &'a str> {
    let taken = def.parameters().map(|parameter| parameter.name.as_str());
    let marked = def.markers().filter(|(marker, _)| *marker == "usefixtures");
    let marked = marked.filter_map(|(_, call)| call).flat_map(|call| call.arguments.args.iter());
    taken.chain(marked.filter_map(Expr::as_string_literal_expr).map(|name| name.value.to_str()))
}

/// What this file has of that which runs before a test or a fixture.
pub(crate) fn before<'f, 'a>(def: Def<'f, 'a>) -> Vec<Def<'f, 'a>> {
    let is_seen = |other: &Def<'f, 'a>| other.class.is_none() || other.class == def.class;
    let mut found: Vec<Def<'f, 'a>> = def
        .file
        .defs()
        .filter(|other| other.id != def.id && is_seen(other))
        .filter(|other| match other.role {
            Role::Fixture => is_autouse(*other),
            _ => other.class.is_some() && is_set_up(*other),
        })
        .collect();
    let mut known: Vec<FunctionId> = found.iter().map(|it| it.id).chain([def.id]).collect();
    let mut open: Vec<Def<'f, 'a>> = found.clone();
    open.push(def);
    while let Some(at) = open.pop() {
        for fixture in asked(at).filter_map(|name| def.file.fixture(name)) {
            if !known.contains(&fixture.id) {
                known.push(fixture.id);
                found.push(fixture);
                open.push(fixture);
            }
        }
    }
    found
}
