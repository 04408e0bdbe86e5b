//! Protocols that agents write into text: `Action: refund`, `<function=refund>`, `<refund>...</refund>` and the like.

use regex::Regex;

/// Whether the text calls the tool by a protocol. Models write keys and names in any case.
pub(super) fn calls(text: &str, tool: &str) -> bool {
    let tool = regex::escape(tool);
    let patterns = [
        // A key at the beginning of a line, and nothing but the tool and its arguments after it.
        format!(
            r#"(?im)^[ \t>*_#•\d.)-]*(?:(?:next[ _])?action|tool|function)(?:[ _](?:name|call|to[ _]use))?(?:[ _]?\d+)?["'*_`]*[ \t]*[:=][ \t"'*_`]*{tool}(?:\(|["'*_`]*[ \t]*(?:\r?$|[\[{{|]))"#
        ),
        // Tags around the name, or with it as an attribute.
        format!(r"(?i)<(?:tool_name|tool|function_name|function|action|invoke)>\s*{tool}\s*(?:</|[({{])"),
        format!(r"(?i)<name>\s*{tool}\s*</name>\s*<(?:arg|param|input)"),
        format!(
            r#"(?i)<(?:tool_call|tool_use|tool|function_call|function|invoke|action|call)(?:=|[ \t][^<>]*?\bname[ \t]*=[ \t]*)["']?{tool}["']?[\s/>{{]"#
        ),
        // Tokens of models that call tools by themselves.
        format!(r"\[TOOL_CALLS\]\s*{tool}(?:\W|$)"),
        format!(r"(?:^|[\s=<>|])functions\.{tool}(?:\W|$)"),
        format!(r"<[|｜][^<>\s]{{1,40}}[|｜]>\s*{tool}\s*(?:$|[({{<\n`])"),
        // The tool as a tag of its own, that is empty; one with content is below.
        format!(r"(?i)<{tool}(?:\s[^<>]*)?/>"),
    ];
    patterns.iter().any(|pattern| holds(pattern, text)) || is_element(text, &tool)
}

/// Whether the tool is a tag that is opened and closed.
fn is_element(text: &str, tool: &str) -> bool {
    let Ok(opening) = Regex::new(&format!(r"(?i)<{tool}(?:\s[^<>]*)?>")) else { return false };
    opening.find(text).is_some_and(|found| holds(&format!(r"(?i)</{tool}\s*>"), &text[found.end()..]))
}

fn holds(pattern: &str, text: &str) -> bool {
    Regex::new(pattern).is_ok_and(|pattern| pattern.is_match(text))
}
