//! What execution asks of its surroundings: tools, servers that have them, and somebody who is told.

use std::pin::Pin;

use unitai_model::value::Value;

use super::{Evidence, StepResult};
use crate::document::{Arguments, Server};

/// Something that is awaited.
pub type Future<'a, T> = Pin<Box<dyn std::future::Future<Output = T> + Send + 'a>>;

/// A tool as its server describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Its name on its server.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The JSON schema of its arguments.
    pub input_schema: serde_json::Value,
}

/// A plugin whose methods are tools of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plugin {
    /// What the names of its tools begin with.
    pub name: String,
    /// The name of the file in which it is written.
    pub file: String,
    /// The names of its tools.
    pub tools: Vec<String>,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Called {
    /// The tool answered.
    Returned {
        /// Its result: structured where the tool gave structure, JSON where its text is JSON, else the text.
        value: Value,
        /// The text of its answer, for people and patterns.
        text: String,
    },
    /// The tool said that it failed, or could not be reached any more.
    Failed {
        /// What it said, for people.
        message: String,
        /// What is known besides: a traceback, or the last lines of the server's standard error.
        details: String,
    },
}

/// A server of tools that is ready to be called.
pub trait ToolServer: Send + Sync {
    /// The name that the test gives it.
    fn name(&self) -> &str;
    /// Its tools.
    fn tools(&self) -> &[Tool];
    /// What does not work on it and why, such as a plugin that could not be loaded. Told when a tool is not found.
    fn troubles(&self) -> &[String];
    /// The plugins that its tools are of; of any server but the host of plugins there is nothing to say.
    fn plugins(&self) -> &[Plugin] {
        &[]
    }
    /// Calls a tool. Dropping the future cancels the call.
    fn call<'a>(&'a self, tool: &'a str, args: Arguments) -> Future<'a, Called>;
    /// Ends it: what is to be cleaned up is, within a limit of its own, and no process is left. Gives what went wrong.
    fn close<'a>(self: Box<Self>) -> Future<'a, Vec<String>>
    where
        Self: 'a;
}

/// Starts servers and connects to them.
pub trait Connector: Send + Sync {
    /// A server that is ready, or why there is none, for people. Nothing stands in for `${...}` any more.
    fn connect<'a>(&'a self, server: &'a Server) -> Future<'a, Result<Box<dyn ToolServer>, String>>;
    /// The server of the project's own plugins, if it has any. Asked for only when a tool is in no other place.
    fn plugins<'a>(&'a self) -> Future<'a, Option<Result<Box<dyn ToolServer>, String>>>;
}

/// A part of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Before the steps.
    Setup,
    /// What the test is about.
    Steps,
    /// After all else.
    Teardown,
}

impl Phase {
    /// Its word in files and paths.
    pub const fn word(self) -> &'static str {
        match self {
            Phase::Setup => "setup",
            Phase::Steps => "steps",
            Phase::Teardown => "teardown",
        }
    }
}

/// What is told while a test runs.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a> {
    /// A step begins.
    Began {
        /// Its place in the test, such as `steps[2]#1.steps[0]`.
        path: &'a str,
        /// Its name, or its tool.
        title: &'a str,
    },
    /// A call has ended.
    Called(&'a Evidence),
    /// A step has ended.
    Ended(&'a StepResult),
    /// The judge is asked this many questions.
    Judging(usize),
}

/// Somebody who is told what happens while it does.
pub trait Observer: Send + Sync {
    /// Something happened.
    fn saw(&self, event: &Event<'_>);
}
