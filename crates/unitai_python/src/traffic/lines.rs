//! Reading a script as `unitai.script` hands it over: plain tuples, made and checked there.

use std::sync::Arc;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};
use unitai_model::Usage;
use unitai_wire::common::{Finish, Refusal, Said};
use unitai_wire::script::{
    Choice, Condition, Embeddings, Fail, Line, Play, Rule, Script, Step, Subject, Test, TextMatcher,
};

use super::matcher::{Contains, PythonMatcher};
use crate::errors::invalid;

pub(super) fn read(lines: &Bound<'_, PyList>) -> PyResult<Script> {
    let mut played = Vec::new();
    let mut embeddings = None;
    for line in lines {
        let parts = line.cast::<PyTuple>()?;
        match kind(parts)?.as_str() {
            "embed" => embeddings = Some(Embeddings { dimensions: parts.get_item(1)?.extract()? }),
            _ => played.push(self::line(&line)?),
        }
    }
    Ok(Script::new(played).with_embeddings(embeddings))
}

/// `("rule", tests, steps, is_standing)`, or a step.
fn line(line: &Bound<'_, PyAny>) -> PyResult<Line> {
    let parts = line.cast::<PyTuple>()?;
    if kind(parts)? != "rule" {
        return Ok(Line::Step(step(parts)?));
    }
    let tests: Vec<(String, Bound<'_, PyAny>)> = parts.get_item(1)?.extract()?;
    let steps = parts.get_item(2)?.cast_into::<PyList>()?;
    Ok(Line::Rule(Rule {
        condition: Condition(
            tests.into_iter().map(|(word, want)| test(&word, &want)).collect::<PyResult<_>>()?,
        ),
        steps: steps.iter().map(|item| step(item.cast::<PyTuple>()?)).collect::<PyResult<_>>()?,
        is_standing: parts.get_item(3)?.extract()?,
    }))
}

fn kind(parts: &Bound<'_, PyTuple>) -> PyResult<String> {
    parts.get_item(0)?.extract()
}

/// One test of a condition.
pub(crate) fn test(word: &str, want: &Bound<'_, PyAny>) -> PyResult<Test> {
    if word == "turn" {
        return Ok(Test::Turn(want.extract()?));
    }
    let subject = Subject::of_word(word)
        .ok_or_else(|| invalid(want.py(), format!("a condition of a script has no {word:?}")))?;
    let matcher: Arc<dyn TextMatcher> = if want.is_instance_of::<PyString>() {
        Arc::new(Contains(want.extract()?))
    } else {
        Arc::new(PythonMatcher::new(want)?)
    };
    Ok(Test::Text { subject, matcher })
}

/// `("play", parts, usage, finish, delay, pace)`, `("fail", status, message, retry_after, delay)` or
/// `("choice", steps, weights, seed)`.
fn step(parts: &Bound<'_, PyTuple>) -> PyResult<Step> {
    match kind(parts)?.as_str() {
        "play" => {
            let said: Vec<(String, String, String)> = parts.get_item(1)?.extract()?;
            let usage: Option<[u64; 6]> = parts.get_item(2)?.extract()?;
            let finish: Option<String> = parts.get_item(3)?.extract()?;
            Ok(Step::Play(Play {
                unchecked: said
                    .iter()
                    .enumerate()
                    .filter(|(_, (kind, ..))| kind == "unchecked call")
                    .map(|(at, _)| at)
                    .collect(),
                parts: said.into_iter().map(self::said).collect(),
                usage: usage.map(|[fresh, cache_read, cache_write, cache_write_long, output, reasoning]| {
                    Usage { fresh, cache_read, cache_write, cache_write_long, output, reasoning }
                }),
                finish: finish.map(|word| if word == "length" { Finish::Length } else { Finish::Stop }),
                delay: seconds(&parts.get_item(4)?)?,
                pace: seconds(&parts.get_item(5)?)?,
            }))
        }
        "fail" => Ok(Step::Fail(Fail {
            refusal: Refusal {
                status: parts.get_item(1)?.extract()?,
                message: parts.get_item(2)?.extract()?,
            },
            retry_after: parts.get_item(3)?.extract()?,
            delay: seconds(&parts.get_item(4)?)?,
        })),
        "choice" => {
            let steps = parts.get_item(1)?.cast_into::<PyList>()?;
            let weights: Vec<f64> = parts.get_item(2)?.extract()?;
            let steps =
                steps.iter().map(|item| step(item.cast::<PyTuple>()?)).collect::<PyResult<Vec<_>>>()?;
            Ok(Step::Choice(Choice {
                options: steps.into_iter().zip(weights).collect(),
                seed: parts.get_item(3)?.extract()?,
            }))
        }
        other => Err(invalid(parts.py(), format!("{other:?} is no step of a script"))),
    }
}

fn said((kind, first, second): (String, String, String)) -> Said {
    match kind.as_str() {
        "call" | "unchecked call" => Said::ToolCall { name: first, args: second },
        "think" => Said::Reasoning(first),
        "refuse" => Said::Refusal(first),
        _ => Said::Text(first),
    }
}

/// A time that somebody can wait.
pub(crate) fn seconds(seconds: &Bound<'_, PyAny>) -> PyResult<Duration> {
    Duration::try_from_secs_f64(seconds.extract()?)
        .map_err(|_| invalid(seconds.py(), "a delay must be a number of seconds of at least 0"))
}
