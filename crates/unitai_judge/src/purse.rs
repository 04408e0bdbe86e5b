//! Who pays: money is set aside in the budgets of test and suite before a request is sent and settled after its answer,
//! and all of it is added up.

use std::sync::{Arc, Mutex, PoisonError};

use unitai_model::{Money, Usage};
use unitai_spec::run::Spent;
use unitai_wire::meter::{Budgets, Price, PriceTable, Reservation, Unreserved};

use crate::Trouble;
use crate::providers::api::MOST_OUTPUT;

/// What the frame around a request is reserved at, in tokens. Programs put a prompt of their own before ours.
const FRAME: u64 = 4096;

/// What answers came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// How often it was asked and could answer. Each turn of a drive that we see is one.
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

/// The money of one test: what it may spend, at which prices, and what it came to.
#[derive(Debug)]
pub(crate) struct Till {
    pub(crate) budgets: Budgets,
    pub(crate) prices: PriceTable,
    tally: Mutex<Tally>,
}

impl Till {
    pub(crate) fn new(budgets: Budgets, prices: PriceTable) -> Till {
        Till { budgets, prices, tally: Mutex::new(Tally::default()) }
    }

    pub(crate) fn tally(&self) -> Tally {
        *self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, one: Tally) {
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        *tally = tally.plus(one);
    }
}

/// The money of a test in the hands of whoever sends requests to one model.
#[derive(Debug, Clone)]
pub struct Purse {
    till: Arc<Till>,
    /// What the model costs; nothing where no money is set aside.
    price: Option<Price>,
}

impl Purse {
    /// Pays for a model with this price, or only adds up.
    pub(crate) fn new(till: Arc<Till>, price: Option<Price>) -> Purse {
        Purse { till, price }
    }

    /// Sets aside what one turn can cost whose request has so many bytes.
    ///
    /// # Errors
    /// When a budget has not that much left: then the request must not be sent.
    pub fn reserve(&self, bytes: u64) -> Result<Ticket, Trouble> {
        self.reserve_for("a turn of the model", bytes, 1)
    }

    /// The same for whatever this is, and for several turns of somebody whose requests we do not see.
    pub(crate) fn reserve_for(&self, what: &str, bytes: u64, turns: u64) -> Result<Ticket, Trouble> {
        let ticket = |reserved| Ticket { till: self.till.clone(), reserved, is_over: false };
        let Some(price) = &self.price else { return Ok(ticket(None)) };
        // No tokenizer makes more tokens of a text than it has bytes, and every turn says again all that was said.
        let prompt = bytes.saturating_add(FRAME).saturating_mul(turns);
        let worst = price.worst_case(prompt, MOST_OUTPUT.saturating_mul(turns));
        match self.till.budgets.reserve(worst) {
            Ok(reserved) => Ok(ticket(Some(reserved))),
            Err(Unreserved::Ledger(error)) => Err(Trouble::Broken(error.to_string())),
            Err(Unreserved::Over(over)) => Err(Trouble::OverBudget(format!(
                "{}: expected {}, found {what} that can cost {}; {}",
                over.message(),
                over.expected(),
                over.asked.shown(),
                over.whose.how_to_raise()
            ))),
        }
    }
}

/// Money that is set aside for a request. Dropped without a word, all of it counts as spent: what nobody accounts for
/// may have been billed.
#[derive(Debug)]
#[must_use]
pub struct Ticket {
    till: Arc<Till>,
    reserved: Option<Reservation>,
    is_over: bool,
}

impl Ticket {
    /// Settles what an answer of this model took, and adds it up. Gives it with its cost, where that can be known.
    ///
    /// # Errors
    /// When it cost more than was left.
    pub fn settle(mut self, model: &str, mut spent: Spent) -> Result<Spent, Trouble> {
        self.is_over = true;
        if spent.cost.is_none()
            && let (Some(input), Some(output)) = (spent.input_tokens, spent.output_tokens)
        {
            let price = self.till.prices.price_of(model);
            spent.cost = price.and_then(|price| price.cost(&Usage::of(input, output), None));
        }
        self.till.add(Tally {
            calls: 1,
            input_tokens: spent.input_tokens.unwrap_or_default(),
            output_tokens: spent.output_tokens.unwrap_or_default(),
            cost: spent.cost.unwrap_or_default(),
            unpriced: u64::from(spent.cost.is_none()),
        });
        // What nobody knows counts as all that was set aside, which dropping does.
        if let (Some(reserved), Some(cost)) = (self.reserved.take(), spent.cost) {
            reserved.settle(cost).map_err(|unsettled| Trouble::OverBudget(unsettled.to_string()))?;
        }
        Ok(spent)
    }

    /// Gives all of it back: nobody bills what was not answered.
    pub fn give_back(mut self) {
        self.is_over = true;
        if let Some(reserved) = self.reserved.take() {
            // What cannot be taken back stays set aside, which errs on the safe side.
            let _ = reserved.settle(Money::ZERO);
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if !self.is_over {
            self.till.add(Tally { calls: 1, unpriced: 1, ..Tally::default() });
        }
    }
}
