//! `retried_at_most`.

use std::collections::HashMap;

use unitai_model::value::{plain, quoted};
use unitai_model::{Action, Step, Trajectory};

use crate::describe::{call, never_called, steps, times};
use crate::trouble::{succeeded, trouble};
use crate::{Check, Judgement};

/// Holds when no call that went wrong was made again more often than this in a row. The same call is the same
/// request to a model, or the same tool with the same arguments.
pub struct RetriedAtMost {
    /// How often.
    pub limit: usize,
    /// Only calls of this tool count; those of models and of all tools, unless given.
    pub tool: Option<String>,
}

impl Check for RetriedAtMost {
    fn id(&self) -> &'static str {
        "retried_at_most"
    }

    fn assertion(&self) -> String {
        match &self.tool {
            Some(tool) => format!("retried_at_most({}, tool={})", self.limit, quoted(tool)),
            None => format!("retried_at_most({})", self.limit),
        }
    }

    fn expected(&self) -> String {
        let what =
            self.tool.as_ref().map_or_else(|| "call".to_owned(), |tool| format!("call of {}", plain(tool)));
        match self.limit {
            0 => format!("no failed {what} to be tried again"),
            limit => format!("no failed {what} to be tried again more than {}", times(limit)),
        }
    }

    fn judge(&self, trajectory: &Trajectory) -> Judgement {
        if let Some(tool) = &self.tool
            && trajectory.calls_of(tool).next().is_none()
        {
            return Judgement::broken(never_called(trajectory, tool), []);
        }
        // A row is a call that went wrong and what was tried again until it went well.
        let mut rows: Vec<Vec<usize>> = Vec::new();
        let mut failing: HashMap<Same<'_>, usize> = HashMap::new();
        for (at, step) in trajectory.steps().iter().enumerate() {
            let Some(same) = self.key(step) else { continue };
            if let Some(row) = failing.get(&same) {
                rows[*row].push(at);
            } else if trouble(step).is_some() && !succeeded(step) {
                failing.insert(same, rows.len());
                rows.push(vec![at]);
            }
            if succeeded(step) {
                failing.remove(&same);
            }
        }
        match rows.iter().find(|row| row.len() - 1 > self.limit) {
            Some(row) => {
                let what = match &trajectory.steps()[row[0]].action {
                    Action::ToolCall(made) => call(made.tool.as_str(), &made.args),
                    _ => "the same request to a model".to_owned(),
                };
                let retries = &row[1..];
                let actual =
                    format!("{what} was tried again {}, at {}", times(retries.len()), steps(retries));
                Judgement::broken(actual, row.clone())
            }
            None => Judgement::Held(rows.into_iter().flat_map(|row| row.into_iter().skip(1)).collect()),
        }
    }
}

/// What makes two calls the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Same<'a> {
    Request(&'a str),
    Call(&'a str, &'a str),
}

impl RetriedAtMost {
    fn key<'a>(&self, step: &'a Step) -> Option<Same<'a>> {
        match &step.action {
            Action::ToolCall(call) if self.tool.as_deref().is_none_or(|tool| tool == call.tool.as_str()) => {
                Some(Same::Call(call.tool.as_str(), call.args.text()))
            }
            Action::ModelCall(call) if self.tool.is_none() => {
                call.exchange.as_ref().map(|exchange| Same::Request(&exchange.request_digest))
            }
            _ => None,
        }
    }
}
