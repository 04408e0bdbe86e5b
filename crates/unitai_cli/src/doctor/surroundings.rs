//! What the environment says: which keys are set, and which of our variables nobody reads.

use std::env;

/// The keys of providers, by the names that their clients read. No value is ever looked at, but for being there.
const KEYS: [&str; 22] = [
    "ANTHROPIC_API_KEY",
    "AWS_ACCESS_KEY_ID",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_PROFILE",
    "AZURE_OPENAI_API_KEY",
    "CEREBRAS_API_KEY",
    "COHERE_API_KEY",
    "DEEPSEEK_API_KEY",
    "FIREWORKS_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GROQ_API_KEY",
    "HF_TOKEN",
    "MISTRAL_API_KEY",
    "OLLAMA_API_KEY",
    "OPENAI_ADMIN_KEY",
    "OPENAI_API_KEY",
    "OPENROUTER_API_KEY",
    "PERPLEXITY_API_KEY",
    "TOGETHER_API_KEY",
    "XAI_API_KEY",
];

/// The names of the keys that are set.
pub(crate) fn keys() -> Vec<&'static str> {
    KEYS.into_iter().filter(|name| env::var_os(name).is_some_and(|value| !value.is_empty())).collect()
}

/// A variable that looks like one of ours and is none.
pub(crate) struct Unknown {
    pub(crate) name: String,
    pub(crate) nearest: Option<String>,
}

/// Those that are set.
pub(crate) fn unknown_variables(known: &[String]) -> Vec<Unknown> {
    let names = env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
    let mut names: Vec<String> =
        names.filter(|name| name.starts_with("UNITAI_") && !known.contains(name)).collect();
    names.sort();
    names.into_iter().map(|name| Unknown { nearest: nearest(&name, known), name }).collect()
}

fn nearest(name: &str, known: &[String]) -> Option<String> {
    let alike = |other: &String| strsim::damerau_levenshtein(name, other);
    known.iter().min_by_key(|other| alike(other)).filter(|other| alike(other) <= 3).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_pen_is_guessed_and_nothing_else() {
        let known = ["UNITAI_DEFAULT_N".to_owned(), "UNITAI_MODEL_OVERRIDE".to_owned()];
        assert_eq!(nearest("UNITAI_MODEL_OVERIDE", &known).as_deref(), Some("UNITAI_MODEL_OVERRIDE"));
        assert_eq!(nearest("UNITAI_COLOUR", &known), None);
    }
}
