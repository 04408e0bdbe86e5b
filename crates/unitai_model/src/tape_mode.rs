//! Where the answers of models come from, when recordings take part.

/// Where answers come from.
///
/// ```
/// use unitai_model::TapeMode;
/// assert_eq!(TapeMode::of_word("replay"), Some(TapeMode::Replay));
/// assert_eq!(TapeMode::Auto.word(), "auto");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TapeMode {
    /// From the provider, always; each is recorded.
    Record,
    /// From recordings alone.
    Replay,
    /// From recordings, and from the provider where there is none; that one is recorded.
    Auto,
}

impl TapeMode {
    /// The word in Python, on the command line and in the configuration.
    pub fn word(self) -> &'static str {
        match self {
            TapeMode::Record => "record",
            TapeMode::Replay => "replay",
            TapeMode::Auto => "auto",
        }
    }

    /// The mode of this word.
    pub fn of_word(word: &str) -> Option<TapeMode> {
        [TapeMode::Record, TapeMode::Replay, TapeMode::Auto].into_iter().find(|mode| mode.word() == word)
    }
}
