//! Secrets, and text without them.
//!
//! [`Secrets`] knows values that must not be written: those of the environment, those of headers that
//! carry authorisation, and whatever it is told. It hides them as whole values: in their plain form, in base64, in
//! hexadecimal, one of these inside another, and behind the escapes of URLs and JSON. Of a value that was cut it hides
//! what is left at the cut. What nobody named but has the form of a key, or stands behind a label such as `password=`,
//! is hidden too. Nothing else is changed: documents stay documents, and their numbers stay.
//!
//! ```
//! use unitai_wire::redact::Secrets;
//!
//! let secrets = Secrets::of_environment([("SHOP_TOKEN".to_owned(), "Zk3vQ8xWn2LmR7tY".to_owned())]);
//! assert_eq!(secrets.clean("the token is Zk3vQ8xWn2LmR7tY."), "the token is [redacted].");
//! assert_eq!(secrets.clean("so it begins: Zk3vQ8xWn..."), "so it begins: [redacted]...");
//! assert_eq!(secrets.clean("WmszdlE4eFduMkxtUjd0WQ== in base64"), "[redacted] in base64");
//! ```

mod azure;
mod common;
mod escapes;
mod json;
mod labels;
mod matcher;
mod names;
mod ordinary;
mod query;
mod shapes;
mod spelling;
mod structure;
mod sweep;
mod values;

use std::borrow::Cow;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, PoisonError, RwLock};

use rustc_hash::FxHashSet;

use matcher::Matcher;

/// What stands in place of a secret.
pub const MARK: &str = "[redacted]";

/// The address with a [`MARK`] for whatever authorises in its query. Which key it was is no part of what is
/// asked, so one that is no secret, because it stands in for one, is hidden as well.
///
/// ```
/// use unitai_wire::redact::without_keys;
///
/// assert_eq!(without_keys("https://api.shop/v1?api_key=dummy&page=2"), "https://api.shop/v1?api_key=[redacted]&page=2");
/// ```
pub fn without_keys(url: &str) -> Cow<'_, str> {
    query::hidden(url)
}

/// Hides the members of a body that authorise its request, in the same way; says whether there were any.
pub fn hide_keys(body: &mut serde_json::Value) -> bool {
    query::hide_members(body)
}

/// Whether a value could be a secret, judged by what it looks like.
pub(crate) fn may_be_secret(value: &str) -> bool {
    values::is_secret(value)
}

/// What must never be written. Shared by everything that writes, it learns while it is used.
pub struct Secrets {
    known: RwLock<Arc<Matcher>>,
    /// What was looked at already, as numbers: the same header comes with every request.
    seen: RwLock<FxHashSet<u64>>,
    hasher: RandomState,
}

/// Where a secret was hidden in a JSON value. The value itself is in none of these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// A JSON pointer (RFC 6901) to the string, or to the member whose key it was.
    pub pointer: String,
    /// How it was found.
    pub found: Found,
}

/// How a secret was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// Its value was known.
    Known,
    /// It has the form of this kind of secret.
    Looks(&'static str),
}

/// Something in a text that has the form of a secret and was not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    /// What it looks like: `a GitHub token`.
    pub kind: &'static str,
    /// Its line, from 1.
    pub line: usize,
    /// Its first character in the line, from 1.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.found {
            Found::Known => f.write_str(&self.pointer),
            Found::Looks(kind) => write!(f, "{}: looks like {kind}", self.pointer),
        }
    }
}

impl fmt::Display for Sighting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at line {}, column {}", self.kind, self.line, self.column)
    }
}

/// Says how much it knows, and nothing of it.
impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secrets").finish_non_exhaustive()
    }
}

impl Default for Secrets {
    fn default() -> Secrets {
        Secrets::none()
    }
}

impl Secrets {
    /// Knows no value, only forms.
    pub fn none() -> Secrets {
        Secrets {
            known: RwLock::new(Arc::new(Matcher::new())),
            seen: RwLock::new(FxHashSet::default()),
            hasher: RandomState::new(),
        }
    }

    /// Knows what these environment variables hide.
    pub fn of_environment(vars: impl IntoIterator<Item = (String, String)>) -> Secrets {
        let secrets = Secrets::none();
        secrets.learn_environment(vars);
        secrets
    }

    /// Learns what these environment variables hide: by their names, and by what their values are.
    pub fn learn_environment(&self, vars: impl IntoIterator<Item = (String, String)>) {
        let mut found = Vec::new();
        for (name, value) in vars {
            if self.is_new(&[&name, &value]) {
                values::of_variable(&name, &value, &mut found);
            }
        }
        self.add(&found);
    }

    /// Learns a whole secret value, if it is long enough to be told from other text: eight characters that
    /// are not a common word.
    pub fn learn(&self, value: &str) {
        if self.is_new(&[value]) {
            self.add(&[value.to_owned()]);
        }
    }

    /// Learns the value of a header, if its name says that it carries authorisation.
    pub fn learn_header(&self, name: &str, value: &str) {
        if self.is_new(&[name, value]) {
            let mut found = Vec::new();
            values::of_header(name, value, &mut found);
            self.add(&found);
        }
    }

    /// Learns the value of the cookie that a `set-cookie` header sets, unless the request named it: such a value was not made
    /// by the answer, and the request is found by it.
    ///
    /// ```
    /// use unitai_wire::redact::Secrets;
    /// let secrets = Secrets::none();
    /// secrets.learn_set_cookie("sid=Zk3vQ8xWn2LmR7tY; path=/", |_| false);
    /// secrets.learn_set_cookie("region=us-central1-a; path=/", |value| value == "us-central1-a");
    /// assert_eq!(secrets.clean("Zk3vQ8xWn2LmR7tY in us-central1-a"), "[redacted] in us-central1-a");
    /// ```
    pub fn learn_set_cookie(&self, header: &str, is_asked: impl Fn(&str) -> bool) {
        let mut found = Vec::new();
        values::of_header("set-cookie", header, &mut found);
        found.retain(|value| !is_asked(value.trim_matches('"')) && self.is_new(&["set-cookie", value]));
        self.add(&found);
    }

