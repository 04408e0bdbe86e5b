//! Mocks that no call reached, although a model called them: looked at when the agent has returned.

use pyo3::prelude::*;
use unitai_model::Action;
use unitai_model::value::plain;
use unitai_wire::framework_answers::is_answered_by_framework;
use unitai_wire::names_call;
use unitai_wire::requested_calls::RequestedCall;

use super::Run;
use super::unseen_calls::{Refusal, shown_call, unreachable, unseen, ways_out};
use crate::errors::Trouble;

impl Run {
    /// Looks, after the agent has returned, at what was taken for a refusal. An agent that calls the mock at other times
    /// may refuse; of one that never did, nothing shows that its calls lead to the mock at all.
    pub(super) fn check_refusals(&self, py: Python<'_>) -> Option<Trouble> {
        let refusals = std::mem::take(&mut self.answers().refusals);
        let Refusal { step, call, content } = refusals
            .into_iter()
            .find(|refusal| !self.has_reached(&self.recorded_name(&refusal.call.tool)))?;
        // The record is still open: the agent has just returned.
        let _ = self.port.settle(step, unseen(&content));
        Some(self.unseen(py, &call, &content))
    }

    /// Looks at tools that no call reached, after the agent has returned: a model called a mock, in a text or in an answer
    /// whose results went nowhere; or it called another tool, and was asked again. An agent that holds its tools is free to
    /// return without a call of them, to ask a person; but not to go on as if it had called them.
    pub(super) fn check_unreached(&self, py: Python<'_>, are_tools_held: bool) -> Option<Trouble> {
        let toolbox = self.toolbox.as_ref()?.get();
        let answers = self.answers();
        let last = self
            .port
            .read(|steps| steps.iter().rposition(|step| matches!(step.action, Action::ModelCall(_))));
        // What the model requested last may be how the agent ends.
        let was_asked_again =
            |call: &RequestedCall| last.flatten().zip(call.after).is_some_and(|(last, after)| after < last);
        let is_recorded = |name: &str| self.is_recorded(name, |_| true);
        // A framework that calls a tool by itself has its reasons not to: an interrupt, an approval that it waits for.
        let is_left = |name: &str| match &answers.routed {
            _ if are_tools_held && answers.has_framework => true,
            Some(routed) => routed.contains(name),
            None => answers.has_framework,
        };
        let is_looked_for = |name: &str| {
            !answers.replaced.contains(name)
                && !toolbox.may_be_refused(name)
                && !is_left(name)
                && !is_recorded(name)
        };
        let text = if are_tools_held { &answers.text[..answers.last_text] } else { &answers.text };
        let called = |name: &str| {
            let requested = answers.requested.waiting().find(|call| {
                call.tool == name
                    && call.after.is_some()
                    && !answers.of_framework.contains(call.id())
                    && (!are_tools_held || was_asked_again(call))
            });
            match requested {
                Some(call) => Some(format!("the model requested {}", shown_call(call))),
                // What is offered to the model as a tool is called as one.
                None if answers.offered.contains_key(name) => None,
                None => names_call(text, name)
                    .then(|| format!("an answer of the model calls {} in its text", plain(name))),
            }
        };
        for name in toolbox.names().iter().filter(|name| is_looked_for(name)) {
            if let Some(called) = called(name) {
                let found = format!("{called}, and the mock was never called");
                return Some(unreachable(name, true).found(found).remedy(ways_out(name, true)));
            }
        }
        if are_tools_held || answers.has_framework {
            return None;
        }
        let call = answers.requested.waiting().find(|call| {
            was_asked_again(call)
                && answers
                    .offered
                    .get(&call.tool)
                    .is_some_and(|tool| !is_answered_by_framework(tool, call, None))
                && !answers.forced.contains(&call.tool)
                && !toolbox.is_allowed(&call.tool)
                && toolbox.tool(py, &call.tool).is_none()
                && !is_recorded(&call.tool)
        })?;
        let found = format!(
            "the model requested {}, was asked again, and no call of it was recorded",
            shown_call(call)
        );
        Some(unreachable(&call.tool, false).found(found).remedy(ways_out(&call.tool, false)))
    }
}
