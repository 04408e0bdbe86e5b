//! The settings of recordings.

use std::path::{Path, PathBuf};

use unitai_model::TapeMode;

use crate::{Name, Settings, Source};

/// Whether recordings take part, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Choice {
    /// They do not: the provider answers, and nothing is recorded.
    #[default]
    Off,
    /// They do.
    On(TapeMode),
}

impl Choice {
    /// The words, for a message.
    pub const WORDS: &str = "one of: off, record, replay, auto";

    /// The choice of this word.
    ///
    /// ```
    /// use unitai_config::Choice;
    /// use unitai_model::TapeMode;
    /// assert_eq!(Choice::of_word("replay"), Some(Choice::On(TapeMode::Replay)));
    /// assert_eq!(Choice::of_word("off"), Some(Choice::Off));
    /// assert_eq!(Choice::of_word("REPLAY"), None);
    /// ```
    pub fn of_word(word: &str) -> Option<Choice> {
        if word == Choice::Off.word() {
            return Some(Choice::Off);
        }
        TapeMode::of_word(word).map(Choice::On)
    }

    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Choice::Off => "off",
            Choice::On(mode) => mode.word(),
        }
    }
}

/// The settings of recordings, as used.
#[derive(Debug, Clone, PartialEq)]
pub struct CacheSettings {
    /// Where answers come from; `None` when nobody said.
    pub mode: Option<Choice>,
    /// Where the recordings are.
    pub directory: PathBuf,
    /// How many hours a recording lives; 0 for ever.
    pub ttl_hours: f64,
    /// What differs from one time to the next and means nothing.
    pub volatile: Vec<String>,
    /// The beginnings of addresses that are recorded though they are no model's.
    pub apis: Vec<String>,
}

impl Settings {
    /// How recordings are used.
    pub fn cache(&self) -> CacheSettings {
        let texts = |name| self.get(name).value.texts().to_vec();
        CacheSettings {
            mode: self.cache_choice(),
            directory: self.get(Name::CacheDirectory).value.path().map(Path::to_owned).unwrap_or_default(),
            ttl_hours: self.get(Name::CacheTtlHours).value.number().unwrap_or_default(),
            volatile: texts(Name::CacheVolatile),
            apis: texts(Name::CacheApis),
        }
    }

    /// Two settings say it together: in the file `cache_enabled = false` is the last word, so that recordings can be
    /// switched off with one line; outside of it the mode is, which is what options and `UNITAI_CACHE` are.
    fn cache_choice(&self) -> Option<Choice> {
        let (enabled, mode) = (self.get(Name::CacheEnabled), self.get(Name::CacheMode));
        let (of_enabled, of_mode) = (enabled.source.rank(), mode.source.rank());
        let said = mode.value.text().and_then(Choice::of_word);
        let is_in_file = matches!(mode.source, Source::File(_));
        if of_mode > of_enabled || (of_mode == of_enabled && !is_in_file) {
            return said;
        }
        match enabled.value.flag() {
            Some(true) if of_mode < of_enabled => {
                Some(said.filter(|said| *said != Choice::Off).unwrap_or(Choice::On(TapeMode::Auto)))
            }
            Some(true) => Some(said.unwrap_or(Choice::On(TapeMode::Auto))),
            _ => Some(Choice::Off),
        }
    }
}
