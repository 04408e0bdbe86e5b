//! One step of a timeline.

use unitai_model::event::BrokenExpectation;
use unitai_model::value::{arguments, plain};
use unitai_model::{
    Action, Exchange, ExchangeEnd, Fault, ModelCall, Outcome, Source, StateChange, Step, ToolCall,
};

use super::cut::{block, line};
use super::place::Place;
use super::value::{short, value};
use super::words::duration;
use super::write::Html;
use crate::words::thousands;

/// A step. One that broke an expectation is open, and says what was expected.
pub(super) fn step(
    html: &mut Html,
    step: &Step,
    at: usize,
    began: f64,
    cited: &[&BrokenExpectation],
    place: Place,
) {
    let (kind, name) = match &step.action {
        Action::ToolCall(_) => ("tool", "Tool"),
        Action::ModelCall(_) => ("model", "Model"),
        Action::StateChange(_) => ("state", "State"),
    };
    html.raw("<li class=\"step ").raw(kind).raw(if cited.is_empty() { "" } else { " cited" });
    html.raw("\" id=\"").html(&place.step(at)).raw("\"><details");
    html.raw(if cited.is_empty() { ">" } else { " open>" });
    html.raw("<summary><span class=\"no\">")
        .count(at as u64 + 1)
        .raw("</span><span class=\"kind\">")
        .raw(name);
    html.raw("</span><span class=\"what\">");
    if let Some(agent) = &step.agent_id {
        html.span("agent", &plain(agent));
    }
    let whole = match &step.action {
        Action::ToolCall(call) => tool_line(html, call),
        Action::ModelCall(call) => model_line(html, call),
        Action::StateChange(change) => state_line(html, change),
    };
    if let Some(fault) = &step.fault {
        html.span("chip warn", &format!("fault: {}", line(&fault.text, 80)));
    }
    html.raw("</span><span class=\"when\">+").text(&duration((step.timestamp - began).max(0.0)));
    html.raw("</span></summary><div class=\"step-body\">");
    for broken in cited {
        expectation(html, broken);
    }
    match whole {
        Whole::Tool(call) => tool(html, call),
        Whole::Model(call) => model(html, call),
        Whole::State(change) => state(html, change),
    }
    if let Some(fault) = &step.fault {
        told_fault(html, fault);
    }
    html.raw("</div></details></li>");
}

/// What is shown when the step is opened.
enum Whole<'a> {
    Tool(&'a ToolCall),
    Model(&'a ModelCall),
    State(&'a StateChange),
}

fn expectation(html: &mut Html, broken: &BrokenExpectation) {
    html.raw("<dl class=\"verdict-note\">");
    html.fact("Expected", &line(&broken.expected, 400)).fact("Actual", &line(&broken.actual, 400));
    html.raw("</dl>");
}

fn tool_line<'a>(html: &mut Html, call: &'a ToolCall) -> Whole<'a> {
    html.raw("<code><b>").text(&plain(call.tool.as_str())).raw("</b>(");
    html.text(&line(&arguments(&call.args, 60), 160)).raw(")</code>");
    match &call.outcome {
        Outcome::Returned(result) => html.span("gives", &short(result, 120)),
        Outcome::Raised(error) => {
            html.span("gives bad", &format!("raised {}", line(&error.to_string(), 160)))
        }
        Outcome::Rejected(error) => {
            html.span("gives bad", &format!("rejected: {}", line(&error.to_string(), 160)))
        }
        Outcome::Unseen(_) => html.span("gives bad", "answered by code that UnitAI cannot see"),
        Outcome::Unfinished => html.span("gives bad", "did not end"),
    };
    Whole::Tool(call)
}

fn tool(html: &mut Html, call: &ToolCall) {
    part(html, "Arguments", |html| value(html, &call.args));
    match &call.outcome {
        Outcome::Returned(result) => part(html, "Result", |html| value(html, result)),
        Outcome::Unseen(result) => {
            part(html, "Result, as the model was given it", |html| value(html, result))
        }
        Outcome::Raised(error) | Outcome::Rejected(error) => part(html, "Raised", |html| {
            let mut text = format!("{}: {}", error.type_name(), error.message);
            if let Some(at) = &error.place {
                text.push_str(&format!("\n\nat {at}"));
            }
            block(html, &text);
        }),
        Outcome::Unfinished => {
            html.raw("<p class=\"bad\">The call was still under way when the run ended.</p>");
        }
    }
}

