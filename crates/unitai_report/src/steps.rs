//! The steps of a trajectory as numbered lines.

use unitai_model::value::{arguments, plain};
use unitai_model::{Action, ExchangeEnd, ModelCall, Outcome, Step, Trajectory};

use crate::Style;

/// Up to so many steps are shown in full.
const ALL_UP_TO: usize = 20;
/// Of a longer trajectory: so many at the start and at the end,
const EDGE: usize = 3;
/// and so many on either side of a cited step.
const AROUND: usize = 2;
/// No more cited steps than this pull their surroundings in.
const MAX_CITED: usize = 12;

/// The steps as lines, the cited ones marked. A long trajectory keeps its ends and what lies
/// around the cited steps; what is left out is counted.
pub fn trajectory_lines(trajectory: &Trajectory, cites: &[usize], style: Style) -> Vec<String> {
    let steps = trajectory.steps();
    if steps.is_empty() {
        return vec!["    (no steps)".to_owned()];
    }
    let width = steps.len().to_string().len();
    // Where one agent does everything, its name on every line says nothing.
    let mut agents = steps.iter().filter_map(|step| step.agent_id.as_deref());
    let first = agents.next();
    let is_team = agents.any(|agent| Some(agent) != first);
    let mut lines = Vec::new();
    let mut left_out = 0;
    for (at, step) in steps.iter().enumerate() {
        if !is_shown(at, steps.len(), cites) {
            left_out += 1;
            continue;
        }
        lines.extend(elision(&mut left_out, width, style));
        let line = format!("{:>width$}. {}", at + 1, line(step, is_team));
        lines.push(if cites.contains(&at) {
            style.offending(&format!("  > {line}"))
        } else {
            format!("    {line}")
        });
    }
    lines.extend(elision(&mut left_out, width, style));
    lines
}

fn is_shown(at: usize, len: usize, cites: &[usize]) -> bool {
    len <= ALL_UP_TO
        || at < EDGE
        || at + EDGE >= len
        || cites.iter().take(MAX_CITED).any(|cited| at.abs_diff(*cited) <= AROUND)
}

fn elision(left_out: &mut usize, width: usize, style: Style) -> Option<String> {
    let n = std::mem::take(left_out);
    let steps = if n == 1 { "step" } else { "steps" };
    (n > 0).then(|| style.faint(&format!("    {:>width$}  ({n} {steps} not shown)", "...")))
}

/// One step on one line: `[tool_call] lookup_order(order_id="123")`.
pub fn step_line(step: &Step) -> String {
    line(step, true)
}

fn line(step: &Step, names_agent: bool) -> String {
    let agent = step.agent_id.as_ref().filter(|_| names_agent);
    let who = agent.map_or_else(String::new, |agent| format!("{}: ", plain(agent)));
    let kind = step.action.step_type();
    let what = match &step.action {
        Action::ToolCall(call) => {
            let after = match &call.outcome {
                Outcome::Returned(_) => String::new(),
                Outcome::Raised(error) => format!(" raised {}", cut(&plain(&error.to_string()), 120)),
                Outcome::Rejected(error) => {
                    format!(" was rejected: {}", cut(&plain(&error.to_string()), 120))
                }
                Outcome::Unseen(_) => " was answered by code that UnitAI cannot see".to_owned(),
                Outcome::Unfinished => " did not end".to_owned(),
            };
            format!("{}({}){after}", plain(call.tool.as_str()), cut(&arguments(&call.args, 60), 160))
        }
        Action::ModelCall(call) => model_call(call),
        Action::StateChange(change) => format!(
            "{}: {} -> {}",
            plain(&change.key),
            change.old_value.value().shown(60),
            change.new_value.value().shown(60)
        ),
    };
    let fault =
        step.fault.as_ref().map_or_else(String::new, |fault| format!(" (fault: {})", plain(&fault.text)));
    format!("[{kind}] {who}{what}{fault}")
}

/// `gpt-4o (847 tokens, $0.003)`, and how it ended if not with an answer.
fn model_call(call: &ModelCall) -> String {
    let model = plain(&call.model);
    let end = call.exchange.as_ref().map(|exchange| &exchange.end);
    match end {
        Some(ExchangeEnd::Failed { status, message }) => {
            let status = status.map_or_else(String::new, |status| format!(" {status}"));
            return format!("{model} failed{status}: {}", cut(&plain(message), 120));
        }
        Some(ExchangeEnd::Unfinished) => return format!("{model} did not end"),
        Some(ExchangeEnd::Cut | ExchangeEnd::Answered { .. }) | None => {}
    }
    let estimated = if call.exchange.as_ref().is_some_and(|exchange| exchange.usage_is_estimated) {
        "about "
    } else {
        ""
    };
    let tokens = call
        .usage
        .map_or_else(|| "tokens unknown".to_owned(), |usage| format!("{estimated}{} tokens", usage.total()));
    let unknown = if call.usage.is_some() { "unpriced" } else { "cost unknown" };
    let cost = call.cost.map_or_else(|| unknown.to_owned(), |cost| cost.shown());
    let was_cut = if matches!(end, Some(ExchangeEnd::Cut)) { " cut short" } else { "" };
    format!("{model} ({tokens}, {cost}){was_cut}")
}

fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
