//! Tool calls that were answered by code that UnitAI cannot see: a model requested them, a later request brings their
//! results, and no tool call came between. What is looked at when the agent has returned is in `unreached_calls.rs`.

use std::collections::{HashMap, HashSet};
use std::sync::{MutexGuard, PoisonError, Weak};

use pyo3::prelude::*;
use unitai_model::value::{arguments, plain};
use unitai_model::{Action, Failure, Outcome, Packed, ToolCall, ToolName, Value};
use unitai_wire::common::{FreshResult, Request, Tool};
use unitai_wire::dialects::Called;
use unitai_wire::exchange::Exchange;
use unitai_wire::framework_answers::is_answered_by_framework;
use unitai_wire::requested_calls::{RequestedCall, RequestedCalls};
use unitai_wire::says_result;

use super::Run;
use super::session::shared;
use crate::agents::agent_here;
use crate::attribute::Attribute;
use crate::errors::{Trouble, class};
use crate::gate;
use crate::secrets;

/// So many bytes of what models said in one run are kept.
const MOST_TEXT: usize = 1 << 20;

/// What the models of a run requested, and which of it reached a tool.
#[derive(Default)]
pub(super) struct ModelAnswers {
    /// Each with the step of the answer that requests it.
    pub(super) requested: RequestedCalls,
    /// Tool calls of the record that a result was matched with.
    matched: HashSet<usize>,
    /// Tools that were offered to a model.
    pub(super) offered: HashMap<String, Tool>,
    /// All that models said.
    pub(super) text: String,
    /// Where the answer begins in it that came last.
    pub(super) last_text: usize,
    /// Tools that a request made the model call: their arguments are what the agent wants.
    pub(super) forced: HashSet<String>,
    /// Names of tools, and ids of single calls, that a framework answers itself.
    pub(super) of_framework: HashSet<String>,
    /// Tools that are recorded under another name than the model knows them by.
    recorded_as: HashMap<String, String>,
    /// Whether a framework whose tool calls are redirected took part.
    pub(super) has_framework: bool,
    /// The agent's own tools whose calls its framework makes by redirects; `None` where nobody listed them.
    pub(super) routed: Option<HashSet<String>>,
    /// Tools whose real functions are replaced during the run.
    pub(super) replaced: HashSet<String>,
    /// What seems to be refused by the agent's own code, the first time for each tool.
    pub(super) refusals: Vec<Refusal>,
}

/// A call that was answered in the place of a mock that the agent could have called.
pub(super) struct Refusal {
    pub(super) step: usize,
    pub(super) call: RequestedCall,
    pub(super) content: String,
}

/// Who answered a call that a model requested.
enum Answerer {
    /// A tool call of the record, or the framework itself.
    Known,
    /// Real code that the test lets run.
    Allowed,
    /// The agent, which has no such tool.
    NoTool,
    /// The agent's own code, in the place of the tool: a guard, a limit, a person's veto. The test says so.
    Guard,
    /// A framework without an adapter, or whatever looks at arguments before a tool is called, if other calls of the tool
    /// reach its mock.
    MaybeGuard,
    /// Code that UnitAI cannot see.
    Unseen,
}

impl Run {
    pub(super) fn answers(&self) -> MutexGuard<'_, ModelAnswers> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tools that the test mocks or allows, and those that models were offered.
    pub(super) fn known_tools(&self) -> Vec<String> {
        let mut names = self.toolbox.as_ref().map(|toolbox| toolbox.get().known_tools()).unwrap_or_default();
        names.extend(self.answers().offered.keys().cloned());
        names
    }

    /// Calls of these tools, or with these ids, are answered by a framework itself.
    pub(super) fn leave_to_framework(&self, calls: Vec<String>) {
        self.answers().of_framework.extend(calls);
    }

    /// A framework whose tool calls are redirected takes part.
    pub(super) fn meet_framework(&self) {
        self.answers().has_framework = true;
    }

    /// The framework calls these tools of the agent by redirects.
    pub(super) fn route(&self, tools: Vec<String>) {
        self.answers().routed.get_or_insert_default().extend(tools);
    }