    /// Learns what authorises in an address: a password, and what the query calls a key.
    ///
    /// ```
    /// use unitai_wire::redact::Secrets;
    /// let secrets = Secrets::none();
    /// secrets.learn_url("https://api.example.com/find?q=shoes&api_key=Zk3vQ8xWn2LmR7tY");
    /// assert_eq!(secrets.clean("key Zk3vQ8xWn2LmR7tY, shoes"), "key [redacted], shoes");
    ///
    /// secrets.learn_url("https://api.example.com/list?page_token=Bk4wR9yXm3KnS8uZ");
    /// assert_eq!(secrets.clean("next Bk4wR9yXm3KnS8uZ"), "next Bk4wR9yXm3KnS8uZ");
    /// ```
    pub fn learn_url(&self, url: &str) {
        if url.contains(['?', '@']) && self.is_new(&["url", url]) {
            let mut found = Vec::new();
            values::of_url(url, &mut found);
            self.add(&found);
        }
    }

    /// The text without secrets; the same text if there are none.
    pub fn clean<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.clean_bytes(text.as_bytes()) {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            Cow::Owned(bytes) => Cow::Owned(match String::from_utf8(bytes) {
                Ok(cleaned) => cleaned,
                Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
            }),
        }
    }

    /// The bytes without secrets; the same bytes if there are none.
    pub fn clean_bytes<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let known = self.known();
        if sweep::parts(&known, bytes).is_empty() {
            return Cow::Borrowed(bytes);
        }
        let mut cleaned = bytes.to_vec();
        sweep::sweep(&known, &mut cleaned, &mut []);
        Cow::Owned(cleaned)
    }

    /// Takes secrets out of chunks that belong together, also those that lie across their borders. There
    /// are as many chunks afterwards, though some may be empty. Says whether there was something to hide.
    pub fn clean_chunks(&self, chunks: &mut [Vec<u8>]) -> bool {
        let mut bytes = chunks.concat();
        let mut end = 0;
        let mut ends: Vec<usize> = chunks
            .iter()
            .map(|chunk| {
                end += chunk.len();
                end
            })
            .collect();
        let changed = sweep::sweep(&self.known(), &mut bytes, &mut ends);
        if changed {
            let mut start = 0;
            for (chunk, end) in chunks.iter_mut().zip(ends) {
                *chunk = bytes[start..end].to_vec();
                start = end;
            }
        }
        changed
    }

    /// Takes secrets out of every string and key of a JSON value, and says where there were some.
    pub fn clean_json(&self, value: &mut serde_json::Value) -> Vec<Place> {
        json::clean(self, value)
    }

    /// What has the form of a secret in a text and is not known: what it looks like and where it is.
    pub fn unknown(&self, text: &str) -> Vec<Sighting> {
        let mut found = shapes::find(text.as_bytes());
        if !found.is_empty() {
            let known = sweep::known_parts(&self.known(), text.as_bytes());
            found.retain(|found| {
                !known.iter().any(|part| part.start < found.range.end && found.range.start < part.end)
            });
        }
        let sighting = |found: &shapes::Found| {
            let before = String::from_utf8_lossy(&text.as_bytes()[..found.range.start]);
            let line = before.rsplit('\n').next().unwrap_or_default();
            Sighting {
                kind: found.kind,
                line: before.matches('\n').count() + 1,
                column: line.chars().count() + 1,
            }
        };
        found.iter().map(sighting).collect()
    }

    fn known(&self) -> Arc<Matcher> {
        Arc::clone(&self.known.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether this is seen for the first time.
    fn is_new(&self, parts: &[&str]) -> bool {
        let number = self.hasher.hash_one(parts);
        if self.seen.read().unwrap_or_else(PoisonError::into_inner).contains(&number) {
            return false;
        }
        self.seen.write().unwrap_or_else(PoisonError::into_inner).insert(number)
    }

    fn add(&self, found: &[String]) {
        if found.is_empty() {
            return;
        }
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let matcher = Arc::make_mut(&mut known);
        for value in found {
            let mut spelled = Vec::new();
            // A text is read without its escapes, so a value that looks like one is known without them as well.
            for value in [value.as_bytes(), &escapes::unescaped(value.as_bytes())] {
                spelled.push(without_quotes(value).to_vec());
            }
            // A key in base64 is handed on with its padding or without.
            spelled.push(without_quotes(value.trim_end_matches('=').as_bytes()).to_vec());
            spelled.sort_unstable();
            spelled.dedup();
            for value in spelled {
                let common = common::common(&value);
                spelling::spellings(&value, &common).into_iter().for_each(|it| matcher.add(it));
            }
        }
    }
}

/// Who sets a variable to `"..."` means what is between the quotation marks: those of a text belong to the text, and a
/// document without them is none. So `"` goes from a single end as well; another mark there is a part of the value.
fn without_quotes(mut value: &[u8]) -> &[u8] {
    loop {
        let between = |mark: &[u8]| value.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
        let inner = [&br#"\""#[..], br"\'", b"'", b"`"].into_iter().find_map(between);
        let inner = inner.or(value.strip_prefix(b"\"")).or(value.strip_suffix(b"\""));
        let Some(inner) = inner else { return value };
        value = inner;
    }
}
