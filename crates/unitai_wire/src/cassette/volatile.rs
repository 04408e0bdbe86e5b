//! What differs from one time to the next and means nothing: ids, times, paths of temporary files.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

/// Something that is made equal before requests are compared. Nothing is, unless it is declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Volatile {
    /// UUIDs in any text.
    Uuid,
    /// Dates with a time of day in any text, as ISO 8601 and its relatives write them.
    Time,
    /// Paths of temporary files in any text.
    TempPath,
    /// The value of a field, by its path: `metadata.request_id`, `messages.*.id`.
    Field(Vec<String>),
}

impl Volatile {
    /// The one that a word means: `uuid`, `time`, `temp_path`, or the path of a field.
    ///
    /// ```
    /// use unitai_wire::cassette::Volatile;
    /// assert_eq!(Volatile::of_word("uuid"), Some(Volatile::Uuid));
    /// assert_eq!(Volatile::of_word("metadata.*"), Some(Volatile::Field(vec!["metadata".into(), "*".into()])));
    /// assert_eq!(Volatile::of_word("a..b"), None);
    /// ```
    pub fn of_word(word: &str) -> Option<Volatile> {
        Some(match word {
            "uuid" => Volatile::Uuid,
            "time" => Volatile::Time,
            "temp_path" => Volatile::TempPath,
            // What was most likely meant is one of the above, and no field has such a name.
            "uuids" | "times" | "datetime" | "temp_paths" | "tmp_path" | "temp" => return None,
            path => {
                let parts: Vec<String> = path.split('.').map(str::to_owned).collect();
                if parts.iter().any(String::is_empty) {
                    return None;
                }
                Volatile::Field(parts)
            }
        })
    }

    /// What would have to be declared for each pair of texts to be the same; `None` where that is not enough, or
    /// nothing. For the hint of a miss.
    pub(super) fn explaining(pairs: &[(&str, &str)]) -> Option<Vec<&'static str>> {
        let are_equal = |kinds: &[Volatile]| {
            let equal = |text: &str| Normaliser::new(kinds).text(text, "").unwrap_or_else(|| text.to_owned());
            pairs.iter().all(|(one, other)| equal(one) == equal(other))
        };
        let mut needed: Vec<Volatile> = KINDS.iter().map(|(_, kind, _)| kind.clone()).collect();
        if pairs.is_empty() || !are_equal(&needed) {
            return None;
        }
        for (_, kind, _) in &KINDS {
            let without: Vec<Volatile> = needed.iter().filter(|other| *other != kind).cloned().collect();
            if are_equal(&without) {
                needed = without;
            }
        }
        let words = KINDS.iter().filter(|(_, kind, _)| needed.contains(kind)).map(|(word, _, _)| *word);
        Some(words.collect()).filter(|words: &Vec<_>| !words.is_empty())
    }
}

/// What stands in texts, in the order in which it is made equal, whatever the order of the declaration: a path may
/// hold the others.
static KINDS: [(&str, Volatile, &LazyLock<Regex>); 3] = [
    ("temp_path", Volatile::TempPath, &TEMP_PATH),
    ("time", Volatile::Time, &TIME),
    ("uuid", Volatile::Uuid, &UUID),
];

static UUID: LazyLock<Regex> =
    // An underscore is a letter to `\b`, and many an id is `run_` and such a number.
    LazyLock::new(|| {
        pattern(r"(?i)(?:\b|_)(?<it>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})")
    });
static TIME: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]+)?)?(Z|[+-][0-9]{2}:?[0-9]{2})?",
    )
});
static TEMP_PATH: LazyLock<Regex> = LazyLock::new(|| {
    let temp = regex::escape(std::env::temp_dir().to_string_lossy().trim_end_matches(['/', '\\']));
    let rest = r#"[/\\][^\s"'<>|:;,)\]}]+"#;
    pattern(&format!(
        r"({temp}|/tmp|/var/tmp|(/private)?/var/folders|[A-Za-z]:\\+Users\\+[^\\\s]+\\+AppData\\+Local\\+Temp){rest}"
    ))
});

#[expect(clippy::expect_used, reason = "the patterns stand above, and a test compiles each")]
fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern of ours")
}

/// Makes equal what was declared volatile, and remembers what it did. The same id stays the same one: the
/// first is `{uuid 1}` wherever it stands, the next `{uuid 2}`.
pub(super) struct Normaliser<'a> {
    volatile: &'a [Volatile],
    met: Vec<(&'static str, String)>,
    done: Vec<String>,
}

