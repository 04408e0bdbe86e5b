//! Names with dots, as they are written.

use ruff_python_ast::Expr;
use ruff_text_size::Ranged;

/// `agent.memory.recall` of an expression that is a name and attributes of it, borrowed from the source; empty for
/// anything else, such as `make().recall`.
pub fn dotted<'a>(expr: &Expr, source: &'a str) -> &'a str {
    let mut at = expr;
    loop {
        match at {
            Expr::Name(_) => break,
            Expr::Attribute(attribute) => at = &attribute.value,
            _ => return "",
        }
    }
    let text = &source[expr.range()];
    // Written over several lines, or in brackets.
    if text.bytes().any(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | b'(' | b'\\' | b'#')) {
        return "";
    }
    text
}
