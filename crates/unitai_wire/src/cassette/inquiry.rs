//! What was asked, in the form that recordings are found by.

use std::borrow::Cow;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Volatile;
use super::media;
use super::verify_replay::hidden_parts;
use super::volatile::Normaliser;
use crate::common::Request;
use crate::exchange::{Asked, form};
use crate::redact::{MARK, Secrets, hide_keys, may_be_secret, without_keys};
use crate::{dialects, digest};

/// What was asked, and the key that its recordings have.
#[derive(Clone)]
pub struct Inquiry {
    question: Question,
    /// The body with the keys in order.
    canonical: String,
    key: Arc<str>,
    redacted: Vec<String>,
    normalised: Vec<String>,
}

/// Whom a request is for, without its body.
#[derive(Debug, Clone, PartialEq)]
enum Question {
    Model { dialect: &'static str, model: String, streamed: bool, is_beta: bool, path: String },
    Api { method: String, url: String },
}

/// What was asked, as it stands in a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "to", rename_all = "snake_case")]
pub enum AskedDocument {
    /// A model that must speak.
    Model {
        /// The dialect.
        dialect: String,
        /// The model.
        model: String,
        /// Whether the answer is to be streamed.
        streamed: bool,
        /// Whether the beta form of the API is asked for.
        #[serde(default, rename = "beta", skip_serializing_if = "std::ops::Not::not")]
        is_beta: bool,
        /// The path, which in some dialects names the model.
        path: String,
        /// The request.
        body: Value,
    },
    /// Any other API.
    Api {
        /// The method.
        method: String,
        /// The address.
        url: String,
        /// The request; a text where it is no JSON.
        body: Value,
    },
    /// A value that was put under a key by hand.
    Value {
        /// What its owner says it stands for.
        inputs: Value,
    },
}

impl Inquiry {
    /// A request to a model. Its key is made of the dialect, the model, whether it is streamed, and the body;
    /// the host and the headers are no part of it.
    pub fn of_model(asked: &Asked, path: &str) -> Inquiry {
        let question = Question::Model {
            dialect: asked.dialect.name(),
            model: asked.request.model.clone(),
            streamed: asked.request.streamed,
            is_beta: asked.request.is_beta,
            path: path.to_owned(),
        };
        Inquiry {
            question,
            canonical: asked.canonical.clone(),
            key: asked.digest.clone(),
            redacted: Vec::new(),
            normalised: Vec::new(),
        }
    }

    /// A request to any other API. Its key is made of the method, the address and the body.
    pub fn of_api(method: &str, url: &str, body: &[u8]) -> Inquiry {
        let url = without_userinfo(url.split('#').next().unwrap_or_default());
        let hidden = without_keys(&url);
        let mut redacted = if matches!(hidden, Cow::Owned(_)) { vec!["url".to_owned()] } else { Vec::new() };
        let url = hidden.into_owned();
        let question = Question::Api { method: method.to_ascii_uppercase(), url };
        let canonical = match (serde_json::from_slice::<Value>(body), std::str::from_utf8(body)) {
            (Ok(mut value), _) => {
                if hide_keys(&mut value) {
                    redacted.push("body".to_owned());
                }
                value.to_string()
            }
            (Err(_), Ok(text)) => Value::from(text).to_string(),
            (Err(_), Err(_)) => Value::from(format!("base64:{}", STANDARD.encode(body))).to_string(),
        };
        let key = key_of(&question, &canonical);
        Inquiry { question, canonical, key, redacted, normalised: Vec::new() }
    }

    /// The request that a file holds; `None` of a value that was put under a key by hand, and of a dialect that is not known.
    pub(super) fn from_document(document: &AskedDocument) -> Option<Inquiry> {
        let (question, body) = document.question()?;
        let canonical = body.to_string();
        let key = key_of(&question, &canonical);
        Some(Inquiry { question, canonical, key, redacted: Vec::new(), normalised: Vec::new() })
    }

    /// The request as its dialect reads it; `None` of one that makes no model speak.
    pub(super) fn asked(&self) -> Option<Asked> {
        let Question::Model { dialect, .. } = self.question else { return None };
        Some(Asked {
            dialect: dialects::named(dialect)?,
            request: Arc::new(self.document().request()?),
            canonical: self.canonical.clone(),
            digest: self.key.clone(),
            is_local: false,
        })
    }

