//! Secrets that a label announces: `Authorization: Bearer X`, `password=X`, `?api_key=X`, as people paste them.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memchr_iter;
use memchr::memmem::Finder;

use super::MARK;
use super::names;
use super::values::{is_path, is_secret};

/// Words that mean a password and nothing else: what follows need not look random.
const PASSWORDS: [&str; 5] = ["password", "passwd", "passphrase", "pwd", "passwort"];
/// So many digits behind such a word are a password.
const SHORTEST_PIN: usize = 6;
/// The longest name of a label.
const LONGEST_NAME: usize = 40;
/// So much of a value says whether it is a secret: a text can hold many labels, and none is read to its end for nothing.
const LONGEST_VALUE: usize = 512;

/// How a header is written that carries a token. To make a finder takes as long as to search a short text.
static SCHEMES: LazyLock<[Finder<'static>; 3]> =
    LazyLock::new(|| ["Bearer ", "bearer ", "Basic "].map(Finder::new));

/// Every part of a text that a label says is a secret.
pub(super) fn find(text: &[u8]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for at in memchr_iter(b'=', text) {
        if found.last().is_some_and(|last| at < last.end) {
            continue;
        }
        let Some(name) = name_before(text, at) else { continue };
        let value = value_at(text, at + 1);
        if text.get(value.end) == Some(&b'(') {
            // The name of a function that gives one.
            continue;
        }
        let is_hidden = match std::str::from_utf8(&text[value.clone()]) {
            Ok(_) if !names::is_secret(name) => false,
            Ok(word) if is_password(name) => {
                is_pin(word) || (is_secret(word) && !is_path(word) && !is_attribute(word))
            }
            Ok(word) => is_random(word),
            Err(_) => false,
        };
        found.extend(is_hidden.then(|| whole(text, value)));
    }
    for scheme in SCHEMES.iter() {
        for at in scheme.find_iter(text) {
            let value = value_at(text, at + scheme.needle().len());
            let is_token = std::str::from_utf8(&text[value.clone()]).is_ok_and(is_random);
            found.extend(is_token.then(|| whole(text, value)));
        }
    }
    found
}

/// The name that ends before a sign of equality: `OPENAI_API_KEY`, `api-key`, `'password'`.
fn name_before(text: &[u8], at: usize) -> Option<&str> {
    let before = text[..at].trim_ascii_end();
    // Between a name and its value there is at most one blank: `password = X`.
    let before = if at - before.len() > 1 { return None } else { before };
    let before = before.strip_suffix(b"\"").or(before.strip_suffix(b"'")).unwrap_or(before);
    let is_of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
    let length = before.iter().rev().take(LONGEST_NAME).take_while(is_of_name).count();
    let mut start = before.len() - length;
    // `\nAPI_KEY`: the letter belongs to the line end in front of the name.
    if start > 0
        && before[start - 1] == b'\\'
        && before.get(start).is_some_and(|byte| b"nrtbf".contains(byte))
    {
        start += 1;
    }
    std::str::from_utf8(&before[start..]).ok().filter(|name| !name.is_empty())
}

/// The word that begins here, perhaps after a blank or a quotation mark.
fn value_at(text: &[u8], at: usize) -> Range<usize> {
    let blank = usize::from(text.get(at) == Some(&b' '));
    let begin = (at + blank).min(text.len());
    // The mark may be escaped, in a document inside of a document more than once.
    let signs = text[begin..].iter().take_while(|byte| **byte == b'\\').count();
    let has_mark = text.get(begin + signs).is_some_and(|byte| b"\"'`".contains(byte));
    let start = if has_mark { begin + signs + 1 } else { begin };
    let rest = &text[start..text.len().min(start + LONGEST_VALUE)];
    let length = rest.iter().position(is_end).unwrap_or(rest.len());
    // A sentence may end behind it.
    let word = &text[start..start + length];
    start..start + word.len() - word.iter().rev().take_while(|byte| b".:!?".contains(byte)).count()
}

fn is_end(byte: &u8) -> bool {
    byte.is_ascii_whitespace() || b"\"'`&;,<>(){}[]|\\".contains(byte) || *byte < b' '
}

/// The value to its end, of which no more than the beginning was looked at.
fn whole(text: &[u8], value: Range<usize>) -> Range<usize> {
    if value.len() < LONGEST_VALUE {
        return value;
    }
    let rest = &text[value.end..];
    value.start..value.end + rest.iter().position(is_end).unwrap_or(rest.len())
}

/// `self.config.db_password`: where a program has it from.
fn is_attribute(word: &str) -> bool {
    let is_name =
        |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    word.contains('.') && word.split('.').all(is_name)
}

fn is_password(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    PASSWORDS.iter().any(|word| name.ends_with(word))
}

fn is_pin(word: &str) -> bool {
    word.len() >= SHORTEST_PIN && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a word is as mixed as keys are: names in a program, and words with a number behind them, are not.
fn is_random(word: &str) -> bool {
    let class = |byte: u8| match byte {
        b'a'..=b'z' => 1,
        b'A'..=b'Z' => 2,
        b'0'..=b'9' => 3,
        _ => 0,
    };
    let bytes = word.as_bytes();
    let changes = bytes.windows(2).filter(|pair| {
        let (one, two) = (class(pair[0]), class(pair[1]));
        one != two && one != 0 && two != 0
    });
    word != MARK && word.len() >= 16 && changes.count() * 5 >= word.len() && is_secret(word)
}
