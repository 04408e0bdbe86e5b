//! Python that a running test asks or tells. The thread that waits for the test does not hold the interpreter; it takes
//! it for as long as one of these is called.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use unitai_judge::answers::{cleaned, cleaned_question};
use unitai_model::value::Value;
use unitai_spec::run::{
    Answer, Answered, Brief, Event, Evidence, Future, Judge, Observer, Quote, Reply, Ruling, Signs, Stop,
    check_quotes, step_line,
};
use unitai_wire::redact::Secrets;

use crate::gate;
use crate::values::to_python;

/// A judge that is a Python function: it gets the questions and the evidence, both without secrets, and gives an answer for
/// each. It is code of the project, so its yes needs no quote; what it quotes is looked up all the same.
pub(super) struct PythonJudge {
    pub(super) ask: Py<PyAny>,
    pub(super) secrets: Arc<Secrets>,
}

impl Judge for PythonJudge {
    fn judge<'a>(&'a self, brief: &'a Brief<'a>) -> Future<'a, Ruling> {
        let ruling = Python::attach(|py| {
            ask(self.ask.bind(py), brief, &self.secrets)
                .unwrap_or_else(|error| Ruling::Trouble(format!("the judge failed: {}", error.value(py))))
        });
        Box::pin(async move { ruling })
    }
}

fn ask(judge: &Bound<'_, PyAny>, brief: &Brief<'_>, secrets: &Secrets) -> PyResult<Ruling> {
    let py = judge.py();
    let evidence: Vec<Evidence> = brief.evidence.iter().map(|it| cleaned(it, secrets)).collect();
    let questions: Vec<_> = brief.questions.iter().map(|it| cleaned_question(it, secrets)).collect();
    let questions = questions.iter().map(|question| {
        let (kind, path) = (question.kind.word(), question.kind.path());
        let entries =
            [("id", question.id.as_str()), ("kind", kind), ("path", path), ("text", &question.text)];
        Value::Dict(entries.map(|(key, it)| (Value::Str(key.to_owned()), Value::Str(it.to_owned()))).to_vec())
    });
    let questions = to_python(py, &Value::List(questions.collect()).pack())?;
    let shown = to_python(py, &Value::List(evidence.iter().map(Evidence::to_value).collect()).pack())?;
    let replies = gate::call(judge, (brief.name, brief.description, questions, shown), None)?;
    let mut replies =
        replies.try_iter()?.map(|reply| read_reply(&reply?)).collect::<PyResult<Vec<Reply>>>()?;
    check_quotes(&mut replies, &evidence);
    Ok(Ruling::Answered(Answered { are_quotes_checked: true, ..replies.into() }))
}

fn read_reply(reply: &Bound<'_, PyAny>) -> PyResult<Reply> {
    let reply = reply.cast::<PyDict>()?;
    let text =
        |key: &str| reply.get_item(key)?.map_or_else(|| Ok(String::new()), |it| it.extract::<String>());
    let answer = Answer::from_word(&text("answer")?).unwrap_or(Answer::Unknown);
    let quotes = match reply.get_item("quotes")? {
        Some(quotes) => quotes.extract::<Vec<(String, String)>>()?,
        None => Vec::new(),
    };
    let quotes = quotes.into_iter().map(|(reference, quote)| Quote { reference, quote }).collect();
    Ok(Reply { id: text("id")?, answer, quotes, why: text("why")? })
}

/// A Python function that is told what happens, line by line. What it raises is raised when the test is over.
pub(super) struct PythonObserver {
    told: Option<Py<PyAny>>,
    stop: Stop,
    raised: Mutex<Option<PyErr>>,
}

impl PythonObserver {
    pub(super) fn new(told: Option<Py<PyAny>>, stop: Stop) -> PythonObserver {
        PythonObserver { told, stop, raised: Mutex::new(None) }
    }

    /// What the function raised first.
    pub(super) fn into_raised(self) -> Option<PyErr> {
        self.raised.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for PythonObserver {
    fn saw(&self, event: &Event<'_>) {
        let Some(told) = &self.told else { return };
        let (kind, line) = match event {
            Event::Began { title, .. } => ("began", (*title).to_owned()),
            Event::Called(evidence) => {
                ("called", format!("{} {}, {:.0} ms", evidence.reference(), evidence.tool, evidence.ms))
            }
            Event::Ended(result) => ("ended", step_line(result, Signs::Drawn)),
            Event::Judging(1) => ("judging", "1 question for the judge".to_owned()),
            Event::Judging(count) => ("judging", format!("{count} questions for the judge")),
        };
        Python::attach(|py| {
            let Err(error) = gate::call(told.bind(py), (kind, line), None) else { return };
            // Ctrl-C may come while the function runs.
            if !error.is_instance_of::<PyException>(py) {
                self.stop.ask();
            }
            self.raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        });
    }
}