    /// The key.
    pub fn key(&self) -> &Arc<str> {
        &self.key
    }

    /// Whether the request holds this text.
    pub(super) fn says(&self, text: &str) -> bool {
        let address = match &self.question {
            Question::Model { model, path, .. } => [model, path],
            Question::Api { method, url } => [method, url],
        };
        self.canonical.contains(text) || address.iter().any(|part| part.contains(text))
    }

    /// Whether this is the recorded request, in which values were hidden that are not known to be secrets here.
    pub(super) fn is_unredacted_form_of(&self, recorded: &AskedDocument, body: &Value) -> bool {
        let is_same_question = match (&self.question, recorded) {
            (
                Question::Model { dialect, model, streamed, is_beta, path },
                AskedDocument::Model {
                    dialect: was_dialect,
                    model: was_model,
                    streamed: was_streamed,
                    is_beta: was_beta,
                    path: was_path,
                    ..
                },
            ) => {
                (*dialect, *streamed, *is_beta) == (was_dialect.as_str(), *was_streamed, *was_beta)
                    && is_unredacted(model, was_model)
                    && is_unredacted(path, was_path)
            }
            (Question::Api { method, url }, AskedDocument::Api { method: was_method, url: was_url, .. }) => {
                method == was_method && is_unredacted(url, was_url)
            }
            _ => false,
        };
        is_same_question && recorded.body().is_some_and(|recorded| is_unredacted_value(body, recorded))
    }

    /// The body as a document.
    pub(super) fn body(&self) -> Value {
        serde_json::from_str(&self.canonical).unwrap_or_default()
    }

    /// The inquiry without secrets, and with what is volatile made equal. From here on it may be written.
    pub(super) fn cleaned(mut self, secrets: &Secrets, volatile: &[Volatile]) -> Inquiry {
        let is_clean = |text: &str| matches!(secrets.clean(text), Cow::Borrowed(_));
        let has_clean_address = match &self.question {
            Question::Model { model, path, .. } => is_clean(model) && is_clean(path),
            Question::Api { url, .. } => is_clean(url),
        };
        if has_clean_address && volatile.is_empty() && is_clean(&self.canonical) {
            return self;
        }
        let Ok(mut body) = serde_json::from_str::<Value>(&self.canonical) else { return self };
        self.redacted.extend(media::hide(secrets, &mut body));
        self.redacted.extend(secrets.clean_json(&mut body).iter().map(ToString::to_string));
        let mut normaliser = Normaliser::new(volatile);
        normaliser.visit(&mut body);
        let mut clean = |text: &mut String, name: &str| {
            if let Cow::Owned(cleaned) = secrets.clean(text) {
                if !self.redacted.iter().any(|place| place == name) {
                    self.redacted.push(name.to_owned());
                }
                *text = cleaned;
            }
        };
        match &mut self.question {
            Question::Model { model, path, .. } => {
                clean(model, "model");
                clean(path, "path");
            }
            Question::Api { url, .. } => {
                clean(url, "url");
                if let Some(equal) = normaliser.text(url, "url") {
                    *url = equal;
                }
            }
        }
        self.normalised = normaliser.done();
        self.canonical = body.to_string();
        self.key = key_of(&self.question, &self.canonical);
        self
    }

    /// Whether one may be recorded in the place of the other: they are asked of the same kind.
    pub(super) fn is_like(&self, other: &AskedDocument) -> bool {
        match (&self.question, other) {
            (Question::Model { dialect, .. }, AskedDocument::Model { dialect: other, .. }) => {
                dialect == other
            }
            (Question::Api { method, .. }, AskedDocument::Api { method: other, .. }) => method == other,
            _ => false,
        }
    }

    /// What was asked, in a few words.
    pub(super) fn summary(&self) -> String {
        self.document().summary()
    }

    /// Where secrets were taken out.
    pub(super) fn redacted(&self) -> &[String] {
        &self.redacted
    }

    /// What was made equal, and where.
    pub(super) fn normalised(&self) -> &[String] {
        &self.normalised
    }

