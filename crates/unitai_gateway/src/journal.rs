//! What the agent did, as far as the wire tells it.
//!
//! A model call is a step. So is a tool call that a model asked for in a whole answer; its result is what
//! the next request tells the model. Conversations are sent whole again and again, so only results since the
//! model last spoke are looked at, and each goes to a call that still waits for one.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::time::{SystemTime, UNIX_EPOCH};

use unitai_model::{ModelCall, Outcome, Packed, Port, ToolName, Value};
use unitai_wire::common::FreshResult;
use unitai_wire::dialects::Called;

/// So many calls may wait for their results. An agent that never tells any must not fill the memory.
const MOST_WAITING: usize = 10_000;

/// The record of what goes through one gateway.
pub(crate) struct Journal {
    port: Port,
    waiting: RefCell<VecDeque<Waiting>>,
}

/// A tool call whose result has not been told yet.
struct Waiting {
    step: usize,
    id: String,
    tool: String,
}

impl Journal {
    pub(crate) fn new(port: Port) -> Journal {
        Journal { port, waiting: RefCell::default() }
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
        if calls.is_empty() {
            return;
        }
        let mut waiting = self.waiting.borrow_mut();
        for call in calls {
            let tool = ToolName::new(&call.name);
            let Ok(step) = self.port.call(now(), None, tool, arguments(&call.args), Outcome::Unfinished)
            else {
                return;
            };
            waiting.push_back(Waiting { step, id: call.id.clone(), tool: call.name.clone() });
            if waiting.len() > MOST_WAITING {
                waiting.pop_front();
            }
        }
    }

    /// The model is told this.
    pub(crate) fn told(&self, result: FreshResult<'_>) {
        let mut waiting = self.waiting.borrow_mut();
        let is_meant = |call: &Waiting| {
            if result.id.is_empty() || call.id.is_empty() {
                result.tool == Some(call.tool.as_str())
            } else {
                result.id == call.id
            }
        };
        let Some(call) = waiting.iter().position(is_meant).and_then(|at| waiting.remove(at)) else { return };
        let value = Value::Str(result.content.to_owned()).pack();
        let _ = self.port.settle(call.step, Outcome::Returned(value));
    }
}

/// The arguments of a call by name. What is no object stands under one name.
fn arguments(text: &str) -> Packed {
    if text.trim().is_empty() {
        return Packed::empty();
    }
    match Packed::from_json(text) {
        Ok(args) if args.is_dict() => args,
        Ok(other) => Value::Dict(vec![(Value::Str("input".to_owned()), other.value())]).pack(),
        Err(_) => Value::Dict(vec![(Value::Str("input".to_owned()), Value::Str(text.to_owned()))]).pack(),
    }
}

/// Seconds since the epoch.
pub(crate) fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}
