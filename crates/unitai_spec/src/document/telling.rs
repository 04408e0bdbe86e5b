//! Words of messages: what was found, in the terms of somebody who wrote the file.

use unitai_model::value::{Value, plain};

use super::yaml::{Kind, Node};

/// Text from the file, on one line and not too long.
pub(super) fn clipped(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => plain(&text[..at]) + "…",
        None => plain(text),
    }
}

/// What stands there.
pub(super) fn found(node: &Node) -> String {
    let Kind::Scalar { value, written } = &node.kind else {
        return match &node.kind {
            Kind::List(_) => "a list".to_owned(),
            _ => "a mapping".to_owned(),
        };
    };
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(it) if written == if *it { "true" } else { "false" } => {
            format!("the boolean `{written}`")
        }
        Value::Bool(it) => format!("`{written}`, which YAML reads as {it}"),
        Value::Str(text) => format!("the text `{}`", clipped(text)),
        _ => format!("the number `{}`", clipped(written)),
    }
}

/// What makes a text of what stands there; empty if quotes would not.
pub(super) fn quote_it(node: &Node) -> String {
    match &node.kind {
        Kind::Scalar { value: Value::Null, .. } => "write a text, or leave the key out".to_owned(),
        Kind::Scalar { written, .. } => format!("quote it: \"{}\"", clipped(written)),
        Kind::List(_) => "make one text of it; `|` begins one of several lines".to_owned(),
        Kind::Map(_) => "if it is a text with `: ` in it, quote it".to_owned(),
    }
}

/// Names in a row: `a`, `b` or `c`.
pub(super) fn one_of(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [name] => format!("`{name}`"),
        [names @ .., last] => {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            format!("{} or `{last}`", names.join(", "))
        }
    }
}
