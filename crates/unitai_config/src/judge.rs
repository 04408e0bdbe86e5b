//! The settings of the judge of YAML tests.

use std::time::Duration;

use crate::{Name, Settings, Source, Value};

/// Who judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JudgeProvider {
    /// The first of the others that is usable here.
    Auto,
    /// The program `claude`.
    ClaudeCode,
    /// The program `codex`.
    Codex,
    /// The program `gemini`.
    GeminiCli,
    /// Anthropic's API.
    Anthropic,
    /// Any API of OpenAI's form.
    OpenAi,
    /// A program that speaks our protocol.
    Command,
    /// Nobody.
    Nobody,
}

impl JudgeProvider {
    /// All of them, in the order in which [`JudgeProvider::Auto`] tries them.
    pub const ALL: [JudgeProvider; 8] = [
        JudgeProvider::Auto,
        JudgeProvider::ClaudeCode,
        JudgeProvider::Codex,
        JudgeProvider::GeminiCli,
        JudgeProvider::Anthropic,
        JudgeProvider::OpenAi,
        JudgeProvider::Command,
        JudgeProvider::Nobody,
    ];

    /// The word of settings.
    ///
    /// ```
    /// use unitai_config::JudgeProvider;
    /// assert_eq!(JudgeProvider::ClaudeCode.word(), "claude-code");
    /// assert_eq!(JudgeProvider::of_word("none"), Some(JudgeProvider::Nobody));
    /// assert_eq!(JudgeProvider::of_word("claude"), None);
    /// ```
    pub fn word(self) -> &'static str {
        match self {
            JudgeProvider::Auto => "auto",
            JudgeProvider::ClaudeCode => "claude-code",
            JudgeProvider::Codex => "codex",
            JudgeProvider::GeminiCli => "gemini-cli",
            JudgeProvider::Anthropic => "anthropic",
            JudgeProvider::OpenAi => "openai",
            JudgeProvider::Command => "command",
            JudgeProvider::Nobody => "none",
        }
    }

    /// The one of this word.
    pub fn of_word(word: &str) -> Option<JudgeProvider> {
        JudgeProvider::ALL.into_iter().find(|provider| provider.word() == word)
    }
}

/// Where answers of the judge come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JudgeAnswers {
    /// Kept answers; what is missing is asked, and kept.
    Auto,
    /// Kept answers alone; a miss is an error.
    Cached,
    /// The judge is always asked, and its answers are kept.
    Live,
    /// Nobody is asked.
    Off,
}

impl JudgeAnswers {
    /// All of them.
    pub const ALL: [JudgeAnswers; 4] =
        [JudgeAnswers::Auto, JudgeAnswers::Cached, JudgeAnswers::Live, JudgeAnswers::Off];

    /// The word of settings and of `--llm-judge`.
    pub fn word(self) -> &'static str {
        match self {
            JudgeAnswers::Auto => "auto",
            JudgeAnswers::Cached => "cached",
            JudgeAnswers::Live => "live",
            JudgeAnswers::Off => "off",
        }
    }

    /// The one of this word.
    pub fn of_word(word: &str) -> Option<JudgeAnswers> {
        JudgeAnswers::ALL.into_iter().find(|answers| answers.word() == word)
    }

    /// The same, where tests run for everybody: there nobody is asked unless it is said.
    ///
    /// ```
    /// use unitai_config::JudgeAnswers;
    /// assert_eq!(JudgeAnswers::Auto.in_ci(true), JudgeAnswers::Cached);
    /// assert_eq!(JudgeAnswers::Auto.in_ci(false), JudgeAnswers::Auto);
    /// assert_eq!(JudgeAnswers::Live.in_ci(true), JudgeAnswers::Live);
    /// ```
    pub fn in_ci(self, is_ci: bool) -> JudgeAnswers {
        if is_ci && self == JudgeAnswers::Auto { JudgeAnswers::Cached } else { self }
    }
}

/// Whether the environment says that tests run for everybody, by the variable `CI`.
///
/// ```
/// use unitai_config::is_ci;
/// assert!(is_ci(Some("true")) && is_ci(Some("1")));
/// assert!(!is_ci(None) && !is_ci(Some("")) && !is_ci(Some("false")) && !is_ci(Some("0")));
/// ```
pub fn is_ci(variable: Option<&str>) -> bool {
    variable.is_some_and(|text| !["", "0", "false", "no"].contains(&text.trim().to_lowercase().as_str()))
}

