//! What no test can be blamed for: a provider that does not answer, or not to the end.

use unitai_model::{Action, ExchangeEnd, ModelCall, Trajectory};

/// Whether an HTTP status says that the provider could not, and not that the request was wrong.
///
/// ```
/// use unitai_check::trials::is_infrastructure;
/// assert!(is_infrastructure(429) && is_infrastructure(503));
/// assert!(!is_infrastructure(400) && !is_infrastructure(401));
/// ```
pub fn is_infrastructure(status: u16) -> bool {
    matches!(status, 408 | 429 | 500..=599)
}

/// Why the last word of the model is none: the call failed, was cut, or said nothing. What the agent got over, and
/// what the test asked to go wrong, is not meant.
pub fn lost_answer(trajectory: &Trajectory) -> Option<String> {
    let last = trajectory.steps().iter().rev().find_map(|step| match &step.action {
        Action::ModelCall(call) => Some((step, call)),
        _ => None,
    });
    let (step, call) = last?;
    if step.fault.is_some() {
        return None;
    }
    match &call.exchange.as_ref()?.end {
        ExchangeEnd::Failed { status: Some(429), .. } => {
            Some("the rate limit was reached (HTTP 429)".to_owned())
        }
        ExchangeEnd::Failed { status: Some(200..=299), .. } => {
            Some("the model's answer could not be read".to_owned())
        }
        ExchangeEnd::Failed { status: Some(status), .. } => {
            is_infrastructure(*status).then(|| format!("the provider failed (HTTP {status})"))
        }
        ExchangeEnd::Failed { status: None, .. } => Some("no answer came from the model".to_owned()),
        ExchangeEnd::Cut => Some("the model's answer was cut".to_owned()),
        ExchangeEnd::Answered { finish_reason } => unfinished(finish_reason.as_deref(), call),
        // The run ended first, by itself or at its deadline.
        ExchangeEnd::Unfinished => None,
    }
}

fn unfinished(finish_reason: Option<&str>, call: &ModelCall) -> Option<String> {
    if finish_reason.is_some_and(is_truncation) {
        return Some("the model's answer ended at its limit of tokens".to_owned());
    }
    let is_empty = call.usage.is_some_and(|usage| usage.output == 0);
    is_empty.then(|| "the model's answer was empty".to_owned())
}

/// Each dialect has its own word for it.
fn is_truncation(finish_reason: &str) -> bool {
    ["length", "max_tokens", "max_output_tokens", "model_length"]
        .iter()
        .any(|word| finish_reason.eq_ignore_ascii_case(word))
}
