//! A provider whose answers are paid for: money is set aside in the budgets of test and suite before it is asked and
//! settled after, and all of it is added up.

use std::sync::{Arc, Mutex, PoisonError};

use unitai_model::{Money, Usage};
use unitai_spec::run::Future;
use unitai_wire::meter::{Budgets, Price, PriceTable, Reservation, Unreserved};

use crate::providers::api::MOST_OUTPUT;
use crate::{Ask, Drive, Identity, Provider, Reach, Said, Trouble};

/// How many turns a drive is reserved at, at most. What takes more is stopped at the next call.
const LIKELY_TURNS: u64 = 4;

/// What the frame around a request is reserved at, in tokens. Programs put a prompt of their own before ours.
const FRAME: u64 = 4096;

/// A provider whose answers are paid for.
///
/// Each test makes one of its own, with its own budgets, around the provider that all of them share.
pub struct Metered {
    inner: Arc<dyn Provider>,
    budgets: Budgets,
    prices: PriceTable,
    tally: Mutex<Tally>,
}

/// What answers came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// How often it was asked and could answer.
    pub calls: u64,
    /// Tokens that went in, as far as they were told.
    pub input_tokens: u64,
    /// Tokens that came out, as far as they were told.
    pub output_tokens: u64,
    /// What is known of the cost.
    pub cost: Money,
    /// Calls of which nobody knows what they cost.
    pub unpriced: u64,
}

impl Tally {
    /// Both together.
    pub fn plus(self, other: Tally) -> Tally {
        Tally {
            calls: self.calls + other.calls,
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cost: self.cost.plus(other.cost),
            unpriced: self.unpriced + other.unpriced,
        }
    }
}

impl Metered {
    /// The provider, paid from these budgets at these prices.
    pub fn new(inner: Arc<dyn Provider>, budgets: Budgets, prices: PriceTable) -> Metered {
        Metered { inner, budgets, prices, tally: Mutex::new(Tally::default()) }
    }

    /// What its answers came to so far.
    pub fn tally(&self) -> Tally {
        *self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets aside what an answer can cost.
    async fn reserve(&self, texts: u64, turns: u64) -> Result<Option<Reservation>, Trouble> {
        if self.budgets.is_empty() || self.inner.is_free() {
            return Ok(None);
        }
        let identity = self.inner.identity().await?;
        let model = likely_model(&identity);
        let Some(price) = self.price(model) else {
            let who = if model.is_empty() { identity.provider.as_str() } else { model };
            return Err(Trouble::OverBudget(format!(
                "there is a budget, and no price for {who}: what the judge spends cannot be told; say what it costs \
                 in [tool.unitai.prices], name a model of the price table with judge.model, or drop the budget"
            )));
        };
        // No tokenizer makes more tokens of a text than it has bytes, and every turn says again all that was said.
        let prompt = texts.saturating_add(FRAME).saturating_mul(turns);
        let worst = price.worst_case(prompt, MOST_OUTPUT.saturating_mul(turns));
        self.budgets.reserve(worst).map(Some).map_err(|refused| match refused {
            Unreserved::Ledger(error) => Trouble::Broken(error.to_string()),
            Unreserved::Over(over) => Trouble::OverBudget(format!(
                "{}: expected {}, found a question to the judge that can cost {}; {}",
                over.message(),
                over.expected(),
                over.asked.shown(),
                over.whose.how_to_raise()
            )),
        })
    }

    fn price(&self, model: &str) -> Option<&Price> {
        self.prices.price_of(model)
    }

    /// Settles an answer as it ended, and adds it up.
    fn settle(&self, said: Result<Said, Trouble>, reserved: Option<Reservation>) -> Result<Said, Trouble> {
        let mut said = match said {
            Ok(said) => said,
            // Whoever was not there, or not to be had, bills nothing. All else may be billed, and then what was set
            // aside counts as spent.
            Err(trouble) => {
                if let (Trouble::Absent(_) | Trouble::Unavailable(_), Some(reserved)) = (&trouble, reserved) {
                    let _ = reserved.settle(Money::ZERO);
                } else if matches!(trouble, Trouble::TimedOut { .. } | Trouble::Broken(_)) {
                    self.add(Tally { calls: 1, unpriced: 1, ..Tally::default() });
                }
                return Err(trouble);
            }
        };
        let spent = &mut said.spent;
        if spent.cost.is_none()
            && let (Some(input), Some(output)) = (spent.input_tokens, spent.output_tokens)
        {
            spent.cost =
                self.price(&said.model).and_then(|price| price.cost(&Usage::of(input, output), None));
        }
        self.add(Tally {
            calls: 1,
            input_tokens: spent.input_tokens.unwrap_or_default(),
            output_tokens: spent.output_tokens.unwrap_or_default(),
            cost: spent.cost.unwrap_or_default(),
            unpriced: u64::from(spent.cost.is_none()),
        });
        // What nobody knows counts as all that was set aside, which dropping does.
        match (reserved, spent.cost) {
            (Some(reserved), Some(cost)) => match reserved.settle(cost) {
                Ok(()) => Ok(said),
                Err(unsettled) => Err(Trouble::OverBudget(unsettled.to_string())),
            },
            _ => Ok(said),
        }
    }

    fn add(&self, one: Tally) {
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        *tally = tally.plus(one);
    }
}

impl Provider for Metered {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn identity(&self) -> Future<'_, Result<Identity, Trouble>> {
        self.inner.identity()
    }

    fn is_free(&self) -> bool {
        self.inner.is_free()
    }

    fn ask<'a>(&'a self, ask: &'a Ask<'a>) -> Future<'a, Result<Said, Trouble>> {
        Box::pin(async move {
            let texts = (ask.system.len() + ask.prompt.len() + ask.schema.to_string().len()) as u64;
            let reserved = self.reserve(texts, 1).await?;
            self.settle(self.inner.ask(ask).await, reserved)
        })
    }

    fn drive<'a>(&'a self, drive: &'a Drive<'a>, reach: &'a Reach) -> Future<'a, Result<Said, Trouble>> {
        Box::pin(async move {
            let tools = reach.hands.tools();
            let offered: usize = tools
                .iter()
                .map(|tool| tool.name.len() + tool.description.len() + tool.input_schema.to_string().len())
                .sum();
            let texts = drive.system.len() + drive.prompt.len() + drive.schema.to_string().len() + offered;
            let reserved = self.reserve(texts as u64, u64::from(drive.turns).clamp(1, LIKELY_TURNS)).await?;
            self.settle(self.inner.drive(drive, reach).await, reserved)
        })
    }
}

/// The model that is likely asked, where a program chooses for itself. For setting money aside alone: what is billed
/// is what it says.
fn likely_model(identity: &Identity) -> &str {
    match (identity.model.as_str(), identity.provider.as_str()) {
        ("", "claude-code") => "claude-opus-5",
        ("", "codex") => "gpt-5.5",
        ("", "gemini-cli") => "gemini-2.5-pro",
        (model, _) => model,
    }
}

#[cfg(test)]
mod tests {
    use unitai_wire::meter::price_of;

    use super::*;

    #[test]
    fn every_program_is_likely_to_ask_a_model_with_a_price() {
        for provider in ["claude-code", "codex", "gemini-cli"] {
            let identity = |model: &str| Identity {
                provider: provider.to_owned(),
                model: model.to_owned(),
                version: String::new(),
            };
            assert!(price_of(likely_model(&identity(""))).is_some(), "{provider}");
            assert_eq!(likely_model(&identity("mine")), "mine");
        }
    }
}
