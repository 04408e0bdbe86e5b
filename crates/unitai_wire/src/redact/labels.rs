//! Secrets that a label announces: `Authorization: Bearer X`, `password=X`, `?api_key=X`, as people paste them.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memchr_iter;
use memchr::memmem::Finder;

use super::MARK;
use super::common::common;
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
static SCHEMES: LazyLock<[Finder<'static>; 4]> =
    LazyLock::new(|| ["Bearer ", "bearer ", "BEARER ", "Basic "].map(Finder::new));
/// The header itself, in which any word may stand for the scheme: `Authorization: token X`.
static HEADERS: LazyLock<[Finder<'static>; 2]> =
    LazyLock::new(|| ["uthorization", "UTHORIZATION"].map(Finder::new));
/// The longest name of a scheme.
const LONGEST_SCHEME: usize = 20;

/// Every part of a text that a label says is a secret.
pub(super) fn find(text: &[u8]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for at in memchr_iter(b'=', text) {
        if found.last().is_some_and(|last| at < last.end) {
            continue;
        }
        let Some(name) = name_before(text, at) else { continue };
        found.extend(announced(text, name, value_at(text, at + 1), text.get(at + 1) == Some(&b' ')));
    }
    // The sign of equality in a query that is a value of another query.
    for at in memchr_iter(b'%', text)
        .filter(|at| text[*at..].starts_with(b"%3D") || text[*at..].starts_with(b"%3d"))
    {
        let Some(name) = name_before(text, at) else { continue };
        // `%26api_key`: two digits of the escape belong to the sign before the name.
        let name =
            if text[..at - name.len()].ends_with(b"%") { name.get(2..).unwrap_or_default() } else { name };
        let value = value_at(text, at + 3);
        let length = text[value.clone()].iter().position(|byte| *byte == b'%').unwrap_or(value.len());
        found.extend(announced(text, name, value.start..value.start + length, false));
    }
    for scheme in SCHEMES.iter() {
        for at in scheme.find_iter(text) {
            let value = value_at(text, at + scheme.needle().len());
            let is_token = std::str::from_utf8(&text[value.clone()]).is_ok_and(is_random);
            found.extend(is_token.then(|| whole(text, value)));
        }
    }
    for header in HEADERS.iter() {
        // `AggregationAuthorization` is another name.
        let is_word = |at: usize| at > 0 && !(at > 1 && text[at - 2].is_ascii_alphanumeric());
        for at in header.find_iter(text).filter(|at| is_word(*at)) {
            found.extend(in_header(text, at + header.needle().len()));
        }
    }
    found
}

/// The value that stands behind this name, if it is a secret.
fn announced(text: &[u8], name: &str, value: Range<usize>, is_spaced: bool) -> Option<Range<usize>> {
    if text.get(value.end) == Some(&b'(') {
        // The name of a function that gives one.
        return None;
    }
    let word = std::str::from_utf8(&text[value.clone()]).ok()?;
    if word.eq_ignore_ascii_case(name) {
        // A constant that holds its own name.
        return None;
    }
    let is_quoted = value.start > 0 && b"\"'`".contains(&text[value.start - 1]);
    if !is_quoted && is_program_name(word, is_spaced) {
        return None;
    }
    if is_password(name) {
        // By itself it is also what shells call the working directory.
        let is_folder = name.eq_ignore_ascii_case("pwd");
        let is_hidden = is_pin(word)
            || ((is_secret(word) || (is_passphrase(word) && !is_folder))
                && !is_path(word)
                && !is_attribute(word));
        // A sentence may end behind it, and a password may end so as well.
        let signs = text[value.end..].iter().take_while(|byte| b"!?".contains(byte)).count();
        return is_hidden.then(|| whole(text, value.start..value.end + signs));
    }
    let is_hidden = names::is_secret(name) && (is_random(word) || is_short_key(word));
    is_hidden.then(|| whole(text, value))
}

/// The token in a header whose name ends here: `Authorization: token X`, `"authorization": "X"`.
fn in_header(text: &[u8], at: usize) -> Option<Range<usize>> {
    let rest = &text[at..text.len().min(at + LONGEST_VALUE)];
    let is_quote = |byte: &u8| b"\"'`\\".contains(byte);
    let quotes = rest.iter().take_while(|byte| is_quote(byte)).count();
    let sign = at + quotes;
    if !matches!(text.get(sign), Some(b':' | b'=')) {
        return None;
    }
    let first = value_at(text, sign + 1);
    let is_token = |value: &Range<usize>| std::str::from_utf8(&text[value.clone()]).is_ok_and(is_random);
    if is_token(&first) {
        return Some(whole(text, first));
    }
    let is_scheme = (1..=LONGEST_SCHEME).contains(&first.len())
        && text[first.clone()].iter().all(u8::is_ascii_alphabetic)
        && text.get(first.end) == Some(&b' ');
    let second = value_at(text, first.end);
    (is_scheme && is_token(&second)).then(|| whole(text, second))
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

/// The name of what holds the value in a program: `FirstPartyAsyncMessagesAPI.count_tokens`, `index_url_user_password`. It
/// consists of words, and is written with blanks around the sign of equality, is an attribute, or is itself called a secret.
fn is_program_name(word: &str, is_spaced: bool) -> bool {
    is_name_of_words(word)
        && (word.contains(['.', ':']) || (word.contains('_') && (is_spaced || names::is_secret(word))))
}

/// Whether a word can be a name in a program, and consists of words. Parts of a path to it may have a number.
fn is_name_of_words(word: &str) -> bool {
    let parts: Vec<&str> = word.split("::").flat_map(|part| part.split('.')).collect();
    let most_digits = if parts.len() > 1 { MOST_DIGITS } else { 0 };
    let is_name = |part: &&str| {
        part.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && part.bytes().filter(u8::is_ascii_digit).count() <= most_digits
    };
    parts.iter().all(is_name) && is_of_words(word)
}

/// `win32api`
const MOST_DIGITS: usize = 2;

/// Whether most letters stand in words: of a random text, few small letters stand in a row.
fn is_of_words(name: &str) -> bool {
    let (mut letters, mut in_words) = (0, 0);
    for part in name.split(['_', '.', ':']) {
        letters += part.len();
        if part.bytes().all(|byte| byte.is_ascii_uppercase()) {
            in_words += part.len();
            continue;
        }
        // The capital before them belongs to the word, and more capitals are an abbreviation.
        for small in part.split(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit()) {
            in_words += if small.len() >= SHORTEST_WORD { small.len() + 1 } else { 0 };
        }
    }
    in_words * 3 >= letters * 2
}

/// So many small letters in a row are a word in a longer name.
const SHORTEST_WORD: usize = 3;

/// Words that people take for a password: `correct-horse-battery`. A name that speaks about one is none.
fn is_passphrase(word: &str) -> bool {
    let is_of_letters = word.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-');
    let own = common(word.as_bytes()).iter().filter(|common| !**common).count();
    is_of_letters
        && word.len() >= SHORTEST_PASSPHRASE
        && own >= LEAST_OF_ITS_OWN
        && !word.bytes().skip(1).any(|byte| byte.is_ascii_uppercase())
        && !names::is_secret(word)
}

/// Fewer letters than this are a word like any other,
const SHORTEST_PASSPHRASE: usize = 12;
/// and so are those that have fewer than this beside what everybody writes.
const LEAST_OF_ITS_OWN: usize = 6;

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
    word != MARK
        && word.len() >= 16
        && !is_name_of_words(word)
        && changes.count() * 5 >= word.len()
        && is_secret(word)
}

/// A key that is too short to be told from a name by chance, unless small letters, capitals and digits take turns in it.
fn is_short_key(word: &str) -> bool {
    let bytes = word.as_bytes();
    let has = |is: fn(&u8) -> bool| bytes.iter().any(is);
    let class = |byte: &u8| (byte.is_ascii_lowercase(), byte.is_ascii_uppercase(), byte.is_ascii_digit());
    let changes = bytes.windows(2).filter(|pair| class(&pair[0]) != class(&pair[1])).count();
    (12..16).contains(&word.len())
        && !bytes.windows(5).any(|row| row.iter().all(u8::is_ascii_lowercase))
        && bytes.iter().all(u8::is_ascii_alphanumeric)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_digit)
        && changes * 2 >= word.len()
        && is_secret(word)
}
