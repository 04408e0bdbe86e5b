//! Recorded values: in the notation of JSON, over several lines where one is too narrow. What JSON has no word for is
//! shown as Python writes it.

use unitai_model::value::quoted;
use unitai_model::{Packed, Value};

use super::cut::{Cut, block};
use super::write::Html;

/// Up to so many characters stay on one line.
const WIDTH: usize = 72;

/// A value as a block.
pub(super) fn value(html: &mut Html, packed: &Packed) {
    let value = packed.value();
    if let Value::Str(text) = &value
        && (text.contains('\n') || text.len() > WIDTH)
    {
        // What a model wrote is read as text, not as the notation of text.
        return block(html, text);
    }
    let mut cut = Cut::default();
    push(&mut cut, &value, 0);
    cut.write(html);
}

/// A value on one line, cut to about so many characters.
pub(super) fn short(packed: &Packed, limit: usize) -> String {
    let mut out = String::new();
    one_line(&mut out, &packed.value(), limit);
    super::cut::line(&out, limit)
}

fn push(cut: &mut Cut, value: &Value, depth: usize) {
    let narrow = {
        let mut out = String::new();
        let width = WIDTH.saturating_sub(depth * 2);
        one_line(&mut out, value, width);
        out.chars().count() <= width
    };
    match value {
        Value::Dict(entries) if !entries.is_empty() => {
            let items = entries.iter().map(|(key, value)| (Some(key), value));
            push_items(cut, "{", items, "}", narrow, depth);
        }
        Value::List(items) if !items.is_empty() => {
            push_items(cut, "[", items.iter().map(|item| (None, item)), "]", narrow, depth);
        }
        Value::Tuple(items) if !items.is_empty() => {
            push_items(cut, "(", items.iter().map(|item| (None, item)), ")", narrow, depth);
        }
        Value::Set(items) if !items.is_empty() => {
            push_items(cut, "{", items.iter().map(|item| (None, item)), "}", narrow, depth);
        }
        other => {
            let class = match other {
                Value::Str(_) | Value::Surrogates(_) | Value::Bytes(_) => "str",
                Value::Opaque(_) => "opaque",
                _ => "num",
            };
            cut.add(Some(class), &scalar(other, usize::MAX));
        }
    }
}

fn push_items<'a>(
    cut: &mut Cut,
    open: &str,
    items: impl Iterator<Item = (Option<&'a Value>, &'a Value)>,
    close: &str,
    narrow: bool,
    depth: usize,
) {
    let line = |depth: usize| format!("\n{}", "  ".repeat(depth));
    cut.add(None, open);
    for (n, (key, value)) in items.enumerate() {
        match (n > 0, narrow) {
            (true, true) => cut.add(None, ", "),
            (true, false) => cut.add(None, &format!(",{}", line(depth + 1))),
            (false, true) => {}
            (false, false) => cut.add(None, &line(depth + 1)),
        }
        if let Some(key) = key {
            cut.add(Some("key"), &scalar(key, usize::MAX));
            cut.add(None, ": ");
        }
        push(cut, value, depth + 1);
    }
    if !narrow {
        cut.add(None, &line(depth));
    }
    cut.add(None, close);
}

/// The value on one line. Stops soon after the limit.
fn one_line(out: &mut String, value: &Value, limit: usize) {
    if out.len() > limit.saturating_mul(4) {
        return;
    }
    let mut items = |open: &str, items: &mut dyn Iterator<Item = (Option<&Value>, &Value)>, close: &str| {
        out.push_str(open);
        for (n, (key, value)) in items.enumerate() {
            if n > 0 {
                out.push_str(", ");
            }
            if out.len() > limit.saturating_mul(4) {
                return;
            }
            if let Some(key) = key {
                out.push_str(&scalar(key, limit));
                out.push_str(": ");
            }
            one_line(out, value, limit);
        }
        out.push_str(close);
    };
    match value {
        Value::Dict(entries) => {
            items("{", &mut entries.iter().map(|(key, value)| (Some(key), value)), "}");
        }
        Value::List(list) => items("[", &mut list.iter().map(|item| (None, item)), "]"),
        Value::Tuple(list) => items("(", &mut list.iter().map(|item| (None, item)), ")"),
        Value::Set(list) if !list.is_empty() => items("{", &mut list.iter().map(|item| (None, item)), "}"),
        other => out.push_str(&scalar(other, limit)),
    }
}

/// What has no parts, or is shown as Python does.
fn scalar(value: &Value, limit: usize) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(true) => "true".to_owned(),
        Value::Bool(false) => "false".to_owned(),
        Value::Str(text) => {
            let end = text.char_indices().nth(limit.saturating_add(1)).map_or(text.len(), |(at, _)| at);
            quoted(&text[..end])
        }
        other => other.shown(limit.saturating_add(1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> String {
        let mut html = Html::default();
        value(&mut html, &Packed::from_text(text).unwrap());
        html.done()
    }

    fn bare(text: &str) -> String {
        let mut out = written(text);
        for tag in [
            "<span class=\"key\">",
            "<span class=\"str\">",
            "<span class=\"num\">",
            "<span class=\"opaque\">",
            "</span>",
        ] {
            out = out.replace(tag, "");
        }
        out.replace("&quot;", "\"")
    }

    #[test]
    fn what_fits_stays_on_a_line() {
        assert_eq!(
            bare(r#"{"id":"123","ok":true,"tags":[1,null]}"#),
            r#"<pre>{"id": "123", "ok": true, "tags": [1, null]}</pre>"#
        );
        assert_eq!(bare("[]"), "<pre>[]</pre>");
    }

    #[test]
    fn what_does_not_fit_has_a_line_for_each_part() {
        let long = "x".repeat(60);
        let html = bare(&format!(r#"{{"a":"{long}","b":{{"c":[1,2]}}}}"#));
        assert_eq!(html, format!("<pre>{{\n  \"a\": \"{long}\",\n  \"b\": {{\"c\": [1, 2]}}\n}}</pre>"));
    }

    #[test]
    fn a_long_text_is_read_as_text() {
        assert_eq!(written(r#""one\ntwo <b>""#), "<pre>one\ntwo &lt;b&gt;</pre>");
        assert_eq!(bare(r#""one""#), "<pre>\"one\"</pre>");
    }

    #[test]
    fn what_json_cannot_say_is_shown_as_python_does() {
        assert_eq!(bare(r#"{"$unitai":"tuple","items":[1,2]}"#), "<pre>(1, 2)</pre>");
        assert_eq!(
            bare(r#"{"$unitai":"object","type":"shop.Order","repr":"<Order 7>"}"#),
            "<pre>&lt;Order 7&gt;</pre>"
        );
    }

    #[test]
    fn a_short_form_is_short_whatever_it_is_of() {
        let huge = Value::List(vec![Value::Str("y".repeat(1_000_000)); 50]).pack();
        assert!(short(&huge, 60).chars().count() <= 64);
    }
}
