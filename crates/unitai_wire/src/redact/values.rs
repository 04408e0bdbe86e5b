//! Which part of a value is the secret.

use base64::Engine as _;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::percent_decode_str;

use super::common::common;
use super::ordinary::is_ordinary;
use super::{names, shapes};

/// Fewer characters than this are no secret,
const SHORTEST: usize = 8;
/// nor are fewer than this, unless they mix letters and digits.
const SHORTEST_OF_ONE_KIND: usize = 12;
/// What stands alone in front of a host is a token from this length on, and a name below it.
const SHORTEST_TOKEN: usize = 20;
/// So many characters must be neither a word nor a known prefix.
const LEAST_OF_ITS_OWN: usize = 6;

/// The secrets in the value of a variable. A name that says nothing leaves only those that show
/// themselves: the password of a URL, a key of a known form.
pub(super) fn of_variable(name: &str, value: &str, found: &mut Vec<String>) {
    let value = value.trim();
    if name == "PYTEST_CURRENT_TEST" {
        // The parameters of a test are no pairs of a connection string: `test_refund[key=order-1234]`.
        return;
    }
    if let Some(json) = value.starts_with(['{', '[']).then(|| serde_json::from_str(value).ok()).flatten() {
        of_json(name, &json, found);
    } else if let Some(url) = Url::read(value) {
        url.secrets(found);
    } else if value.contains("-----BEGIN ") {
        found.extend(key_lines(value));
    } else if shapes::is_whole(value) || (names::is_secret(name) && !is_path(value) && is_secret(value)) {
        found.push(value.to_owned());
    } else if value.contains('=') {
        of_pairs(value, [';', ' ', '&'], found);
    }
}

/// The secrets in an address.
pub(super) fn of_url(url: &str, found: &mut Vec<String>) {
    if let Some(url) = Url::read(url) {
        url.secrets(found);
    }
}

/// The secrets in the value of a header that carries authorisation.
pub(super) fn of_header(name: &str, value: &str, found: &mut Vec<String>) {
    let name = name.trim().to_ascii_lowercase();
    if name == "cookie" || name == "set-cookie" {
        // What follows the first pair of a `set-cookie` says how long and where it holds.
        let pairs = value.split(';').take(if name == "cookie" { usize::MAX } else { 1 });
        found.extend(pairs.filter_map(|pair| pair.split_once('=')).map(|(_, value)| value.trim().to_owned()));
        found.retain(|value| is_secret(value));
        return;
    }
    if !names::is_secret(&name) {
        return;
    }
    let value = value.trim();
    let (scheme, rest) = match value.split_once(' ') {
        Some((scheme, rest)) if scheme.len() <= 20 => (scheme.to_ascii_lowercase(), rest.trim()),
        _ => (String::new(), value),
    };
    match scheme.as_str() {
        "basic" => {
            found.push(rest.to_owned());
            let decoded = LENIENT.decode(rest).ok().and_then(|bytes| String::from_utf8(bytes).ok());
            if let Some((user, password)) = decoded.as_deref().and_then(|pair| pair.split_once(':')) {
                found.extend([user, password].map(str::to_owned));
            }
        }
        // Signed requests: the signature holds for one request, and the rest is no secret.
        scheme if scheme.starts_with("aws4-") || scheme == "digest" || scheme == "signature" => {
            let credential = rest.split_once("Credential=").map_or("", |(_, rest)| rest);
            found.push(credential.split(['/', ',']).next().unwrap_or_default().to_owned());
        }
        _ => found.push(rest.to_owned()),
    }
    found.retain(|value| is_secret(value));
}

/// Padding or none: both are in use.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Whether a value can be told from what everybody writes.
pub(super) fn is_secret(value: &str) -> bool {
    let value = value.trim_matches(['"', '\'', '`']);
    let has = |is: fn(&u8) -> bool| value.bytes().any(|byte| is(&byte));
    let (letters, digits) = (has(u8::is_ascii_alphabetic), has(u8::is_ascii_digit));
    let length = value.chars().count();
    let own = common(value.as_bytes()).iter().filter(|common| !**common).count();
    length >= SHORTEST
        && (length >= SHORTEST_OF_ONE_KIND || (letters && digits))
        && own >= LEAST_OF_ITS_OWN
        && !is_ordinary(value)
}

pub(super) fn is_path(value: &str) -> bool {
    let rest = value.trim_start_matches(['.', '~']);
    let first = rest.strip_prefix(['/', '\\']).and_then(|rest| rest.split(['/', '\\']).next());
    let is_drive = value.as_bytes().get(1..3).is_some_and(|start| start == b":\\" || start == b":/");
    let is_name =
        |name: &str| name.len() > 1 && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    is_drive
        || (rest.len() < value.len() && first.is_some())
        || first.is_some_and(is_name)
        || value.starts_with("/Users/")
}

/// The lines between the first and the last of a PEM file, whose line ends may be spelled `\n`.
fn key_lines(value: &str) -> Vec<String> {
    let lines = value.replace("\\n", "\n").replace("\\r", "");
    let is_key = |line: &&str| line.len() >= SHORTEST && !line.starts_with("-----") && !line.contains(':');
    lines.lines().map(str::trim).filter(is_key).map(str::to_owned).collect()
}

fn of_json(name: &str, value: &serde_json::Value, found: &mut Vec<String>) {
    match value {
        serde_json::Value::String(text) => of_variable(name, text, found),
        serde_json::Value::Array(items) => items.iter().for_each(|item| of_json(name, item, found)),
        // Its own names count: that a whole document is secret does not make each of its parts so.
        serde_json::Value::Object(members) => {
            members.iter().for_each(|(name, item)| of_json(name, item, found))
        }
        _ => {}
    }
}

/// Connection strings and queries: `AccountName=mine;AccountKey=...`.
fn of_pairs<const N: usize>(value: &str, between: [char; N], found: &mut Vec<String>) {
    for (name, value) in value.split(between).filter_map(|pair| pair.split_once('=')) {
        let decoded = percent_decode_str(value).decode_utf8_lossy().into_owned();
        found.extend((names::is_secret(name) && is_secret(&decoded)).then_some(decoded));
    }
}

/// `scheme://user:password@host/path?query`.
struct Url<'a> {
    password: Option<&'a str>,
    query: &'a str,
}

impl<'a> Url<'a> {
    fn read(value: &'a str) -> Option<Url<'a>> {
        let (scheme, rest) = value.split_once("://")?;
        let is_scheme = !scheme.is_empty()
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-._:".contains(&byte));
        if !is_scheme || value.contains(char::is_whitespace) {
            return None;
        }
        let (authority, after) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        let password = authority.rsplit_once('@').and_then(|(who, _)| match who.split_once(':') {
            Some((_, password)) => Some(password),
            // A token in place of the user; a mere name is none.
            None => (who.len() >= SHORTEST_TOKEN).then_some(who),
        });
        Some(Url { password, query: after.split_once('?').map_or("", |(_, query)| query) })
    }

    fn secrets(&self, found: &mut Vec<String>) {
        if let Some(password) = self.password {
            let decoded = percent_decode_str(password).decode_utf8_lossy().into_owned();
            found.extend(is_secret(&decoded).then_some(decoded));
        }
        of_pairs(self.query, ['&', ';', '#'], found);
    }
}
