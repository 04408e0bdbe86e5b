//! One request and its answer, watched from the request to the last byte.
//!
//! Bytes are handed on as they came. A copy is read for what the answer took, and an event that
//! only we asked for is kept from the client.

mod reading;

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use unitai_model::{ExchangeEnd, ModelCall, Money, Packed, Source, Usage};

use crate::common::{Answer, Request, Said, Stamp, likely_tokens};
use crate::dialects::{Body, Called, Dialect, Seen};
use crate::frames::{Framing, without_line_ends};
use crate::meter::PriceTable;
use crate::{Target, digest};
use reading::Reading;

/// A request that has been read.
pub struct Asked {
    /// The dialect that it is in.
    pub dialect: &'static dyn Dialect,
    /// What it asks.
    pub request: Arc<Request>,
    /// Its body with the keys in order: equal requests have equal ones.
    pub canonical: String,
    /// The digest of what is asked: the dialect, the model, whether as a stream, and the body.
    pub digest: Arc<str>,
    /// Whether it goes to this machine, where models are free.
    pub is_local: bool,
}

/// A change to a request before it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewritten {
    /// The new path, where it changed.
    pub path: Option<String>,
    /// The new body.
    pub body: String,
    /// Whether usage was asked for in the client's place.
    pub asks_for_usage: bool,
}

impl Asked {
    /// Reads a request; `None` when it is none to a model.
    pub fn read(target: &Target<'_>, body: &[u8]) -> Option<Asked> {
        let dialect = crate::dialects::claiming(target)?;
        let body: Map<String, Value> = serde_json::from_slice(body).ok()?;
        let mut request = dialect.read_request(target.path, &body)?;
        request.is_beta = target.is_beta;
        request.is_told_usage = dialect.tells_usage(target.host);
        // Objects are kept in the order of their keys, so this text is canonical.
        let canonical = serde_json::to_string(&body).unwrap_or_default();
        let digest = digest_of(dialect, &request, &canonical);
        let is_local = target.is_local();
        Some(Asked { dialect, request: Arc::new(request), canonical, digest, is_local })
    }

    /// Asks another model.
    pub fn use_model(&mut self, model: &str) {
        Arc::make_mut(&mut self.request).model = model.to_owned();
        // Most dialects name it in the body, some in the path.
        if let Ok(Value::Object(mut body)) = serde_json::from_str(&self.canonical)
            && let Some(named) = body.get_mut("model")
        {
            *named = Value::from(model);
            self.canonical = serde_json::to_string(&body).unwrap_or_default();
        }
        self.digest = digest_of(self.dialect, &self.request, &self.canonical);
    }

    /// What must be changed before the request is sent: the model, and the question for usage.
    pub fn rewrite(
        &mut self,
        path: &str,
        body: &[u8],
        model: Option<&str>,
        ask_for_usage: bool,
    ) -> Option<Rewritten> {
        let mut rewritten = Body::read(body)?;
        let mut new_path = None;
        let model = model.filter(|model| *model != self.request.model);
        if let Some(model) = model {
            new_path = self.dialect.set_model(path, &mut rewritten, model);
            self.use_model(model);
        }
        let asks = ask_for_usage && self.dialect.ask_for_usage(&self.request, &mut rewritten);
        (model.is_some() || asks).then(|| Rewritten {
            path: new_path,
            body: rewritten.write(),
            asks_for_usage: asks,
        })
    }

    /// A streamed answer as the provider sends it, safe for clients that read it line by line.
    pub fn stream(&self, answer: &Answer, stamp: Stamp) -> Vec<Vec<u8>> {
        let events = self.dialect.write_stream(&self.request, answer, stamp);
        match self.dialect.framing() {
            Framing::EventStream => events,
            Framing::Sse | Framing::Lines => events.into_iter().map(without_line_ends).collect(),
        }
    }

    /// The most that the call can cost, or `None` when its model has no price. A call without a limit
    /// on its output is taken at [`UNCAPPED_OUTPUT`], and what the provider holds of the conversation at
    /// `said_before`.
    pub fn worst_cost(&self, prices: &PriceTable, said_before: u64) -> Option<Money> {
        let output =
            self.request.max_output.unwrap_or(UNCAPPED_OUTPUT).saturating_mul(self.request.answers());
        let prompt =
            self.request.most_prompt_tokens() + if self.request.continues() { said_before } else { 0 };
        let price = prices.price_at(&self.request.model, self.is_local)?;
        match self.request.settings.get("service_tier").and_then(Value::as_str) {
            Some(tier) => price.worst_case_in(tier, prompt, output),
            None => Some(price.worst_case(prompt, output)),
        }
    }
}

fn digest_of(dialect: &dyn Dialect, request: &Request, canonical: &str) -> Arc<str> {
    Arc::from(digest(&[dialect.name(), &request.model, form(request.streamed, request.is_beta), canonical]))
}

