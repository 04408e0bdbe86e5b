//! The wire's part of a model call in version 1.

use std::borrow::Cow;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::FormatError;
use super::v1::Any;
use crate::Packed;
use crate::model_call::{Exchange, ExchangeEnd, Source, Usage};
use crate::value::text::{push_float, push_int, push_str};

/// What was seen of a model call on the wire.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExchangeDocument<'a> {
    /// The dialect that was spoken.
    #[serde(borrow)]
    pub dialect: Cow<'a, str>,
    /// Who answered: `live`, `script` or `replay`.
    #[serde(borrow)]
    pub source: Cow<'a, str>,
    /// The digest of the request.
    #[serde(borrow)]
    pub request_digest: Cow<'a, str>,
    /// Whether the answer was asked for as a stream.
    pub streamed: bool,
    /// Seconds from the request to the end of the answer; absent when it had not ended.
    #[serde(default, deserialize_with = "super::v1::some_number")]
    pub latency: Option<f64>,
    /// Seconds from the request to the first content.
    #[serde(default, deserialize_with = "super::v1::some_number")]
    pub time_to_first_token: Option<f64>,
    /// Seconds that the answer took when it was recorded; only of a replay.
    #[serde(default, deserialize_with = "super::v1::some_number")]
    pub recorded_latency: Option<f64>,
    /// How it ended: `unfinished`, `answered`, `cut` or `failed`.
    pub end: EndWord,
    /// `answered`: why the model stopped.
    #[serde(borrow, default)]
    pub finish_reason: Option<Cow<'a, str>>,
    /// `failed`: the HTTP status, where there was one.
    #[serde(default)]
    pub status: Option<u16>,
    /// `failed`: what was said.
    #[serde(borrow, default)]
    pub error: Option<Cow<'a, str>>,
    /// Usage as the provider wrote it.
    #[serde(borrow, default, deserialize_with = "super::v1::present")]
    pub usage: Option<Any<'a>>,
    /// Whether the token counts are an estimate.
    #[serde(default)]
    pub usage_is_estimated: bool,
}

/// How an exchange ended.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EndWord {
    /// Still under way when the run ended.
    Unfinished,
    /// The answer came whole.
    Answered,
    /// The answer stopped before its end.
    Cut,
    /// There was no answer.
    Failed,
}

pub(super) fn write(out: &mut String, exchange: &Exchange) {
    text(out, "{\"dialect\":", &exchange.dialect);
    text(out, ",\"source\":", exchange.source.word());
    text(out, ",\"request_digest\":", &exchange.request_digest);
    out.push_str(if exchange.streamed { ",\"streamed\":true" } else { ",\"streamed\":false" });
    for (key, seconds) in [
        (",\"latency\":", exchange.latency),
        (",\"time_to_first_token\":", exchange.time_to_first_token),
        (",\"recorded_latency\":", exchange.recorded_latency),
    ] {
        if let Some(seconds) = seconds {
            out.push_str(key);
            push_float(out, seconds);
        }
    }
    match &exchange.end {
        ExchangeEnd::Unfinished => out.push_str(",\"end\":\"unfinished\""),
        ExchangeEnd::Cut => out.push_str(",\"end\":\"cut\""),
        ExchangeEnd::Answered { finish_reason } => {
            out.push_str(",\"end\":\"answered\"");
            if let Some(reason) = finish_reason {
                text(out, ",\"finish_reason\":", reason);
            }
        }
        ExchangeEnd::Failed { status, message } => {
            out.push_str(",\"end\":\"failed\"");
            if let Some(status) = status {
                out.push_str(",\"status\":");
                push_int(out, i64::from(*status));
            }
            text(out, ",\"error\":", message);
        }
    }
    if let Some(usage) = &exchange.raw_usage {
        out.push_str(",\"usage\":");
        out.push_str(usage.text());
    }
    if exchange.usage_is_estimated {
        out.push_str(",\"usage_is_estimated\":true");
    }
    out.push('}');
}

fn text(out: &mut String, key: &str, value: &str) {
    out.push_str(key);
    push_str(out, value);
}

impl ExchangeDocument<'_> {
    pub(super) fn read(self) -> Result<Exchange, FormatError> {
        let source = Source::of_word(&self.source)
            .ok_or_else(|| FormatError::malformed(format!("`{}` is no source of an answer", self.source)))?;
        let end = match self.end {
            EndWord::Unfinished => ExchangeEnd::Unfinished,
            EndWord::Cut => ExchangeEnd::Cut,
            EndWord::Answered => {
                ExchangeEnd::Answered { finish_reason: self.finish_reason.map(|text| Arc::from(&*text)) }
            }
            EndWord::Failed => ExchangeEnd::Failed {
                status: self.status,
                message: Arc::from(self.error.as_deref().unwrap_or_default()),
            },
        };
        Ok(Exchange {
            dialect: Arc::from(&*self.dialect),
            source,
            request_digest: Arc::from(&*self.request_digest),
            streamed: self.streamed,
            latency: self.latency,
            time_to_first_token: self.time_to_first_token,
            recorded_latency: self.recorded_latency,
            end,
            raw_usage: match self.usage {
                Some(usage) => Some(Packed::from_json(usage.0.get()).map_err(FormatError::malformed)?),
                None => None,
            },
            usage_is_estimated: self.usage_is_estimated,
        })
    }
}

/// The token counts of a step, put into their classes.
pub(super) struct Counts {
    pub(super) prompt: Option<u64>,
    pub(super) completion: Option<u64>,
    pub(super) cache_read: u64,
    pub(super) cache_write: u64,
    pub(super) cache_write_long: u64,
    pub(super) reasoning: u64,
}

impl Counts {
    pub(super) fn usage(&self) -> Result<Option<Usage>, FormatError> {
        let (prompt, output) = match (self.prompt, self.completion) {
            (None, None) => return Ok(None),
            (Some(prompt), Some(output)) => (prompt, output),
            _ => {
                return Err(FormatError::malformed(
                    "it has one of `prompt_tokens` and `completion_tokens`, not both",
                ));
            }
        };
        let cached = [self.cache_read, self.cache_write, self.cache_write_long]
            .into_iter()
            .try_fold(0, u64::checked_add);
        let fresh = cached
            .and_then(|cached| prompt.checked_sub(cached))
            .ok_or_else(|| FormatError::malformed("`prompt_tokens` is less than its cached parts"))?;
        Ok(Some(Usage {
            fresh,
            cache_read: self.cache_read,
            cache_write: self.cache_write,
            cache_write_long: self.cache_write_long,
            output,
            reasoning: self.reasoning,
        }))
    }
}
