//! A model that drives the tools of a test itself: what it gets, and what may come of it.

use tokio::sync::{mpsc, oneshot};

use super::{Called, Future, Tool, Verdict};
use crate::document::Arguments;

/// What a driver is to do.
#[derive(Debug)]
pub struct Errand<'a> {
    /// The name of the test.
    pub name: &'a str,
    /// What the test is about.
    pub description: &'a str,
    /// The steps, as YAML, with everything filled in that is known before they begin.
    pub steps: &'a str,
    /// What the test passes by; may be empty.
    pub pass_if: &'a str,
    /// What the test fails by; may be empty.
    pub fail_if: &'a str,
}

/// What came of driving.
#[derive(Debug, Clone, PartialEq)]
pub enum Driven {
    /// It reported. Its word can make a verdict worse and never better: what counts is what it did.
    Reported(Verdict),
    /// It ended without a report that could be read. Says what it said instead.
    Unread(String),
    /// There is nobody to drive. Says how to get somebody.
    Absent(String),
    /// It did not come to an end, which is nobody's fault here.
    Trouble(String),
}

/// Drives the tools of a test.
pub trait Driver: Send + Sync {
    /// Does what the steps say. Dropping the future ends it and whatever it has started.
    fn drive<'a>(&'a self, errand: &'a Errand<'a>, hands: Hands) -> Future<'a, Driven>;
}

/// The tools of a test in the hands of a driver. Every call is evidence.
#[derive(Debug, Clone)]
pub struct Hands {
    tools: std::sync::Arc<[Tool]>,
    calls: mpsc::UnboundedSender<Wanted>,
}

/// A call that a driver wants.
#[derive(Debug)]
pub struct Wanted {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub args: Arguments,
    /// Where the answer goes. Nobody may wait for it any more.
    pub answer: oneshot::Sender<Called>,
}

impl Hands {
    /// Hands that reach these tools, and where their calls arrive.
    pub fn new(tools: Vec<Tool>) -> (Hands, mpsc::UnboundedReceiver<Wanted>) {
        let (calls, wanted) = mpsc::unbounded_channel();
        (Hands { tools: tools.into(), calls }, wanted)
    }

    /// Every tool, under the name that tests call it by.
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// Calls a tool. When the test is over, nothing is called any more.
    pub async fn call(&self, tool: &str, args: Arguments) -> Called {
        let over = || Called::Failed { message: "the test is over".to_owned(), details: String::new() };
        let (answer, answered) = oneshot::channel();
        if self.calls.send(Wanted { tool: tool.to_owned(), args, answer }).is_err() {
            return over();
        }
        answered.await.unwrap_or_else(|_| over())
    }
}
