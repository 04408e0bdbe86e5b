//! What `unitai serve` says: values as a shell reads them, and the summary.

use crate::say::counted;
use std::path::Path;

use unitai_model::{Action, Source, Trajectory};

/// A value as a shell reads it.
pub(super) fn shell(value: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/:.,_-".contains(&byte);
    if value.bytes().all(is_plain) { value.to_owned() } else { format!("'{}'", value.replace('\'', r"'\''")) }
}

/// What went through the gateway, in one line.
pub(super) fn summary(trajectory: &Trajectory, file: Option<&Path>) -> String {
    let calls = trajectory.steps().iter().filter_map(|step| match &step.action {
        Action::ModelCall(call) => Some(call),
        _ => None,
    });
    let (mut all, mut replayed) = (0, 0);
    for call in calls {
        all += 1;
        replayed +=
            usize::from(call.exchange.as_ref().is_some_and(|exchange| exchange.source == Source::Replay));
    }
    let tokens =
        trajectory.total_tokens().map_or_else(|why| why.to_string(), |tokens| counted(tokens, "token"));
    let cost = trajectory.total_cost().map_or_else(|why| why.to_string(), |cost| cost.shown());
    let tools = counted(trajectory.tool_calls().count() as u64, "tool call");
    let mut text = format!("{} ({replayed} replayed), {tools}, {tokens}, {cost}", counted(all, "model call"));
    if let Some(file) = file {
        text.push_str(&format!("; trajectory in {}", file.display()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_means_itself_to_a_shell() {
        assert_eq!(shell("http://127.0.0.1:1/a/openai/v1"), "http://127.0.0.1:1/a/openai/v1");
        assert_eq!(shell("*.corp, 'x'"), r"'*.corp, '\''x'\'''");
    }
}
