//! What stands in for a part of the system: mocks of `unittest.mock` and `pytest-mock`, replaced attributes, and canned
//! answers of HTTP. `MockToolkit` and scripted models are none: they stand at the border of an agent and record what it
//! does there, and the agent itself is real.

use ruff_text_size::TextRange;

use crate::ast::{Decorator, Expr};
use crate::known::words::has_word;
use crate::{Call, Class, Def, File, Ranged};

/// Something that stands in for a part of the system.
#[derive(Debug, Clone)]
pub(crate) struct Mock {
    pub(crate) range: TextRange,
    /// What it is, for a message: `` `MagicMock()` ``.
    pub(crate) what: String,
}

/// Makers of mocks in `unittest.mock`. `ANY`, `call` and `sentinel` only compare.
const MAKERS: [&str; 9] = [
    "AsyncMock",
    "MagicMock",
    "Mock",
    "NonCallableMagicMock",
    "NonCallableMock",
    "PropertyMock",
    "create_autospec",
    "mock_open",
    "patch",
];

/// Libraries that answer HTTP requests with what a test made up.
const CANNED_HTTP: [&str; 6] = ["aioresponses", "httpretty", "pook", "requests_mock", "respx", "responses"];

/// Where a program runs, and no part of it: the clock, the environment, the terminal.
const SURROUNDINGS: [&str; 36] = [
    "args",
    "argv",
    "clock",
    "config",
    "console",
    "cwd",
    "date",
    "datetime",
    "dir",
    "env",
    "environ",
    "environment",
    "file",
    "getcwd",
    "getenv",
    "getpass",
    "home",
    "input",
    "isatty",
    "log",
    "logger",
    "logging",
    "monotonic",
    "now",
    "path",
    "platform",
    "print",
    "random",
    "server",
    "settings",
    "sleep",
    "stderr",
    "stdin",
    "stdout",
    "time",
    "toolkit",
];

/// The first thing in a test or a fixture that stands in for a part of the system.
pub(crate) fn first_mock(def: Def<'_, '_>) -> Option<Mock> {
    let decorators = def.node.decorator_list.iter().filter_map(|decorator| decorated(def.file, decorator));
    let taken = def.parameters().filter_map(|parameter| {
        let name = parameter.name.as_str();
        // A fixture of this file is looked at itself.
        let is_mock = is_mock_name(name) && def.file.fixture(name).is_none() && !def.is_parametrized(name);
        is_mock.then(|| Mock { range: parameter.range(), what: format!("`{name}`") })
    });
    let made = def.calls().iter().filter(|call| !call.context.in_raises()).filter_map(|call| made(def, call));
    let told = def.assigns().iter().filter_map(|assign| {
        let owner =
            assign.name.strip_suffix(".return_value").or_else(|| assign.name.strip_suffix(".side_effect"))?;
        (!is_own_value(def, owner)).then(|| Mock { range: assign.range(), what: format!("`{owner}`") })
    });
    decorators.chain(taken).chain(made).chain(told).min_by_key(|mock| mock.range.start())
}

/// The mocks that a file has outside of its functions, each with what it is called there.
pub(crate) fn shared_mocks<'a>(file: &File<'a>) -> Vec<(&'a str, Mock)> {
    let assigns = file.assigns.iter().filter(|assign| assign.owner.is_none() && !assign.name.is_empty());
    let made = assigns.filter_map(|assign| {
        let call = assign.value?.as_call_expr()?;
        let name = crate::dotted(&call.func, file.source);
        let is_mock = of_unittest(file, name)
            && !replaces_surroundings(
                file,
                call.arguments.find_positional(0),
                call.arguments.find_positional(1),
            );
        is_mock.then(|| (assign.name, Mock { range: call.range(), what: format!("`{name}`") }))
    });
    made.collect()
}

/// The mock that a decorator of a class puts in place for each of its tests.
pub(crate) fn mock_of_class<'a>(file: &File<'a>, class: &Class<'a>) -> Option<Mock> {
    class.node.decorator_list.iter().find_map(|decorator| decorated(file, decorator))
}

/// The first mock that a helper makes. What it is given is no matter of its own.
pub(crate) fn mock_of_helper(helper: Def<'_, '_>) -> Option<Mock> {
    helper.calls().iter().find_map(|call| made(helper, call))
}

/// Whether a decorator puts mocks in place, which then come as parameters.
pub(crate) fn is_patched(def: Def<'_, '_>) -> bool {
    def.node.decorator_list.iter().any(|decorator| decorated(def.file, decorator).is_some())
}

/// Whether a name was given something of the project's own in this function, which has such an attribute too:
/// `patch = repository.make_patch()`.
fn is_own_value(def: Def<'_, '_>, owner: &str) -> bool {
    let is_mock = |value: &Expr| {
        def.calls().iter().any(|call| call.range() == value.range() && made(def, call).is_some())
    };
    let mut given =
        def.assigns().iter().filter(|assign| assign.name == owner).filter_map(|it| it.value).peekable();
    given.peek().is_some()
        && !is_mock_name(owner)
        && given.all(|value| value.is_call_expr() && !is_mock(value))
}

/// Whether a fixture is called a mock by its own name. Made-up data replaces no part.
pub(crate) fn is_mock_name(name: &str) -> bool {
    const DATA: [&str; 16] = [
        "csv",
        "data",
        "dataset",
        "document",
        "documents",
        "files",
        "html",
        "json",
        "payload",
        "records",
        "response",
        "responses",
        "text",
        "user",
        "users",
        "yaml",
    ];
    name != "mock"
        && has_word(name, &["mock", "mocked", "mocks"])
        && !has_word(name, &SURROUNDINGS)
        && !has_word(name, &DATA)
}

