//! Secrets that nobody named, known by their form: `ghp_...`, `AKIA...`, a private key.

use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use memchr::memmem::{self, Finder};
use regex::bytes::Regex;

use super::MARK;
use super::azure;
use super::common::common;
use super::ordinary::is_placeholder;

/// One form of secret.
struct Shape {
    kind: &'static str,
    /// How it begins.
    starts: &'static [&'static str],
    /// All of it, from its start. The only group is what must be hidden, if that is not everything.
    pattern: &'static str,
}

const fn shape(kind: &'static str, starts: &'static [&'static str], pattern: &'static str) -> Shape {
    Shape { kind, starts, pattern }
}

/// Each asks for as many characters as real keys have, so that prose is left alone. The first one that fits
/// is it.
const SHAPES: [Shape; 40] = [
    shape("an Anthropic key", &["sk-ant-"], r"sk-ant-[a-z]{3,5}\d\d-[A-Za-z0-9_-]{24,}"),
    shape("an OpenRouter key", &["sk-or-v1-"], r"sk-or-v1-[0-9a-f]{40,}"),
    shape(
        "an OpenAI key",
        &["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"],
        r"sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}",
    ),
    shape("an OpenAI key", &["sk-"], r"sk-[A-Za-z0-9]{20,}"),
    shape("a Langfuse key", &["sk-lf-"], r"sk-lf-[0-9a-f-]{36}"),
    shape("a Google key", &["AIza"], r"AIza[A-Za-z0-9_-]{35}"),
    shape("a Google token", &["ya29."], r"ya29\.[A-Za-z0-9_-]{30,}"),
    shape("a Google client secret", &["GOCSPX-"], r"GOCSPX-[A-Za-z0-9_-]{28}"),
    shape("an AWS key", &["AKIA", "ASIA"], r"(?:AKIA|ASIA)[A-Z2-7]{16}"),
    shape("an AWS Bedrock key", &["ABSK"], r"ABSK[A-Za-z0-9+/]{60,}={0,2}"),
    shape("a GitHub token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], r"gh[pousr]_[A-Za-z0-9]{36,}"),
    shape("a GitHub token", &["github_pat_"], r"github_pat_[A-Za-z0-9_]{40,}"),
    shape(
        "a GitLab token",
        &["glpat-", "glrt-", "gldt-", "glcbt-", "glptt-"],
        r"gl(?:pat|rt|dt|cbt|ptt)-[A-Za-z0-9_-]{20,}",
    ),
    shape("a Slack token", &["xox"], r"xox[abeoprs]-[A-Za-z0-9.-]{20,}"),
    shape("a Slack token", &["xapp-"], r"xapp-\d-[A-Za-z0-9-]{40,}"),
    shape(
        "a Slack webhook",
        &["hooks.slack.com/"],
        r"hooks\.slack\.com/services/(T[A-Z0-9]{6,}/B[A-Z0-9]{6,}/[A-Za-z0-9]{16,})",
    ),
    shape("a Stripe key", &["sk_", "rk_"], r"[sr]k_(?:live|test|prod)_[A-Za-z0-9]{16,}"),
    shape("a webhook secret", &["whsec_"], r"whsec_[A-Za-z0-9+/=]{24,}"),
    shape("a Hugging Face token", &["hf_"], r"hf_[A-Za-z]{34}"),
    shape("a Groq key", &["gsk_"], r"gsk_[A-Za-z0-9]{40,}"),
    shape("a Replicate token", &["r8_"], r"r8_[A-Za-z0-9]{37}"),
    shape("an xAI key", &["xai-"], r"xai-[A-Za-z0-9]{40,}"),
    shape("a Perplexity key", &["pplx-"], r"pplx-[A-Za-z0-9]{40,}"),
    shape("a Cerebras key", &["csk-"], r"csk-[a-z0-9]{40,}"),
    shape("a Fireworks key", &["fw_"], r"fw_[A-Za-z0-9]{22,24}"),
    shape("an NVIDIA key", &["nvapi-"], r"nvapi-[A-Za-z0-9_-]{60,}"),
    shape("a Tavily key", &["tvly-"], r"tvly-(?:dev-|prod-)?[A-Za-z0-9]{28,}"),
    shape("a LangSmith key", &["lsv2_"], r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),
    shape("a Databricks token", &["dapi"], r"dapi[0-9a-f]{32}"),
    shape("a SendGrid key", &["SG."], r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    shape(
        "a Twilio key",
        &[
            "SK0", "SK1", "SK2", "SK3", "SK4", "SK5", "SK6", "SK7", "SK8", "SK9", "SKa", "SKb", "SKc", "SKd",
            "SKe", "SKf",
        ],
        r"SK[0-9a-f]{32}",
    ),
    shape("an npm token", &["npm_"], r"npm_[A-Za-z0-9]{36}"),
    shape("a PyPI token", &["pypi-"], r"pypi-[A-Za-z0-9_-]{50,}"),
    shape("a DigitalOcean token", &["doo_v1_", "dop_v1_", "dor_v1_"], r"do[opr]_v1_[0-9a-f]{64}"),
    shape("a Telegram token", &[":AA"], r":(AA[A-Za-z0-9_-]{33})"),
    shape(
        "a Shopify token",
        &["shpat_", "shpca_", "shppa_", "shpss_"],
        r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}",
    ),
    shape(
        "an Azure key",
        &["AccountKey=", "SharedAccessKey="],
        r"(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{43,86}={1,2})",
    ),
    shape(
        "a JSON web token",
        &["eyJ"],
        r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]{10,})?",
    ),
    shape(
        "a private key",
        &["-----BEGIN "],
        concat!(
            r"-----BEGIN (?:[A-Z]{2,9} ){0,3}PRIVATE KEY(?: BLOCK)?-----",
            r"((?:[A-Za-z0-9+/=\r\n\t\\,]|:[ ]?|-[A-Za-z0-9]|[ ]{1,4}[A-Za-z0-9+/]{16,}){40,})",
        ),
    ),
    shape(
        "a password in a URL",
        &["://"],
        r#"://[^\s/:@"'<>\\?#]{0,64}:([^\s/:@"'<>\\]{3,256})@[A-Za-z0-9\[]"#,
    ),
];

