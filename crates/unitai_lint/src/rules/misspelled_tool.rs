//! `misspelled-tool`.

use memchr::memmem;
use rustc_hash::{FxHashMap, FxHashSet};

use unitai_model::nearest::slip_of;

use crate::agent::{asserted_check, test_case_check, toolkits};
use crate::ast::{Expr, ExprStringLiteral};
use crate::{Call, Check, Def, Example, File, Ranged, Report, Rule, Severity};

pub(crate) static RULE: Rule = Rule {
    name: "misspelled-tool",
    what: "A check that holds where a tool is not called, or the `call` of a script, with a name that is nearly that of a tool which the test mocks, and that \
           stands nowhere else in the file: a letter too many, too few or another, two that changed places, a capital, an underscore.",
    why: "That a tool was not called holds for every name that no tool has. And a scripted call of a tool that is not there fails \
          only when the test runs.",
    bad: Example {
        path: "tests/agents/test_refund.py",
        code: "def test_no_refund_without_receipt(mock_toolkit):\n    mock_toolkit.mock(\"find_order\", return_value=None)\n    mock_toolkit.mock(\"send_refund\", return_value=True)\n    result = mock_toolkit.run(shop_agent, \"Refund order 123\")\n    assert result.tool_was_called(\"find_order\")\n    assert result.tool_not_called(\"sendrefund\")\n",
    },
    good: Example {
        path: "tests/agents/test_refund.py",
        code: "def test_no_refund_without_receipt(mock_toolkit):\n    mock_toolkit.mock(\"find_order\", return_value=None)\n    mock_toolkit.mock(\"send_refund\", return_value=True)\n    result = mock_toolkit.run(shop_agent, \"Refund order 123\")\n    assert result.tool_was_called(\"find_order\")\n    assert result.tool_not_called(\"send_refund\")\n",
    },
    severity: Severity::Warning,
    layers: &[],
    is_fixable: false,
    check: Check::Python(check),
};

fn check(file: &File<'_>, report: &mut Report<'_>) {
    let (mut places, mut known) = (None, FxHashMap::default());
    for test in file.tests() {
        let toolkits = toolkits(test);
        if toolkits.is_empty() {
            continue;
        }
        let prepared = test.calls().iter().filter(|call| toolkits.contains(&call.receiver()));
        let mocked: Vec<&str> = prepared.filter_map(mocked).collect();
        for named in test.calls().iter().filter_map(|call| named(test, call)) {
            let name = named.value.to_str();
            if mocked.contains(&name) {
                continue;
            }
            let Some(meant) = mocked.iter().find(|mocked| slip_of(name, mocked)) else { continue };
            let places = places.get_or_insert_with(|| unnoticed(file));
            if !*known.entry(name).or_insert_with(|| is_elsewhere(file, places, name)) {
                report
                    .at(
                        named.range(),
                        format!("no tool of this file is called `{name}`; `{meant}` is mocked"),
                    )
                    .help(format!("write `{meant}`, or mock the other tool, too"));
            }
        }
    }
}

/// The tool that a call prepares: `toolkit.mock("refund")`, `toolkit.patch("shop.tools.refund")`.
fn mocked<'a>(call: &Call<'a>) -> Option<&'a str> {
    let name = call.positional(0)?.as_string_literal_expr()?.value.to_str();
    match call.last {
        "mock" | "allow" => Some(name),
        "patch" => name.rsplit('.').next(),
        _ => None,
    }
}

/// The name of a tool, where a wrong one goes unnoticed.
fn named<'a>(test: Def<'_, 'a>, call: &Call<'a>) -> Option<&'a ExprStringLiteral> {
    let is_scripted = || test.qualified(call.name).is("unitai.script.call");
    // A method of a test case takes the result first.
    let at = usize::from(test_case_check(call.last, call.root()).is_some());
    let is_unnoticed = || is_about_absence(call, at) || is_scripted();
    call.positional(at).and_then(Expr::as_string_literal_expr).filter(|_| is_unnoticed())
}

/// Whether a call checks that a tool is absent: `tool_not_called("x")`, `tool_call_count_is("x", 0)`, in any of the forms
/// that checks have. The name of the tool is the argument `at`.
fn is_about_absence(call: &Call<'_>, at: usize) -> bool {
    let Some(check) = asserted_check(call.node, call.last, call.root()) else { return false };
    let is_zero = |count: &Expr| {
        count
            .as_number_literal_expr()
            .is_some_and(|count| count.value.as_int().and_then(|int| int.as_u8()) == Some(0))
    };
    check.is_about_absent_tool && call.positional(at + 1).is_none_or(is_zero)
}

/// Whether a name stands elsewhere in the file, as that of a function, an import, a tool in a list, in a text or a comment:
/// then somebody knows such a tool.
fn is_elsewhere(file: &File<'_>, unnoticed: &FxHashSet<usize>, name: &str) -> bool {
    let source = file.source;
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    memmem::find_iter(source.as_bytes(), name).any(|at| {
        let (before, after) = (source[..at].chars().next_back(), source[at + name.len()..].chars().next());
        !is_part(before) && !is_part(after) && !unnoticed.contains(&at)
    })
}

/// Where names begin, behind the quote, that go unnoticed if they are wrong.
fn unnoticed(file: &File<'_>) -> FxHashSet<usize> {
    let places = file.tests().flat_map(|test| test.calls().iter().filter_map(move |call| named(test, call)));
    places.map(|named| usize::from(named.start()) + 1).collect()
}
