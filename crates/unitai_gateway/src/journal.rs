//! What the agent did, as far as the wire tells it.
//!
//! A model call is a step. So is a tool call that a model asked for in a whole answer; its result is what
//! the next request tells the model. Conversations are sent whole again and again, so only results since the
//! model last spoke are looked at, and each goes to a call that still waits for one.

use std::cell::RefCell;
use std::time::{SystemTime, UNIX_EPOCH};

use unitai_model::{ModelCall, Outcome, Port, ToolName, Value};
use unitai_wire::common::FreshResult;
use unitai_wire::dialects::Called;
use unitai_wire::requested_calls::RequestedCalls;

/// The record of what goes through one gateway.
pub(crate) struct Journal {
    port: Port,
    /// Each with its step.
    requested: RefCell<RequestedCalls>,
}

impl Journal {
    pub(crate) fn new(port: Port) -> Journal {
        Journal { port, requested: RefCell::default() }
    }

    /// A model call begins, or is already known whole.
    pub(crate) fn model_call(&self, call: ModelCall) -> Option<usize> {
        self.port.model_call(now(), None, call).ok()
    }

    /// What came of the model call at a step.
    pub(crate) fn settle(&self, step: usize, call: ModelCall) {
        // After the end of the record there is nothing to settle.
        let _ = self.port.settle_model_call(step, call);
    }

    /// The model asked for these tools.
    pub(crate) fn called(&self, calls: &[Called]) {
        let mut requested = self.requested.borrow_mut();
        for call in calls {
            let tool = ToolName::new(&call.name);
            let Ok(step) = self.port.call(now(), None, tool, call.arguments(), Outcome::Unfinished) else {
                return;
            };
            requested.push(call, step);
        }
    }

    /// The model is told this.
    pub(crate) fn told(&self, result: FreshResult<'_>) {
        let step = self.requested.borrow_mut().take(result).and_then(|call| call.after);
        let Some(step) = step else { return };
        let value = Value::Str(result.content.to_owned()).pack();
        let _ = self.port.settle(step, Outcome::Returned(value));
    }
}

/// Seconds since the epoch.
pub(crate) fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}
