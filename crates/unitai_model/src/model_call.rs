//! A call of a model: what it took, what it cost, and what was seen of it on the wire.

use std::sync::Arc;

use crate::{Money, Packed};

/// A call of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelCall {
    /// The model's name as the provider spells it.
    pub model: Arc<str>,
    /// The tokens it took; `None` when nobody said, which is not the same as none.
    pub usage: Option<Usage>,
    /// What it cost; `None` when that is unknown, which is not the same as free.
    pub cost: Option<Money>,
    /// What was seen on the wire; `None` where an agent reported the call itself.
    pub exchange: Option<Box<Exchange>>,
}

/// Tokens by what they cost. Every token is in exactly one class but for `reasoning`, which is a
/// part of `output`.
///
/// ```
/// use unitai_model::Usage;
/// let usage = Usage { fresh: 100, cache_read: 900, output: 50, reasoning: 20, ..Usage::default() };
/// assert_eq!((usage.prompt_tokens(), usage.completion_tokens()), (1000, 50));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Input at the full price.
    pub fresh: u64,
    /// Input that was read from the provider's cache.
    pub cache_read: u64,
    /// Input that was written to the provider's cache.
    pub cache_write: u64,
    /// Input that was written to the cache to stay for long, where that has a price of its own.
    pub cache_write_long: u64,
    /// The answer, reasoning included.
    pub output: u64,
    /// The part of the answer that was reasoning.
    pub reasoning: u64,
}

impl Usage {
    /// Usage of which only the two totals are known.
    pub fn of(prompt_tokens: u64, completion_tokens: u64) -> Usage {
        Usage { fresh: prompt_tokens, output: completion_tokens, ..Usage::default() }
    }

    /// All tokens of the prompt.
    pub fn prompt_tokens(&self) -> u64 {
        [self.cache_read, self.cache_write, self.cache_write_long]
            .into_iter()
            .fold(self.fresh, u64::saturating_add)
    }

    /// All tokens of the answer.
    pub fn completion_tokens(&self) -> u64 {
        self.output
    }

    /// All tokens.
    pub fn total(&self) -> u64 {
        self.prompt_tokens().saturating_add(self.output)
    }
}

/// One request and its answer, as seen on the wire.
#[derive(Debug, Clone, PartialEq)]
pub struct Exchange {
    /// The dialect that was spoken: `openai_chat`, `anthropic`, ...
    pub dialect: Arc<str>,
    /// Who answered.
    pub source: Source,
    /// The digest of the request: equal requests have equal digests.
    pub request_digest: Arc<str>,
    /// Whether the answer was asked for as a stream.
    pub streamed: bool,
    /// Seconds from the request to the end of the answer; `None` while it has not ended.
    pub latency: Option<f64>,
    /// Seconds from the request to the first part of the answer's content.
    pub time_to_first_token: Option<f64>,
    /// Seconds that the answer took when it was recorded, where it is a replay.
    pub recorded_latency: Option<f64>,
    /// How it ended.
    pub end: ExchangeEnd,
    /// Usage as the provider wrote it.
    pub raw_usage: Option<Packed>,
    /// Whether the usage is our estimate, because the answer ended before the provider told it.
    pub usage_is_estimated: bool,
}

/// Who answered a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The provider, over the network.
    Live,
    /// A script.
    Script,
    /// A recording of what the provider answered once.
    Replay,
}

impl Source {
    /// The word in Python and JSON.
    pub fn word(self) -> &'static str {
        match self {
            Source::Live => "live",
            Source::Script => "script",
            Source::Replay => "replay",
        }
    }

    /// The source of this word.
    pub fn of_word(word: &str) -> Option<Source> {
        [Source::Live, Source::Script, Source::Replay].into_iter().find(|source| source.word() == word)
    }
}

/// How an exchange ended.
#[derive(Debug, Clone, PartialEq)]
pub enum ExchangeEnd {
    /// It was still under way when the run ended.
    Unfinished,
    /// The answer came whole.
    Answered {
        /// Why the model stopped, as the provider says it.
        finish_reason: Option<Arc<str>>,
    },
    /// The answer stopped before its end: the connection broke, or the agent stopped listening.
    Cut,
    /// There was no answer.
    Failed {
        /// The HTTP status, where there was one.
        status: Option<u16>,
        /// What the provider, or the connection, said.
        message: Arc<str>,
    },
}
