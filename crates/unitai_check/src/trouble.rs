//! Which calls went wrong, on purpose or by themselves. What several checks of resilience share.

use unitai_model::value::plain;
use unitai_model::{Action, ExchangeEnd, FaultKind, Step};

/// Whom a call was for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Callee<'a> {
    Model,
    Tool(&'a str),
}

impl Callee<'_> {
    /// As a person names it.
    pub(crate) fn shown(self) -> String {
        match self {
            Callee::Model => "a model".to_owned(),
            Callee::Tool(tool) => plain(tool).to_string(),
        }
    }
}

/// Whom a step called; `None` when it called nobody.
pub(crate) fn callee(step: &Step) -> Option<Callee<'_>> {
    match &step.action {
        Action::ToolCall(call) => Some(Callee::Tool(call.tool.as_str())),
        Action::ModelCall(_) => Some(Callee::Model),
        Action::StateChange(_) => None,
    }
}

/// What went wrong with a call. A refusal that is the request's own fault is not counted: no retry mends it.
pub(crate) fn trouble(step: &Step) -> Option<FaultKind> {
    if let Some(fault) = &step.fault {
        return Some(fault.kind);
    }
    match &step.action {
        Action::ToolCall(call) if call.outcome.failure().is_some() => Some(FaultKind::Error),
        Action::ToolCall(_) | Action::StateChange(_) => None,
        Action::ModelCall(call) => match &call.exchange.as_ref()?.end {
            ExchangeEnd::Cut => Some(FaultKind::Cut),
            ExchangeEnd::Failed { status: Some(429), .. } => Some(FaultKind::RateLimit),
            ExchangeEnd::Failed { status: Some(500..), .. } => Some(FaultKind::ServerError),
            ExchangeEnd::Failed { status: Some(_), .. } => None,
            ExchangeEnd::Failed { status: None, message } if message.contains("imeout") => {
                Some(FaultKind::Timeout)
            }
            ExchangeEnd::Failed { status: None, .. } => Some(FaultKind::Reset),
            ExchangeEnd::Answered { .. } | ExchangeEnd::Unfinished => None,
        },
    }
}

/// Whether a call brought what it should, if late.
pub(crate) fn succeeded(step: &Step) -> bool {
    let is_spoiled = step.fault.as_ref().is_some_and(|fault| !fault.kind.is_only_late());
    !is_spoiled
        && match &step.action {
            Action::ToolCall(call) => call.outcome.result().is_some(),
            Action::ModelCall(call) => call
                .exchange
                .as_ref()
                .is_none_or(|exchange| matches!(exchange.end, ExchangeEnd::Answered { .. })),
            Action::StateChange(_) => false,
        }
}
