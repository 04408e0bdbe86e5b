//! Secrets that nobody named, known by their form: `ghp_...`, `AKIA...`, a private key.

use std::ops::Range;
use std::sync::OnceLock;

use regex::bytes::Regex;

use super::MARK;
use super::common::common;

/// One form of secret. The pattern's only group is what must be hidden, if that is not all of it.
struct Shape {
    kind: &'static str,
    pattern: &'static str,
}

const fn shape(kind: &'static str, pattern: &'static str) -> Shape {
    Shape { kind, pattern }
}

/// Each begins with fixed letters, so that a text without them is passed over quickly, and asks for as
/// many characters as real keys have, so that prose is left alone.
const SHAPES: [Shape; 40] = [
    shape("an Anthropic key", r"sk-ant-[a-z]{3,5}\d\d-[A-Za-z0-9_-]{24,}"),
    shape("an OpenRouter key", r"sk-or-v1-[0-9a-f]{40,}"),
    shape("an OpenAI key", r"sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}"),
    shape("an OpenAI key", r"sk-[A-Za-z0-9]{20,}"),
    shape("a Langfuse key", r"sk-lf-[0-9a-f-]{36}"),
    shape("a Google key", r"AIza[A-Za-z0-9_-]{35}"),
    shape("a Google token", r"ya29\.[A-Za-z0-9_-]{30,}"),
    shape("a Google client secret", r"GOCSPX-[A-Za-z0-9_-]{28}"),
    shape("an AWS key", r"(?:AKIA|ASIA)[A-Z2-7]{16}"),
    shape("an AWS Bedrock key", r"ABSK[A-Za-z0-9+/]{60,}={0,2}"),
    shape("a GitHub token", r"gh[pousr]_[A-Za-z0-9]{36,}"),
    shape("a GitHub token", r"github_pat_[A-Za-z0-9_]{40,}"),
    shape("a GitLab token", r"gl(?:pat|rt|dt|cbt|ptt)-[A-Za-z0-9_-]{20,}"),
    shape("a Slack token", r"xox[abeoprs]-[A-Za-z0-9.-]{20,}"),
    shape("a Slack token", r"xapp-\d-[A-Za-z0-9-]{40,}"),
    shape("a Slack webhook", r"hooks\.slack\.com/services/(T[A-Z0-9]{6,}/B[A-Z0-9]{6,}/[A-Za-z0-9]{16,})"),
    shape("a Stripe key", r"[sr]k_(?:live|test|prod)_[A-Za-z0-9]{16,}"),
    shape("a webhook secret", r"whsec_[A-Za-z0-9+/=]{24,}"),
    shape("a Hugging Face token", r"hf_[A-Za-z]{34}"),
    shape("a Groq key", r"gsk_[A-Za-z0-9]{40,}"),
    shape("a Replicate token", r"r8_[A-Za-z0-9]{37}"),
    shape("an xAI key", r"xai-[A-Za-z0-9]{40,}"),
    shape("a Perplexity key", r"pplx-[A-Za-z0-9]{40,}"),
    shape("a Cerebras key", r"csk-[a-z0-9]{40,}"),
    shape("a Fireworks key", r"fw_[A-Za-z0-9]{22,24}"),
    shape("an NVIDIA key", r"nvapi-[A-Za-z0-9_-]{60,}"),
    shape("a Tavily key", r"tvly-(?:dev-|prod-)?[A-Za-z0-9]{28,}"),
    shape("a LangSmith key", r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),
    shape("a Databricks token", r"dapi[0-9a-f]{32}"),
    shape("a SendGrid key", r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    shape("a Twilio key", r"SK[0-9a-f]{32}"),
    shape("an npm token", r"npm_[A-Za-z0-9]{36}"),
    shape("a PyPI token", r"pypi-[A-Za-z0-9_-]{50,}"),
    shape("a DigitalOcean token", r"do[opr]_v1_[0-9a-f]{64}"),
    shape("a Telegram token", r":(AA[A-Za-z0-9_-]{33})"),
    shape("a Shopify token", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    shape("an Azure key", r"(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{43,86}={1,2})"),
    shape("a JSON web token", r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]{10,})?"),
    shape(
        "a private key",
        r"-----BEGIN (?:[A-Z]{2,9} ){0,3}PRIVATE KEY(?: BLOCK)?-----([A-Za-z0-9+/=\s\\:,.()-]{40,}?)(?:-----END|\z)",
    ),
    shape("a password in a URL", r#"://[^\s/:@"'<>\\?#]{0,64}:([^\s/:@"'<>\\]{3,256})@[A-Za-z0-9\[]"#),
];

/// An account of Telegram has at least so many digits.
const SHORTEST_ACCOUNT: usize = 6;

/// A secret that was found by its form.
pub(super) struct Found {
    pub(super) kind: &'static str,
    pub(super) range: Range<usize>,
}

/// Every part of a text that has the form of a secret.
pub(super) fn find(text: &[u8]) -> Vec<Found> {
    let mut found = Vec::new();
    let pattern = pattern();
    let mut from = 0;
    // The usual case allocates nothing: groups are asked for only where something was found.
    while let Some(hit) = pattern.find_at(text, from) {
        from = hit.end();
        let Some(groups) = pattern.captures_at(text, hit.start()) else { break };
        let Some(number) = (0..SHAPES.len()).find(|n| groups.name(&group_name(*n)).is_some()) else { break };
        let mut secret = groups.name(&format!("h{number}")).map_or(hit.range(), |hidden| hidden.range());
        if text[hit.start()] == b':' && secret.start == hit.start() + 1 {
            // Nothing fixed stands at the start of these, only the number of an account.
            secret.start = number_before(text, hit.start());
            if hit.start() - secret.start < SHORTEST_ACCOUNT {
                continue;
            }
        }
        if is_real(text, &secret, hit.start().min(secret.start)) {
            found.push(Found { kind: SHAPES[number].kind, range: secret });
        }
    }
    found
}

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
    let is_part = start > 0 && text[start..][0].is_ascii_alphanumeric() && is_word_before(text, start);
    let own: Vec<u8> =
        hidden.iter().zip(common(hidden)).filter(|(_, common)| !common).map(|(byte, _)| *byte).collect();
    let distinct = (0..own.len()).filter(|n| !own[..*n].contains(&own[*n])).count();
    !is_part && distinct >= 3 && memchr::memmem::find(hidden, MARK.as_bytes()).is_none() && !is_prose(&own)
}

/// A letter or digit before it, unless that is the end of an escape: `\nsk-...`.
fn is_word_before(text: &[u8], start: usize) -> bool {
    let before = text[start - 1];
    let is_escape = start > 1 && text[start - 2] == b'\\' && b"nrtbf".contains(&before);
    let is_percent =
        start > 2 && text[start - 3] == b'%' && text[start - 2..start].iter().all(u8::is_ascii_hexdigit);
    before.is_ascii_alphanumeric() && !is_escape && !is_percent
}

/// Long and all of small letters and dashes, as no key is.
fn is_prose(own: &[u8]) -> bool {
    own.len() >= 16 && own.iter().all(|byte| byte.is_ascii_lowercase() || b"-_.".contains(byte))
}

fn group_name(number: usize) -> String {
    format!("s{number}")
}

#[expect(clippy::expect_used, reason = "the patterns are constants, and a test compiles them")]
fn pattern() -> &'static Regex {
    static PATTERN: OnceLock<Regex> = OnceLock::new();
    PATTERN.get_or_init(|| {
        let shapes = SHAPES.iter().enumerate().map(|(n, shape)| {
            let pattern = named(shape.pattern, n);
            format!("(?P<{}>{pattern})", group_name(n))
        });
        let pattern = format!("(?-u){}", shapes.collect::<Vec<_>>().join("|"));
        Regex::new(&pattern).expect("the pattern is right")
    })
}

/// The pattern with its only group named.
fn named(pattern: &str, number: usize) -> String {
    let open = pattern.char_indices().find(|(at, c)| {
        *c == '('
            && !pattern[at + 1..].starts_with('?')
            && !pattern[..*at].ends_with('\\')
            && !pattern[..*at].ends_with('.')
    });
    match open {
        Some((at, _)) => format!("{}(?P<h{number}>{}", &pattern[..at], &pattern[at + 1..]),
        None => pattern.to_owned(),
    }
}