impl<'a> Normaliser<'a> {
    pub(super) fn new(volatile: &'a [Volatile]) -> Normaliser<'a> {
        Normaliser { volatile, met: Vec::new(), done: Vec::new() }
    }

    /// What was done, and where.
    pub(super) fn done(self) -> Vec<String> {
        self.done
    }

    pub(super) fn visit(&mut self, body: &mut Value) {
        if !self.volatile.is_empty() {
            self.value(body, &mut Vec::new());
        }
    }

    fn value(&mut self, value: &mut Value, path: &mut Vec<String>) {
        let is_declared = self
            .volatile
            .iter()
            .any(|volatile| matches!(volatile, Volatile::Field(field) if fits(field, path)));
        if is_declared {
            *value = Value::from("{volatile}");
            self.done.push(format!("{}: declared", path.join(".")));
            return;
        }
        match value {
            Value::String(text) => {
                if let Some(equal) = self.text(text, &path.join(".")) {
                    *text = equal;
                }
            }
            Value::Array(items) => {
                for (at, item) in items.iter_mut().enumerate() {
                    path.push(at.to_string());
                    self.value(item, path);
                    path.pop();
                }
            }
            Value::Object(members) => {
                for (name, member) in members {
                    path.push(name.clone());
                    self.value(member, path);
                    path.pop();
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// The text made equal, where something volatile stands in it.
    pub(super) fn text(&mut self, text: &str, place: &str) -> Option<String> {
        let mut changed: Option<String> = None;
        for (kind, _, pattern) in KINDS.iter().filter(|(_, kind, _)| self.volatile.contains(kind)) {
            let current = changed.as_deref().unwrap_or(text);
            if !pattern.is_match(current) {
                continue;
            }
            let mut out = String::with_capacity(current.len());
            let mut end = 0;
            for found in pattern.captures_iter(current) {
                let Some(found) = found.name("it").or_else(|| found.get(0)) else { continue };
                out.push_str(&current[end..found.start()]);
                out.push_str(&format!("{{{kind} {}}}", self.number(kind, found.as_str())));
                end = found.end();
            }
            out.push_str(&current[end..]);
            self.done.push(format!("{place}: {kind}"));
            changed = Some(out);
        }
        changed
    }

    fn number(&mut self, kind: &'static str, found: &str) -> usize {
        let mut of_kind = self.met.iter().filter(|(other, _)| *other == kind);
        match of_kind.position(|(_, text)| text.eq_ignore_ascii_case(found)) {
            Some(at) => at + 1,
            None => {
                self.met.push((kind, found.to_owned()));
                self.met.iter().filter(|(other, _)| *other == kind).count()
            }
        }
    }
}

fn fits(field: &[String], path: &[String]) -> bool {
    field.len() == path.len() && field.iter().zip(path).all(|(want, have)| want == "*" || want == have)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equal(words: &[&str], text: &str) -> String {
        let volatile: Vec<Volatile> = words.iter().filter_map(|word| Volatile::of_word(word)).collect();
        Normaliser::new(&volatile).text(text, "").unwrap_or_else(|| text.to_owned())
    }

    #[test]
    fn one_id_stays_one_id() {
        let (a, b) = ("0b5e2cbe-6d2a-4a8a-9df5-3cf1d2a4c111", "1b5e2cbe-6d2a-4a8a-9df5-3cf1d2a4c112");
        let text = format!("{a} then {b} then {a}");
        assert_eq!(equal(&["uuid"], &text), "{uuid 1} then {uuid 2} then {uuid 1}");
        assert_ne!(equal(&["uuid"], &format!("{a} {b}")), equal(&["uuid"], &format!("{a} {a}")));
        assert_eq!(equal(&["uuid"], &format!("run_{a}_{b}_x {a}")), "run_{uuid 1}_{uuid 2}_x {uuid 1}");
    }

    #[test]
    fn the_order_of_the_declaration_means_nothing() {
        let text = "/tmp/job-0b5e2cbe-6d2a-4a8a-9df5-3cf1d2a4c111/tmpa1b2_ at 2026-11-15T10:11:12Z";
        for words in
            [["uuid", "temp_path", "time"], ["temp_path", "time", "uuid"], ["time", "uuid", "temp_path"]]
        {
            assert_eq!(equal(&words, text), "{temp_path 1} at {time 1}");
        }
    }

    #[test]
    fn a_hint_names_what_is_needed_and_no_more() {
        let (one, other) = ("0b5e2cbe-6d2a-4a8a-9df5-3cf1d2a4c111", "1b5e2cbe-6d2a-4a8a-9df5-3cf1d2a4c112");
        let (was, is) =
            (format!("{one} at 2026-11-15T10:11:12Z"), format!("{other} at 2026-11-15T10:11:13Z"));
        let file = ("in /tmp/a", "in /tmp/b");
        assert_eq!(Volatile::explaining(&[(one, other)]), Some(vec!["uuid"]));
        assert_eq!(Volatile::explaining(&[(&was, &is), file]), Some(vec!["temp_path", "time", "uuid"]));
        assert_eq!(Volatile::explaining(&[(&was, &is), ("red", "blue")]), None);
        assert_eq!(Volatile::explaining(&[]), None);
    }

    #[test]
    fn times_and_paths_are_found_in_running_text() {
        assert_eq!(
            equal(&["time"], "at 2026-11-15T10:11:12.5Z, or 2026-11-15 10:11."),
            "at {time 1}, or {time 2}."
        );
        assert_eq!(
            equal(&["temp_path"], "wrote /tmp/pytest-of-me/pytest-3/x0/out.txt!"),
            "wrote {temp_path 1}"
        );
        assert_eq!(equal(&["time", "uuid"], "order 2026-11-15 costs 12:30"), "order 2026-11-15 costs 12:30");
    }

    #[test]
    fn fields_are_found_by_path() {
        let mut body = serde_json::json!({"messages": [{"id": "a", "content": "x"}], "id": "stays"});
        let volatile = [Volatile::of_word("messages.*.id").unwrap()];
        let mut normaliser = Normaliser::new(&volatile);
        normaliser.visit(&mut body);
        assert_eq!(
            body,
            serde_json::json!({"messages": [{"id": "{volatile}", "content": "x"}], "id": "stays"})
        );
        assert_eq!(normaliser.done(), ["messages.0.id: declared"]);
    }
}
