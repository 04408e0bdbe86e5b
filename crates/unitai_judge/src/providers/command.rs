//! Any program that speaks our protocol: one JSON object on standard input, one on standard output.
//! `docs/reference/judge-protocol.md` describes it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use unitai_model::Money;
use unitai_spec::run::Future;

use super::process::{self, Order};
use crate::{Ask, Drive, Identity, Provider, Reach, Said, Spent, Trouble};

/// The version of the protocol.
pub const PROTOCOL: u32 = 1;

/// The provider's name in settings.
const NAME: &str = "command";

/// How much of what a program says is told.
const MOST_TOLD: usize = 500;

/// A program that speaks our protocol.
pub struct Command {
    program: PathBuf,
    args: Vec<String>,
    folder: PathBuf,
    model: String,
}

impl Command {
    /// The program with these arguments, in this folder; `model` is passed on to it, and may be empty.
    pub fn new(
        program: impl Into<PathBuf>,
        args: Vec<String>,
        folder: impl Into<PathBuf>,
        model: &str,
    ) -> Command {
        let (program, folder) = (program.into(), folder.into());
        Command { program, args, folder, model: model.to_owned() }
    }

    /// Gives the program one object, and reads the one that it gives back.
    async fn exchange(&self, object: Value, limit: Duration) -> Result<Said, Trouble> {
        let ended = process::run(&Order {
            provider: NAME,
            program: &self.program,
            arguments: self.args.iter().map(OsString::from).collect(),
            environment: Vec::new(),
            folder: &self.folder,
            input: &object.to_string(),
            limit,
            watch: None,
        })
        .await?;
        let said = ended.output.trim();
        let answer: Answer = match serde_json::from_str(said) {
            Ok(answer) => answer,
            Err(_) if !ended.is_success() => return Err(self.broken(&ended.told(), "")),
            Err(_) if said.is_empty() => return Err(self.broken("said nothing", &ended.errors)),
            Err(error) => {
                let found = format!("said something else than one object of the protocol ({error})");
                return Err(self.broken(&found, said));
            }
        };
        if let Some(error) = answer.error {
            return Err(self.trouble(&error));
        }
        if !ended.is_success() {
            return Err(self.broken(&format!("had answered, and {}", ended.told()), ""));
        }
        self.said(answer)
    }

    fn said(&self, answer: Answer) -> Result<Said, Trouble> {
        let (text, structured) = match (answer.text, answer.answer) {
            (text, Some(answer)) => (text.unwrap_or_else(|| answer.to_string()), Some(answer)),
            (Some(text), None) => (text, None),
            (None, None) => {
                return Err(Trouble::Broken(format!(
                    "{}: expected `text`, `answer` or `error` in what it says, found none of them",
                    self.shown()
                )));
            }
        };
        let cost = answer.cost_usd.and_then(Money::from_dollars).filter(|cost| *cost >= Money::ZERO);
        let notes = if cost.is_none() && answer.usage.is_none() {
            vec![format!("{} does not tell what its answer cost", self.shown())]
        } else {
            Vec::new()
        };
        let usage = answer.usage.unwrap_or_default();
        Ok(Said {
            text,
            structured,
            model: answer.model.unwrap_or_else(|| self.model.clone()),
            spent: Spent { input_tokens: usage.input_tokens, output_tokens: usage.output_tokens, cost },
            notes,
        })
    }

    fn trouble(&self, error: &Refusal) -> Trouble {
        let words = last_of(&error.message);
        let text = format!("{}: {words}", self.shown());
        match error.kind.as_str() {
            "absent" => Trouble::Absent(text),
            "unavailable" => Trouble::Unavailable(text),
            _ => Trouble::Broken(text),
        }
    }

    fn broken(&self, what: &str, said: &str) -> Trouble {
        let said = last_of(said);
        let said = if said.is_empty() { String::new() } else { format!(": {said}") };
        Trouble::Broken(format!("{} {what}{said}", self.shown()))
    }

    fn shown(&self) -> String {
        format!("the judge {}", self.program.display())
    }
}

impl Provider for Command {
    fn name(&self) -> &'static str {
        NAME
    }

    /// The program is what answers: another one is another judge.
    fn identity(&self) -> Future<'_, Result<Identity, Trouble>> {
        let identity = Identity {
            provider: NAME.to_owned(),
            model: self.model.clone(),
            version: format!("{} {PROTOCOL}", self.program.file_stem().unwrap_or_default().to_string_lossy()),
        };
        Box::pin(async move { Ok(identity) })
    }

    fn ask<'a>(&'a self, ask: &'a Ask<'a>) -> Future<'a, Result<Said, Trouble>> {
        let object = json!({
            "protocol": PROTOCOL,
            "kind": "ask",
            "system": ask.system,
            "prompt": ask.prompt,
            "schema": ask.schema,
            "model": self.model,
            "timeout": ask.timeout.as_secs_f64(),
        });
        Box::pin(self.exchange(object, ask.timeout))
    }

    fn drive<'a>(&'a self, drive: &'a Drive<'a>, reach: &'a Reach) -> Future<'a, Result<Said, Trouble>> {
        let object = json!({
            "protocol": PROTOCOL,
            "kind": "drive",
            "system": drive.system,
            "prompt": drive.prompt,
            "schema": drive.schema,
            "model": self.model,
            "timeout": drive.timeout.as_secs_f64(),
            "turns": drive.turns,
            "mcp": {"url": reach.url, "token": reach.token},
        });
        Box::pin(self.exchange(object, drive.timeout))
    }
}

/// The end of a text, for people.
fn last_of(text: &str) -> String {
    let text = text.trim();
    let start = text.char_indices().rev().nth(MOST_TOLD - 1).map_or(0, |(at, _)| at);
    unitai_model::value::plain(&text[start..]).to_string()
}

/// What a program may say. Keys that nobody knows are left alone: later versions may have more.
#[derive(Deserialize)]
struct Answer {
    text: Option<String>,
    answer: Option<Value>,
    model: Option<String>,
    usage: Option<Counted>,
    cost_usd: Option<f64>,
    error: Option<Refusal>,
}

#[derive(Deserialize, Default)]
struct Counted {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct Refusal {
    #[serde(default)]
    kind: String,
    #[serde(default)]
    message: String,
}