/// Whether a call makes something that counts its calls: a mock of any kind, or a spy.
pub(crate) fn counts_calls(def: Def<'_, '_>, call: &Call<'_>) -> bool {
    made(def, call).is_some() || call.name == "mocker.spy"
}

/// Whether a call makes a mock of `unittest.mock`, or puts one in place.
fn is_mock_call(def: Def<'_, '_>, call: &Call<'_>) -> bool {
    of_unittest(def.file, call.name)
        && !replaces_surroundings(def.file, call.node.arguments.args.first(), call.positional(1))
}

fn of_unittest(file: &File<'_>, name: &str) -> bool {
    // Written out in full, or bound by an import; a plain `mock.patch` of nobody knows what is neither.
    let (first, _) = name.split_once('.').unwrap_or((name, ""));
    let Some(import) = file.import(first) else { return false };
    let is_module = |module: &str| matches!(module, "unittest.mock" | "mock");
    let mut parts = name.split('.').skip(1);
    let maker = match (import.module, import.name) {
        (module, maker) if is_module(module) && !maker.is_empty() => Some(maker),
        (module, "") if is_module(module) => parts.next(),
        ("unittest", "mock") => parts.next(),
        ("unittest", "") => parts.next().filter(|part| *part == "mock").and_then(|_| parts.next()),
        _ => None,
    };
    !import.is_relative && maker.is_some_and(|maker| MAKERS.contains(&maker))
}

fn decorated(file: &File<'_>, node: &Decorator) -> Option<Mock> {
    let call = node.expression.as_call_expr();
    let named = call.map_or(&node.expression, |call| &call.func);
    let name = crate::dotted(named, file.source);
    let arguments = call.map(|call| &call.arguments);
    let is_aside = || {
        let argument = |at| arguments.and_then(|arguments| arguments.find_positional(at));
        replaces_surroundings(file, argument(0), argument(1))
    };
    let is_it = of_unittest(file, name) && !is_aside() || is_canned_http(file, name);
    is_it.then(|| Mock { range: node.range, what: format!("`{name}`") })
}

fn made(def: Def<'_, '_>, call: &Call<'_>) -> Option<Mock> {
    let mock = |what: String| Some(Mock { range: call.range(), what });
    if is_mock_call(def, call) || is_canned_http(def.file, call.name) {
        return mock(format!("`{}`", call.name));
    }
    match (call.root(), call.last) {
        ("mocker", "spy" | "stopall" | "resetall" | "stop") => None,
        ("mocker", _) if def.takes("mocker") => {
            (!replaces_surroundings(def.file, call.positional(0), call.positional(1)))
                .then(|| mock(format!("`{}`", call.name)))
                .flatten()
        }
        ("monkeypatch", "setattr") => replaced_part(def, call).and_then(mock),
        _ => None,
    }
}

fn is_canned_http(file: &File<'_>, name: &str) -> bool {
    let first = name.split('.').next().unwrap_or_default();
    let import = file.import(first);
    import.is_some_and(|import| {
        let module = import.module.split('.').next().unwrap_or_default();
        !import.is_relative && CANNED_HTTP.contains(&module)
    })
}

/// `patch("time.sleep")`, `patch.dict(os.environ, ...)`, `patch.object(sys, "argv", ...)`.
fn replaces_surroundings(file: &File<'_>, target: Option<&Expr>, attribute: Option<&Expr>) -> bool {
    [target, attribute].into_iter().flatten().any(|part| match part {
        Expr::StringLiteral(text) => has_word(text.value.to_str(), &SURROUNDINGS),
        Expr::Name(_) | Expr::Attribute(_) => has_word(file.text(part), &SURROUNDINGS),
        _ => false,
    })
}

/// `monkeypatch.setattr(client, "post", lambda ...: answer)`: a part that would be asked is replaced by an answer. Other
/// attributes, and parts that are only forbidden, are set for other reasons.
fn replaced_part(def: Def<'_, '_>, call: &Call<'_>) -> Option<String> {
    const PARTS: [&str; 19] = [
        "agent",
        "aiohttp",
        "anthropic",
        "api",
        "client",
        "database",
        "db",
        "embed",
        "embedder",
        "embeddings",
        "fetch",
        "httpx",
        "llm",
        "model",
        "openai",
        "requests",
        "retriever",
        "store",
        "urlopen",
    ];
    let target = call.positional(0)?;
    let value = if target.is_string_literal_expr() { call.positional(1)? } else { call.positional(2)? };
    let named = match target {
        Expr::StringLiteral(text) => end_of(text.value.to_str()),
        target => def.file.text(target),
    };
    if replaces_surroundings(def.file, Some(target), call.positional(1)) {
        return None;
    }
    let gives_answer = match value {
        Expr::Lambda(lambda) => !lambda.body.is_none_literal_expr(),
        Expr::Name(name) => def.file.defs().any(|other| {
            other.name() == name.id.as_str() && other.statements().iter().any(|it| it.node.is_return_stmt())
        }),
        _ => false,
    };
    (gives_answer && has_word(named, &PARTS))
        .then(|| format!("the `{named}` that `monkeypatch` puts in place"))
}

/// The last two parts of a dotted name: the part that is replaced, and what it belongs to.
fn end_of(name: &str) -> &str {
    name.rmatch_indices('.').nth(1).map_or(name, |(at, _)| &name[at + 1..])
}
