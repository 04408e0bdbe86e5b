//! Whether kept answers are used, and whether anybody is asked.

use std::str::FromStr;

/// What `judge.answers` can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// Kept answers; where there are none, somebody is asked and the answers are kept.
    #[default]
    Auto,
    /// Kept answers alone; where there are none, that is an error.
    Cached,
    /// Somebody is asked, always; the answers are kept.
    Live,
    /// Nobody is asked.
    Off,
}

impl Mode {
    /// Every mode with its word in settings.
    pub const WORDS: [(&'static str, Mode); 4] =
        [("auto", Mode::Auto), ("cached", Mode::Cached), ("live", Mode::Live), ("off", Mode::Off)];

    /// Its word in settings.
    pub fn word(self) -> &'static str {
        Mode::WORDS.iter().find(|(_, mode)| *mode == self).map_or("", |(word, _)| word)
    }

    /// What it means where it runs: in CI, nobody reviews what is asked by the way.
    ///
    /// ```
    /// use unitai_judge::answers::Mode;
    /// assert_eq!(Mode::Auto.here(true), Mode::Cached);
    /// assert_eq!(Mode::Live.here(true), Mode::Live);
    /// ```
    #[must_use]
    pub fn here(self, is_ci: bool) -> Mode {
        if self == Mode::Auto && is_ci { Mode::Cached } else { self }
    }
}

impl FromStr for Mode {
    type Err = String;

    fn from_str(text: &str) -> Result<Mode, String> {
        let found = Mode::WORDS.iter().find(|(word, _)| *word == text);
        found
            .map(|(_, mode)| *mode)
            .ok_or_else(|| format!("judge.answers is one of auto, cached, live, off, not {text:?}"))
    }
}