/// The form of the answer that is asked for, as it counts for the digest.
pub(crate) fn form(streamed: bool, is_beta: bool) -> &'static str {
    match (streamed, is_beta) {
        (false, false) => "whole",
        (true, false) => "streamed",
        (false, true) => "whole, beta",
        (true, true) => "streamed, beta",
    }
}

/// What an answer without a limit is reserved at. Models can say more; the budget then stops at the
/// next call.
pub const UNCAPPED_OUTPUT: u64 = 4096;

/// An answer as it comes.
pub struct Exchange {
    asked: Asked,
    source: Source,
    began: Instant,
    first_content: Option<Duration>,
    status: Option<u16>,
    seen: Seen,
    reading: Reading,
    hides_usage: bool,
    recorded_latency: Option<f64>,
    is_unsent: bool,
}

/// Whether a connection failed before a request went over it, so that nothing can have been billed. The names
/// are those of the clients' errors.
fn was_never_sent(reason: &str) -> bool {
    const NAMES: [&str; 9] = [
        "ConnectError",
        "ConnectTimeout",
        "NewConnectionError",
        "ConnectTimeoutError",
        "NameResolutionError",
        "ClientConnector",
        "ConnectionRefusedError",
        "NetworkBlockedError",
        "gaierror",
    ];
    NAMES.iter().any(|name| reason.starts_with(name) || reason.contains(&format!("Caused by {name}")))
}

/// How the watching ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum How {
    /// The body came to its end.
    Ended,
    /// The client stopped reading.
    Closed,
    /// The connection failed.
    Broke(String),
}

impl Exchange {
    /// The request goes out now.
    pub fn begin(asked: Asked, source: Source, hides_usage: bool) -> Exchange {
        Exchange {
            asked,
            source,
            began: Instant::now(),
            first_content: None,
            status: None,
            seen: Seen::default(),
            reading: Reading::Nothing,
            hides_usage,
            recorded_latency: None,
            is_unsent: false,
        }
    }

    /// The answer is a recording, and took so many seconds then.
    pub fn recorded_in(self, seconds: f64) -> Exchange {
        Exchange { recorded_latency: Some(seconds), ..self }
    }

    /// The request is kept from the provider, whoever would have answered: nothing is billed.
    pub fn unsent(self) -> Exchange {
        Exchange { is_unsent: true, ..self }
    }

    /// What was asked.
    pub fn asked(&self) -> &Asked {
        &self.asked
    }

    /// Whether an event that only we asked for is kept from the client.
    pub fn hides_usage(&self) -> bool {
        self.hides_usage
    }

    /// The answer's head came.
    pub fn head(&mut self, status: u16, content_type: &str, content_encoding: &str) {
        self.status = Some(status);
        self.reading = Reading::of(status, content_type, content_encoding, &self.asked);
    }

    /// Whether the answer's head has come.
    pub fn has_head(&self) -> bool {
        self.status.is_some()
    }

    /// The next bytes of the answer. Gives what the client gets instead, where that differs.
    pub fn feed(&mut self, bytes: &[u8]) -> Option<Vec<u8>> {
        let before = self.seen.content_bytes;
        let instead = self.reading.feed(bytes, self.asked.dialect, &mut self.seen, self.hides_usage);
        if self.first_content.is_none() && self.seen.content_bytes > before {
            self.first_content = Some(self.began.elapsed());
        }
        instead
    }

    /// The body is over. Gives what the client still gets.
    pub fn end(&mut self) -> Vec<u8> {
        self.reading.end(self.asked.dialect, &mut self.seen, self.hides_usage)
    }

    /// The whole answer is known, because it was scripted: it need not be read.
    pub fn know(&mut self, answer: &Answer, stamp: Stamp) {
        self.first_content.get_or_insert_with(|| self.began.elapsed());
        if self.seen.calls.is_empty() && self.seen.text.is_empty() {
            let prefix = self.asked.dialect.call_prefix();
            for part in &answer.parts {
                match part {
                    // Without an id, a result is matched by its tool and its order.
                    Said::ToolCall { name, args } => {
                        let id = prefix.map(|prefix| stamp.call_id(prefix, self.seen.calls.len()));
                        self.seen.called(id.as_deref(), Some(name), Some(args));
                    }
                    Said::Text(text) | Said::Reasoning(text) => self.seen.text.push_str(text),
                    Said::Refusal(_) => {}
                }
            }
        }
        self.seen.usage = Some(answer.usage);
        self.seen.finish_reason = Some(self.asked.dialect.finish_reason(answer.finish()).to_owned());
        self.seen.is_whole = true;
    }

    /// The tool calls that the answer asks for, as far as it came.
    pub fn calls(&self) -> &[Called] {
        &self.seen.calls
    }

    /// The same, for one who takes note of them: they are given once.
    pub fn take_calls(&mut self) -> Vec<Called> {
        std::mem::take(&mut self.seen.calls)
    }

