//! The settings of running an agent.

use std::collections::BTreeMap;

use unitai_model::OwnPrice;

use crate::{Name, Settings, Value};

/// How agents are run by those who do not say it themselves.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSettings {
    /// Whether calling a tool that is not mocked is an error.
    pub is_strict: bool,
    /// How often one tool may be called in one run.
    pub max_tool_calls: u32,
    /// Seconds that one run may take.
    pub timeout: f64,
    /// The name of the adapter; `None` for the one that knows the agent.
    pub adapter: Option<String>,
    /// The model that agents use instead of their own.
    pub model: Option<String>,
    /// What models cost.
    pub prices: BTreeMap<String, OwnPrice>,
}

impl Settings {
    /// How agents are run by those who do not say it themselves.
    pub fn runs(&self) -> RunSettings {
        let text = |name| self.get(name).value.text().map(str::to_owned);
        RunSettings {
            is_strict: self.get(Name::StrictMocks).value.flag().unwrap_or(true),
            max_tool_calls: self
                .get(Name::MaxToolCalls)
                .value
                .whole()
                .and_then(|calls| u32::try_from(calls).ok())
                .unwrap_or(1),
            timeout: self.get(Name::Timeout).value.number().unwrap_or(1.0),
            adapter: text(Name::Adapter),
            model: text(Name::ModelOverride),
            prices: match &self.get(Name::Prices).value {
                Value::Prices(prices) => prices.clone(),
                _ => BTreeMap::new(),
            },
        }
    }
}