    /// The calls of an earlier run of the toolkit that still wait for a result may be answered in this one.
    pub(crate) fn go_on_from(&self, earlier: &Run) {
        let waiting = earlier.answers().requested.carried_over();
        self.answers().requested = waiting;
    }

    /// The real functions of these tools are replaced, whoever holds them.
    pub(super) fn replace(&self, tools: Vec<String>) {
        self.answers().replaced.extend(tools);
    }

    /// A tool that the model knows by one name is recorded under another.
    pub(crate) fn note_alias(&self, told: &str, recorded: &str) {
        self.answers().recorded_as.insert(told.to_owned(), recorded.to_owned());
    }

    /// Takes note of an answer of a model: its step, the tool calls that it requests, and what it says.
    pub(crate) fn note_answer(&self, step: usize, calls: &[Called], text: &str) {
        let mut answers = self.answers();
        calls.iter().for_each(|call| answers.requested.push(call, step));
        if answers.text.len() + text.len() < MOST_TEXT {
            answers.last_text = answers.text.len();
            answers.text.push_str(text);
            answers.text.push('\n');
        }
    }

    /// Looks at the results that a request brings. In strict mode, a result that no tool call of the record accounts for is
    /// an error: real code may have run.
    pub(crate) fn check_results(&self, py: Python<'_>, request: &Request) -> PyResult<Option<PyErr>> {
        let Some(toolbox) = &self.toolbox else { return Ok(None) };
        {
            let mut answers = self.answers();
            for tool in &request.tools {
                if !answers.offered.contains_key(&tool.name) {
                    answers.offered.insert(tool.name.clone(), tool.clone());
                }
            }
            if let Some(forced) = request.forced_tool()
                && !answers.forced.contains(forced)
            {
                answers.forced.insert(forced.to_owned());
            }
        }
        // An agent that is told a result and forces the same tool again has rejected what the model made of it.
        let is_output = |call: &RequestedCall| request.forced_tool() == Some(call.tool.as_str());
        for result in request.fresh_results() {
            let Some(call) = self.take_requested(result) else { continue };
            match self.answerer(py, &call, result, is_output(&call)) {
                Answerer::Known => {}
                Answerer::Allowed => {
                    self.write_answered(py, &call, unseen(result.content))?;
                }
                Answerer::NoTool | Answerer::Guard => {
                    self.write_answered(py, &call, refused(result.content))?;
                }
                Answerer::MaybeGuard => {
                    let step = self.write_answered(py, &call, refused(result.content))?;
                    let mut answers = self.answers();
                    if !answers.refusals.iter().any(|refusal| refusal.call.tool == call.tool) {
                        answers.refusals.push(Refusal { step, call, content: result.content.to_owned() });
                    }
                }
                Answerer::Unseen => {
                    self.write_answered(py, &call, unseen(result.content))?;
                    let trouble = self.unseen(py, &call, result.content);
                    if toolbox.get().is_strict() {
                        return Ok(Some(trouble.into_err(py)));
                    }
                    let warning = format!("code that UnitAI cannot see answered {}", plain(&call.tool));
                    let category = class(py, "UnmockedToolWarning")?;
                    let warn = py.import("warnings")?.attribute("warn")?;
                    gate::call(&warn, (secrets::shown(py, warning), category), None)?;
                }
            }
        }
        Ok(None)
    }

    /// Whether the record has such a call of a tool. After the end of the run, nobody can tell.
    pub(super) fn is_recorded(&self, name: &str, is_such: impl Fn(&Outcome) -> bool) -> bool {
        let found = self.port.read(|steps| {
            steps.iter().any(|step| match &step.action {
                Action::ToolCall(call) => call.tool.as_str() == name && is_such(&call.outcome),
                _ => false,
            })
        });
        found != Some(false)
    }

    /// Whether a call of this tool has reached its mock.
    pub(super) fn has_reached(&self, name: &str) -> bool {
        self.is_recorded(name, |outcome| !matches!(outcome, Outcome::Unseen(_) | Outcome::Rejected(_)))
    }

