//! What the tools ask of their surroundings: reading tests, running them, and the project's plugins.

use std::path::Path;

use serde_json::Value;
use unitai_spec::document::{Reading, Spec, Trouble};
use unitai_spec::run::{Future, Plugin, Run, Stop, Tool};

/// What a project's plugins offer.
#[derive(Debug, Default)]
pub struct Plugins {
    /// Their tools.
    pub tools: Vec<Tool>,
    /// Which of them are whose.
    pub plugins: Vec<Plugin>,
    /// Those that could not be loaded, and why.
    pub troubles: Vec<String>,
}

/// Reads and runs tests.
pub trait Tests: Send + Sync {
    /// What this text says, read as if it stood in `file`.
    fn read(&self, file: &Path, text: &str) -> Reading;
    /// What these tests name that the caller may not use, such as a program.
    fn refusals(&self, specs: &[Spec]) -> Vec<Trouble>;
    /// Whether the caller may have a model write a test, and a plugin with it, which is a program; or why not.
    fn may_draft(&self) -> Result<(), String>;
    /// Runs a test to its end. When `stop` is asked, its teardown still runs.
    fn run<'a>(&'a self, spec: &'a Spec, stop: &'a Stop) -> Future<'a, Run>;
    /// What the plugins offer.
    fn plugins(&self) -> Future<'_, Plugins>;

    /// What this text says to a caller who would create or run it: without tests if one names what they may not use.
    fn read_to_use(&self, file: &Path, text: &str) -> Reading {
        let Reading { mut specs, mut troubles } = self.read(file, text);
        let refusals = self.refusals(&specs);
        if !refusals.is_empty() {
            specs.clear();
            troubles.extend(refusals);
        }
        Reading { specs, troubles }
    }
}

/// What a test is to be about.
#[derive(Debug, Clone)]
pub struct DraftRequest<'a> {
    /// In the words of whoever wants it.
    pub description: &'a str,
    /// The plugins that there are, with their tools.
    pub tools: Value,
    /// The plugin that tools may be added to.
    pub extend_plugin: Option<&'a str>,
    /// How long it may take.
    pub seconds: u32,
}

/// A test that somebody wrote, and the plugin that it needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// The test.
    pub test: Code,
    /// The plugin, if the project has no tool for the test.
    pub plugin: Option<Code>,
}

/// The text of a file, and the name that its writer gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code {
    /// The name, without a folder.
    pub filename: String,
    /// What stands in it.
    pub text: String,
}

/// Writes tests from descriptions.
pub trait Author: Send + Sync {
    /// Writes one, or says why not. What it writes has yet to be read.
    fn write<'a>(&'a self, request: &'a DraftRequest<'a>) -> Future<'a, Result<Draft, String>>;
}

/// Nobody who could write a test.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoAuthor;

impl Author for NoAuthor {
    fn write<'a>(&'a self, _: &'a DraftRequest<'a>) -> Future<'a, Result<Draft, String>> {
        let told =
            "there is no model to write a test from a description; give its `name`, `steps` and `verdict`";
        Box::pin(async move { Err(told.to_owned()) })
    }
}