fn model_line<'a>(html: &mut Html, call: &'a ModelCall) -> Whole<'a> {
    html.raw("<code><b>").text(&plain(&call.model)).raw("</b></code>");
    if let Some(exchange) = &call.exchange {
        match &exchange.end {
            ExchangeEnd::Failed { status, message } => {
                let status = status.map_or_else(String::new, |status| format!(" {status}"));
                html.span("gives bad", &format!("failed{status}: {}", line(message, 120)));
            }
            ExchangeEnd::Unfinished => {
                html.span("gives bad", "did not end");
            }
            ExchangeEnd::Cut => {
                html.span("gives bad", "cut short");
            }
            ExchangeEnd::Answered { .. } => {}
        }
        html.raw("<span class=\"chip source\">").raw(source(exchange.source)).raw("</span>");
    }
    let about = if call.exchange.as_ref().is_some_and(|exchange| exchange.usage_is_estimated) {
        "about "
    } else {
        ""
    };
    if let Some(usage) = &call.usage {
        html.span("fact", &format!("{about}{} tokens", thousands(usage.total())));
    }
    if let Some(cost) = call.cost {
        html.span("fact", &cost.shown());
    }
    if let Some(latency) = call.exchange.as_ref().and_then(|exchange| exchange.latency) {
        html.span("fact", &duration(latency));
    }
    Whole::Model(call)
}

fn source(source: Source) -> &'static str {
    match source {
        Source::Live => "live",
        Source::Script => "scripted",
        Source::Replay => "replayed",
    }
}

fn model(html: &mut Html, call: &ModelCall) {
    html.raw("<dl class=\"grid\">");
    match &call.usage {
        Some(usage) => {
            html.fact("Prompt tokens", &thousands(usage.prompt_tokens()));
            html.fact("Completion tokens", &thousands(usage.completion_tokens()));
            for (name, count) in [
                ("Read from cache", usage.cache_read),
                ("Written to cache", usage.cache_write.saturating_add(usage.cache_write_long)),
                ("Reasoning", usage.reasoning),
            ] {
                if count > 0 {
                    html.fact(name, &thousands(count));
                }
            }
        }
        None => {
            html.fact("Tokens", "unknown");
        }
    }
    html.fact("Cost", &call.cost.map_or_else(|| "unknown".to_owned(), |cost| cost.shown()));
    if let Some(exchange) = &call.exchange {
        wire(html, exchange);
    }
    html.raw("</dl>");
    if let Some(ExchangeEnd::Failed { message, .. }) = call.exchange.as_ref().map(|exchange| &exchange.end) {
        part(html, "What was said", |html| block(html, message));
    }
    if let Some(usage) = call.exchange.as_ref().and_then(|exchange| exchange.raw_usage.as_ref()) {
        part(html, "Usage, as the provider wrote it", |html| value(html, usage));
    }
}

fn wire(html: &mut Html, exchange: &Exchange) {
    html.fact(
        "Answered by",
        match exchange.source {
            Source::Live => "the provider",
            Source::Script => "a script",
            Source::Replay => "a recording",
        },
    );
    for (name, seconds) in [
        ("Latency", exchange.latency),
        ("First token after", exchange.time_to_first_token),
        ("When recorded", exchange.recorded_latency),
    ] {
        if let Some(seconds) = seconds {
            html.fact(name, &duration(seconds));
        }
    }
    match &exchange.end {
        ExchangeEnd::Answered { finish_reason: Some(reason) } => html.fact("Finish reason", reason),
        ExchangeEnd::Answered { finish_reason: None } => html,
        ExchangeEnd::Cut => html.fact("Ended", "cut short"),
        ExchangeEnd::Unfinished => html.fact("Ended", "still under way when the run ended"),
        ExchangeEnd::Failed { status: Some(status), .. } => html.fact("Status", &status.to_string()),
        ExchangeEnd::Failed { status: None, .. } => html.fact("Ended", "no answer"),
    };
    html.fact("Dialect", &exchange.dialect);
    html.fact("Streamed", if exchange.streamed { "yes" } else { "no" });
    html.fact("Request", &line(&exchange.request_digest, 20));
}

fn state_line<'a>(html: &mut Html, change: &'a StateChange) -> Whole<'a> {
    html.raw("<code><b>")
        .text(&plain(&change.key))
        .raw("</b> ")
        .text(&short(&change.old_value, 60))
        .raw("</code>");
    html.span("gives", &short(&change.new_value, 60));
    Whole::State(change)
}

fn state(html: &mut Html, change: &StateChange) {
    part(html, "Before", |html| value(html, &change.old_value));
    part(html, "After", |html| value(html, &change.new_value));
}

fn told_fault(html: &mut Html, fault: &Fault) {
    html.raw("<dl class=\"grid\">");
    html.fact("Fault", fault.kind.word())
        .fact("What it did", &fault.text)
        .fact("Seed", &fault.seed.to_string());
    html.raw("</dl>");
    if let Some(instead) = &fault.instead_of {
        part(html, "What the tool returned, before the fault", |html| value(html, instead));
    }
}

/// A part of a step, with its name.
fn part(html: &mut Html, name: &'static str, content: impl FnOnce(&mut Html)) {
    html.raw("<div class=\"part\"><h3>").raw(name).raw("</h3>");
    content(html);
    html.raw("</div>");
}
