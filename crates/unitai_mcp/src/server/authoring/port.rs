//! What the tools ask of their surroundings: reading tests, running them, and the project's plugins.

use std::path::Path;

use unitai_spec::document::{Reading, Spec};
use unitai_spec::run::{Future, Run, Stop, Tool};

/// What a project's plugins offer.
#[derive(Debug, Default)]
pub struct Plugins {
    /// Their tools.
    pub tools: Vec<Tool>,
    /// Those that could not be loaded, and why.
    pub troubles: Vec<String>,
}

/// Reads and runs tests.
pub trait Tests: Send + Sync {
    /// What this text says, read as if it stood in `file`.
    fn read(&self, file: &Path, text: &str) -> Reading;
    /// Runs a test to its end. When `stop` is asked, its teardown still runs.
    fn run<'a>(&'a self, spec: &'a Spec, stop: &'a Stop) -> Future<'a, Run>;
    /// What the plugins offer.
    fn plugins(&self) -> Future<'_, Plugins>;
}
