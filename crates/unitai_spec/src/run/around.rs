//! What a test is run with.

use super::{Connector, Judge, Observer, Replay};

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
    /// Answers every call and every question instead of tools and judges.
    pub replay: Option<Replay<'a>>,
}

/// Nobody who is told.
#[derive(Debug, Clone, Copy)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn saw(&self, _event: &super::Event<'_>) {}
}
