//! What no test can be blamed for: a provider that does not answer, or not to the end.

use unitai_model::{Action, ExchangeEnd, ModelCall, Trajectory};

/// What an HTTP status says about the provider; `None` where the request was wrong, or nothing was.
///
/// ```
/// use unitai_check::trials::status_trouble;
/// assert_eq!(status_trouble(503).as_deref(), Some("the provider failed (HTTP 503)"));
/// assert_eq!((status_trouble(400), status_trouble(401)), (None, None));
/// ```
pub fn status_trouble(status: u16) -> Option<String> {
    match status {
        429 => Some("the rate limit was reached (HTTP 429)".to_owned()),
        408 | 500..=599 => Some(format!("the provider failed (HTTP {status})")),
        _ => None,
    }
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
        ExchangeEnd::Failed { status: Some(200..=299), .. } => {
            Some("the model's answer could not be read".to_owned())
        }
        ExchangeEnd::Failed { status: Some(status), .. } => status_trouble(*status),
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
