//! A test that has run, as data: what the command prints as JSON, what our server answers, and what Python is handed.

use unitai_model::value::Value;

use super::{Ending, Evidence, Judged, Outcome, Question, Reply, Run, StepResult};

impl Run {
    /// Everything but the trajectory, which has a form of its own.
    pub fn to_value(&self) -> Value {
        let mut entries = ending(&self.ending);
        entries.extend([
            entry("evidence", Value::List(self.evidence.iter().map(evidence).collect())),
            entry("warnings", texts(&self.warnings)),
            entry("seconds", Value::Float(self.seconds)),
            entry("questions", int(self.questions)),
            entry("answers", Value::List(self.answers.iter().map(answer).collect())),
            entry("judge", self.judged.as_ref().map_or(Value::Null, judged)),
        ]);
        Value::Dict(entries)
    }
}

fn ending(ending: &Ending) -> Vec<(Value, Value)> {
    let (word, verdict, reason, all, issues) = match ending {
        Ending::Decided(it) => {
            ("decided", text(it.word.text()), it.reason.clone(), &it.steps, it.issues.as_slice())
        }
        Ending::Error { message, remedy, steps } => {
            let rest = if remedy.is_empty() { String::new() } else { format!("; {remedy}") };
            ("error", Value::Null, format!("{message}{rest}"), steps, &[][..])
        }
        Ending::Stopped { steps } => ("stopped", Value::Null, "stopped".to_owned(), steps, &[][..]),
    };
    vec![
        entry("ending", text(word)),
        entry("verdict", verdict),
        entry("reason", Value::Str(reason)),
        entry("steps", Value::List(all.iter().map(step).collect())),
        entry("issues", texts(issues)),
    ]
}

fn step(step: &StepResult) -> Value {
    Value::Dict(vec![
        entry("name", text(&step.name)),
        entry("path", text(&step.path)),
        entry("status", text(step.status.text())),
        entry("details", text(&step.details)),
        entry("tool_output", step.tool_output.clone().unwrap_or(Value::Null)),
        entry("evidence", Value::List(step.evidence.iter().map(|it| Value::Str(format!("E{it}"))).collect())),
        entry("ms", Value::Float(step.ms)),
        entry("file", Value::Str(step.place.file.display().to_string())),
        entry("line", int(step.place.line)),
    ])
}

fn answer((question, reply): &(Question, Reply)) -> Value {
    let quote = |it: &super::Quote| {
        Value::Dict(vec![entry("ref", text(&it.reference)), entry("quote", text(&it.quote))])
    };
    Value::Dict(vec![
        entry("id", text(&question.id)),
        entry("kind", text(question.kind.word())),
        entry("path", text(question.kind.path())),
        entry("question", text(&question.text)),
        entry("answer", text(reply.answer.word())),
        entry("why", text(&reply.why)),
        entry("quotes", Value::List(reply.quotes.iter().map(quote).collect())),
    ])
}

/// Null is what nobody knows.
fn judged(it: &Judged) -> Value {
    let tokens = |count: Option<u64>| {
        count.map_or(Value::Null, |it| Value::Int(i64::try_from(it).unwrap_or(i64::MAX)))
    };
    Value::Dict(vec![
        entry("by", text(&it.by)),
        entry("kept", Value::Bool(it.is_kept)),
        entry("input_tokens", tokens(it.spent.input_tokens)),
        entry("output_tokens", tokens(it.spent.output_tokens)),
        entry("cost", it.spent.cost.map_or(Value::Null, |cost| Value::Float(cost.dollars()))),
    ])
}

impl Evidence {
    /// The whole of it, as data.
    pub fn to_value(&self) -> Value {
        evidence(self)
    }
}

fn evidence(it: &Evidence) -> Value {
    let mut entries = vec![
        entry("reference", Value::Str(it.reference())),
        entry("path", text(&it.path)),
        entry("attempt", Value::Int(it.attempt.into())),
        entry("server", text(&it.server)),
        entry("tool", text(&it.tool)),
        entry("args", Value::Dict(it.args.iter().map(|(name, it)| (text(name), it.clone())).collect())),
        entry("started", Value::Float(it.started)),
        entry("ms", Value::Float(it.ms)),
        entry("sha256", text(&it.sha256)),
    ];
    entries.extend(match &it.outcome {
        Outcome::Returned { value, text: said } => {
            vec![
                entry("outcome", text("returned")),
                entry("result", value.clone()),
                entry("text", text(said)),
            ]
        }
        Outcome::Failed { message, details } => {
            vec![
                entry("outcome", text("failed")),
                entry("error", text(message)),
                entry("details", text(details)),
            ]
        }
        Outcome::Unfinished => vec![entry("outcome", text("unfinished"))],
    });
    Value::Dict(entries)
}

fn entry(key: &str, value: Value) -> (Value, Value) {
    (text(key), value)
}

fn text(text: &str) -> Value {
    Value::Str(text.to_owned())
}

fn texts(texts: &[String]) -> Value {
    Value::List(texts.iter().map(|it| text(it)).collect())
}

fn int(number: usize) -> Value {
    Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
}