/// How YAML tests are judged.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeSettings {
    /// Who judges.
    pub provider: JudgeProvider,
    /// The model; `None` for the provider's own, or ours.
    pub model: Option<String>,
    /// The program of [`JudgeProvider::Command`] and its arguments; empty for none.
    pub command: Vec<String>,
    /// Who is asked when the first is split or does not know; `None` for nobody.
    pub second_provider: Option<JudgeProvider>,
    /// The model of the second; `None` for the provider's own, or ours.
    pub second_model: Option<String>,
    /// How often each question is asked.
    pub repeats: u32,
    /// Where answers come from, as it was said: see [`JudgeAnswers::in_ci`].
    pub answers: JudgeAnswers,
    /// Whether the judge is tried first.
    pub canaries: bool,
    /// Regular expressions of what does not matter.
    pub mask: Vec<String>,
    /// How long one question may take.
    pub timeout: Duration,
    /// How often it must say yes where people do.
    pub min_tpr: Option<f64>,
    /// How often it must say no where people do.
    pub min_tnr: Option<f64>,
    /// How far it must agree with people.
    pub min_kappa: Option<f64>,
}

impl JudgeSettings {
    /// The same with whoever is named for one run, by a flag or an argument. A model that was settled for another provider is
    /// none of this one: it has its own, or the one that is named with it.
    ///
    /// ```
    /// use unitai_config::{JudgeProvider, Settings};
    /// let settled = Settings::of(std::path::Path::new(".")).unwrap().judge();
    /// let settled = unitai_config::JudgeSettings { model: Some("gpt-5-mini".to_owned()), ..settled };
    /// assert_eq!(settled.clone().wanting(None, None).model.as_deref(), Some("gpt-5-mini"));
    /// assert_eq!(settled.clone().wanting(Some(JudgeProvider::Anthropic), None).model, None);
    /// assert_eq!(settled.wanting(Some(JudgeProvider::Anthropic), Some("claude")).model.as_deref(), Some("claude"));
    /// ```
    #[must_use]
    pub fn wanting(self, provider: Option<JudgeProvider>, model: Option<&str>) -> JudgeSettings {
        let settled = self.model.filter(|_| provider.is_none_or(|it| it == self.provider));
        let model = model.map(str::to_owned).or(settled);
        JudgeSettings { provider: provider.unwrap_or(self.provider), model, ..self }
    }
}

impl Settings {
    /// How YAML tests are judged.
    pub fn judge(&self) -> JudgeSettings {
        let value = |name| &self.get(name).value;
        let text = |name| value(name).text().map(str::to_owned);
        let provider = |name| value(name).text().and_then(JudgeProvider::of_word);
        let first = provider(Name::JudgeProvider).unwrap_or(JudgeProvider::Auto);
        // Whoever names another provider does not mean the model that a weaker source has named for its own.
        let of_file =
            self.in_file(Name::JudgeProvider).and_then(Value::text).and_then(JudgeProvider::of_word);
        let is_its_own = |model| match &self.get(model).source {
            Source::File(_) => [None, Some(JudgeProvider::Auto), Some(first)].contains(&of_file),
            source => self.get(Name::JudgeProvider).source.rank() <= source.rank(),
        };
        let second = provider(Name::JudgeSecondProvider);
        let second_model =
            text(Name::JudgeSecondModel).filter(|_| second.is_some() || is_its_own(Name::JudgeSecondModel));
        JudgeSettings {
            provider: first,
            model: text(Name::JudgeModel).filter(|_| is_its_own(Name::JudgeModel)),
            command: value(Name::JudgeCommand).texts().to_vec(),
            // A second model alone is another model of the same judge.
            second_provider: second
                .or_else(|| second_model.is_some().then_some(first))
                .filter(|second| *second != JudgeProvider::Nobody),
            second_model,
            repeats: value(Name::JudgeRepeats).whole().and_then(|often| often.try_into().ok()).unwrap_or(1),
            answers: value(Name::JudgeAnswers)
                .text()
                .and_then(JudgeAnswers::of_word)
                .unwrap_or(JudgeAnswers::Auto),
            canaries: value(Name::JudgeCanaries).flag().unwrap_or(true),
            mask: value(Name::JudgeMask).texts().to_vec(),
            timeout: value(Name::JudgeTimeout)
                .number()
                .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
                .unwrap_or(Duration::from_secs(120)),
            min_tpr: value(Name::JudgeMinTpr).number(),
            min_tnr: value(Name::JudgeMinTnr).number(),
            min_kappa: value(Name::JudgeMinKappa).number(),
        }
    }
}
