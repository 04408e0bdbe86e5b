//! JSON as YAML that people like to read: blocks, plain words, texts of several lines as they stand.

use serde_json::Value;

/// A mapping as a document.
///
/// Words that some parser reads as something else are quoted, so every parser reads what was given.
pub(super) fn document(entries: &[(String, Value)]) -> String {
    let mut text = String::new();
    mapping(&mut text, entries.iter().map(|(key, value)| (key, value)), 0);
    text
}

fn mapping<'a>(text: &mut String, entries: impl Iterator<Item = (&'a String, &'a Value)>, depth: usize) {
    for (key, value) in entries {
        indent(text, depth);
        entry(text, key, value, depth);
    }
}

fn entry(text: &mut String, key: &str, value: &Value, depth: usize) {
    text.push_str(&scalar(key));
    text.push(':');
    match value {
        // Lists stand as deep as their key, as most people write them.
        Value::Array(items) if !items.is_empty() => {
            text.push('\n');
            list(text, items, depth + 1);
        }
        Value::Object(entries) if !entries.is_empty() => {
            text.push('\n');
            mapping(text, in_order(entries).into_iter(), depth + 1);
        }
        value => {
            text.push(' ');
            leaf(text, value, depth + 1);
        }
    }
}

fn list(text: &mut String, items: &[Value], depth: usize) {
    for item in items {
        indent(text, depth);
        text.push_str("- ");
        match item {
            Value::Object(entries) if !entries.is_empty() => {
                // The first entry stands behind the dash, the others below it.
                for (at, (key, value)) in in_order(entries).into_iter().enumerate() {
                    if at > 0 {
                        indent(text, depth + 1);
                    }
                    entry(text, key, value, depth + 1);
                }
            }
            Value::Array(_) => {
                // JSON is YAML too, and lists in lists are rare.
                text.push_str(&item.to_string());
                text.push('\n');
            }
            item => leaf(text, item, depth + 1),
        }
    }
}

/// Entries in the order in which people write them; others behind, by name.
fn in_order(entries: &serde_json::Map<String, Value>) -> Vec<(&String, &Value)> {
    const ORDER: [&str; 19] = [
        "name",
        "description",
        "tags",
        "tool",
        "args",
        "when",
        "repeat",
        "retry",
        "retry_delay",
        "timeout",
        "check",
        "expect",
        "analyze",
        "save_as",
        "stop_early",
        "steps",
        "include",
        "pass_if",
        "fail_if",
    ];
    let rank = |key: &String| ORDER.iter().position(|known| known == key).unwrap_or(ORDER.len());
    let mut entries: Vec<_> = entries.iter().collect();
    entries.sort_by_key(|(key, _)| rank(key));
    entries
}

fn leaf(text: &mut String, value: &Value, depth: usize) {
    match value {
        Value::String(it) if is_block(it) => {
            text.push_str(if it.ends_with('\n') { "|\n" } else { "|-\n" });
            for line in it.lines() {
                if !line.is_empty() {
                    indent(text, depth);
                    text.push_str(line);
                }
                text.push('\n');
            }
        }
        Value::String(it) => {
            text.push_str(&scalar(it));
            text.push('\n');
        }
        other => {
            text.push_str(&other.to_string());
            text.push('\n');
        }
    }
}

fn indent(text: &mut String, depth: usize) {
    text.extend(std::iter::repeat_n("  ", depth));
}

/// Whether a text can stand as a block: its lines must mean themselves.
fn is_block(text: &str) -> bool {
    let is_plain =
        |it: char| it == '\n' || !(it.is_control() || matches!(it, '\u{2028}' | '\u{2029}' | '\u{feff}'));
    text.contains('\n')
        && text.chars().all(is_plain)
        && !text.starts_with([' ', '\n'])
        && !text.ends_with("\n\n")
        && text.lines().all(|line| !line.ends_with(' '))
}

/// A text on one line: plain if nobody can take it for anything else, quoted as in JSON if not.
fn scalar(text: &str) -> String {
    const WORDS: [&str; 11] = ["y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"];
    let is_safe =
        |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-' | '.' | '/' | ' ' | ',' | '(' | ')');
    let is_plain = text.starts_with(|it: char| it.is_ascii_alphabetic())
        && !text.ends_with(' ')
        && text.chars().all(is_safe)
        && !WORDS.contains(&text.to_ascii_lowercase().as_str());
    if is_plain { text.to_owned() } else { quoted(text) }
}

/// JSON's quotes, with everything escaped that YAML reads as the end of a line, or not at all.
fn quoted(text: &str) -> String {
    let json = Value::String(text.to_owned()).to_string();
    let is_odd = |it: char| {
        it.is_control() || matches!(it, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
    };
    let mut told = String::with_capacity(json.len());
    for it in json.chars() {
        if is_odd(it) {
            told.push_str(&format!("\\u{:04x}", u32::from(it)));
        } else {
            told.push(it);
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_test_reads_as_people_write_it() {
        let text = document(&[
            ("test".into(), json!({"name": "Login works", "tags": ["smoke", "no"], "timeout": 30})),
            (
                "steps".into(),
                json!([
                    {"tool": "http_get", "name": "Fetch", "args": {"url": "${env.BASE}/users", "headers": {}}},
                    {"expect": "first line\nsecond: line\n"},
                    "odd",
                    [1, 2]
                ]),
            ),
            ("verdict".into(), json!({"pass_if": "a\n\nb", "fail_if": "it's: broken # really"})),
        ]);
        let expected = r##"test:
  name: Login works
  tags:
    - smoke
    - "no"
  timeout: 30
steps:
  - name: Fetch
    tool: http_get
    args:
      headers: {}
      url: "${env.BASE}/users"
  - expect: |
      first line
      second: line
  - odd
  - [1,2]
verdict:
  pass_if: |-
    a

    b
  fail_if: "it's: broken # really"
"##;
        assert_eq!(text, expected);
    }

    #[test]
    fn what_could_be_read_as_something_else_is_quoted() {
        for text in [
            "",
            "yes",
            "No",
            "on",
            "1e3",
            "-",
            "~",
            "null",
            ".inf",
            "NaN",
            "a: b",
            "a #b",
            " a",
            "a ",
            "#",
            "2024-01-01",
        ] {
            assert!(scalar(text).starts_with('"'), "{text}");
        }
        for text in ["status_code", "GET /users", "a, b (c)"] {
            assert_eq!(scalar(text), text);
        }
        assert_eq!(scalar("a\u{85}b\u{7f}"), "\"a\\u0085b\\u007f\"");
        assert!(!is_block(" a\nb") && !is_block("a \nb") && !is_block("a\tb\nc") && !is_block("a\n\n"));
    }

    #[test]
    fn what_is_written_is_read_as_it_was_given() {
        let odd = "\t- a: [b]\r\n\"c\" \\ 'd' \u{1f600} \u{85}\u{2028} %&*!|>@`";
        for text in [odd, "line\nline", "line\nline\n", "a\n b\n\nc", "# no comment\nx", "---\nx", "...\nx"] {
            let document = document(&[("key".into(), json!({"inner": [{"name": text}, text]}))]);
            let read: Value = serde_saphyr::from_str(&document).unwrap();
            assert_eq!(read["key"]["inner"], json!([{"name": text}, text]), "{document}");
        }
    }
}
