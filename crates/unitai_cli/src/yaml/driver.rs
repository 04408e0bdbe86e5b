//! Who drives tests in the agentic mode.

use unitai_spec::run::Driver;

/// The driver that is asked for by name, or the first one that is usable here.
pub(super) fn chosen(provider: Option<&str>, model: Option<&str>) -> Result<Box<dyn Driver>, String> {
    let who = match (provider, model) {
        (Some(provider), Some(model)) => format!("the provider {provider} with the model {model}"),
        (Some(provider), None) => format!("the provider {provider}"),
        (None, Some(model)) => format!("a provider for the model {model}"),
        (None, None) => "a provider".to_owned(),
    };
    Err(format!(
        "the agentic mode needs {who}, and none can be chosen yet (unitai_judge::providers::choosing); use --mode engine"
    ))
}
