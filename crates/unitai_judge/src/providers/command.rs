//! Any program that speaks our protocol: one JSON object on standard input, one on standard output.
//! `docs/reference/judge-protocol.md` describes it.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
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

/// How many digits of a digest tell files apart.
const DIGITS: usize = 16;

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

    /// The command, and what the project's own files in it hold. Everything else is known by its name alone: an interpreter
    /// stands elsewhere on another machine and is another file there.
    fn described(&self) -> String {
        let named = std::iter::once(self.program.as_os_str()).chain(self.args.iter().map(OsStr::new));
        let mut words = Vec::new();
        let mut contents = Vec::new();
        for word in named {
            let path = self.folder.join(word);
            let own =
                path.strip_prefix(&self.folder).ok().and_then(|it| Some((it, std::fs::read(&path).ok()?)));
            match own {
                Some((inside, held)) => {
                    words.push(inside.to_string_lossy().replace('\\', "/"));
                    contents.push(unitai_wire::digest_bytes(&held));
                }
                None if path == Path::new(word) => {
                    words.push(path.file_stem().unwrap_or_default().to_string_lossy().into_owned());
                }
                None => words.push(word.to_string_lossy().into_owned()),
            }
        }
        if contents.is_empty() {
            return words.join(" ");
        }
        let contents: Vec<&str> = contents.iter().map(String::as_str).collect();
        format!("{} ({})", words.join(" "), &unitai_wire::digest(&contents)[..DIGITS])
    }

    fn shown(&self) -> String {
        format!("the judge {}", self.program.display())
    }
}

impl Provider for Command {
    fn name(&self) -> &'static str {
        NAME
    }

    /// The program is what answers: another one, or another script, is another judge.
    fn identity(&self) -> Future<'_, Result<Identity, Trouble>> {
        let identity = Identity {
            provider: NAME.to_owned(),
            model: self.model.clone(),
            version: format!("protocol {PROTOCOL}"),
            program: self.described(),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_its_command_and_what_the_files_of_the_project_in_it_hold() {
        let project = tempfile::tempdir().expect("a folder");
        let folder = project.path();
        std::fs::write(folder.join("judge.py"), "one").expect("written");
        let described = |program: &Path, script: &Path, folder: &Path| {
            let args = vec![script.display().to_string(), "--strict".to_owned()];
            Command::new(program, args, folder, "m").described()
        };
        let python = Path::new("/usr/bin/python3");
        let first = described(python, Path::new("judge.py"), folder);
        assert!(first.starts_with("python3 judge.py --strict ("), "{first}");
        // The same project elsewhere, with another interpreter of the name, and its script named in full.
        let copy = tempfile::tempdir().expect("a folder");
        std::fs::write(copy.path().join("judge.py"), "one").expect("written");
        let there = described(Path::new("/opt/python3"), &copy.path().join("judge.py"), copy.path());
        assert_eq!(there, first);
        std::fs::write(folder.join("judge.py"), "two").expect("written");
        assert_ne!(described(python, Path::new("judge.py"), folder), first);
        assert_eq!(described(python, Path::new("/elsewhere/judge.py"), folder), "python3 judge --strict");
    }
}
