//! Code: which names it uses, and which lines of a prose are code.

use std::sync::LazyLock;

use regex::Regex;

/// How strings and comments are written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Language {
    /// Python, and what has its comments: shells.
    Python,
    /// JavaScript and the languages with C's comments.
    C,
}

impl Language {
    /// The language of a fence; nothing where it is none that an agent runs.
    pub(super) fn named(name: &str) -> Option<Language> {
        match name.to_ascii_lowercase().as_str() {
            "py" | "python" | "python3" | "tool_code" | "tool_call" | "sh" | "bash" | "shell" => {
                Some(Language::Python)
            }
            "js" | "javascript" | "jsx" | "ts" | "typescript" | "tsx" => Some(Language::C),
            _ => None,
        }
    }
}

/// Whether code uses a tool, by calling it or by handing it on.
pub(super) fn uses(code: &str, language: Language, tool: &str) -> bool {
    let plain = without_strings(code, language);
    is_used(&plain, tool) || is_looked_up(code, &plain, tool)
}

/// Whether a prose has lines of code, or spans of it in backticks, that use a tool.
pub(super) fn has_statement(prose: &str, tool: &str) -> bool {
    let mut lines = prose.lines();
    while let Some(line) = lines.next() {
        let statement = line.trim_start().trim_start_matches(['-', '*', '•']).trim();
        let mut code = LIST.replace(statement, "").into_owned();
        if !is_code(&code) {
            if spans(line).any(|span| is_code(span) && uses(span, Language::Python, tool)) {
                return true;
            }
            continue;
        }
        // A call may go on for some lines.
        for _ in 0..MOST_LINES {
            if depth(&code) <= 0 {
                break;
            }
            let Some(next) = lines.next() else { break };
            code.push('\n');
            code.push_str(next);
        }
        if uses(&code, Language::Python, tool) {
            return true;
        }
    }
    false
}

/// A statement has so many lines at most.
const MOST_LINES: usize = 50;

static LIST: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\d+[.)]\s+"));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is well formed")
}

/// What stands in backticks in a line.
fn spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

fn depth(code: &str) -> i32 {
    let plain = without_strings(code, Language::Python);
    plain.chars().map(|letter| i32::from("([{".contains(letter)) - i32::from(")]}".contains(letter))).sum()
}

