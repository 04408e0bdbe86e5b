//! The tool calls that a model requested, until a later request brings their results: what the wire alone says about tools.

use std::collections::VecDeque;

use unitai_model::Packed;

use crate::common::FreshResult;
use crate::dialects::Called;

/// So many calls may wait for their results. An agent that never sends any must not fill the memory.
const MOST_WAITING: usize = 10_000;

/// The tool calls that models requested in one run, and whose results no request has brought yet.
///
/// ```
/// use unitai_wire::common::FreshResult;
/// use unitai_wire::dialects::Called;
/// use unitai_wire::requested_calls::RequestedCalls;
///
/// let mut calls = RequestedCalls::default();
/// calls.push(&Called::new("call_1", "refund"), 7);
/// let result = FreshResult { id: "call_1", tool: Some("refund"), content: "done" };
/// assert_eq!(calls.take(result).map(|call| call.after), Some(Some(7)));
/// assert!(calls.take(result).is_none());
/// ```
#[derive(Debug, Default)]
pub struct RequestedCalls(VecDeque<RequestedCall>);

/// A tool call that a model requested.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestedCall {
    /// The tool.
    pub tool: String,
    /// Its arguments by name.
    pub args: Packed,
    /// The step of the answer that requests it; `None` if that is in the record of an earlier run.
    pub after: Option<usize>,
    id: String,
}

impl RequestedCall {
    /// The call's id; empty where the dialect has none.
    pub fn id(&self) -> &str {
        &self.id
    }
}

impl RequestedCalls {
    /// The calls of an earlier run that still wait, for one that goes on with its conversation.
    pub fn carried_over(&self) -> RequestedCalls {
        RequestedCalls(self.waiting().map(|call| RequestedCall { after: None, ..call.clone() }).collect())
    }

    /// A model requested this call, in the answer at this step.
    pub fn push(&mut self, call: &Called, step: usize) {
        let (tool, args, id) = (call.name.clone(), call.arguments(), call.id.clone());
        self.0.push_back(RequestedCall { tool, args, after: Some(step), id });
        if self.0.len() > MOST_WAITING {
            self.0.pop_front();
        }
    }

    /// The call that a result belongs to: by its id; by its tool and its order where one of them has no id. Nothing for
    /// a result that was brought before, as conversations are sent whole each time.
    pub fn take(&mut self, result: FreshResult<'_>) -> Option<RequestedCall> {
        let is_meant = |call: &RequestedCall| {
            if result.id.is_empty() || call.id.is_empty() {
                result.tool == Some(call.tool.as_str())
            } else {
                result.id == call.id
            }
        };
        // Ids may be given anew in each conversation, so this run's own come first.
        let own = self.0.iter().position(|call| call.after.is_some() && is_meant(call));
        own.or_else(|| self.0.iter().position(is_meant)).and_then(|at| self.0.remove(at))
    }

    /// The calls that still wait for a result, in their order.
    pub fn waiting(&self) -> impl Iterator<Item = &RequestedCall> {
        self.0.iter()
    }
}
