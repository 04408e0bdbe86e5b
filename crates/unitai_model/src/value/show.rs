//! Values and foreign text made fit for a person's eyes.
//!
//! Text of a model or a tool may hold terminal escapes, bidirectional overrides or line breaks.
//! Everything that is shown goes through [`plain`] or [`quoted`], which spell such characters out.

use super::{Packed, Value};

/// Foreign text on one line, with every control and direction character spelled out.
///
/// ```
/// assert_eq!(unitai_model::value::plain("a\u{1b}[31m\n"), "a\\x1b[31m\\n");
/// ```
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|c| push_plain(&mut out, c));
    out
}

/// As [`plain`], but line breaks stay: for text that is ours and only carries foreign parts.
pub fn plain_lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|c| if c == '\n' { out.push(c) } else { push_plain(&mut out, c) });
    out
}

/// A traceback as it may be printed to a log: line breaks, tabs and colours stay, every other control character is spelled
/// out. GitHub runs `::command::` where a line begins with it, and takes a carriage return for the end of a line, so
/// neither a message nor a part of it can begin a line so.
///
/// ```
/// use unitai_model::value::log_lines;
///
/// assert_eq!(log_lines("E  lost\r::warning::x"), "E  lost\\r::warning::x");
/// assert_eq!(log_lines("lost\n  ::warning::x"), "lost\n  \\x3a:warning::x");
/// assert_eq!(log_lines("lost ##[error]x"), "lost ##\\x5berror]x");
/// assert_eq!(log_lines("\u{1b}[31mred\u{1b}[0m \u{1b}[2J\n\tmore"), "\u{1b}[31mred\u{1b}[0m \\x1b[2J\n\tmore");
/// ```
pub fn log_lines(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(log_line).collect();
    lines.join("\n")
}

fn log_line(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        if let Some(length) = colour_length(rest) {
            out.push_str(&rest[..length]);
            rest = &rest[length..];
            continue;
        }
        if c == '\t' {
            out.push(c)
        } else {
            push_plain(&mut out, c)
        }
        rest = &rest[c.len_utf8()..];
    }
    let begin = out.len() - out.trim_start().len();
    if out[begin..].starts_with("::") {
        out.replace_range(begin..=begin, "\\x3a");
    }
    out
}

/// The length of the sequence that sets a colour at the beginning of a text.
fn colour_length(text: &str) -> Option<usize> {
    let digits = text.strip_prefix("\u{1b}[")?;
    let end = digits.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    digits[end..].starts_with('m').then_some("\u{1b}[".len() + end + 1)
}

/// Foreign text in double quotes.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c => push_plain(&mut out, c),
        }
    }
    out.push('"');
    out
}

fn push_plain(out: &mut String, c: char) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c if c.is_control() && (c as u32) < 0x100 => out.push_str(&format!("\\x{:02x}", c as u32)),
        // GitHub runs `##[command]` anywhere in a line.
        '[' if out.ends_with("##") => out.push_str("\\x5b"),
        c if is_treacherous(c) => out.push_str(&format!("\\u{:04x}", c as u32)),
        c => out.push(c),
    }
}

