//! One request to a service: its key, how often it is asked again, and what its refusals mean.

use std::time::Duration;

use reqwest::Client;
use serde_json::Value;
use tokio::time::Instant;
use unitai_model::with_causes;
use unitai_spec::http::client;
use unitai_wire::redact::{MARK, Secrets};

use crate::Trouble;

/// How often a request that was refused for now is sent again.
const RETRIES: u32 = 2;

/// The most bytes of an answer that are read.
const MOST_BYTES: usize = 16 << 20;

/// How much of what a service says is told.
const MOST_TOLD: usize = 500;

/// A service and how it is reached.
pub(crate) struct Service {
    /// The provider's name.
    pub(crate) name: &'static str,
    /// The variable that holds its key.
    pub(crate) variable: &'static str,
    /// Where requests go.
    pub(crate) url: String,
    /// What is sent with each.
    headers: Vec<(&'static str, String)>,
    /// Whoever has a client of its own; else the one of the process.
    pub(crate) client: Option<Client>,
    key: String,
    secrets: Secrets,
}

/// Why there is no answer to one request.
pub(crate) enum Refused {
    /// It does not take something that it was asked: with less of it, it may.
    Rejected {
        /// In its words.
        words: String,
        /// The same as it came, keys and all: to be looked into, and never told. A key as short as `x` leaves holes in
        /// the words.
        unclean: String,
    },
    /// It will not answer.
    Trouble(Trouble),
}

impl Service {
    pub(crate) fn new(
        name: &'static str,
        variable: &'static str,
        headers: Vec<(&'static str, String)>,
        key: &str,
    ) -> Service {
        let secrets = Secrets::none();
        secrets.learn(key);
        Service { name, variable, url: String::new(), headers, client: None, key: key.to_owned(), secrets }
    }

    /// A text of the service without our key.
    pub(crate) fn cleaned(&self, text: &str) -> String {
        let text = self.secrets.clean(text);
        // Short keys are no secrets to whoever looks for them by their form.
        if self.key.is_empty() { text.into_owned() } else { text.replace(&self.key, MARK) }
    }

    /// Sends a request until there is an answer, or no time or patience for another.
    pub(crate) async fn post(&self, body: &Value, deadline: Instant) -> Result<Value, Refused> {
        let mut again = 0;
        loop {
            let (status, after, text) = self.once(body).await?;
            let words = || self.words(&text);
            match status {
                200..=299 => {
                    return serde_json::from_str(&text).map_err(|_| {
                        let said = format!("{} answered what is no JSON: {}", self.name, words());
                        Refused::Trouble(Trouble::Broken(said))
                    });
                }
                400 | 422 => {
                    let unclean = cut(&message(&text));
                    return Err(Refused::Rejected { words: format!("{status}: {}", words()), unclean });
                }
                401 | 403 => {
                    let said = format!(
                        "{} does not take the key in {} ({status}: {}); set {0}'s key in {1}, or choose another \
                         provider with judge.provider",
                        self.name,
                        self.variable,
                        words()
                    );
                    return Err(Refused::Trouble(Trouble::Absent(said)));
                }
                408 | 409 | 429 | 500..=599 => {
                    let wait = after.unwrap_or(Duration::from_secs(1 << again));
                    let is_late = Instant::now() + wait >= deadline;
                    if again >= RETRIES || is_late {
                        let tries = again + 1;
                        let late = if is_late {
                            format!("; it wants {:.0} s, and there is not that much time", wait.as_secs_f64())
                        } else {
                            String::new()
                        };
                        let noun = if tries == 1 { "once" } else { "several times" };
                        return Err(Refused::Trouble(Trouble::Unavailable(format!(
                            "{} was asked {noun} and is not to be had ({status}: {}){late}",
                            self.name,
                            words()
                        ))));
                    }
                    again += 1;
                    tokio::time::sleep(wait).await;
                }
                _ => {
                    let said = format!("{} refused with {status}: {}", self.name, words());
                    return Err(Refused::Trouble(Trouble::Broken(said)));
                }
            }
        }
    }

    /// Sends a request once. Gives the status, how long to wait, and the text.
    async fn once(&self, body: &Value) -> Result<(u16, Option<Duration>, String), Refused> {
        let client = match &self.client {
            Some(client) => client,
            None => client().map_err(|why| Refused::Trouble(Trouble::Broken(why)))?,
        };
        let mut request = client.post(&self.url).json(body);
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        let lost = |error: reqwest::Error| {
            let is_unsent = error.is_connect() || error.is_builder();
            let why = self.cleaned(&with_causes(&error.without_url()));
            Refused::Trouble(if is_unsent {
                Trouble::Unavailable(format!("{} was not reached: {why}", self.name))
            } else {
                // It has the request, and may bill the answer that was lost.
                Trouble::Broken(format!("{} broke off before its answer was whole: {why}", self.name))
            })
        };
        let mut response = request.send().await.map_err(lost)?;
        let status = response.status().as_u16();
        let seconds = |name: &str| response.headers().get(name)?.to_str().ok()?.trim().parse::<f64>().ok();
        let after = seconds("retry-after-ms")
            .map(|ms| ms / 1e3)
            .or_else(|| seconds("retry-after"))
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(lost)? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > MOST_BYTES {
                let said = format!("{} answered more than {} MB", self.name, MOST_BYTES >> 20);
                return Err(Refused::Trouble(Trouble::Broken(said)));
            }
        }
        Ok((status, after, String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// What a refusal says, without our key.
    fn words(&self, text: &str) -> String {
        let said = cut(&self.cleaned(&message(text)));
        if said.is_empty() { "it says nothing more".to_owned() } else { said }
    }
}

/// The message of a refusal where it has one, else all of it.
fn message(text: &str) -> String {
    let json: Option<Value> = serde_json::from_str(text).ok();
    let error = json.as_ref().map(|json| json.get("error").unwrap_or(json));
    let message = error.and_then(|error| error.get("message").unwrap_or(error).as_str());
    message.unwrap_or(text).to_owned()
}

/// As much of a text as is told.
fn cut(text: &str) -> String {
    let said = unitai_model::value::plain(text.trim()).to_string();
    match said.char_indices().nth(MOST_TOLD) {
        Some((end, _)) => format!("{}...", &said[..end]),
        None => said,
    }
}
