//! What a test would do: nothing is run, called or asked.

use super::calling::dict;
use super::log::name_of;
use super::{Phase, QuestionKind};
use crate::data::to_json;
use crate::document::{Check, JudgeWhen, Retry, Server, ServerKind, Spec, Step};
use crate::tools::BuiltIn;

/// What a test would do.
///
/// ```
/// use std::path::Path;
/// use unitai_spec::document::read;
/// use unitai_spec::run::plan;
/// let text = "test: {name: Ping}\nsteps: [{tool: ping, args: {n: 1}, repeat: 2, retry: 1}]\nverdict: checks\n";
/// let reading = read(text, Path::new("ping.yaml"));
/// let plan = plan(&reading.specs[0]);
/// assert_eq!((plan.at_least, plan.at_most), (2, 4));
/// assert!(plan.tell().contains("steps[0]: ping {\"n\":1}"));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The name of the test.
    pub name: String,
    /// How many calls there are if every condition leaves its step out and nothing is tried again.
    pub at_least: u64,
    /// How many calls there are if every step is run, and tried again as often as it may be.
    pub at_most: u64,
    /// What a judge would be asked if checks decide nothing.
    pub questions: Vec<(QuestionKind, String)>,
    lines: Vec<String>,
}

/// What a test would do.
pub fn plan(spec: &Spec) -> Plan {
    let phases =
        [(Phase::Setup, &spec.setup), (Phase::Steps, &spec.steps), (Phase::Teardown, &spec.teardown)];
    let mut lines: Vec<String> = Vec::new();
    if !spec.servers.is_empty() {
        lines.push("servers:".to_owned());
        lines.extend(spec.servers.iter().map(|it| format!("  {}: {}", it.name, reached(it))));
    }
    let (mut at_least, mut at_most, mut questions) = (0, 0, Vec::new());
    let limit = u64::from(spec.test.max_calls);
    let mut before_teardown = (0, 0);
    for (phase, steps) in phases {
        let (least, most) = sum(steps);
        // Teardown is counted for itself.
        if phase == Phase::Teardown {
            (at_least, at_most) = (before_teardown.0 + least.min(limit), before_teardown.1 + most.min(limit));
        } else {
            before_teardown = ((before_teardown.0 + least).min(limit), (before_teardown.1 + most).min(limit));
        }
        if !steps.is_empty() {
            lines.push(format!("{}:", phase.word()));
            each(steps, phase.word(), 1, &mut lines, &mut questions);
        }
    }
    let verdict = [
        (QuestionKind::PassIf, spec.verdict.pass_if.trim()),
        (QuestionKind::FailIf, spec.verdict.fail_if.trim()),
    ];
    lines.push("verdict:".to_owned());
    lines.extend(spec.verdict.check.iter().map(|it| format!("  check: {}", checked(it))));
    for (kind, text) in verdict.into_iter().filter(|(_, text)| !text.is_empty()) {
        let word = if kind == QuestionKind::PassIf { "pass_if" } else { "fail_if" };
        lines.push(format!("  asked of the judge, {word}: {}", flat(text)));
        questions.push((kind, text.to_owned()));
    }
    if spec.verdict.check.is_empty() && questions.is_empty() {
        lines.push("  the checks of the steps decide".to_owned());
    } else if !questions.is_empty() {
        let when = match spec.test.judge {
            JudgeWhen::Needed => "the judge is asked once, unless a check fails before",
            JudgeWhen::Always => "the judge is asked once, even if a check fails before",
        };
        lines.push(format!("  {when}"));
    }
    lines.push(format!(
        "time: {} s for setup and steps, {} s for teardown",
        spec.test.timeout, spec.test.teardown_timeout
    ));
    let name = match &spec.case {
        Some(case) => format!("{} [{case}]", spec.test.name),
        None => spec.test.name.clone(),
    };
    Plan { name, at_least, at_most, questions, lines }
}

impl Plan {
    /// All of it in words, the name of the test first.
    pub fn tell(&self) -> String {
        let calls = match (self.at_least, self.at_most) {
            (1, 1) => "1 call".to_owned(),
            (least, most) if least == most => format!("{most} calls"),
            (least, most) => format!("{least} to {most} calls"),
        };
        let questions = match self.questions.len() {
            0 => "no question for a judge".to_owned(),
            1 => "1 question for a judge".to_owned(),
            count => format!("{count} questions for a judge"),
        };
        let mut out = format!("{}: {calls}, {questions}", self.name);
        for line in &self.lines {
            out.push_str("\n  ");
            out.push_str(line);
        }
        out
    }
}

/// The fewest and the most calls of these steps.
fn sum(steps: &[Step]) -> (u64, u64) {
    steps
        .iter()
        .map(calls)
        .fold((0, 0), |sum, it| (u64::saturating_add(sum.0, it.0), u64::saturating_add(sum.1, it.1)))
}

fn calls(step: &Step) -> (u64, u64) {
    let own = u64::from(!step.tool.is_empty());
    let attempts = 1 + u64::from(step.retry.as_ref().map_or(0, |retry| retry.times));
    let (least, most) = sum(&step.steps);
    let repeat = u64::from(step.repeat);
    let most = (own * attempts).saturating_add(most).saturating_mul(repeat);
    let turns = if step.stop_early { repeat.min(1) } else { repeat };
    let least = if step.when.is_empty() { (own + least).saturating_mul(turns) } else { 0 };
    (least, most)
}

