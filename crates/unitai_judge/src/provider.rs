//! The port to whoever answers: a program on this machine or a service. One file for each stands in `providers`, and
//! `tests/providers.rs` is the suite that every one must pass.

use std::time::Duration;

use serde_json::Value;
use unitai_spec::run::{Future, Hands, Spent};

use crate::Purse;

/// Somebody who answers.
pub trait Provider: Send + Sync {
    /// Its name in settings, such as `claude-code`.
    fn name(&self) -> &'static str;

    /// Who answers, as exactly as can be known without asking it anything. Recorded answers are bound to it.
    fn identity(&self) -> Future<'_, Result<Identity, Trouble>>;

    /// Whether nobody bills what it says, as for a model on this machine: then no money is set aside.
    fn is_free(&self) -> bool {
        false
    }

    /// Whether it pays for each turn of a drive from the purse that is in reach. Whoever does not is paid for as a
    /// whole.
    fn pays_each_turn(&self) -> bool {
        false
    }

    /// Asks one thing. No tools, no memory of anything else.
    fn ask<'a>(&'a self, ask: &'a Ask<'a>) -> Future<'a, Result<Said, Trouble>>;

    /// Has it do something with the tools of a test, until it has no more to say.
    fn drive<'a>(&'a self, drive: &'a Drive<'a>, reach: &'a Reach) -> Future<'a, Result<Said, Trouble>>;
}

/// Who answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The provider's name.
    pub provider: String,
    /// The model, as it was asked for; empty where the provider chooses.
    pub model: String,
    /// The version of the program, or of the interface.
    pub version: String,
    /// What a program of one's own is: its command, and a digest of the project's files that the command names. Empty for
    /// everybody whose name says who it is.
    pub program: String,
}

/// One question to a model.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// Who it is and what it must do.
    pub system: &'a str,
    /// What is asked, evidence and all.
    pub prompt: &'a str,
    /// The JSON schema of the answer. Whoever cannot be held to it natively is told it in the prompt by the provider.
    pub schema: &'a Value,
    /// How long it may take.
    pub timeout: Duration,
}

/// Something to be done with tools.
#[derive(Debug, Clone, Copy)]
pub struct Drive<'a> {
    /// Who it is and what it must do.
    pub system: &'a str,
    /// The test.
    pub prompt: &'a str,
    /// The JSON schema of the report at its end.
    pub schema: &'a Value,
    /// How long it may take. The test has a limit of its own besides.
    pub timeout: Duration,
    /// How often it may speak.
    pub turns: u32,
}

/// Where the tools of a test are: in hand, and at an address of this machine for programs.
#[derive(Debug, Clone)]
pub struct Reach {
    /// For whoever calls them itself.
    pub hands: Hands,
    /// The address of the server of MCP, such as `http://127.0.0.1:4711/mcp`.
    pub url: String,
    /// The token that it wants, as `Authorization: Bearer ...`.
    pub token: String,
    /// What each turn is paid from, by whoever pays for each.
    pub pay: Option<Purse>,
}

/// What it said.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// Its last words.
    pub text: String,
    /// The answer in the form of the schema, where the provider itself has seen to that.
    pub structured: Option<Value>,
    /// The model that answered, if it said so; else the one that was asked.
    pub model: String,
    /// What it took.
    pub spent: Spent,
    /// What somebody should know though it is an answer: refused permissions, servers that were not reached.
    pub notes: Vec<String>,
}

/// Why there is no answer. None of these is the fault of a test.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    /// It is not there, or nobody is logged in. The text says how to get it.
    #[error("{0}")]
    Absent(String),
    /// It took too long, and was ended.
    #[error("{provider} had not answered after {seconds} s")]
    TimedOut {
        /// Who.
        provider: String,
        /// How long was waited.
        seconds: u64,
    },
    /// The service is busy or ill; later may be better.
    #[error("{0}")]
    Unavailable(String),
    /// It may not be asked: what tests may spend is spent.
    #[error("{0}")]
    OverBudget(String),
    /// Anything else that is no answer.
    #[error("{0}")]
    Broken(String),
}
