//! A provider whose answers are paid for, from the budgets of test and suite.

use std::sync::Arc;

use unitai_spec::run::Future;
use unitai_wire::meter::{Budgets, PriceTable};

use crate::purse::{Purse, Tally, Ticket, Till};
use crate::{Ask, Drive, Identity, Provider, Reach, Said, Trouble};

/// How many turns a drive of a program is reserved at, at most. What more of them took is known at its end alone.
const LIKELY_TURNS: u64 = 4;

/// A provider whose answers are paid for.
///
/// Each test makes one of its own, with its own budgets, around the provider that all of them share.
pub struct Metered {
    inner: Arc<dyn Provider>,
    till: Arc<Till>,
}

impl Metered {
    /// The provider, paid from these budgets at these prices.
    pub fn new(inner: Arc<dyn Provider>, budgets: Budgets, prices: PriceTable) -> Metered {
        Metered { inner, till: Arc::new(Till::new(budgets, prices)) }
    }

    /// What its answers came to so far.
    pub fn tally(&self) -> Tally {
        self.till.tally()
    }

    /// The money for whoever is asked.
    async fn purse(&self) -> Result<Purse, Trouble> {
        if self.till.budgets.is_empty() || self.inner.is_free() {
            return Ok(Purse::new(self.till.clone(), None));
        }
        let identity = self.inner.identity().await?;
        let model = likely_model(&identity);
        let Some(price) = self.till.prices.price_of(model) else {
            let who = if model.is_empty() { identity.provider.as_str() } else { model };
            return Err(Trouble::OverBudget(format!(
                "there is a budget, and no price for {who}: what the judge spends cannot be told; say what it costs \
                 in [tool.unitai.prices], name a model of the price table with judge.model, or drop the budget"
            )));
        };
        Ok(Purse::new(self.till.clone(), Some(price.clone())))
    }
}

/// Settles an answer that came whole.
fn settled(mut said: Said, ticket: Ticket) -> Result<Said, Trouble> {
    said.spent = ticket.settle(&said.model, said.spent)?;
    Ok(said)
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
            let ticket = self.purse().await?.reserve_for("a question to the judge", texts, 1)?;
            match self.inner.ask(ask).await {
                Ok(said) => settled(said, ticket),
                // Whoever was not there, or not to be had, bills nothing. All else may be billed.
                Err(trouble) => {
                    if matches!(trouble, Trouble::Absent(_) | Trouble::Unavailable(_)) {
                        ticket.give_back();
                    }
                    Err(trouble)
                }
            }
        })
    }

    fn drive<'a>(&'a self, drive: &'a Drive<'a>, reach: &'a Reach) -> Future<'a, Result<Said, Trouble>> {
        Box::pin(async move {
            let purse = self.purse().await?;
            if self.inner.pays_each_turn() {
                let paid = Reach { pay: Some(purse), ..reach.clone() };
                return self.inner.drive(drive, &paid).await;
            }
            let tools = reach.hands.tools();
            let offered: usize = tools
                .iter()
                .map(|tool| tool.name.len() + tool.description.len() + tool.input_schema.to_string().len())
                .sum();
            let texts = drive.system.len() + drive.prompt.len() + drive.schema.to_string().len() + offered;
            let turns = u64::from(drive.turns).clamp(1, LIKELY_TURNS);
            let ticket = purse.reserve_for("a drive by a model", texts as u64, turns)?;
            match self.inner.drive(drive, reach).await {
                Ok(said) => settled(said, ticket),
                // Who is not to be had now may have been before, and has billed that.
                Err(trouble) => {
                    if matches!(trouble, Trouble::Absent(_)) {
                        ticket.give_back();
                    }
                    Err(trouble)
                }
            }
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
                program: String::new(),
            };
            assert!(price_of(likely_model(&identity(""))).is_some(), "{provider}");
            assert_eq!(likely_model(&identity("mine")), "mine");
        }
    }
}