/// An account of Telegram has at least so many digits.
const SHORTEST_ACCOUNT: usize = 6;

/// A secret that was found by its form.
pub(super) struct Found {
    pub(super) kind: &'static str,
    pub(super) range: Range<usize>,
}

/// Every part of a text that has the form of a secret, in order and apart from each other.
pub(super) fn find(text: &[u8]) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    let runs = long_runs(text);
    let blocks = blocks(&runs);
    for (number, run) in runs.iter().enumerate() {
        if run.len() >= azure::SHORTEST {
            let keys = azure::find(text, run, |start| is_word_before(text, start));
            let real = keys.into_iter().filter(|range| is_real(text, range, range.start));
            found.extend(real.map(|range| Found { kind: "an Azure key", range }));
        }
        let (first, length) = blocks[number];
        // In data, what stands before a line is the end of the line before.
        let ends_data = |at: usize| {
            let is_begin = at == run.start || (at == run.start + 1 && text[..run.start].ends_with(b"\\"));
            let before = if is_begin && first < number { runs[number - 1].end } else { at };
            length >= DATA && before > 0 && b"+/-_".contains(&text[before - 1])
        };
        let mut at = run.start;
        while at + 2 < run.end {
            // A key begins no word in its middle, but an account's number comes before the sign.
            let is_start = IS_START[slot(text[at], text[at + 1], text[at + 2])]
                && (text[at] == b':' || !is_word_before(text, at))
                && !ends_data(at)
                && !text[at..].starts_with(b"://");
            // What was looked at as a whole is not looked at again from its middle: that would take the
            // square of its length.
            at = if is_start { look(text, at, &mut found) } else { at + 1 };
        }
    }
    // These are recognised by what stands around them, and need no long run of their own.
    static IN_MIDST: LazyLock<[Finder<'static>; 2]> =
        LazyLock::new(|| [Finder::new("://"), Finder::new("-----BEGIN ")]);
    let [address, pem] = &*IN_MIDST;
    for at in address.find_iter(text).filter(|at| names_somebody(&text[at + 3..])) {
        look(text, at, &mut found);
    }
    for at in pem.find_iter(text) {
        look(text, at, &mut found);
    }
    found.sort_by_key(|found| (found.range.start, std::cmp::Reverse(found.range.end)));
    found.dedup_by(|next, first| next.range.start < first.range.end);
    found
}

