//! Whether a text is meant as a test, or as a file that tests include. A folder of tests may hold data files too, and a test with a slip in it must not
//! be taken for one of them: so this looks at the keys at the top alone, and the rest may be broken.

/// Whether some document of the text has two of `test`, `steps` and `verdict` at its top. `include` may stand for `steps`.
///
/// ```
/// use unitai_spec::document::looks_like_test;
/// assert!(looks_like_test("test: {name: a}\nsteps: [\nverdict: checks\n"));
/// assert!(looks_like_test("test: {name: a}\nsteps: []\nverdct: checks\n"));
/// assert!(!looks_like_test("users:\n  - test: 1\n"));
/// ```
pub fn looks_like_test(text: &str) -> bool {
    top_keys(text).any(|keys| is_test(&keys))
}

/// Whether the text has keys at its top, and none but those of a file that tests include.
///
/// ```
/// use unitai_spec::document::looks_like_included;
/// assert!(looks_like_included("vars: {user: eve}\nsteps: []\n"));
/// assert!(looks_like_included("teardown: []\n"));
/// assert!(!looks_like_included("vars: {user: eve}\npassword: 1\n"));
/// assert!(!looks_like_included("root:x:0:0:root:/root:/bin/sh\n"));
/// ```
pub fn looks_like_included(text: &str) -> bool {
    let mut keys = top_keys(text).flatten().peekable();
    keys.peek().is_some() && keys.all(|key| super::keys::INCLUDED.contains(&key))
}

/// The keys at the top of each document.
fn top_keys(text: &str) -> impl Iterator<Item = Vec<&str>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    documents(text).map(|document| {
        if document.trim_start().starts_with('{') { inside(document) } else { at_margin(document) }
    })
}

/// A file that has two of the three is a test that lacks the third, and must not vanish for it.
fn is_test(keys: &[&str]) -> bool {
    let has = |wanted: &str| keys.contains(&wanted);
    [has("test"), has("steps") || has("include"), has("verdict")].into_iter().filter(|it| *it).count() >= 2
}

/// The text between lines of `---`.
fn documents(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            if line.trim_end() == "---" || line.starts_with("--- ") {
                let (before, after) = (&text[..at], &text[at + 3..]);
                rest = Some(after);
                return Some(before);
            }
            at += line.len();
        }
        rest = None;
        Some(text)
    })
}

/// Keys of block style: where the first key begins, the others do too.
fn at_margin(document: &str) -> Vec<&str> {
    let is_content =
        |line: &&str| !line.trim_start().is_empty() && !line.trim_start().starts_with(['#', '%']);
    let Some(first) = document.lines().find(is_content) else { return vec![] };
    let margin = first.len() - first.trim_start_matches(' ').len();
    let keys = document.lines().filter_map(|line| {
        let rest = line.get(margin..)?;
        let is_margin = line[..margin].trim_start().is_empty() && !rest.starts_with([' ', '-', '#']);
        let (key, after) = rest.split_once(':')?;
        let is_key = after.is_empty() || after.starts_with([' ', '\t', '\r']);
        (is_margin && is_key).then(|| key.trim().trim_matches(['"', '\'']))
    });
    keys.collect()
}

/// Keys of flow style, as in JSON: what stands before a colon between the first pair of braces.
fn inside(document: &str) -> Vec<&str> {
    let (mut keys, mut depth, mut quote, mut from) = (vec![], 0usize, None, 0);
    let mut escaped = false;
    for (at, c) in document.char_indices() {
        if let Some(mark) = quote {
            match c {
                _ if escaped => escaped = false,
                '\\' if mark == '"' => escaped = true,
                c if c == mark => quote = None,
                _ => {}
            }
            continue;
        }
        match c {
            '"' | '\'' if document[from..at].trim().is_empty() => quote = Some(c),
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            ':' if depth == 1 => keys.push(document[from..at].trim().trim_matches(['"', '\''])),
            _ => {}
        }
        if matches!(c, '{' | '[' | '}' | ']' | ',' | ':') {
            from = at + 1;
        }
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::looks_like_test;

    #[test]
    fn a_test_is_known_by_its_keys_however_it_is_written() {
        for text in [
            "test:\n  name: a\nsteps: []\nverdict: checks\n",
            "\u{feff}# hello\r\ntest:\r\nsteps:\r\nverdict:\r\n",
            "  test:\n    name: a\n  steps: []\n  verdict: checks\n",
            "\"test\": {}\n'steps': []\nverdict : checks\n",
            "users: 1\n---\ntest: {}\nsteps: []\nverdict: checks\n",
            "--- # a test\ntest: {}\nsteps: []\nverdict: checks\n",
            r#"{"test": {"name": "a:{"}, "steps": [{"tool": "x\""}], "verdict": "checks"}"#,
            "{test: {name: 'it''s'}, steps: [], verdict: checks}",
            "test: {}\ninclude: a.yaml\nverdict: checks\n",
            "test: {}\nstep: []\nverdict: checks\n",
            "test: {name: a}\nsteps: []\n",
            "steps: []\nverdict: checks\n",
            "test: {name: a: b}\n\tsteps: [}\nsteps: \"\nverdict: x\n",
            "%YAML 1.1\n---\ntest: a\nsteps: b\nverdict: c\n",
        ] {
            assert!(looks_like_test(text), "{text}");
        }
    }

    #[test]
    fn data_is_no_test() {
        for text in [
            "",
            "---",
            "- test\n- steps\n- verdict\n",
            "test: a\n---\nsteps: b\n---\nverdict: c\n",
            "a:\n  test: 1\n  steps: 2\n  verdict: 3\n",
            "# test:\n# steps:\n# verdict:\n",
            r#"{"a": {"test": 1, "steps": 2, "verdict": 3}}"#,
            "test:a\nsteps:b\nverdict:c\n",
            "text: |\n  test: a\n  steps: b\n  verdict: c\n",
            "{",
            "é: 1\n  é: 2",
        ] {
            assert!(!looks_like_test(text), "{text}");
        }
    }
}