    /// The form for a file.
    pub(super) fn document(&self) -> AskedDocument {
        let body = self.body();
        match self.question.clone() {
            Question::Model { dialect, model, streamed, is_beta, path } => {
                AskedDocument::Model { dialect: dialect.to_owned(), model, streamed, is_beta, path, body }
            }
            Question::Api { method, url } => AskedDocument::Api { method, url, body },
        }
    }
}

impl AskedDocument {
    /// The key that this was stored under; `None` for a value whose key was chosen by hand.
    pub fn key(&self) -> Option<Arc<str>> {
        let (question, body) = self.question()?;
        Some(key_of(&question, &body.to_string()))
    }

    /// The request as its dialect reads it; `None` of one that makes no model speak.
    pub(super) fn request(&self) -> Option<Request> {
        let AskedDocument::Model { dialect, model, streamed, is_beta, path, body } = self else {
            return None;
        };
        let mut request = dialects::named(dialect)?.read_request(path, body.as_object()?)?;
        request.model.clone_from(model);
        request.streamed = *streamed;
        request.is_beta = *is_beta;
        Some(request)
    }

    /// What was sent, without secrets; `None` of a value that was put under a key by hand.
    pub fn body(&self) -> Option<&Value> {
        match self {
            AskedDocument::Model { body, .. } | AskedDocument::Api { body, .. } => Some(body),
            AskedDocument::Value { .. } => None,
        }
    }

    fn question(&self) -> Option<(Question, &Value)> {
        match self {
            AskedDocument::Model { dialect, model, streamed, is_beta, path, body } => {
                let dialect = dialects::named(dialect)?.name();
                let (model, streamed, is_beta, path) = (model.clone(), *streamed, *is_beta, path.clone());
                Some((Question::Model { dialect, model, streamed, is_beta, path }, body))
            }
            AskedDocument::Api { method, url, body } => {
                Some((Question::Api { method: method.clone(), url: url.clone() }, body))
            }
            AskedDocument::Value { .. } => None,
        }
    }

    /// In a few words, for a list.
    pub fn summary(&self) -> String {
        match self {
            AskedDocument::Model { dialect, model, .. } => format!("{model} ({dialect})"),
            AskedDocument::Api { method, url, .. } => format!("{method} {url}"),
            AskedDocument::Value { .. } => "a value put by hand".to_owned(),
        }
    }
}

fn key_of(question: &Question, canonical: &str) -> Arc<str> {
    Arc::from(match question {
        // The same as the digest of a request that needed no cleaning.
        Question::Model { dialect, model, streamed, is_beta, .. } => {
            digest(&[dialect, model, form(*streamed, *is_beta), canonical])
        }
        Question::Api { method, url } => digest(&["api", method, url, canonical]),
    })
}

/// Whether the recorded text is this one with marks in the place of what may be secrets.
fn is_unredacted(text: &str, recorded: &str) -> bool {
    let may_be_hidden = |part: &[u8]| {
        std::str::from_utf8(part)
            .is_ok_and(|part| part == MARK || (!part.contains(char::is_whitespace) && may_be_secret(part)))
    };
    text == recorded
        || media::is_hidden_form_of(recorded, text)
        || hidden_parts(text.as_bytes(), recorded.as_bytes())
            .is_some_and(|parts| parts.into_iter().all(may_be_hidden))
}

fn is_unredacted_value(value: &Value, recorded: &Value) -> bool {
    match (value, recorded) {
        (Value::String(text), Value::String(recorded)) => is_unredacted(text, recorded),
        (Value::Array(items), Value::Array(recorded)) => {
            items.len() == recorded.len()
                && items.iter().zip(recorded).all(|(item, recorded)| is_unredacted_value(item, recorded))
        }
        (Value::Object(members), Value::Object(recorded)) => {
            members.len() == recorded.len()
                && members.iter().all(|(name, value)| {
                    recorded.get(name).is_some_and(|recorded| is_unredacted_value(value, recorded))
                })
        }
        _ => value == recorded,
    }
}

/// Who logs in is no part of what is asked, and must not be stored.
fn without_userinfo(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    match rest[..end].rsplit_once('@') {
        Some((_, host)) => format!("{scheme}://{host}{}", &rest[end..]),
        None => url.to_owned(),
    }
}