/// Runs of the characters that keys consist of, as long as the shortest key. Words of prose are shorter, so
/// it is enough to look at every twentieth byte, and back from there.
fn long_runs(text: &[u8]) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let is_other = |byte: &u8| !IS_OF_KEYS[usize::from(*byte)];
    let mut start = 0;
    while let Some(run) = text.get(start..start + SHORTEST_RUN) {
        if let Some(gap) = run.iter().rposition(is_other) {
            start += gap + 1;
            continue;
        }
        let rest = text[start..].iter().position(is_other);
        let end = rest.map_or(text.len(), |length| start + length);
        runs.push(start..end);
        start = end;
    }
    runs
}

/// A run of so many bytes is a picture or a file in base64, where four letters in a row mean nothing: in it, the signs of either
/// alphabet are letters like others.
const DATA: usize = 2048;

/// For each run, the first one of its block, and how long that is: data is also written in lines of one length, of which the last
/// may be shorter. Where a line end is spelled `\n`, its letter stands in the next line.
fn blocks(runs: &[Range<usize>]) -> Vec<(usize, usize)> {
    let mut blocks = Vec::with_capacity(runs.len());
    while let Some(line) = runs.get(blocks.len()) {
        let first = blocks.len();
        let is_near =
            |pair: &&[Range<usize>]| pair[1].start - pair[0].end <= r"\r\".len() && line.len() >= LINE;
        let is_alike = |pair: &&[Range<usize>]| pair[1].len().abs_diff(line.len()) <= 1;
        let lines = runs[first..].windows(2).take_while(is_near);
        let alike = lines.take_while(is_alike).count();
        let is_last = |at: usize| {
            runs[at - 1..].windows(2).take(1).any(|pair| is_near(&pair) && pair[1].len() < line.len())
        };
        let count = 1 + alike + usize::from(is_last(first + 1 + alike));
        let length = runs[first..first + count].iter().map(Range::len).sum();
        blocks.resize(first + count, (first, length));
    }
    blocks
}

/// The shortest line in which base64 is wrapped.
const LINE: usize = 60;

/// The shortest key of all: `AKIA` and sixteen more.
const SHORTEST_RUN: usize = 20;

/// What keys consist of, and what joins them to their names.
const IS_OF_KEYS: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = (byte as u8).is_ascii_alphanumeric()
            || matches!(byte as u8, b'_' | b'-' | b'.' | b'+' | b'/' | b'=' | b':');
        byte += 1;
    }
    table
};

/// The first three bytes of all starts, by `slot`.
static IS_START: [bool; 4096] = {
    let mut table = [false; 4096];
    let mut shape = 0;
    while shape < SHAPES.len() {
        let mut start = 0;
        while start < SHAPES[shape].starts.len() {
            let bytes = SHAPES[shape].starts[start].as_bytes();
            table[slot(bytes[0], bytes[1], bytes[2])] = true;
            start += 1;
        }
        shape += 1;
    }
    table
};

const fn slot(first: u8, second: u8, third: u8) -> usize {
    (first as usize ^ (second as usize) << 3 ^ (third as usize) << 5) & 4095
}

/// Whether the host of a URL has somebody in front of it: most have nobody.
fn names_somebody(rest: &[u8]) -> bool {
    rest.iter().find(|byte| matches!(byte, b'@' | b'/' | b'"' | b'\'' | b' ' | b'\n' | b'\\')) == Some(&b'@')
}

