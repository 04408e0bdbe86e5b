//! What can go wrong.

use std::sync::Arc;
use std::time::Duration;

use unitai_model::value::plain;
use unitai_model::{Fault, FaultKind};

/// What goes wrong with a model call.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelFault {
    /// The provider refuses with a status.
    Refuse {
        /// The HTTP status.
        status: u16,
        /// What it says.
        message: String,
        /// Seconds after which the client may try again, if it is told.
        retry_after: Option<f64>,
    },
    /// The connection is reset before an answer comes.
    Reset,
    /// No answer comes in time.
    Timeout {
        /// How long it really takes; otherwise the client's time is taken to be up at once.
        after: Duration,
    },
    /// The answer is late.
    Slow {
        /// How late its first byte is.
        first: Duration,
        /// How late each part of a stream is.
        pace: Duration,
    },
    /// The connection ends in the middle of the answer.
    Cut {
        /// How much of it comes.
        after: Extent,
    },
    /// The answer is no JSON.
    Malformed,
    /// The answer is JSON, but without the fields that the provider promises.
    WrongSchema,
}

/// How much of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// So many parts of a stream. A plain answer has two, its halves, of which one comes.
    Chunks(usize),
    /// So many bytes.
    Bytes(usize),
}

/// What goes wrong with a tool call.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolFault {
    /// The tool is not called; the call raises.
    Error {
        /// What it says.
        message: String,
    },
    /// The answer is late.
    Delay(Duration),
    /// The answer is empty.
    Empty,
    /// The answer is garbled.
    Corrupt,
    /// The answer says the contrary.
    Contradict,
}

impl ModelFault {
    /// Its kind.
    pub fn kind(&self) -> FaultKind {
        match self {
            ModelFault::Refuse { status: 429, .. } => FaultKind::RateLimit,
            ModelFault::Refuse { .. } => FaultKind::ServerError,
            ModelFault::Reset => FaultKind::Reset,
            ModelFault::Timeout { .. } => FaultKind::Timeout,
            ModelFault::Slow { .. } => FaultKind::Slow,
            ModelFault::Cut { .. } => FaultKind::Cut,
            ModelFault::Malformed => FaultKind::Malformed,
            ModelFault::WrongSchema => FaultKind::WrongSchema,
        }
    }

    /// Whether it takes the place of an answer, so that nobody need be asked for one.
    pub fn is_instead(&self) -> bool {
        matches!(self, ModelFault::Refuse { .. } | ModelFault::Reset | ModelFault::Timeout { .. })
    }

    /// Whether the client gets other bytes than the answer has.
    pub fn changes_bytes(&self) -> bool {
        matches!(self, ModelFault::Cut { .. } | ModelFault::Malformed | ModelFault::WrongSchema)
    }

    /// The fault as the record keeps it.
    pub fn recorded(&self, seed: u64) -> Fault {
        let text = match self {
            ModelFault::Refuse { status, retry_after: Some(seconds), .. } => {
                format!("{status}, retry after {seconds} s")
            }
            ModelFault::Refuse { status, .. } => status.to_string(),
            ModelFault::Reset => "connection reset".to_owned(),
            ModelFault::Timeout { .. } => "time-out".to_owned(),
            ModelFault::Slow { first, pace } => {
                let late = [(first, "first byte after"), (pace, "each part after")];
                let late = late.iter().filter(|(time, _)| !time.is_zero());
                let late: Vec<_> =
                    late.map(|(time, what)| format!("{what} {} s", time.as_secs_f64())).collect();
                if late.is_empty() { "slow by 0 s".to_owned() } else { late.join(", ") }
            }
            ModelFault::Cut { after: Extent::Chunks(1) } => "cut after 1 part".to_owned(),
            ModelFault::Cut { after: Extent::Chunks(n) } => format!("cut after {n} parts"),
            ModelFault::Cut { after: Extent::Bytes(n) } => format!("cut after {n} bytes"),
            ModelFault::Malformed => "malformed JSON".to_owned(),
            ModelFault::WrongSchema => "wrong schema".to_owned(),
        };
        Fault { kind: self.kind(), text: Arc::from(text), seed, instead_of: None }
    }
}

impl ToolFault {
    /// Its kind.
    pub fn kind(&self) -> FaultKind {
        match self {
            ToolFault::Error { .. } => FaultKind::Error,
            ToolFault::Delay(_) => FaultKind::Delay,
            ToolFault::Empty => FaultKind::Empty,
            ToolFault::Corrupt => FaultKind::Corrupt,
            ToolFault::Contradict => FaultKind::Contradict,
        }
    }

    /// The fault as the record keeps it.
    pub fn recorded(&self, seed: u64) -> Fault {
        let text = match self {
            ToolFault::Error { message } => format!("error: {}", plain(message)),
            ToolFault::Delay(time) => format!("{} s late", time.as_secs_f64()),
            ToolFault::Empty => "empty answer".to_owned(),
            ToolFault::Corrupt => "garbled answer".to_owned(),
            ToolFault::Contradict => "contradictory answer".to_owned(),
        };
        Fault { kind: self.kind(), text: Arc::from(text), seed, instead_of: None }
    }
}