fn each(
    steps: &[Step],
    path: &str,
    depth: usize,
    lines: &mut Vec<String>,
    questions: &mut Vec<(QuestionKind, String)>,
) {
    let indent = "  ".repeat(depth);
    for (n, step) in steps.iter().enumerate() {
        let path = format!("{path}[{n}]");
        lines.push(format!("{indent}{}", title(step, &path)));
        lines.extend(details(step).into_iter().map(|it| format!("{indent}  {it}")));
        let asked = [step.expect.trim(), step.analyze.trim()].into_iter().filter(|it| !it.is_empty());
        let asked = asked.collect::<Vec<_>>().join("\n");
        if !asked.is_empty() {
            lines.push(format!("{indent}  asked of the judge: {}", flat(&asked)));
            questions.push((QuestionKind::Expect { path: path.clone() }, asked));
        }
        each(&step.steps, &format!("{path}.steps"), depth + 1, lines, questions);
    }
}

fn title(step: &Step, path: &str) -> String {
    let place =
        if step.name.is_empty() { path.to_owned() } else { format!("{} ({path})", name_of(step, path)) };
    if step.tool.is_empty() {
        return if step.is_nested() { format!("{place}: a group") } else { format!("{place}: a checkpoint") };
    }
    let whose = if BuiltIn::has(&step.tool) { ", built in" } else { "" };
    format!("{place}: {} {}{whose}", step.tool, to_json(&dict(&step.args)))
}

fn details(step: &Step) -> Vec<String> {
    let mut out = Vec::new();
    if !step.when.is_empty() {
        out.push(format!("only when {}", step.when));
    }
    match (step.repeat, step.stop_early) {
        (1, _) => {}
        (0, _) => out.push("never: repeat is 0".to_owned()),
        (times, false) => out.push(format!("{times} times")),
        (times, true) => out.push(format!("{times} times, until one fails")),
    }
    if let Some(Retry { times, delay, until }) = &step.retry {
        let until = if until.is_empty() { String::new() } else { format!(", until {until}") };
        out.push(format!("up to {times} more attempts, {delay} s apart{until}"));
    }
    if let Some(seconds) = step.timeout {
        out.push(format!("{seconds} s for each call"));
    }
    out.extend(step.check.iter().map(|it| format!("check: {}", checked(it))));
    if !step.save_as.is_empty() {
        out.push(format!("saved as {}", step.save_as));
    }
    out
}

fn checked(check: &Check) -> String {
    match check {
        Check::Holds { text, .. } => flat(text),
        Check::Match { pattern, .. } => format!("match {}", to_json(pattern)),
    }
}

/// How a server is reached. What its environment and its headers hold may be secret.
fn reached(server: &Server) -> String {
    match &server.kind {
        ServerKind::Command { command, .. } => format!("starts {}", command.join(" ")),
        ServerKind::Url { url, .. } => format!("at {url}"),
    }
}

fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::document::read;

    fn planned(text: &str) -> Plan {
        let reading = read(text, Path::new("a.yaml"));
        assert_eq!(reading.specs.len(), 1, "{:?}", reading.troubles);
        plan(&reading.specs[0])
    }

    #[test]
    fn everything_that_would_happen_is_told() {
        let plan = planned(
            "servers: {shop: {command: [node, shop.js], env: {KEY: hidden}}, bank: {url: 'http://127.0.0.1:1/mcp'}}\n\
             test: {name: Shop}\nsetup: [{tool: shop.open}]\n\
             steps:\n\
             - {name: Fetch, tool: http_get, args: {url: '${env.BASE}/users'}, retry: {times: 3, until: status_code == 200},\n\
                check: [status_code == 200, {match: {json: {a: 1}}}], expect: Names look real, save_as: users, timeout: 2}\n\
             - {name: Twice, repeat: 2, steps: [{tool: bank.pay, when: 'users.open'}, {check: '1 == 1'}]}\n\
             teardown: [{tool: shop.close}]\n\
             verdict: {pass_if: Well, fail_if: Bad, check: ['calls(\"pay\") < 3']}\n",
        );
        assert_eq!(
            plan.tell(),
            "Shop: 3 to 8 calls, 3 questions for a judge
  servers:
    shop: starts node shop.js
    bank: at http://127.0.0.1:1/mcp
  setup:
    setup[0]: shop.open {}
  steps:
    Fetch (steps[0]): http_get {\"url\":\"${env.BASE}/users\"}, built in
      up to 3 more attempts, 1 s apart, until status_code == 200
      2 s for each call
      check: status_code == 200
      check: match {\"json\":{\"a\":1}}
      saved as users
      asked of the judge: Names look real
    Twice (steps[1]): a group
      2 times
      steps[1].steps[0]: bank.pay {}
        only when users.open
      steps[1].steps[1]: a checkpoint
        check: 1 == 1
  teardown:
    teardown[0]: shop.close {}
  verdict:
    check: calls(\"pay\") < 3
    asked of the judge, pass_if: Well
    asked of the judge, fail_if: Bad
    the judge is asked once, unless a check fails before
  time: 120 s for setup and steps, 30 s for teardown"
        );
    }

    #[test]
    fn no_more_is_planned_than_max_calls_allow() {
        let plan = planned(
            "test: {name: T, max_calls: 10}\nsteps: [{tool: a, repeat: 1000}]\nteardown: [{tool: b}]\nverdict: checks\n",
        );
        assert_eq!((plan.at_least, plan.at_most), (11, 11));
        assert!(plan.tell().contains("the checks of the steps decide"));
    }
}
