//! The variables of the environment that hold keys: of all providers, and which one for a model.

/// The variables of all providers, by the names that their clients read.
pub const ALL: [&str; 23] = [
    "ANTHROPIC_API_KEY",
    "AWS_ACCESS_KEY_ID",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_PROFILE",
    "AZURE_OPENAI_API_KEY",
    "CEREBRAS_API_KEY",
    "COHERE_API_KEY",
    "CO_API_KEY",
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

/// The providers by how their models are named. More than one variable: any of them will do.
const PROVIDERS: [(&[&str], &[&str]); 7] = [
    (&["gpt-", "o1", "o3", "o4", "chatgpt-", "text-embedding-", "codex-"], &["OPENAI_API_KEY"]),
    (&["claude-"], &["ANTHROPIC_API_KEY"]),
    (&["gemini-", "gemma-"], &["GEMINI_API_KEY", "GOOGLE_API_KEY"]),
    (&["mistral-", "ministral-", "magistral-", "codestral-", "devstral-", "pixtral-"], &["MISTRAL_API_KEY"]),
    (&["grok-"], &["XAI_API_KEY"]),
    (&["deepseek-"], &["DEEPSEEK_API_KEY"]),
    (&["command-"], &["COHERE_API_KEY", "CO_API_KEY"]),
];

/// The variables of which one must hold the key for a model; none where the name does not tell.
///
/// ```
/// use unitai_wire::keys::variables_of;
/// assert_eq!(variables_of("claude-sonnet-4-5"), ["ANTHROPIC_API_KEY"]);
/// assert_eq!(variables_of("anthropic/claude-sonnet-4-5"), ["ANTHROPIC_API_KEY"]);
/// assert!(variables_of("my-own-model").is_empty());
/// ```
pub fn variables_of(model: &str) -> &'static [&'static str] {
    // Routers put the provider's name before the model's.
    let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
    let is_named = |begins: &&[&str]| begins.iter().any(|begin| name.starts_with(begin));
    PROVIDERS.iter().find(|(begins, _)| is_named(begins)).map_or(&[], |(_, variables)| variables)
}

/// Whether what a variable holds can be a key. Blanks are none, nor is the word that clients are given where nobody asks
/// for one.
///
/// ```
/// use unitai_wire::keys::is_key;
/// assert!(is_key("sk-1") && !is_key("none") && !is_key(" "));
/// ```
pub fn is_key(value: &str) -> bool {
    let value = value.trim();
    !value.is_empty() && !value.eq_ignore_ascii_case("none")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_of_a_model_is_a_key() {
        let named = PROVIDERS.iter().flat_map(|(_, variables)| variables.iter());
        assert!(named.clone().all(|variable| ALL.contains(variable)), "{named:?}");
        assert!(ALL.is_sorted());
    }
}