    /// The name under which calls are recorded that the model makes by another.
    pub(super) fn recorded_name(&self, told: &str) -> String {
        self.answers().recorded_as.get(told).map_or(told, String::as_str).to_owned()
    }

    /// The call that a result belongs to, also where its answer is still being read.
    fn take_requested(&self, result: FreshResult<'_>) -> Option<RequestedCall> {
        if let Some(call) = self.answers().requested.take(result) {
            return Some(call);
        }
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let under_way: Vec<_> = calls.iter().filter_map(Weak::upgrade).collect();
        drop(calls);
        for watched in under_way {
            if let (Some(step), Some(calls)) = (watched.step(), watched.with(Exchange::take_calls)) {
                self.note_answer(step, &calls, "");
            }
        }
        self.answers().requested.take(result)
    }

    fn answerer(
        &self,
        py: Python<'_>,
        call: &RequestedCall,
        result: FreshResult<'_>,
        is_output: bool,
    ) -> Answerer {
        let Some(toolbox) = &self.toolbox else { return Answerer::Known };
        let toolbox = toolbox.get();
        let name = self.recorded_name(&call.tool);
        let is_mocked = toolbox.tool(py, &name).is_some();
        if self.match_recorded(call, &name, is_mocked, result.content) {
            return Answerer::Known;
        }
        let answers = self.answers();
        if answers.of_framework.contains(&call.tool) || answers.of_framework.contains(result.id) {
            return Answerer::Known;
        }
        let is_offered = match answers.offered.get(&call.tool) {
            Some(tool) if !is_mocked && is_answered_by_framework(tool, call, Some(result.content)) => {
                return Answerer::Known;
            }
            offered => offered.is_some(),
        };
        // A function that is replaced does not run, whatever a framework without an adapter says in its place.
        let is_replaced = answers.replaced.contains(&name) && self.has_reached(&name);
        let tool = answers.offered.get(&call.tool);
        let is_invalid = || tool.is_some_and(|tool| !tool.violations(call.args.text()).is_empty());
        let may_be_refused = is_mocked && (is_replaced || is_invalid());
        drop(answers);
        match is_mocked {
            true if toolbox.may_be_refused(&name) => Answerer::Guard,
            true if may_be_refused => Answerer::MaybeGuard,
            true => Answerer::Unseen,
            false if is_output => Answerer::Known,
            false if toolbox.is_allowed(&name) => Answerer::Allowed,
            false if is_offered => Answerer::Unseen,
            // A tool that was never offered is made up by the model, and there is no code to run.
            false => Answerer::NoTool,
        }
    }

    /// Finds the tool call of the record that gave a result, and takes note of it.
    fn match_recorded(&self, call: &RequestedCall, name: &str, is_mocked: bool, content: &str) -> bool {
        let mut answers = self.answers();
        let at = self.port.read(|steps| {
            let calls = steps.iter().enumerate().filter_map(|(at, step)| match &step.action {
                Action::ToolCall(made) => Some((at, made)),
                _ => None,
            });
            let is_later = |at: usize| call.after.is_none_or(|after| at > after);
            let is_new = |at: usize| is_later(at) && !answers.matched.contains(&at);
            let gave = |made: &ToolCall| match &made.outcome {
                Outcome::Returned(result) => says_result(content, result),
                Outcome::Raised(error) => !error.message.is_empty() && content.contains(&error.message),
                Outcome::Unfinished | Outcome::Rejected(_) | Outcome::Unseen(_) => false,
            };
            let by_name = || calls.clone().find(|(at, made)| is_new(*at) && made.tool.as_str() == name);
            // An agent may keep what a tool has said, and not ask it twice.
            let kept = || {
                calls.clone().find(|(_, made)| {
                    made.tool.as_str() == name && has_values(&made.args, &call.args) && gave(made)
                })
            };
            // A tool that was wired by hand may be recorded under another name than the model knows: one of an MCP server,
            // where models are told the server's name before it; or the function inside of a tool. What it gave is then what
            // the model is given: code that only uses another tool on its way gives something else.
            let under_another = || {
                calls.clone().find(|(at, made)| {
                    let is_its_own = is_in_namespace(name, made.tool.as_str());
                    is_new(*at) && (is_its_own || (made.args == call.args && gave(made)))
                })
            };
            let unless_mocked = || if is_mocked { None } else { under_another() };
            by_name().or_else(kept).or_else(unless_mocked).map(|(at, _)| at)
        });
        at.flatten().is_some_and(|at| {
            answers.matched.insert(at);
            true
        })
    }

