//! A model that drives the tools of a test itself: what it gets, and what may come of it.

use std::sync::{Arc, Mutex, PoisonError};

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

/// How the steps of a test were driven.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Driving {
    /// What came of it; nothing where the test was over before it was.
    pub driven: Option<Driven>,
    /// Calls that were looked for and never made: the step, and which attempt of it.
    pub missed: Vec<(String, u32)>,
}

/// Drives the tools of a test.
pub trait Driver: Send + Sync {
    /// Does what the steps say. Dropping the future ends it and whatever it has started.
    fn drive<'a>(&'a self, errand: &'a Errand<'a>, hands: Hands) -> Future<'a, Driven>;
}

/// The tools of a test in the hands of a driver. Every call is evidence.
#[derive(Debug, Clone)]
pub struct Hands {
    tools: Arc<[Tool]>,
    calls: mpsc::UnboundedSender<Wanted>,
    warnings: Arc<Mutex<Vec<String>>>,
}

/// A call that a driver wants.
#[derive(Debug)]
pub struct Wanted {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub args: Arguments,
    /// Where the answer goes. When nobody waits for it any more, the call is ended.
    pub answer: oneshot::Sender<Called>,
}

impl Hands {
    /// Hands that reach these tools, and where their calls arrive.
    pub fn new(tools: Vec<Tool>) -> (Hands, mpsc::UnboundedReceiver<Wanted>) {
        let (calls, wanted) = mpsc::unbounded_channel();
        (Hands { tools: tools.into(), calls, warnings: Arc::default() }, wanted)
    }

    /// Every tool, under the name that tests call it by.
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// Something that somebody should know though it decides nothing. The run tells it.
    pub fn warn(&self, warning: impl Into<String>) {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner).push(warning.into());
    }

    /// What was worth a warning so far; each is given once.
    pub fn warnings(&self) -> Vec<String> {
        std::mem::take(&mut *self.warnings.lock().unwrap_or_else(PoisonError::into_inner))
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
