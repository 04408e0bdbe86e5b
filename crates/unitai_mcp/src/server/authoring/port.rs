//! What the tools ask of their surroundings: reading tests, running them, and the project's plugins.

use std::path::Path;

use unitai_spec::document::{Reading, Spec, Trouble};
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
    /// What these tests name that the caller may not use, such as a program.
    fn refusals(&self, specs: &[Spec]) -> Vec<Trouble>;
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
