//! `unused-saved-value`.

use unitai_model::value::Value;
use unitai_spec::document::{Check as Expected, Spec, Step};
use unitai_spec::expression::{Expression, References};

use crate::{Check, Example, Report, Rule, Severity, YamlFile};

pub(crate) static RULE: Rule = Rule {
    name: "unused-saved-value",
    what: "A `save_as` of a YAML test whose name is used nowhere: in no argument, no check, no condition, and no text for a judge.",
    why: "Most likely a check is missing, or a name is misspelt where it should be used.",
    bad: Example {
        path: "tests/llm/orders.yaml",
        code: "test: {name: An order is placed}\nsteps:\n  - tool: http_post\n    args: {url: \"http://localhost:8000/orders\", data: {total: 6.5}}\n    check: status_code == 201\n    save_as: order\nverdict: checks\n",
    },
    good: Example {
        path: "tests/llm/orders.yaml",
        code: "test: {name: An order is placed}\nsteps:\n  - tool: http_post\n    args: {url: \"http://localhost:8000/orders\", data: {total: 6.5}}\n    check: status_code == 201\n    save_as: order\n  - check: json(order.body).total == 6.5\nverdict: checks\n",
    },
    severity: Severity::Warning,
    layers: &[],
    is_fixable: false,
    check: Check::Yaml(check),
};

fn check(file: &YamlFile<'_>, report: &mut Report<'_>) {
    for spec in file.tests() {
        let steps = YamlFile::steps(spec);
        let savers = steps.iter().filter(|step| !step.save_as.is_empty());
        for step in savers {
            let name = step.save_as.as_str();
            if !is_used(name, spec, &steps)
                && let Some(range) = file.entry(&step.place, "save_as", name)
            {
                report.at(range, format!("`{name}` is saved and never used")).help(format!(
                    "check something of it, as in `check: {name} ...`, or take the `save_as` away"
                ));
            }
        }
    }
}

fn is_used(name: &str, spec: &Spec, steps: &[&Step]) -> bool {
    let reads = |text: &str| match Expression::parse(text) {
        Ok(expression) => expression.names().iter().any(|it| it == name),
        Err(_) => speaks_of(text, name),
    };
    let refers = |value: &Value| References::names(value).iter().any(|it| it == name);
    let checks = |checks: &[Expected]| {
        checks.iter().any(|check| match check {
            Expected::Holds { text, .. } => reads(text),
            Expected::Match { pattern, .. } => says(pattern, name),
        })
    };
    let of_step = |step: &&Step| {
        step.args.iter().any(|(_, value)| refers(value))
            || [&step.expect, &step.analyze, &step.name].into_iter().any(|text| speaks_of(text, name))
            || !step.when.is_empty() && reads(&step.when)
            || step.retry.as_ref().is_some_and(|retry| !retry.until.is_empty() && reads(&retry.until))
            || checks(&step.check)
    };
    let verdict = &spec.verdict;
    steps.iter().any(of_step)
        || checks(&verdict.check)
        || [&verdict.pass_if, &verdict.fail_if, &spec.test.description]
            .into_iter()
            .any(|text| speaks_of(text, name))
}

/// Whether a text for people or a judge has this word.
fn speaks_of(text: &str, word: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(word).any(|(at, _)| {
        !is_part(text[..at].chars().next_back()) && !is_part(text[at + word.len()..].chars().next())
    })
}

/// Whether some text in a pattern mentions it.
fn says(pattern: &Value, name: &str) -> bool {
    match pattern {
        Value::Str(text) => speaks_of(text, name),
        Value::List(items) | Value::Tuple(items) => items.iter().any(|item| says(item, name)),
        Value::Dict(entries) => entries.iter().any(|(_, value)| says(value, name)),
        _ => false,
    }
}