/// Whether a line is a statement, and no sentence: it calls or assigns, and no two words stand side by side.
fn is_code(line: &str) -> bool {
    static CALLS: LazyLock<Regex> = LazyLock::new(|| pattern(r"[\w\])]\("));
    static ASSIGNS: LazyLock<Regex> = LazyLock::new(|| pattern(r"[\w\])]\s*[-+*/|]?=(?:[^=]|$)"));
    // A word with an ending in brackets, as in refund(s).
    static ENDING: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"\w\((?:s|es|d|ed|er|ers|ing|able|ment|ments)\)"));
    static BLOCK: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"^(?:async\s+)?(?:for|while|if|elif|else|with|try|def|class)\b.*:"));
    static ANNOTATION: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\w+\s*:\s*[\w.\[\], |]+="));
    static TOKEN: LazyLock<Regex> = LazyLock::new(|| pattern(r#"["'`]+\x01*["'`]+|[\w$]+|\s+|."#));
    let plain = without_strings(line, Language::Python);
    let plain = plain.trim().trim_end_matches(';');
    if plain.is_empty()
        || plain.starts_with('|')
        || plain.ends_with(['.', '!', '?'])
        || ENDING.is_match(plain)
        || ["\"", "'"].iter().any(|quote| plain.matches(quote).count() % 2 == 1)
        || !(CALLS.is_match(plain) || ASSIGNS.is_match(plain))
    {
        return false;
    }
    let has_colons = BLOCK.is_match(plain) || ANNOTATION.is_match(plain) || plain.contains("lambda");
    let first = plain.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
    let is_statement = ASSIGNS.is_match(plain) || is_keyword(first) || plain.starts_with(['[', '(']);
    let (mut depth, mut before, mut has_blank) = (0_i32, "", false);
    for token in TOKEN.find_iter(plain).map(|token| token.as_str()) {
        if token.trim().is_empty() {
            has_blank = true;
            continue;
        }
        let is_word = is_word_or_string(token);
        // A string may have a prefix of two letters; a longer word before it has an apostrophe.
        let is_one = !has_blank && (before.len() <= 2 || is_keyword(before)) && !is_string(before);
        if is_word && is_word_or_string(before) && !is_one && !is_keyword(before) && !is_keyword(token) {
            return false;
        }
        // What is said of a call is prose: refund(order) if needed.
        if is_word && depth == 0 && before == ")" && !(is_statement && is_keyword(token)) {
            return false;
        }
        match token {
            "(" | "[" | "{" => {
                // A word with a remark in brackets.
                if token == "(" && has_blank && is_word_or_string(before) && !is_keyword(before) {
                    return false;
                }
                depth += 1;
            }
            ")" | "]" | "}" => depth -= 1,
            ":" if depth == 0 && !has_colons => return false,
            _ => {}
        }
        (before, has_blank) = (token, false);
    }
    true
}

fn is_word_or_string(token: &str) -> bool {
    is_string(token) || token.starts_with(|letter: char| letter.is_alphanumeric() || "_$".contains(letter))
}

fn is_string(token: &str) -> bool {
    token.len() > 1 && token.starts_with(['"', '\'', '`'])
}

fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "await"
            | "return"
            | "yield"
            | "for"
            | "in"
            | "if"
            | "elif"
            | "else"
            | "while"
            | "not"
            | "and"
            | "or"
            | "lambda"
            | "async"
            | "const"
            | "let"
            | "var"
            | "new"
            | "def"
            | "with"
            | "as"
            | "import"
            | "from"
            | "raise"
            | "assert"
    )
}

/// Whether code without strings uses a name.
fn is_used(plain: &str, tool: &str) -> bool {
    static DEFINES: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"\b(?:def|class|function|fn|func|const|let|var|global|nonlocal|del)\s+$"));
    let is_bound = is_bound(plain, tool);
    plain.match_indices(tool).any(|(at, _)| {
        let (before, after) = (&plain[..at], &plain[at + tool.len()..]);
        if before.ends_with(is_part_of_name) || after.starts_with(is_part_of_name) {
            return false;
        }
        // A definition is near, and the code may be long.
        let near = before.char_indices().rev().nth(20).map_or(before, |(at, _)| &before[at..]);
        if DEFINES.is_match(near) {
            return false;
        }
        let (is_attribute, rest) = (before.ends_with('.'), after.trim_start_matches([' ', '\t']));
        if rest.starts_with('(') {
            return true;
        }
        // Something that is given a value, a key, or a variable that has the tool's name.
        let is_given = rest.starts_with('=') && !rest.starts_with("==") || rest.starts_with(':');
        !is_attribute && !is_given && !is_bound
    })
}

fn is_part_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Whether code makes a variable of this name.
fn is_bound(plain: &str, tool: &str) -> bool {
    let tool = regex::escape(tool);
    let binds = format!(
        r"(?m)\bfor\s+(?:\w+\s*,\s*)*{tool}\b|^\s*{tool}\s*=[^=]|\blambda\s[^:\n]*\b{tool}\b\s*[,:=]|\bdef\s+\w+\([^)]*\b{tool}\b"
    );
    Regex::new(&binds).is_ok_and(|binds| binds.is_match(plain))
}

