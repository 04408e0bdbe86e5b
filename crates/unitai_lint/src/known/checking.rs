//! Whether a test checks anything: by itself, or through what it uses. True in doubt.

use rustc_hash::FxHashMap;

use crate::ast::{Expr, ExprCall};
use crate::known::around::is_autouse;
use crate::known::check_names::{is_check_name, is_taken_to_check};
use crate::known::words::words;
use crate::{Assign, Call, ClassId, Def, File, FunctionId, Import, Role, With};

/// How far a helper is followed into the helpers that it uses.
const FAR: u32 = 6;

/// What runs at the end of each test of a class.
const ENDS: [&str; 5] = ["tearDown", "tearDownClass", "teardown", "teardown_class", "teardown_method"];

/// The helpers of one file by name, and what is known of them.
pub(crate) struct Checking<'f, 'a> {
    file: &'f File<'a>,
    /// Outside of classes.
    functions: FxHashMap<&'a str, FunctionId>,
    methods: FxHashMap<(ClassId, &'a str), FunctionId>,
    fixtures: FxHashMap<&'a str, FunctionId>,
    classes: FxHashMap<&'a str, ClassId>,
    /// Whether a fixture checks around every test.
    is_always_checked: bool,
    helpers: FxHashMap<FunctionId, bool>,
}

impl<'f, 'a> Checking<'f, 'a> {
    /// Of one file.
    pub(crate) fn of(file: &'f File<'a>) -> Checking<'f, 'a> {
        let mut checking = Checking {
            file,
            functions: FxHashMap::default(),
            methods: FxHashMap::default(),
            fixtures: FxHashMap::default(),
            classes: FxHashMap::default(),
            is_always_checked: false,
            helpers: FxHashMap::default(),
        };
        for def in file.defs() {
            match (def.role, def.class) {
                (Role::Fixture, _) => {
                    checking.is_always_checked |= is_autouse(def) && does_itself(def);
                    checking.fixtures.insert(def.name(), def.id);
                }
                (Role::Other, Some(class)) => drop(checking.methods.insert((class, def.name()), def.id)),
                (Role::Other, None) if def.owner.is_none() => {
                    checking.functions.insert(def.name(), def.id);
                }
                _ => {}
            }
        }
        for class in file.classes.iter().filter(|class| class.owner.is_none()) {
            checking.classes.insert(class.name(), class.id);
        }
        checking
    }

    /// Whether anything in a test, or in what it uses, can find something wrong.
    pub(crate) fn checks(&mut self, test: Def<'f, 'a>) -> bool {
        self.is_always_checked
            || !test.yields().is_empty()
            || test.withs().iter().any(|with| may_be_expectation(test, with))
            || test.calls().iter().any(|call| is_of_unknown_helper(test, call))
            || test.markers().any(uses_check)
            || self.takes_check(test)
            || self.ends_with_check(test)
            || self.uses_check(test, FAR)
    }

    fn def(&self, id: FunctionId) -> Def<'f, 'a> {
        Def { file: self.file, function: &self.file.functions[id as usize] }
    }

    /// Whether a function of this file checks, by itself or through others.
    fn helps(&mut self, id: FunctionId, far: u32) -> bool {
        if let Some(known) = self.helpers.get(&id) {
            return *known;
        }
        // Helpers may use each other.
        self.helpers.insert(id, false);
        let def = self.def(id);
        let helps = does_itself(def) || far > 0 && self.uses_check(def, far - 1);
        self.helpers.insert(id, helps);
        helps
    }

    /// A fixture that checks when it ends, or when it is called.
    fn takes_check(&mut self, test: Def<'f, 'a>) -> bool {
        test.parameters().any(|parameter| {
            let name = parameter.name.as_str();
            match self.fixtures.get(name) {
                Some(fixture) => self.helps(*fixture, FAR),
                // One of another file may do anything when it is called.
                None => is_taken_to_check(name) && test.reads(name) || is_called(test, name),
            }
        })
    }

    fn ends_with_check(&mut self, test: Def<'f, 'a>) -> bool {
        let Some(class) = test.class else { return false };
        ENDS.iter().any(|end| {
            let method = self.methods.get(&(class, *end)).copied();
            method.is_some_and(|method| self.helps(method, FAR))
        })
    }

    /// Whether it uses a function or a class of this file that checks: calls it, or gives it away to be called.
    fn uses_check(&mut self, def: Def<'f, 'a>, far: u32) -> bool {
        let by_name = def.names().iter().filter(|name| name.is_read()).any(|name| {
            let function = self.functions.get(name.id()).copied();
            function.is_some_and(|function| self.helps(function, far)) || self.class_checks(name.id())
        });
        by_name || own_names(def).any(|method| self.suite_checks(def, method, far))
    }

