//! Claude Code, Codex and Gemini CLI as subjects of the contract, each played by a program that reads and speaks as it does.

#![cfg(unix)]

use std::any::Any;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use unitai_judge::Provider;
use unitai_judge::providers::discreet::Discreet;
use unitai_judge::providers::{claude_code, codex, gemini_cli};

use crate::contract::{Behaviour, KEY, Subject};

/// The program `claude`.
pub(crate) struct ClaudeCode;
/// The program `codex`.
pub(crate) struct Codex;
/// The program `gemini`.
pub(crate) struct GeminiCli;

impl Subject for ClaudeCode {
    async fn made(&self, behaviour: Behaviour) -> (Arc<dyn Provider>, Box<dyn Any>) {
        let (program, folder) = played("claude", behaviour);
        let made = claude_code::ClaudeCode::new(program, model(behaviour, "claude-sonnet-5"))
            .with_variable("ANTHROPIC_API_KEY", Some(KEY));
        (discreet(Box::new(made)), folder)
    }
}

impl Subject for Codex {
    async fn made(&self, behaviour: Behaviour) -> (Arc<dyn Provider>, Box<dyn Any>) {
        let (program, folder) = played("codex", behaviour);
        let made = codex::Codex::new(program, model(behaviour, "gpt-5.4"))
            .with_variable("OPENAI_API_KEY", Some(KEY))
            .with_variable("OPENAI_BASE_URL", None)
            .with_variable("CODEX_API_KEY", None);
        (discreet(Box::new(made)), folder)
    }
}

impl Subject for GeminiCli {
    async fn made(&self, behaviour: Behaviour) -> (Arc<dyn Provider>, Box<dyn Any>) {
        let (program, folder) = played("gemini", behaviour);
        let home = program.with_file_name("home").display().to_string();
        let made = gemini_cli::GeminiCli::new(program, model(behaviour, "gemini-2.5-flash"))
            .with_variable("GEMINI_API_KEY", Some(KEY))
            .with_variable("GEMINI_CLI_HOME", Some(&home));
        (discreet(Box::new(made)), folder)
    }
}

/// A model with a price, or without.
fn model(behaviour: Behaviour, priced: &'static str) -> &'static str {
    if behaviour == Behaviour::Unpriced { "a-model-of-nobody" } else { priced }
}

fn discreet(program: Box<dyn Provider>) -> Arc<dyn Provider> {
    Arc::new(Discreet::new(program, [KEY.to_owned()]))
}

/// A program in a folder of its own, which is removed with what is given along.
fn played(whom: &str, behaviour: Behaviour) -> (PathBuf, Box<dyn Any>) {
    let folder = tempfile::tempdir().expect("a folder");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/playing.py");
    let text = format!("#!/bin/sh\nexec python3 '{}' {whom} {behaviour:?} {KEY} \"$@\"\n", script.display());
    // Written by another process: while ours has a program open, another thread's child may hold it too, and then it
    // cannot be run.
    let mut writer = Command::new("sh")
        .args(["-c", "cat > \"$0\" && chmod +x \"$0\"", whom])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .spawn()
        .expect("a shell");
    writer.stdin.take().expect("an input").write_all(text.as_bytes()).expect("a reader");
    assert!(writer.wait().expect("an end").success());
    (folder.path().join(whom), Box::new(folder))
}
