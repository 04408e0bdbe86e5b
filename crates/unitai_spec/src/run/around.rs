//! What a test is run with.

use super::{Connector, Driver, Judge, Observer, Replay};

/// The surroundings of one run.
#[derive(Clone, Copy)]
pub struct Around<'a> {
    /// Gives the run its name.
    pub run_id: &'a str,
    /// Starts servers and connects to them.
    pub connector: &'a dyn Connector,
    /// Answers what checks cannot.
    pub judge: &'a dyn Judge,
    /// Is told what happens while it does.
    pub observer: &'a dyn Observer,
    /// `${env.NAME}`.
    pub env: &'a [(String, String)],
    /// Seconds that stand above those of the test.
    pub timeout: Option<u32>,
    /// Where the answers to calls come from.
    pub source: Source<'a>,
}

/// Where the answers to calls come from.
#[derive(Clone, Copy)]
pub enum Source<'a> {
    /// The engine calls the tools.
    Tools,
    /// A recording answers every call and every question: no tool, no judge, no driver.
    Recording(Replay<'a>),
    /// Somebody else calls the tools for the steps. The engine still does setup and teardown.
    Driver(&'a dyn Driver),
}

/// Nobody who is told.
#[derive(Debug, Clone, Copy)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn saw(&self, _event: &super::Event<'_>) {}
}
