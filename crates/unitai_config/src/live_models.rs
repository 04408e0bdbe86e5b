//! Which tests may call models live.

use crate::{Name, Settings};

/// Which tests may call models live: those whose calls a model answers, and neither a script nor a recording.
///
/// ```
/// use unitai_config::LiveModels;
/// assert_eq!(LiveModels::of_word("marked"), Some(LiveModels::Marked));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LiveModels {
    /// All of them.
    #[default]
    Allow,
    /// Those that are marked, and repeated ones: they exist to see what a model does.
    Marked,
    /// None.
    Never,
}

impl LiveModels {
    /// Each with its word.
    pub(crate) const WORDS: [&'static str; 3] = ["allow", "marked", "never"];

    /// What this word means.
    pub fn of_word(word: &str) -> Option<LiveModels> {
        let place = LiveModels::WORDS.iter().position(|known| *known == word)?;
        [LiveModels::Allow, LiveModels::Marked, LiveModels::Never].get(place).copied()
    }
}

impl Settings {
    /// Which tests may call models live.
    pub fn live_models(&self) -> LiveModels {
        self.get(Name::LiveModels).value.text().and_then(LiveModels::of_word).unwrap_or_default()
    }
}
