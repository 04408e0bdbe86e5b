//! A model that is a script in memory, and evidence that it is asked about.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use unitai_judge::{Ask, Drive, Identity, Provider, Reach, Said, Trouble};
use unitai_spec::data::from_json;
use unitai_spec::run::{Evidence, Future, Outcome, Spent};

/// What was asked.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) system: String,
    pub(crate) prompt: String,
    pub(crate) schema: Value,
}

/// How it comes to its answers.
enum Manner {
    /// One after the other.
    Script,
    /// The same word to every question, with a quote of the first record.
    Always(&'static str),
    /// Right about canaries, and this about all else.
    Sane(Value),
}

/// A model with a script.
pub(crate) struct Scripted {
    model: &'static str,
    version: &'static str,
    manner: Manner,
    script: Mutex<VecDeque<Result<Said, Trouble>>>,
    asked: Mutex<Vec<Asked>>,
}

impl Scripted {
    fn new(manner: Manner) -> Scripted {
        Scripted {
            model: "model-1",
            version: "1.0",
            manner,
            script: Mutex::default(),
            asked: Mutex::default(),
        }
    }

    /// Says this, one after the other; being asked more often is a mistake of the test.
    pub(crate) fn saying(script: impl IntoIterator<Item = Result<Said, Trouble>>) -> Arc<Scripted> {
        Scripted::named("model-1", script)
    }

    pub(crate) fn named(
        model: &'static str,
        script: impl IntoIterator<Item = Result<Said, Trouble>>,
    ) -> Arc<Scripted> {
        let scripted = Scripted::new(Manner::Script);
        *scripted.script.lock().expect("no panic") = script.into_iter().collect();
        Arc::new(Scripted { model, ..scripted })
    }

    pub(crate) fn versioned(version: &'static str) -> Arc<Scripted> {
        Arc::new(Scripted { version, ..Scripted::new(Manner::Script) })
    }

    pub(crate) fn always(word: &'static str) -> Arc<Scripted> {
        Arc::new(Scripted::new(Manner::Always(word)))
    }

    pub(crate) fn sane(answers: Value) -> Arc<Scripted> {
        Arc::new(Scripted::new(Manner::Sane(answers)))
    }

    /// Fails once, before anything else.
    pub(crate) fn fail_next(&self, trouble: Trouble) {
        self.script.lock().expect("no panic").push_front(Err(trouble));
    }

    /// Everything that it was asked.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("no panic").clone()
    }

    fn answer(&self, prompt: &str) -> Result<Said, Trouble> {
        if let Some(next) = self.script.lock().expect("no panic").pop_front() {
            return next;
        }
        match &self.manner {
            Manner::Script => panic!("it was asked more often than its script has answers"),
            Manner::Always(word) => Ok(said(&by_reading(prompt, |_, _| word).to_string())),
            Manner::Sane(answers) if !prompt.contains("look_up_order") => Ok(said(&answers.to_string())),
            Manner::Sane(_) => {
                let is_so = |question: &str, record: &str| {
                    let words: Vec<&str> = question.split([' ', ',', '.']).collect();
                    let state = words.iter().position(|it| *it == "is").map_or("", |at| words[at + 1]);
                    if record.contains(&format!(":\"{state}\"")) { "yes" } else { "no" }
                };
                Ok(said(&by_reading(prompt, is_so).to_string()))
            }
        }
    }
}

/// Answers canaries as somebody would who reads them: the record of the order that is asked about decides.
fn by_reading(prompt: &str, answer: impl Fn(&str, &str) -> &'static str) -> Value {
    let lines: Vec<&str> = prompt.lines().collect();
    let records: Vec<&str> =
        lines.iter().filter(|it| it.starts_with("{\"order\":") && it.contains("status")).copied().collect();
    let mut answers = Vec::new();
    for id in ["Q1", "Q2"] {
        let at = lines.iter().position(|it| it.starts_with(&format!("{id} ("))).expect("a question");
        let question = lines[at + 1].trim();
        let order = question.split(' ').nth(2).expect("an order");
        let n = records.iter().position(|it| it.contains(order)).expect("a record");
        let quote = json!({"ref": format!("E{}", n + 1), "quote": order});
        answers.push(
            json!({"id": id, "answer": answer(question, records[n]), "evidence": [quote], "why": "read"}),
        );
    }
    json!({ "answers": answers })
}

impl Provider for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn identity(&self) -> Future<'_, Result<Identity, Trouble>> {
        let identity = Identity {
            provider: "scripted".to_owned(),
            model: self.model.to_owned(),
            version: self.version.to_owned(),
            program: String::new(),
        };
        Box::pin(async move { Ok(identity) })
    }

    fn ask<'a>(&'a self, ask: &'a Ask<'a>) -> Future<'a, Result<Said, Trouble>> {
        let (system, prompt) = (ask.system.to_owned(), ask.prompt.to_owned());
        let asked = Asked { system, prompt, schema: ask.schema.clone() };
        Box::pin(async move {
            self.asked.lock().expect("no panic").push(asked);
            // Others have their turn while it thinks.
            tokio::task::yield_now().await;
            self.answer(ask.prompt)
        })
    }

    fn drive<'a>(&'a self, _drive: &'a Drive<'a>, _reach: &'a Reach) -> Future<'a, Result<Said, Trouble>> {
        unreachable!("a judge drives nothing")
    }
}

/// What a model says.
pub(crate) fn said(text: &str) -> Said {
    Said {
        text: text.to_owned(),
        structured: None,
        model: String::new(),
        spent: Spent { input_tokens: Some(100), output_tokens: Some(10), cost: None },
        notes: Vec::new(),
    }
}

/// A question, its answer, and what that quotes of which record.
type Answer<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);

/// An answer in our form.
pub(crate) fn answers(all: &[Answer<'_>]) -> Value {
    let quote = |(reference, quote): &(&str, &str)| json!({"ref": reference, "quote": quote});
    let answer = |(id, word, quotes): &Answer<'_>| {
        let quotes: Vec<Value> = quotes.iter().map(quote).collect();
        json!({"id": id, "answer": word, "evidence": quotes, "why": "because"})
    };
    json!({"answers": all.iter().map(answer).collect::<Vec<_>>()})
}

/// A call that was made.
pub(crate) fn evidence(number: usize, tool: &str, outcome: Outcome) -> Evidence {
    Evidence {
        number,
        path: format!("steps[{}]", number - 1),
        attempt: 1,
        server: "shop".to_owned(),
        tool: tool.to_owned(),
        args: Vec::new(),
        started: 1.0,
        ms: 1.0,
        outcome,
        sha256: String::new(),
    }
}

/// A tool answered with this.
pub(crate) fn returned(json: &Value) -> Outcome {
    let text = json.as_str().map_or_else(|| json.to_string(), str::to_owned);
    Outcome::Returned { value: from_json(json), text }
}

/// A tool failed with this.
pub(crate) fn failed(message: &str, details: &str) -> Outcome {
    Outcome::Failed { message: message.to_owned(), details: details.to_owned() }
}
