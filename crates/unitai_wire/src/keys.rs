//! Which variable of the environment holds the key for a model.

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
