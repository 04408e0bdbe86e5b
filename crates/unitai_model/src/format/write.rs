//! Writing version 1. By hand, because stored values are already JSON text and only need copying;
//! a test holds it to the schema and to the reader.

use crate::value::text::{push_float, push_int, push_items, push_str};
use crate::{Action, Ending, Failure, GivenTotals, ModelCall, Outcome, Step, Trajectory};

pub(super) fn document(trajectory: &Trajectory, out: &mut String) {
    out.reserve(256 + trajectory.steps.iter().map(room).sum::<usize>());
    out.push_str("{\"format\":\"unitai.trajectory\",\"version\":");
    push_int(out, super::VERSION as i64);
    out.push_str(",\"run_id\":");
    push_str(out, &trajectory.run_id);
    out.push_str(",\"input\":");
    out.push_str(trajectory.input.text());
    out.push_str(",\"started_at\":");
    push_float(out, trajectory.started_at);
    out.push_str(",\"duration_seconds\":");
    push_float(out, trajectory.duration_seconds);
    totals(out, &trajectory.totals);
    out.push_str(",\"steps\":");
    push_items(out, &trajectory.steps, step);
    match &trajectory.ending {
        Ending::Returned(output) => {
            out.push_str(",\"final_output\":");
            out.push_str(output.text());
        }
        Ending::Raised(error) => {
            out.push_str(",\"error\":");
            failure(out, error);
        }
    }
    out.push('}');
}

fn totals(out: &mut String, totals: &GivenTotals) {
    if let Some(tokens) = totals.tokens {
        count(out, "total_tokens", tokens);
    }
    if let Some(cost) = totals.cost {
        out.push_str(",\"total_cost\":\"");
        out.push_str(&cost.to_string());
        out.push('"');
    }
    if let Some(calls) = totals.llm_calls {
        count(out, "llm_calls", calls as u64);
    }
}

/// About how long a step becomes, so that the text is allocated once.
fn room(step: &Step) -> usize {
    let fault = if step.fault.is_some() { 96 } else { 0 };
    96 + fault
        + match &step.action {
            Action::ToolCall(call) => {
                let outcome = match &call.outcome {
                    Outcome::Returned(result) | Outcome::Unseen(result) => 16 + result.text().len(),
                    Outcome::Raised(error) | Outcome::Rejected(error) => 80 + error.message.len(),
                    Outcome::Unfinished => 0,
                };
                call.tool.as_str().len() + call.args.text().len() + outcome
            }
            Action::ModelCall(call) => {
                if call.exchange.is_some() {
                    512
                } else {
                    96
                }
            }
            Action::StateChange(change) => change.old_value.text().len() + change.new_value.text().len() + 32,
        }
}

fn step(out: &mut String, step: &Step) {
    out.push_str("{\"step_type\":\"");
    out.push_str(step.action.step_type());
    out.push_str("\",\"timestamp\":");
    push_float(out, step.timestamp);
    if let Some(agent) = &step.agent_id {
        out.push_str(",\"agent_id\":");
        push_str(out, agent);
    }
    if let Some(fault) = &step.fault {
        out.push_str(",\"fault\":");
        super::fault::write(out, fault);
    }
    match &step.action {
        Action::ToolCall(call) => {
            out.push_str(",\"tool_name\":");
            push_str(out, call.tool.as_str());
            out.push_str(",\"tool_args\":");
            out.push_str(call.args.text());
            if let Some(result) = call.outcome.result() {
                out.push_str(",\"tool_result\":");
                out.push_str(result.text());
            }
            if let Some(error) = call.outcome.failure() {
                out.push_str(",\"tool_error\":");
                failure(out, error);
            }
            match &call.outcome {
                Outcome::Rejected(_) => out.push_str(",\"rejected\":true"),
                Outcome::Unseen(_) => out.push_str(",\"unseen\":true"),
                Outcome::Unfinished | Outcome::Returned(_) | Outcome::Raised(_) => {}
            }
        }
        Action::ModelCall(call) => model_call(out, call),
        Action::StateChange(change) => {
            out.push_str(",\"key\":");
            push_str(out, &change.key);
            out.push_str(",\"old_value\":");
            out.push_str(change.old_value.text());
            out.push_str(",\"new_value\":");
            out.push_str(change.new_value.text());
        }
    }
    out.push('}');
}

fn model_call(out: &mut String, call: &ModelCall) {
    out.push_str(",\"model\":");
    push_str(out, &call.model);
    if let Some(usage) = &call.usage {
        count(out, "prompt_tokens", usage.prompt_tokens());
        count(out, "completion_tokens", usage.output);
        for (name, tokens) in [
            ("cache_read_tokens", usage.cache_read),
            ("cache_write_tokens", usage.cache_write),
            ("cache_write_long_tokens", usage.cache_write_long),
            ("reasoning_tokens", usage.reasoning),
        ] {
            if tokens > 0 {
                count(out, name, tokens);
            }
        }
    }
    if let Some(cost) = call.cost {
        out.push_str(",\"cost\":\"");
        out.push_str(&cost.to_string());
        out.push('"');
    }
    if let Some(exchange) = &call.exchange {
        out.push_str(",\"exchange\":");
        super::exchange::write(out, exchange);
    }
}

fn count(out: &mut String, name: &str, tokens: u64) {
    out.push_str(",\"");
    out.push_str(name);
    out.push_str("\":");
    out.push_str(itoa::Buffer::new().format(tokens));
}

fn failure(out: &mut String, failure: &Failure) {
    out.push_str("{\"type\":");
    push_str(out, failure.type_name());
    if !failure.bases().is_empty() {
        out.push_str(",\"bases\":");
        push_items(out, failure.bases(), |out, base| push_str(out, base));
    }
    out.push_str(",\"message\":");
    push_str(out, &failure.message);
    if let Some(place) = &failure.place {
        out.push_str(",\"place\":");
        push_str(out, place);
    }
    out.push('}');
}
