//! A budget that holds: money is reserved before a request is sent and settled after its answer.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use unitai_model::{ModelCall, Money};

/// An amount that may be spent, shared by whoever spends it. Clones share one ledger.
///
/// ```
/// use unitai_model::Money;
/// use unitai_wire::meter::Budget;
/// let cents = |n: i64| Money::from_pico_dollars(n * 10_000_000_000);
/// let budget = Budget::new(cents(10));
/// let call = budget.reserve(cents(6)).unwrap();
/// assert!(budget.reserve(cents(6)).is_err(), "both could not be paid");
/// call.settle(cents(2));
/// assert_eq!(budget.spent(), cents(2));
/// assert!(budget.reserve(cents(8)).is_ok());
/// ```
#[derive(Debug, Clone)]
pub struct Budget(Arc<Mutex<Ledger>>);

#[derive(Debug)]
struct Ledger {
    limit: Money,
    spent: Money,
    reserved: Money,
}

/// Why a reservation was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OverBudget {
    /// What may be spent in all.
    pub limit: Money,
    /// What was spent.
    pub spent: Money,
    /// What calls under way may still cost.
    pub reserved: Money,
    /// What this call could cost.
    pub asked: Money,
}

/// A call cost more than was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overspent {
    /// What may be spent in all.
    pub limit: Money,
    /// What the call counts for.
    pub counted: Money,
}

/// Money that is set aside for one call. Dropped without being settled, it counts as spent: what
/// nobody accounts for may have been billed.
#[derive(Debug)]
pub struct Reservation {
    budget: Budget,
    amount: Money,
    is_settled: bool,
}

impl Budget {
    /// A budget of this amount.
    pub fn new(limit: Money) -> Budget {
        Budget(Arc::new(Mutex::new(Ledger { limit, spent: Money::ZERO, reserved: Money::ZERO })))
    }

    /// Sets money aside, or says why it cannot be.
    pub fn reserve(&self, asked: Money) -> Result<Reservation, OverBudget> {
        let mut ledger = self.ledger();
        let (limit, spent, reserved) = (ledger.limit, ledger.spent, ledger.reserved);
        if spent.plus(reserved).plus(asked) > limit {
            return Err(OverBudget { limit, spent, reserved, asked });
        }
        ledger.reserved = reserved.plus(asked);
        Ok(Reservation { budget: self.clone(), amount: asked, is_settled: false })
    }

    /// What may be spent in all.
    pub fn limit(&self) -> Money {
        self.ledger().limit
    }

    /// What was spent.
    pub fn spent(&self) -> Money {
        self.ledger().spent
    }

    /// What calls under way may still cost.
    pub fn reserved(&self) -> Money {
        self.ledger().reserved
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reservation {
    /// Replaces what was set aside by what was spent. Says whether the budget still holds.
    pub fn settle(mut self, spent: Money) -> bool {
        self.release(spent)
    }

    /// Settles a call as it ended. What is not known, and what was cut and may have been billed to its end, counts
    /// as all that was set aside. Gives what was counted where the budget does not hold any more.
    pub fn settle_call(self, call: &ModelCall) -> Result<(), Overspent> {
        let is_estimated = call.exchange.as_ref().is_some_and(|exchange| exchange.usage_is_estimated);
        let counted = match call.cost {
            Some(cost) if is_estimated => cost.max(self.amount),
            Some(cost) => cost,
            None => self.amount,
        };
        let limit = self.budget.limit();
        if self.settle(counted) { Ok(()) } else { Err(Overspent { limit, counted }) }
    }

    fn release(&mut self, spent: Money) -> bool {
        self.is_settled = true;
        let mut ledger = self.budget.ledger();
        ledger.reserved = ledger.reserved.minus(self.amount);
        ledger.spent = ledger.spent.plus(spent);
        ledger.spent <= ledger.limit
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if !self.is_settled {
            self.release(self.amount);
        }
    }
}
