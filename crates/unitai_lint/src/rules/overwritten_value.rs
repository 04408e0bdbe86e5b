//! `overwritten-value`.

use crate::{Check, Example, Report, Rule, Severity, YamlFile};

pub(crate) static RULE: Rule = Rule {
    name: "overwritten-value",
    what: "Two steps of a YAML test that save under one name.",
    why: "The second takes the value of the first away. A check behind it speaks of another call than it seems to.",
    bad: Example {
        path: "tests/llm/orders.yaml",
        code: "test: {name: Orders are kept}\nsteps:\n  - tool: http_get\n    args: {url: \"http://localhost:8000/orders/1\"}\n    save_as: order\n  - tool: http_get\n    args: {url: \"http://localhost:8000/orders/2\"}\n    save_as: order\n  - check: json(order.body).id == 1\nverdict: checks\n",
    },
    good: Example {
        path: "tests/llm/orders.yaml",
        code: "test: {name: Orders are kept}\nsteps:\n  - tool: http_get\n    args: {url: \"http://localhost:8000/orders/1\"}\n    save_as: first\n  - tool: http_get\n    args: {url: \"http://localhost:8000/orders/2\"}\n    save_as: second\n  - check: json(first.body).id == 1 and json(second.body).id == 2\nverdict: checks\n",
    },
    severity: Severity::Warning,
    layers: &[],
    is_fixable: false,
    check: Check::Yaml(check),
};

fn check(file: &YamlFile<'_>, report: &mut Report<'_>) {
    for doubt in file.doubts("save_as") {
        if let Some(range) = file.entry(&doubt.place, "save_as", "") {
            report.at(range, doubt.message.clone()).help(doubt.remedy.clone());
        }
    }
}