/// Adds the secret that begins here, if it is one, and says where to look next.
fn look(text: &[u8], at: usize, found: &mut Vec<Found>) -> usize {
    let rest = &text[at..text.len().min(at + LONGEST)];
    let begins = |shape: &Shape| {
        // Two bytes are compared faster than a call is made.
        let is_near = |start: &[u8]| start[0] == rest[0] && rest.get(1) == Some(&start[1]);
        shape.starts.iter().any(|start| is_near(start.as_bytes()) && rest.starts_with(start.as_bytes()))
    };
    // To say where a group is takes many times as long as to say that there is nothing.
    let number = (0..SHAPES.len()).find(|n| begins(&SHAPES[*n]) && pattern(*n).is_match(rest));
    let Some((number, groups)) = number.and_then(|n| Some((n, pattern(n).captures(rest)?))) else {
        return at + 1;
    };
    let Some(hidden) = groups.get(1).or_else(|| groups.get(0)) else { return at + 1 };
    let mut range = at + hidden.start()..at + hidden.end();
    if hidden.end() == LONGEST {
        let more = text[range.end..].iter().take_while(|byte| IS_OF_KEYS[usize::from(**byte)]);
        range.end += more.count();
    }
    let end = range.end;
    let mut start = at.min(range.start);
    if text[at] == b':' && range.start == at + 1 {
        // Nothing fixed stands at the start of these, only the number of an account.
        range.start = number_before(text, at);
        if at - range.start < SHORTEST_ACCOUNT {
            return end;
        }
        start = at;
    }
    if is_real(text, &range, start) {
        found.push(Found { kind: SHAPES[number].kind, range });
    }
    end
}

/// No more is read of one secret; what goes on in the same way belongs to it.
const LONGEST: usize = 8192;

/// Where the digits begin that end here.
fn number_before(text: &[u8], end: usize) -> usize {
    end - text[..end].iter().rev().take_while(|byte| byte.is_ascii_digit()).count()
}

/// Whether a value as a whole has the form of a secret.
pub(super) fn is_whole(value: &str) -> bool {
    find(value.as_bytes()).iter().any(|found| found.range == (0..value.len()))
}

/// Not the middle of a longer word, not hidden already, and not made up of words.
fn is_real(text: &[u8], secret: &Range<usize>, start: usize) -> bool {
    let hidden = &text[secret.clone()];
    let is_part = text[start].is_ascii_alphanumeric() && is_word_before(text, start);
    let own: Vec<u8> =
        hidden.iter().zip(common(hidden)).filter(|(_, common)| !common).map(|(byte, _)| *byte).collect();
    let distinct = (0..own.len()).filter(|n| !own[..*n].contains(&own[*n])).count();
    !is_part
        && distinct >= 3
        && memmem::find(hidden, MARK.as_bytes()).is_none()
        && !is_prose(&own)
        && !std::str::from_utf8(hidden).is_ok_and(is_placeholder)
}

/// A letter or digit before it, unless that is the end of an escape: `\nsk-...`, `\x0aghp_...`, `\u0022ghp_...`, `%20ghp_...`, or
/// of a sequence that commands a terminal, `\x1b[32mghp_...`, as it is or spelled out.
fn is_word_before(text: &[u8], start: usize) -> bool {
    if start == 0 || !text[start - 1].is_ascii_alphanumeric() {
        return false;
    }
    let before = &text[start.saturating_sub(LONGEST_ESCAPE)..start];
    // Most texts have no escape near, which is seen faster than matched.
    !before.iter().any(|byte| matches!(byte, b'\\' | b'%' | 0x1b)) || !pattern_of_escapes().is_match(before)
}

/// `\u{10ffff}`, and a colour of 24 bits: `\x1b[38;2;255;255;255m`.
const LONGEST_ESCAPE: usize = 28;

fn pattern_of_escapes() -> &'static Regex {
    static PATTERN: OnceLock<Regex> = OnceLock::new();
    PATTERN.get_or_init(|| {
        let escapes = concat!(
            r"(?-u)(?:\\(?:[abefnrtv0]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{1,3})|%[0-9a-fA-F]{2}",
            r"|(?:\x1b|\\(?:x1[bB]|u001[bB]|033|e))\[[0-9;]*[A-Za-z])$",
        );
        Regex::new(escapes).expect("the pattern is a constant, and tests match it")
    })
}

/// Long and all of small letters and dashes, as no key is.
fn is_prose(own: &[u8]) -> bool {
    own.len() >= 16 && own.iter().all(|byte| byte.is_ascii_lowercase() || b"-_.".contains(byte))
}

/// Compiled when its start is met for the first time: most never are.
fn pattern(number: usize) -> &'static Regex {
    static PATTERNS: [OnceLock<Regex>; SHAPES.len()] = [const { OnceLock::new() }; SHAPES.len()];
    PATTERNS[number].get_or_init(|| {
        let built = Regex::new(&format!("^(?-u:{})", SHAPES[number].pattern));
        built.expect("the patterns are constants, and tests match them")
    })
}
