//! A test as plain data again: every field of the files' first system with its default filled in, and of ours what
//! differs from theirs. Its JSON reads back as the same test, because JSON is YAML.

use unitai_model::value::Value;

use super::keys::{RETRY_DELAY, START_TIMEOUT};
use super::{
    Check, JudgeWhen, Meta, OnSetupFailure, OnTeardownError, Retry, Server, ServerKind, Spec, Step,
    VerdictSpec,
};

/// The test as plain data, with the names that a file has.
///
/// ```
/// use std::path::Path;
/// use unitai_spec::document::{read, to_value};
/// let reading = read("test: {name: a}\nsteps: [{tool: ping}]\nverdict: checks\n", Path::new("a.yaml"));
/// let json = to_value(&reading.specs[0]).pack();
/// assert!(json.text().starts_with(r#"{"test":{"name":"a","description":"","tags":[],"timeout":120"#));
/// assert_eq!(read(json.text(), Path::new("a.yaml")).specs[0].steps[0].tool, "ping");
/// ```
pub fn to_value(spec: &Spec) -> Value {
    let mut out = vec![
        entry("test", meta(&spec.test)),
        entry("setup", steps(&spec.setup)),
        entry("steps", steps(&spec.steps)),
        entry("teardown", steps(&spec.teardown)),
        entry("verdict", verdict(&spec.verdict)),
    ];
    if !spec.servers.is_empty() {
        let servers = spec.servers.iter().map(|it| entry(&it.name, server(it)));
        out.push(entry("servers", Value::Dict(servers.collect())));
    }
    if !spec.vars.is_empty() {
        out.push(entry("vars", named(&spec.vars)));
    }
    if let Some(name) = &spec.case {
        // The row's values are in `vars` already.
        out.push(entry("cases", Value::List(vec![Value::Dict(vec![entry("name", text(name))])])));
    }
    Value::Dict(out)
}

fn meta(meta: &Meta) -> Value {
    Value::Dict(vec![
        entry("name", text(&meta.name)),
        entry("description", text(&meta.description)),
        entry("tags", Value::List(meta.tags.iter().map(|tag| text(tag)).collect())),
        entry("timeout", count(meta.timeout)),
        entry("teardown_timeout", count(meta.teardown_timeout)),
        entry("on_setup_failure", word(OnSetupFailure::WORDS, meta.on_setup_failure)),
        entry("teardown_errors", word(OnTeardownError::WORDS, meta.teardown_errors)),
        entry("judge", word(JudgeWhen::WORDS, meta.judge)),
        entry("max_calls", count(meta.max_calls)),
    ])
}

fn steps(steps: &[Step]) -> Value {
    Value::List(steps.iter().map(step).collect())
}

fn step(step: &Step) -> Value {
    let mut out = vec![
        entry("name", text(&step.name)),
        entry("tool", text(&step.tool)),
        entry("args", named(&step.args)),
        entry("expect", text(&step.expect)),
        entry("analyze", text(&step.analyze)),
        entry("save_as", text(&step.save_as)),
        entry("repeat", count(step.repeat)),
        entry("retry", retry(step.retry.as_ref())),
        entry("retry_delay", Value::Float(step.retry.as_ref().map_or(RETRY_DELAY, |retry| retry.delay))),
        entry("timeout", step.timeout.map_or(Value::Null, Value::Float)),
        entry("steps", steps(&step.steps)),
    ];
    if !step.when.is_empty() {
        out.push(entry("when", text(&step.when)));
    }
    if !step.check.is_empty() {
        out.push(entry("check", checks(&step.check)));
    }
    if step.stop_early {
        out.push(entry("stop_early", Value::Bool(true)));
    }
    Value::Dict(out)
}

/// A number, unless there is more to say.
fn retry(retry: Option<&Retry>) -> Value {
    match retry {
        None => count(0),
        Some(retry) if retry.until.is_empty() => count(retry.times),
        Some(retry) => {
            Value::Dict(vec![entry("times", count(retry.times)), entry("until", text(&retry.until))])
        }
    }
}

fn verdict(verdict: &VerdictSpec) -> Value {
    let mut out = vec![entry("pass_if", text(&verdict.pass_if)), entry("fail_if", text(&verdict.fail_if))];
    if !verdict.check.is_empty() {
        out.push(entry("check", checks(&verdict.check)));
    }
    Value::Dict(out)
}

fn checks(checks: &[Check]) -> Value {
    let each = checks.iter().map(|check| match check {
        Check::Holds { text: it, .. } => text(it),
        Check::Match { pattern, .. } => Value::Dict(vec![entry("match", pattern.clone())]),
    });
    Value::List(each.collect())
}

fn server(server: &Server) -> Value {
    let texts =
        |all: &[(String, String)]| Value::Dict(all.iter().map(|(name, it)| entry(name, text(it))).collect());
    let mut out = match &server.kind {
        ServerKind::Command { command, env, cwd } => vec![
            entry("command", Value::List(command.iter().map(|word| text(word)).collect())),
            entry("env", texts(env)),
            entry("cwd", text(cwd)),
        ],
        ServerKind::Url { url, headers } => vec![entry("url", text(url)), entry("headers", texts(headers))],
    };
    if !server.protocol.is_empty() {
        out.push(entry("protocol", text(&server.protocol)));
    }
    if server.start_timeout != START_TIMEOUT {
        out.push(entry("start_timeout", Value::Float(server.start_timeout)));
    }
    Value::Dict(out)
}

fn named(all: &[(String, Value)]) -> Value {
    Value::Dict(all.iter().map(|(name, value)| entry(name, value.clone())).collect())
}

fn entry(name: &str, value: Value) -> (Value, Value) {
    (text(name), value)
}

fn text(text: &str) -> Value {
    Value::Str(text.to_owned())
}

fn count(count: u32) -> Value {
    Value::Int(count.into())
}

fn word<T: Copy + PartialEq>(words: &[(&str, T)], meaning: T) -> Value {
    let found = words.iter().find(|(_, known)| *known == meaning);
    text(found.map_or("", |(word, _)| word))
}