/// Whether code looks the tool up by its name, in a table or an object, to call it.
fn is_looked_up(code: &str, plain: &str, tool: &str) -> bool {
    let tool = regex::escape(tool);
    let looks_up = format!(
        r#"[\w\])]\[\s*["']{tool}["']\s*\]\s*\(|\bgetattr\([^()\n]*,\s*["']{tool}["']|\.get\(\s*["']{tool}["']\s*\)\s*\("#
    );
    let Ok(looks_up) = Regex::new(&looks_up) else { return false };
    // Not within a string or a comment.
    looks_up.find_iter(code).any(|found| plain.as_bytes()[found.start()] == code.as_bytes()[found.start()])
}

/// Stands in for each byte of a string.
const INSIDE: u8 = 1;

/// Code without the text of its strings and comments, byte for byte. What a format string computes stays.
fn without_strings(code: &str, language: Language) -> String {
    let bytes = code.as_bytes();
    let mut plain = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let is_comment = match language {
            Language::Python => rest[0] == b'#',
            Language::C => rest.starts_with(b"//"),
        };
        if is_comment {
            let end = line_end(bytes, at);
            fill(&mut plain[at..end], b' ');
            at = end;
        } else if rest.starts_with(b"/*") && language == Language::C {
            let end = find(bytes, at + 2, b"*/").map_or(bytes.len(), |end| end + 2);
            fill(&mut plain[at..end], b' ');
            at = end;
        } else if matches!(rest[0], b'"' | b'\'' | b'`') {
            at = empty_string(code, at, language, &mut plain);
        } else {
            at += 1;
        }
    }
    String::from_utf8(plain).unwrap_or_default()
}

/// Empties the string that begins here; gives the place after it.
fn empty_string(code: &str, start: usize, language: Language, plain: &mut [u8]) -> usize {
    let bytes = code.as_bytes();
    let quote = bytes[start];
    let width = if quote != b'`' && bytes[start..].starts_with(&[quote; 3]) { 3 } else { 1 };
    let closing = &[quote; 3][..width];
    let (is_template, is_format) = (quote == b'`' && language == Language::C, is_format(bytes, start));
    let spans_lines = width == 3 || is_template;
    let inside = start + width;
    let mut at = inside;
    while at < bytes.len() && !bytes[at..].starts_with(closing) {
        match bytes[at] {
            b'\n' if !spans_lines => break,
            b'\\' => {
                let end = (at + 2).min(bytes.len());
                fill(&mut plain[at..end], INSIDE);
                at = end;
            }
            b'{' if (is_format && bytes.get(at + 1) != Some(&b'{'))
                || (is_template && bytes[at - 1] == b'$') =>
            {
                let Some(end) = find(bytes, at, b"}") else { break };
                // What is computed is code, with strings of its own.
                let computed = without_strings(&code[at + 1..end], language);
                plain[at + 1..end].copy_from_slice(computed.as_bytes());
                at = end + 1;
            }
            b'{' if is_format => {
                fill(&mut plain[at..at + 2], INSIDE);
                at += 2;
            }
            _ => {
                fill(&mut plain[at..=at], INSIDE);
                at += 1;
            }
        }
    }
    if bytes[at.min(bytes.len())..].starts_with(closing) {
        return at + width;
    }
    // It is never closed, so it is none.
    plain[inside..at].copy_from_slice(&bytes[inside..at]);
    start + 1
}

/// Whether the string that begins here is Python's format string.
fn is_format(bytes: &[u8], start: usize) -> bool {
    let prefix = bytes[..start].iter().rev().take_while(|letter| letter.is_ascii_alphabetic()).count();
    prefix <= 2 && bytes[start - prefix..start].iter().any(|letter| matches!(letter, b'f' | b'F'))
}

fn fill(bytes: &mut [u8], with: u8) {
    bytes.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = with);
}

fn line_end(bytes: &[u8], from: usize) -> usize {
    bytes[from..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |length| from + length)
}

fn find(bytes: &[u8], from: usize, wanted: &[u8]) -> Option<usize> {
    bytes.get(from..)?.windows(wanted.len()).position(|window| window == wanted).map(|at| from + at)
}
