//! Whether a line that is no Python was once Python 2.

/// What of Python 2 a line has, if anything.
pub(crate) fn looks_like_python2(line: &str) -> Option<&'static str> {
    let line = line.trim();
    let word = |word: &str| {
        line.strip_prefix(word).is_some_and(|rest| {
            rest.starts_with([' ', '"', '\''])
                && !matches!(rest.trim_start().chars().next(), None | Some('=' | '(' | '.' | ',' | ':'))
        })
    };
    if word("print") || line.starts_with("print >>") || line == "print" {
        return Some("a `print` without brackets");
    }
    if word("exec") {
        return Some("an `exec` without brackets");
    }
    if line.starts_with("except ") && line.ends_with(':') && line.contains(", ") && !line.contains(" as ") {
        return Some("`except Error, name`");
    }
    if line.starts_with("raise ") && line.contains(", ") {
        return Some("`raise Error, text`");
    }
    if line.contains(" <> ") {
        return Some("`<>`");
    }
    if line.contains('`') {
        return Some("backticks");
    }
    if line.contains(" ur'") || line.contains(" ur\"") || line.contains("(ur'") || line.contains("(ur\"") {
        return Some("`ur` before a text");
    }
    if has_old_octal(line) {
        return Some("an octal number without `0o`");
    }
    None
}

/// `0777`, and `10L`, which only Python 2 takes.
fn has_old_octal(line: &str) -> bool {
    line.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '.').any(|part| {
        let digits = part.trim_end_matches(['l', 'L']);
        !digits.is_empty()
            && digits.bytes().all(|byte| byte.is_ascii_digit())
            && (digits.len() < part.len()
                || (digits.len() > 1 && digits.starts_with('0') && !digits.trim_matches('0').is_empty()))
    })
}