/// Characters that reorder, hide or break a line without being seen.
fn is_treacherous(c: char) -> bool {
    matches!(c,
        '\u{061c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// A value in the notation of Python, with double quotes, cut to about `limit` characters.
pub(super) fn shown(value: &Value, limit: usize) -> String {
    let mut out = String::new();
    push_shown(&mut out, value, limit);
    if out.chars().count() > limit {
        out = out.chars().take(limit.saturating_sub(1)).collect();
        out.push('…');
    }
    out
}

impl Value {
    /// The value in the notation of Python, with double quotes, cut to about `limit` characters.
    ///
    /// ```
    /// use unitai_model::Packed;
    /// let value = Packed::from_text(r#"{"id":"123","ok":true}"#).unwrap().value();
    /// assert_eq!(value.shown(100), r#"{"id": "123", "ok": True}"#);
    /// assert_eq!(value.shown(8), r#"{"id": …"#);
    /// ```
    pub fn shown(&self, limit: usize) -> String {
        shown(self, limit)
    }
}

/// Arguments as written in a call: `order_id="123", amount=5`, each value cut to about `limit`.
///
/// ```
/// use unitai_model::{Packed, value::arguments};
/// let args = Packed::from_text(r#"{"order_id":"123"}"#).unwrap();
/// assert_eq!(arguments(&args, 80), r#"order_id="123""#);
/// ```
pub fn arguments(args: &Packed, limit: usize) -> String {
    let Value::Dict(entries) = args.value() else { return args.value().shown(limit) };
    let shown = entries.iter().map(|(key, value)| match key {
        Value::Str(key) => format!("{}={}", plain(key), value.shown(limit)),
        other => format!("{}: {}", other.shown(limit), value.shown(limit)),
    });
    shown.collect::<Vec<_>>().join(", ")
}

fn push_shown(out: &mut String, value: &Value, limit: usize) {
    // Once past the limit the rest is cut anyway: a 10 MB argument costs no 10 MB of text.
    if out.len() > limit.saturating_mul(4) {
        return;
    }
    match value {
        Value::Null => out.push_str("None"),
        Value::Bool(true) => out.push_str("True"),
        Value::Bool(false) => out.push_str("False"),
        Value::Int(value) => out.push_str(&value.to_string()),
        Value::BigInt(hex) => match hex.strip_prefix('-') {
            Some(digits) => out.push_str(&format!("-0x{digits}")),
            None => out.push_str(&format!("0x{hex}")),
        },
        Value::Float(value) if value.is_nan() => out.push_str("nan"),
        Value::Float(value) if value.is_infinite() => out.push_str(if *value > 0.0 { "inf" } else { "-inf" }),
        Value::Float(value) => out.push_str(ryu::Buffer::new().format_finite(*value)),
        Value::Str(text) => out.push_str(&quoted(clip(text, limit))),
        Value::Surrogates(points) => {
            out.push('"');
            for point in points.iter().take(limit) {
                match char::from_u32(*point) {
                    Some(c) => push_plain(out, c),
                    None => out.push_str(&format!("\\u{point:04x}")),
                }
            }
            out.push('"');
        }
        Value::Bytes(bytes) => {
            out.push_str("b\"");
            for byte in bytes.iter().take(limit) {
                match byte {
                    b' '..=b'~' if *byte != b'"' && *byte != b'\\' => out.push(char::from(*byte)),
                    byte => out.push_str(&format!("\\x{byte:02x}")),
                }
            }
            out.push('"');
        }
        Value::List(items) => push_sequence(out, "[", items, "]", limit),
        Value::Tuple(items) if items.len() == 1 => push_sequence(out, "(", items, ",)", limit),
        Value::Tuple(items) => push_sequence(out, "(", items, ")", limit),
        Value::Set(items) if items.is_empty() => out.push_str("set()"),
        Value::Set(items) => push_sequence(out, "{", items, "}", limit),
        Value::FrozenSet(items) => push_sequence(out, "frozenset({", items, "})", limit),
        Value::Dict(entries) => {
            out.push('{');
            for (n, (key, value)) in entries.iter().enumerate() {
                if n > 0 {
                    out.push_str(", ");
                }
                push_shown(out, key, limit);
                out.push_str(": ");
                push_shown(out, value, limit);
            }
            out.push('}');
        }
        Value::Opaque(opaque) => out.push_str(&plain(clip(&opaque.repr, limit))),
    }
}

fn push_sequence(out: &mut String, open: &str, items: &[Value], close: &str, limit: usize) {
    out.push_str(open);
    for (n, item) in items.iter().enumerate() {
        if n > 0 {
            out.push_str(", ");
        }
        push_shown(out, item, limit);
    }
    out.push_str(close);
}

fn clip(text: &str, limit: usize) -> &str {
    text.char_indices().nth(limit).map_or(text, |(end, _)| &text[..end])
}
