//! Keys of Azure, which carry their signature in the middle: behind so many random characters, and before a checksum.
//!
//! The forms are those that Microsoft documents for its identifiable keys, and for the common annotated security keys that
//! follow them.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

/// One form: what stands before the signature, by length and alphabet, the signatures, and what follows them.
struct Form {
    length: usize,
    is_of_alphabet: fn(&u8) -> bool,
    signatures: &'static [&'static str],
    rest: &'static str,
}

const FORMS: [Form; 6] = [
    Form {
        length: 52,
        is_of_alphabet: u8::is_ascii_alphanumeric,
        signatures: &["JQQJ9"],
        rest: r"[9DH][A-Za-z0-9][A-L][A-Za-z0-9]{16}[A-Za-z][A-Za-z0-9]{7}(?:[A-Za-z0-9]{2}==)?",
    },
    // Storage, Batch, Cosmos DB, API Management.
    Form {
        length: 76,
        is_of_alphabet: is_base64,
        signatures: &["+ASt", "+ABa", "ACDb", "APIM"],
        rest: r"[A-Za-z0-9+/]{5}[AQgw](?:==|%3[Dd]%3[Dd])",
    },
    // IoT, Event Grid, Service Bus, Event Hubs, Relay, Cache for Redis.
    Form {
        length: 33,
        is_of_alphabet: is_base64,
        signatures: &["AIoT", "AZEG", "+ASb", "+AEh", "+ARm", "AzCa"],
        rest: r"[A-P][A-Za-z0-9+/]{5}(?:=|%3[Dd])",
    },
    // Functions.
    Form {
        length: 44,
        is_of_alphabet: |byte| byte.is_ascii_alphanumeric() || b"-_".contains(byte),
        signatures: &["AzFu"],
        rest: r"[A-Za-z0-9_-]{5}[AQgw](?:==|%3[Dd]%3[Dd])",
    },
    // AI Search.
    Form {
        length: 42,
        is_of_alphabet: u8::is_ascii_alphanumeric,
        signatures: &["AzSe"],
        rest: "[A-D][A-Za-z0-9]{5}",
    },
    // Container Registry.
    Form { length: 42, is_of_alphabet: is_base64, signatures: &["+ACR"], rest: "[A-D][A-Za-z0-9+/]{5}" },
];

/// The shortest one, without its padding.
pub(super) const SHORTEST: usize = 43;

fn is_base64(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/".contains(byte)
}

struct Patterns {
    any: Regex,
    /// A signature and what follows it, for each form.
    each: Vec<Regex>,
}

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| {
    let alternatives = |form: &Form| {
        let signatures: Vec<String> = form.signatures.iter().map(|it| regex::escape(it)).collect();
        signatures.join("|")
    };
    let built =
        |pattern: String| Regex::new(&pattern).expect("the patterns are constants, and tests match them");
    let any: Vec<String> = FORMS.iter().map(alternatives).collect();
    Patterns {
        any: built(format!("(?-u:{})", any.join("|"))),
        each: FORMS
            .iter()
            .map(|form| built(format!("^(?-u:(?:{}){})", alternatives(form), form.rest)))
            .collect(),
    }
});

/// Every key whose signature is in this part of the text. What stands around a key is no more of its alphabet; before it,
/// `is_word_before` tells a letter from the end of an escape.
pub(super) fn find(
    text: &[u8],
    run: &Range<usize>,
    is_word_before: impl Fn(usize) -> bool,
) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = run.start;
    while let Some(signature) = PATTERNS.any.find(&text[at..run.end]).map(|it| at + it.start()) {
        at = signature + 1;
        let key = FORMS.iter().zip(&PATTERNS.each).find_map(|(form, pattern)| {
            let start = signature.checked_sub(form.length)?;
            let rest = pattern.find(&text[signature..text.len().min(signature + LONGEST_REST)])?;
            let end = signature + rest.end();
            let is_whole = !text.get(end).is_some_and(|next| is_base64(next) || *next == b'=')
                && !is_word_before(start)
                && text[start..signature].iter().all(form.is_of_alphabet);
            is_whole.then_some(start..end)
        });
        if let Some(key) = key {
            at = key.end.min(run.end);
            found.push(key);
        }
    }
    found
}

/// A signature and what follows it are shorter.
const LONGEST_REST: usize = 64;
