//! `no-assertion`.

use crate::ast::Stmt;
use crate::known::answers::is_asking;
use crate::known::checking::checks;
use crate::known::words::words;
use crate::{Check, Def, Example, Report, Rule, Severity};

pub(crate) static RULE: Rule = Rule {
    name: "no-assertion",
    what: "A test that asserts nothing: no `assert`, no `pytest.raises`, no check that raises by itself, neither in the test nor \
           in the helpers and fixtures that it uses. Where it says that the point is that nothing is raised, in its name, its \
           docstring or a comment, it is left alone, and so are property tests and benchmarks.",
    why: "It passes whatever the answer is. It is counted among the tests, and whoever reads the count trusts it.",
    bad: Example {
        path: "tests/behavioral/test_refund.py",
        code: "def test_refund(agent):\n    response = agent.run(\"Refund order 123\")\n    print(response.content)\n",
    },
    good: Example {
        path: "tests/behavioral/test_refund.py",
        code: "def test_refund(agent):\n    response = agent.run(\"Refund order 123\")\n    assert \"refunded\" in response.content.lower()\n",
    },
    severity: Severity::Error,
    layers: &[],
    is_fixable: false,
    check: Check::Test(check),
};

fn check(test: Def<'_, '_>, report: &mut Report<'_>) {
    if checks(test) || is_judged_elsewhere(test) {
        return;
    }
    let name = test.name();
    if test.body().iter().all(says_nothing) {
        if !is_left_out(test) {
            report
                .at(test, format!("`{name}` is empty: it passes and tests nothing"))
                .help("write the test, or delete it");
        }
    } else if !is_about_no_trouble(test) && !is_left_out(test) {
        report.at(test, format!("`{name}` asserts nothing: it passes whatever comes out")).help(
            "assert something about the result; if the point is that nothing is raised, say so in the name",
        );
    }
}

/// `pass`, `...`, or another docstring.
fn says_nothing(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Pass(_) => true,
        Stmt::Expr(expr) => expr.value.is_literal_expr(),
        _ => false,
    }
}

/// A decorator decides: property tests, comparisons of pictures, and any that nobody knows here.
fn is_judged_elsewhere(test: Def<'_, '_>) -> bool {
    test.decorators().any(|decorator| {
        let known = ["pytest", "unittest", "mock", "unitai", "anyio", "asyncio", "functools", "contextlib"];
        let is_plain = matches!(decorator.name, "staticmethod" | "classmethod" | "patch");
        !is_plain && !test.qualified(decorator.name).is_in_any(&known)
    }) || test.markers().any(|(marker, _)| {
        words(marker).any(|word| matches!(&*word, "benchmark" | "compare" | "snapshot" | "mypy"))
    })
}

/// It does not run, or its failure is expected: other rules ask why.
fn is_left_out(test: Def<'_, '_>) -> bool {
    test.markers().any(|(marker, _)| matches!(marker, "skip" | "xfail"))
}

/// It says somewhere that the point is that nothing goes wrong, or holds code that asserts as a text.
fn is_about_no_trouble(test: Def<'_, '_>) -> bool {
    const TROUBLE: [&str; 16] = [
        "rais", "error", "crash", "fail", "except", "throw", "warn", "hang", "deadlock", "break", "complain",
        "panic", "explode", "segfault", "block", "leak",
    ];
    const NO: [&str; 14] = [
        "no", "not", "t", "dont", "doesnt", "doesn", "without", "never", "cannot", "cant", "shouldnt",
        "wont", "nothing", "non",
    ];
    // To the end of the last line: a comment there is not a part of the function any more.
    let (source, range) = (test.file.source, test.function.node.range);
    let rest = &source[usize::from(range.end())..];
    let text =
        &source[range.start().into()..source.len() - rest.len() + rest.find('\n').unwrap_or(rest.len())];
    if text.contains("assert")
        || text.contains("# type:")
        || words(test.file.path).any(|word| word.starts_with("typ"))
    {
        return true;
    }
    let mut since = u32::MAX;
    for word in words(text) {
        if since <= 3 && TROUBLE.iter().any(|stem| word.starts_with(stem)) {
            return true;
        }
        since = if NO.contains(&&*word) { 0 } else { since.saturating_add(1) };
    }
    let said = test.docstring().map_or("", |text| text.value.to_str());
    // What works, or can be done: enough for a class that is made, too little for an agent that answers.
    let is_asked = test.calls().iter().any(|call| is_asking(call));
    words(test.name())
        .chain(words(said))
        .any(|word| SILENT.contains(&&*word) || !is_asked && DONE.contains(&&*word))
        || test.name().contains("no_op")
        || test.name().contains("does_nothing")
}

const SILENT: [&str; 22] = [
    "accept",
    "accepts",
    "accepted",
    "allow",
    "allows",
    "allowed",
    "compiles",
    "graceful",
    "gracefully",
    "ignore",
    "ignored",
    "ignores",
    "import",
    "importable",
    "imports",
    "noop",
    "nops",
    "silent",
    "silently",
    "smoke",
    "swallows",
    "tolerates",
];
const DONE: [&str; 15] = [
    "access",
    "can",
    "circumvent",
    "compatible",
    "constructs",
    "crash",
    "exists",
    "handle",
    "handles",
    "possible",
    "regression",
    "support",
    "supports",
    "valid",
    "works",
];
