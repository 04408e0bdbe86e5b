//! A fault that was put into a call on purpose, as the record keeps it.

use std::sync::Arc;

use crate::Packed;

/// What was done to one call, so that a test can see how the agent takes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// What kind of fault.
    pub kind: FaultKind,
    /// The fault in a few words: `429, retry after 1 s`.
    pub text: Arc<str>,
    /// The seed of the plan that it is from: the same plan with the same seed does it again.
    pub seed: u64,
    /// What the tool returned, where the agent was given something else.
    pub instead_of: Option<Packed>,
}

/// The kinds of fault. A model call and a tool call have kinds of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FaultKind {
    /// Model: too many requests, status 429.
    RateLimit,
    /// Model: the provider fails, status 500 to 599.
    ServerError,
    /// Model: the connection is reset.
    Reset,
    /// Model: no answer comes in time.
    Timeout,
    /// Model: the answer is late, or its parts are.
    Slow,
    /// Model: the connection ends in the middle of the answer.
    Cut,
    /// Model: the answer is no JSON.
    Malformed,
    /// Model: the answer is JSON, but not what the provider promises.
    WrongSchema,
    /// Tool: it raises.
    Error,
    /// Tool: its answer is late.
    Delay,
    /// Tool: its answer is empty.
    Empty,
    /// Tool: its answer is garbled.
    Corrupt,
    /// Tool: its answer says the contrary.
    Contradict,
}

impl FaultKind {
    /// All kinds.
    pub const ALL: [FaultKind; 13] = [
        FaultKind::RateLimit,
        FaultKind::ServerError,
        FaultKind::Reset,
        FaultKind::Timeout,
        FaultKind::Slow,
        FaultKind::Cut,
        FaultKind::Malformed,
        FaultKind::WrongSchema,
        FaultKind::Error,
        FaultKind::Delay,
        FaultKind::Empty,
        FaultKind::Corrupt,
        FaultKind::Contradict,
    ];

    /// The word in Python and JSON: the name of the function that makes such a fault.
    pub fn word(self) -> &'static str {
        match self {
            FaultKind::RateLimit => "rate_limit",
            FaultKind::ServerError => "server_error",
            FaultKind::Reset => "reset",
            FaultKind::Timeout => "timeout",
            FaultKind::Slow => "slow",
            FaultKind::Cut => "cut",
            FaultKind::Malformed => "malformed",
            FaultKind::WrongSchema => "wrong_schema",
            FaultKind::Error => "error",
            FaultKind::Delay => "delay",
            FaultKind::Empty => "empty",
            FaultKind::Corrupt => "corrupt",
            FaultKind::Contradict => "contradict",
        }
    }

    /// The kind of this word.
    ///
    /// ```
    /// use unitai_model::FaultKind;
    /// assert_eq!(FaultKind::of_word("rate_limit"), Some(FaultKind::RateLimit));
    /// assert_eq!(FaultKind::of_word("ratelimit"), None);
    /// ```
    pub fn of_word(word: &str) -> Option<FaultKind> {
        FaultKind::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// Whether the call still brought what it should have, only later.
    pub fn is_only_late(self) -> bool {
        matches!(self, FaultKind::Slow | FaultKind::Delay)
    }
}