    /// What the answer says, as far as it came: text, reasoning, and the names and arguments of tool calls.
    pub fn text(&self) -> &str {
        &self.seen.text
    }

    /// What was seen of the answer, for a reader who wants no record of the call.
    pub(crate) fn into_seen(self) -> Seen {
        self.seen
    }

    /// The record of a call that has only begun.
    pub fn begun(&self) -> ModelCall {
        self.record(None, None, ExchangeEnd::Unfinished, None, false)
    }

    /// The record of a request that was refused before it was sent: nothing was taken, nothing spent.
    pub fn refused(asked: Asked, source: Source, reason: &str) -> ModelCall {
        let exchange = Exchange::begin(asked, source, false);
        let end = ExchangeEnd::Failed { status: None, message: Arc::from(reason) };
        exchange.record(Some(Usage::default()), Some(Money::ZERO), end, Some(Duration::ZERO), false)
    }

    /// The record of the call as it ended.
    pub fn ended(&self, how: &How, prices: &PriceTable) -> ModelCall {
        let latency = Some(self.began.elapsed());
        let failed = |message: &str| ExchangeEnd::Failed { status: self.status, message: Arc::from(message) };
        if let Some(status) = self.status.filter(|status| *status >= 300) {
            let message = self.seen.error.clone().unwrap_or_else(|| format!("HTTP status {status}"));
            // A request that is refused, or sent elsewhere, is not billed.
            return self.record(Some(Usage::default()), Some(Money::ZERO), failed(&message), latency, false);
        }
        let end = match (&self.seen.error, how) {
            (Some(error), _) => failed(error),
            (None, How::Broke(reason)) if self.status.is_none() => {
                if self.source != Source::Live || self.is_unsent || was_never_sent(reason) {
                    let nothing = (Some(Usage::default()), Some(Money::ZERO));
                    return self.record(nothing.0, nothing.1, failed(reason), latency, false);
                }
                failed(reason)
            }
            (None, How::Ended) if self.reading.is_unreadable() => {
                return self.record(None, None, failed("the answer could not be read"), latency, false);
            }
            _ if self.is_answered(how) => {
                ExchangeEnd::Answered { finish_reason: self.seen.finish_reason.as_deref().map(Arc::from) }
            }
            _ => ExchangeEnd::Cut,
        };
        let is_whole = matches!(end, ExchangeEnd::Answered { .. });
        let (usage, is_estimated) = match self.seen.usage {
            Some(usage) if is_whole => (Some(usage), false),
            None if is_whole => (None, false),
            // It was never sent: nobody counted.
            None if self.status.is_none() => (None, false),
            partial => (Some(self.estimate(partial)), true),
        };
        let cost = usage.and_then(|usage| self.cost(&usage, prices));
        self.record(usage, cost, end, latency, is_estimated)
    }

    /// Whether the model had said all it wanted. Some clients leave when they have heard why it stopped, and
    /// some servers send no end mark.
    fn is_answered(&self, how: &How) -> bool {
        let is_told = self.seen.finish_reason.is_some() && self.seen.usage.is_some();
        let is_cut = matches!(how, How::Broke(_));
        self.seen.is_whole || (!is_cut && is_told && self.seen.error.is_none())
    }

    /// What the part of an answer that came must have taken, when it was cut before its usage.
    fn estimate(&self, partial: Option<Usage>) -> Usage {
        let partial = partial.unwrap_or_else(|| Usage::of(self.asked.request.likely_prompt_tokens(), 0));
        Usage { output: partial.output.max(likely_tokens(self.seen.content_bytes)), ..partial }
    }

    fn cost(&self, usage: &Usage, prices: &PriceTable) -> Option<Money> {
        // A deployment has a name of its own; the answer tells the model behind it.
        let named = [Some(self.asked.request.model.as_str()), self.seen.model.as_deref()];
        let price =
            named.into_iter().flatten().find_map(|model| prices.price_at(model, self.asked.is_local))?;
        price.cost(usage, self.seen.service_tier.as_deref())
    }

    fn record(
        &self,
        usage: Option<Usage>,
        cost: Option<Money>,
        end: ExchangeEnd,
        latency: Option<Duration>,
        usage_is_estimated: bool,
    ) -> ModelCall {
        let raw_usage =
            self.seen.raw_usage.as_ref().and_then(|usage| Packed::from_json(&usage.to_string()).ok());
        ModelCall {
            model: Arc::from(self.asked.request.model.as_str()),
            usage,
            cost,
            exchange: Some(Box::new(unitai_model::Exchange {
                dialect: Arc::from(self.asked.dialect.name()),
                source: self.source,
                request_digest: self.asked.digest.clone(),
                streamed: self.asked.request.streamed,
                latency: latency.map(|latency| latency.as_secs_f64()),
                time_to_first_token: self.first_content.map(|first| first.as_secs_f64()),
                recorded_latency: self.recorded_latency,
                end,
                raw_usage,
                usage_is_estimated,
            })),
        }
    }
}
