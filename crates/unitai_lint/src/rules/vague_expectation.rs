//! `vague-expectation`.

use crate::{Check, Example, Report, Rule, Severity, YamlFile};

pub(crate) static RULE: Rule = Rule {
    name: "vague-expectation",
    what: "An `expect` or `pass_if` of a YAML test that names nothing: `Should complete`, `Works correctly`, `All steps were \
           successful`.",
    why: "A judge can only say yes to it. What a test expects is a status, a field, a text, something that could be otherwise.",
    bad: Example {
        path: "tests/llm/health.yaml",
        code: "test: {name: The shop is up}\nsteps:\n  - name: Ask it\n    tool: http_get\n    args: {url: \"http://localhost:8000/health\"}\n    expect: Should complete successfully\nverdict: checks\n",
    },
    good: Example {
        path: "tests/llm/health.yaml",
        code: "test: {name: The shop is up}\nsteps:\n  - name: Ask it\n    tool: http_get\n    args: {url: \"http://localhost:8000/health\"}\n    check: status_code == 200\nverdict: checks\n",
    },
    severity: Severity::Warning,
    layers: &[],
    is_fixable: false,
    check: Check::Yaml(check),
};

/// Words that praise, and name nothing.
const PRAISE: &str = "acceptable accordingly appropriate appropriately behave behaves complete completed completes completion \
                      correct correctly desired execute executed executes expected fine finish finished finishes function \
                      functions good intended met normal normally okay ok pass passed passes proper properly reasonable right run \
                      runs sensible smoothly succeed succeeded succeeds success successful successfully valid well work worked \
                      working works";
/// Words for what goes wrong.
const TROUBLE: &str = "crash crashes crashing error errors exception exceptions fail failed failing fails failure failures issue \
                       issues problem problems trouble";
/// Words that turn a sentence around.
const DENIAL: &str = "cannot neither never no none nor not nothing without";
/// All other words that a sentence can have without naming anything.
const FILLER: &str = "a action agent all an and answer any anything api are as at be been behavior behaviour both by call calls can \
                      command does done each end ending endpoint every everything from gets give given gives has have in into is it \
                      its just must of on only operation or our output own process query request requests respond responds response \
                      responses result results return returned returns service shall should simply something step steps system task \
                      test tests that the their then there they this to tool tools very was were whole will with you";

fn check(file: &YamlFile<'_>, report: &mut Report<'_>) {
    for spec in file.tests() {
        let of_steps =
            YamlFile::steps(spec).into_iter().map(|step| (&step.place, "expect", step.expect.as_str()));
        let of_verdict = [(&spec.place, "pass_if", spec.verdict.pass_if.as_str())];
        for (place, key, text) in of_steps.chain(of_verdict) {
            if is_vague(text)
                && let Some(range) = file.entry(place, key, text)
            {
                report.at(range, format!("`{}` names nothing that could be otherwise", text.trim())).help(
                    "say what must be there: a status, a field, a text; as a `check`, the engine decides it",
                );
            }
        }
    }
}

/// Whether every word of a text could be said of any test.
fn is_vague(text: &str) -> bool {
    if text.contains(|c: char| c.is_ascii_digit() || matches!(c, '"' | '`' | '$' | '_' | '=' | '/')) {
        return false;
    }
    let is_in = |words: &str, word: &str| words.split_ascii_whitespace().any(|known| known == word);
    let (mut praise, mut trouble, mut denial) = (false, false, false);
    for word in text.split(|c: char| !c.is_alphabetic() && c != '\'').filter(|word| !word.is_empty()) {
        let word = word.to_lowercase();
        let word = word.trim_matches('\'');
        let is_denial = is_in(DENIAL, word) || word.ends_with("n't");
        praise |= is_in(PRAISE, word);
        trouble |= is_in(TROUBLE, word);
        denial |= is_denial;
        if !(is_denial || is_in(PRAISE, word) || is_in(TROUBLE, word) || is_in(FILLER, word)) {
            return false;
        }
    }
    // "Should fail" and "no results" are expectations; "without errors" is none: a tool that fails fails the step.
    (praise || trouble) && trouble == denial
}
