//! `needless-judge`.

use std::sync::LazyLock;

use regex::Regex;

use crate::{Check, Example, File, Report, Rule, Severity};

pub(crate) static RULE: Rule = Rule {
    name: "needless-judge",
    what: "A judge that is asked what a check can tell: whether the answer contains, equals or begins with a certain text.",
    why: "A check is exact, free and always gives the same answer. A judge costs money, and may be wrong.",
    bad: Example {
        path: "tests/agents/test_refund.py",
        code: "def test_refund(mock_toolkit):\n    mock_toolkit.mock(\"refund\", return_value=\"R-456\")\n    result = mock_toolkit.run(shop_agent, \"Refund order 123\")\n    assert result.judge(\"Does the answer contain 'R-456'?\")\n",
    },
    good: Example {
        path: "tests/agents/test_refund.py",
        code: "def test_refund(mock_toolkit):\n    mock_toolkit.mock(\"refund\", return_value=\"R-456\")\n    result = mock_toolkit.run(shop_agent, \"Refund order 123\")\n    assert result.output_contains(\"R-456\")\n    assert result.judge(\"Is the answer polite?\")\n",
    },
    severity: Severity::Warning,
    layers: &[],
    is_fixable: false,
    check: Check::Python(check),
};

/// A question that a check answers. Every word is accounted for: one that is left over is a meaning that is left over.
static QUESTION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    const WHAT: &str = "(?:(?:the|its|this) )?(?:agent(?:'s)? ?|final |model(?:'s)? ?)*(?:answer|output|response|reply|result|text|message|it)?";
    const HOLDS: &str = "(?P<holds>contains?|includes?|mentions?|says?|states?|names?|have|has)";
    const EQUALS: &str = "(?P<equals>equals?|is|is equal to|be|be equal to|be exactly|equal to|exactly equals?|is exactly|matches|match)";
    const BEGINS: &str = "(?P<begins>(?:starts?|begins?|ends?) with)";
    const KIND: &str = "(?: exactly)?(?: the)?(?: exact)?(?: (?:word|words|text|string|substring|phrase|number|value|id|name))?";
    const VALUE: &str = r#"(?P<value>"[^"]+"|'[^']+'|`[^`]+`|“[^”]+”|-?\d+(?:\.\d+)?)"#;
    Regex::new(&format!(
        r"(?i)^\s*(?:(?:does|did|do|is|has|must|should) )?{WHAT} ?(?:(?:must|should|does) )?(?:{HOLDS}|{EQUALS}|{BEGINS}){KIND} {VALUE}\s*[?.!]?\s*$"
    ))
    .ok()
});

fn check(file: &File<'_>, report: &mut Report<'_>) {
    for call in &file.calls {
        if !matches!(call.last, "judge" | "llm_judge" | "judged" | "assertJudged") {
            continue;
        }
        let at = usize::from(call.last == "assertJudged");
        let Some(question) = call.argument("question", at).and_then(|it| it.as_string_literal_expr()) else {
            continue;
        };
        let text = question.value.to_str();
        let Some(found) = QUESTION.as_ref().and_then(|form| form.captures(text)) else { continue };
        let value = found["value"].trim_matches(['"', '\'', '`', '“', '”']);
        let instead = if found.name("holds").is_some() {
            format!("`assert result.output_contains({value:?})`")
        } else if found.name("begins").is_some() {
            "`assert result.output_matches(...)` with a pattern".to_owned()
        } else {
            format!("`assert result.output == {value:?}`")
        };
        report
            .at(question, format!("a judge is asked for what a check can tell: \"{text}\""))
            .help(format!("write {instead}: it is exact and costs nothing"));
    }
}
