//! Whether a text calls a tool: agents whose model writes code, or a protocol of its own, have no other tool calls.
//!
//! A text is prose with pieces of code in it. In code, a mention of the tool is a call, as `f = refund; f("1")` calls it,
//! too. In prose, only what stands like a call is one; and protocols of agents are known by their keys and tags.

mod code;
mod json;
mod protocol;
mod regions;

use regions::{Region, regions};

/// Whether a text names a tool in a form that calls it: `refund(order_id="1")` as a statement, any use of `refund` in
/// code, `Action: refund`, `{"name": "refund", "arguments": {}}`, `<function=refund>` and the like. A text that only
/// mentions the tool does not.
///
/// ```
/// use unitai_wire::names_call;
/// assert!(names_call("```py\nmap(refund, [\"123\"])\n```", "refund"));
/// assert!(names_call("Thought: money back\nAction: refund\nAction Input: {}", "refund"));
/// assert!(!names_call("Your refund (order 123) is on its way.", "refund"));
/// ```
pub fn names_call(text: &str, tool: &str) -> bool {
    if tool.is_empty() || !mentions(text, tool) {
        return false;
    }
    let in_region = |region: Region<'_>| match region {
        Region::Code { text, language } => code::uses(text, language, tool),
        Region::Prose(text) => code::has_statement(text, tool),
    };
    regions(text).into_iter().any(in_region) || protocol::calls(text, tool) || json::calls(text, tool)
}

/// Whether the name occurs at all, in any case: most texts are done with here.
fn mentions(text: &str, tool: &str) -> bool {
    text.contains(tool) || text.to_lowercase().contains(&tool.to_lowercase())
}
