//! What is installed: asked of the interpreter that would run the tests, in one short process.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde::Deserialize;

const PROBE: &str = include_str!("probe.py");
const PATIENCE: Duration = Duration::from_secs(20);
/// Thousands of packages fit in it.
const LIMIT: u64 = 4 * 1024 * 1024;

/// What an interpreter tells of itself.
#[derive(Debug, Deserialize)]
pub(crate) struct Python {
    /// Which one it is, as `CPython`.
    pub(crate) implementation: String,
    /// Its version.
    pub(crate) version: String,
    /// The module that pytest would load as UnitAI's plugin.
    pub(crate) plugin: Option<String>,
    /// What is installed, by its name in lower case with dashes.
    pub(crate) versions: BTreeMap<String, String>,
}

impl Python {
    /// Asks an interpreter; what went wrong otherwise.
    pub(crate) fn ask(program: &str) -> Result<Python, String> {
        let mut child = Command::new(program)
            .args(["-c", PROBE])
            // The answer is text of ours; what a user's start-up file warns about is not.
            .env("PYTHONIOENCODING", "utf-8")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("{} could not be started: {error}", name(program)))?;
        let (sender, receiver) = mpsc::channel();
        if let Some(output) = child.stdout.take() {
            thread::spawn(move || {
                let mut text = Vec::new();
                let read = output.take(LIMIT).read_to_end(&mut text).map(|_| text);
                // Whoever waited may have left.
                let _ = sender.send(read);
            });
        }
        let answer = receiver.recv_timeout(PATIENCE);
        if answer.is_err() {
            let _ = child.kill();
        }
        let ended = child.wait();
        let Ok(answer) = answer else {
            return Err(format!("{} did not answer within {} s", name(program), PATIENCE.as_secs()));
        };
        let text = answer.map_err(|error| format!("{} could not be asked: {error}", name(program)))?;
        serde_json::from_slice(&text).map_err(|_| {
            let code = ended.ok().and_then(|status| status.code()).unwrap_or(-1);
            format!("{} could not say what is installed (exit code {code})", name(program))
        })
    }

    /// The version of a package, if it is installed.
    pub(crate) fn version_of(&self, package: &str) -> Option<&str> {
        self.versions.get(package).map(String::as_str)
    }
}

/// The name of a program without the folders: a report is often shown to others.
pub(crate) fn name(program: &str) -> String {
    Path::new(program).file_name().map_or(program.to_owned(), |name| name.to_string_lossy().into_owned())
}