    /// Writes down a call that no tool of the record answered, and gives its step.
    fn write_answered(&self, py: Python<'_>, call: &RequestedCall, outcome: Outcome) -> PyResult<usize> {
        let agent_id = agent_here(py)?;
        let tool = ToolName::new(&call.tool);
        let written =
            self.port.call(self.now(), shared(agent_id.as_deref()), tool, call.args.clone(), outcome);
        let step = self.accept(py, written, &call.tool)?;
        self.answers().matched.insert(step);
        Ok(step)
    }

    pub(super) fn unseen(&self, py: Python<'_>, call: &RequestedCall, content: &str) -> Trouble {
        let is_mocked =
            self.toolbox.as_ref().is_some_and(|toolbox| toolbox.get().tool(py, &call.tool).is_some());
        unreachable(&call.tool, is_mocked)
            .found(format!(
                "the model requested {}, and was given {} as its result",
                shown_call(call),
                Value::Str(content.to_owned()).shown(100)
            ))
            .remedy(ways_out(&call.tool, is_mocked))
    }
}

/// The agent's own code, or nobody, answered a call in the place of its tool.
fn refused(content: &str) -> Outcome {
    let reason = Failure::new("unitai.errors.RefusedByAgent", ["builtins.Exception"], content);
    Outcome::Rejected(Box::new(reason))
}

pub(super) fn unseen(content: &str) -> Outcome {
    Outcome::Unseen(Value::Str(content.to_owned()).pack())
}

pub(super) fn unreachable(tool: &str, is_mocked: bool) -> Trouble {
    let tool = plain(tool);
    let message = if is_mocked {
        format!(
            "{tool} is mocked, but its calls do not reach the mock: code that UnitAI cannot see answers them"
        )
    } else {
        format!("code that UnitAI cannot see answered {tool}, which is neither mocked nor allowed")
    };
    Trouble::new("UnreachableToolError", message).expected(format!("each call of {tool} to reach its mock"))
}

/// Whether a call was made with every value that was asked for: perhaps by position, or with more of the agent's own.
fn has_values(made: &Packed, asked: &Packed) -> bool {
    let values = |args: &Packed| -> Vec<String> {
        args.fields().into_iter().flatten().map(|(_, value)| value.to_owned()).collect()
    };
    let made = values(made);
    values(asked).iter().all(|value| made.contains(value))
}

/// Whether a name is that of a tool with something before it, as in `shop__refund`.
fn is_in_namespace(name: &str, tool: &str) -> bool {
    // A single underscore is part of a name: `process_refund` may be code that calls `refund`.
    name.strip_suffix(tool)
        .is_some_and(|space| space.ends_with("__") || space.ends_with(['-', '.', '/', ':']))
}

/// What a test can do about a tool that is out of reach.
pub(super) fn ways_out(tool: &str, is_mocked: bool) -> String {
    let tool = plain(tool);
    let last = if is_mocked {
        format!(
            "if the agent's own code has refused the call: toolkit.allow_refusal(\"{tool}\"); or let the real one run, without \
             the mock: toolkit.allow(\"{tool}\")"
        )
    } else {
        format!("let the real one run: toolkit.allow(\"{tool}\")")
    };
    format!(
        "replace the real function: toolkit.patch(\"package.module.{tool}\", return_value=...), with name=\"{tool}\" where \
         its name is another; or hand the agent the tools of toolkit.as_dict(); or register an adapter for the agent's \
         framework; {last}"
    )
}

pub(super) fn shown_call(call: &RequestedCall) -> String {
    format!("{}({})", plain(&call.tool), arguments(&call.args, 80))
}