    fn class_checks(&mut self, name: &str) -> bool {
        let Some(class) = self.classes.get(name) else { return false };
        self.file.methods(&self.file.classes[*class as usize]).any(does_itself)
    }

    /// Whether `self.method` checks; true if it is called and stands in a class that this file does not show.
    fn suite_checks(&mut self, def: Def<'f, 'a>, method: &str, far: u32) -> bool {
        let mut open: Vec<ClassId> = def.class.into_iter().collect();
        let mut seen = 0;
        while let Some(class) = open.pop() {
            seen += 1;
            if let Some(found) = self.methods.get(&(class, method)).copied() {
                return self.helps(found, far);
            }
            for base in self.file.classes[class as usize].node.bases() {
                let name = crate::dotted(base, self.file.source);
                match self.classes.get(name) {
                    Some(base) if seen < 20 => open.push(*base),
                    _ if name == "object" || self.file.qualified(name).is_in("unittest") => {}
                    _ => return calls_own(def, method),
                }
            }
        }
        false
    }
}

/// Whether a function checks something with its own lines.
pub(crate) fn does_itself(def: Def<'_, '_>) -> bool {
    let checks = |call: &Call<'_>| is_check_name(call.last) || is_checked(call) || call.name == "self.test";
    !def.asserts().is_empty()
        || def.statements().iter().any(|it| it.node.is_raise_stmt() && def.owns(it.owner))
        || def.calls().iter().any(checks)
}

/// `subprocess.run(..., check=True)`.
fn is_checked(call: &Call<'_>) -> bool {
    call.keyword("check").and_then(|check| check.as_boolean_literal_expr()).is_some_and(|check| check.value)
}

/// `@pytest.mark.usefixtures("check_balance")`.
fn uses_check((marker, call): (&str, Option<&ExprCall>)) -> bool {
    let names = call.into_iter().flat_map(|call| call.arguments.args.iter());
    let mut names = names.filter_map(|name| name.as_string_literal_expr());
    marker == "usefixtures" && names.any(|name| is_check_name(name.value.to_str()))
}

/// `with expectation:` may be `pytest.raises(...)` or not, by the case at hand.
fn may_be_expectation(test: Def<'_, '_>, with: &With<'_>) -> bool {
    let is_expectation = |word: String| {
        ["rais", "expect", "warn", "excep", "error", "captur"].iter().any(|stem| word.starts_with(stem))
    };
    match (&with.item.context_expr, with.call()) {
        (Expr::Name(name), _) => test.takes(name.id.as_str()) || words(name.id.as_str()).any(is_expectation),
        (_, Some(call)) => words(test.file.text(&*call.func)).any(is_expectation),
        _ => false,
    }
}

/// Whether a parameter is called as a function, perhaps by another name: `run = runner`.
fn is_called(test: Def<'_, '_>, name: &str) -> bool {
    test.calls().iter().any(|call| {
        let is_renamed = |assign: &Assign<'_>| {
            let value = assign.value.and_then(|value| value.as_name_expr());
            assign.name == call.name && value.is_some_and(|value| value.id.as_str() == name)
        };
        !call.name.is_empty() && (call.name == name || test.assigns().iter().any(is_renamed))
    })
}

/// What a method takes of its own object: `look` of `self.look(1)` and of `on_paid=self.look`.
fn own_names<'a>(def: Def<'_, 'a>) -> impl Iterator<Item = &'a str> + use<'a> {
    let text = if def.class.is_some() { def.file.text(def.function.node) } else { "" };
    let own = text.split("self.").skip(1);
    own.map(|rest| &rest[..rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())])
}

fn calls_own(def: Def<'_, '_>, method: &str) -> bool {
    def.calls().iter().any(|call| call.name.strip_prefix("self.") == Some(method))
}

/// Whether a call is of a helper that another file of the tests has: nobody sees here whether it checks.
fn is_of_unknown_helper(test: Def<'_, '_>, call: &Call<'_>) -> bool {
    let imports = test.file.imports();
    let root = call.root();
    match test.file.import(root) {
        Some(import) => is_of_tests(import),
        // With `from helpers import *`, any plain name may be one.
        None => {
            !call.name.contains('.')
                && !call.name.is_empty()
                && imports.iter().any(|import| import.name == "*" && is_of_tests(import))
        }
    }
}

/// Whether something is imported from files of tests, or of helpers for them.
fn is_of_tests(import: &Import<'_>) -> bool {
    const HELPERS: [&str; 16] = [
        "common",
        "conftest",
        "fixtures",
        "harness",
        "helper",
        "helpers",
        "support",
        "test",
        "testing",
        "testlib",
        "tests",
        "testutil",
        "testutils",
        "util",
        "utils",
        "testsuite",
    ];
    import.is_relative
        || words(import.written).chain(words(import.name)).any(|word| HELPERS.contains(&word.as_str()))
}
