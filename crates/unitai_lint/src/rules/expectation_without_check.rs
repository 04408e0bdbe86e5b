//! `expectation-without-check`.

use unitai_spec::harden::propose;

use crate::{Check, Example, Report, Rule, Severity, YamlFile};

pub(crate) static RULE: Rule = Rule {
    name: "expectation-without-check",
    what: "An `expect` of a YAML test that says something a machine can check, such as a status code or a time limit, in a step \
           that does not check it.",
    why: "A judge is asked, is paid, and may be wrong, about something that the engine knows.",
    bad: Example {
        path: "tests/llm/health.yaml",
        code: "test: {name: The shop is up}\nsteps:\n  - tool: http_get\n    args: {url: \"http://localhost:8000/health\"}\n    expect: Status code should be 200\nverdict: checks\n",
    },
    good: Example {
        path: "tests/llm/health.yaml",
        code: "test: {name: The shop is up}\nsteps:\n  - tool: http_get\n    args: {url: \"http://localhost:8000/health\"}\n    check: status_code == 200\nverdict: checks\n",
    },
    severity: Severity::Warning,
    layers: &[],
    is_fixable: false,
    check: Check::Yaml(check),
};

fn check(file: &YamlFile<'_>, report: &mut Report<'_>) {
    for spec in file.tests() {
        for step in YamlFile::steps(spec) {
            if let Some(proposal) = propose(&step.expect, step, None)
                && let Some(range) = file.entry(&step.place, "expect", &step.expect)
            {
                report
                    .at(range, format!("`{}` can be a check: `{}`", step.expect.trim(), proposal.check))
                    .help("write it as `check`; `unitai yaml harden` proposes it for every step, and shows the difference");
            }
        }
    }
}
