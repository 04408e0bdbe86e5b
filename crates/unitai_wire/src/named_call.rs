//! Whether a text calls a tool: agents whose model writes code, or a protocol of its own, have no other tool calls.

use std::sync::LazyLock;

use regex::Regex;

/// Whether a text names a tool in a form that calls it: `refund(`, `Action: refund`, `"name": "refund"`,
/// `<function=refund>` and the like. A text that only mentions the tool does not.
///
/// ```
/// use unitai_wire::names_call;
/// assert!(names_call("```py\nrefund(order_id=\"123\")\n```", "refund"));
/// assert!(names_call("Thought: money back\nAction: refund\nAction Input: {}", "refund"));
/// assert!(!names_call("I will ask for a refund first.", "refund"));
/// ```
pub fn names_call(text: &str, tool: &str) -> bool {
    if tool.is_empty() {
        return false;
    }
    let is_part_of_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(tool).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + tool.len()..]);
        if before.ends_with(is_part_of_name) || after.starts_with(is_part_of_name) {
            return false;
        }
        // A definition of the same name, or a method of something else, calls no tool.
        let is_called = after.trim_start_matches([' ', '\t']).starts_with('(');
        let is_other = before.ends_with('.') || before.trim_end().ends_with("def");
        (is_called && !is_other) || introduces_call(before)
    })
}

/// Whether what stands before a name makes it the name of a tool that is to be called, in the protocols that agents
/// write into text.
fn introduces_call(before: &str) -> bool {
    static KEY: LazyLock<Regex> = LazyLock::new(|| {
        let key = r#"\b(?:action|tool|tool_name|function|name)["']?\s*[:=]\s*"#;
        let tag = r"<(?:tool_name|tool|name|function)>\s*";
        Regex::new(&format!(r#"(?i)(?:{key}|{tag})[`"'*]*$"#)).expect("the pattern is well formed")
    });
    // A key is near, and the text may be long.
    let near = before.char_indices().rev().nth(40).map_or(before, |(at, _)| &before[at..]);
    KEY.is_match(near)
}
