//! Several budgets that hold at once: a call is paid for in each of them, or in none.

use unitai_model::{ModelCall, Money};

use super::ledger::{LedgerError, Open};
use super::{Balance, Budget, Whose};

/// The budgets that are in force for a call, the narrowest first: where several refuse, that one is named.
#[derive(Debug, Clone, Default)]
pub struct Budgets(Vec<Budget>);

/// Why money was not set aside.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreserved {
    /// A budget has not enough left.
    #[error("{}", .0.message())]
    Over(OverBudget),
    /// What is left cannot be told.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

/// A budget that has not enough left for a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverBudget {
    /// Whose budget it is.
    pub whose: Whose,
    /// Its place among those in force, of which the narrowest is the first.
    pub place: usize,
    /// How it stood.
    pub balance: Balance,
    /// What the call could cost.
    pub asked: Money,
}

/// Why a call that is over left a budget in disorder.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unsettled {
    /// A call cost more than was left.
    #[error("{}", .0.message())]
    Overspent(Overspent),
    /// What it cost could not be written down. What was set aside for it stays so.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

/// A call cost more than was left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overspent {
    /// Whose budget it is.
    pub whose: Whose,
    /// Its place among those in force, of which the narrowest is the first.
    pub place: usize,
    /// What may be spent in all.
    pub limit: Money,
    /// What the call counts for.
    pub counted: Money,
}

/// Money that is set aside for one call. Dropped without being settled, it counts as spent: what
/// nobody accounts for may have been billed.
#[derive(Debug)]
pub struct Reservation {
    budgets: Budgets,
    amount: Money,
    is_settled: bool,
}

impl From<Budget> for Budgets {
    fn from(budget: Budget) -> Budgets {
        Budgets(vec![budget])
    }
}

impl FromIterator<Budget> for Budgets {
    /// The narrowest first. One that is there already is not paid from twice.
    fn from_iter<I: IntoIterator<Item = Budget>>(budgets: I) -> Budgets {
        let mut found = Budgets::default();
        for budget in budgets {
            if !found.0.iter().any(|other| other.is(&budget)) {
                found.0.push(budget);
            }
        }
        found
    }
}

impl Budgets {
    /// Whether there is no limit at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each of them, the narrowest first.
    pub fn iter(&self) -> impl Iterator<Item = &Budget> {
        self.0.iter()
    }

    /// Whether asking may wait for another process.
    pub fn may_wait(&self) -> bool {
        self.0.iter().any(|budget| budget.path().is_some())
    }

    /// Lets a call of a model without a price through, if nobody asked for any of the budgets.
    ///
    /// ```
    /// use unitai_model::Money;
    /// use unitai_wire::meter::{Budget, Budgets};
    /// let usual = Budget::new(Money::from_dollars(5.0).unwrap()).by_default();
    /// let asked_for = Budget::new(Money::from_dollars(5.0).unwrap());
    /// assert!(Budgets::from(usual.clone()).lets_unpriced_through("my-model"));
    /// assert_eq!(usual.unpriced_model(), Some("my-model"));
    /// assert!(![usual, asked_for].into_iter().collect::<Budgets>().lets_unpriced_through("my-model"));
    /// ```
    pub fn lets_unpriced_through(&self, model: &str) -> bool {
        let is_let = self.0.iter().all(Budget::is_by_default);
        if is_let {
            self.0.iter().for_each(|budget| budget.let_through(model));
        }
        is_let
    }

    /// Sets money aside in each, or says why it cannot be; then it is set aside in none.
    ///
    /// ```
    /// use unitai_model::Money;
    /// use unitai_wire::meter::{Budget, Budgets, Unreserved, Whose};
    /// let cents = |n: i64| Money::from_pico_dollars(n * 10_000_000_000);
    /// let test = Budget::new(cents(10)).of(Whose::Test);
    /// let suite = Budget::new(cents(4)).of(Whose::Suite);
    /// let both: Budgets = [test.clone(), suite].into_iter().collect();
    /// let Err(Unreserved::Over(over)) = both.reserve(cents(6)) else { panic!() };
    /// assert_eq!(over.whose, Whose::Suite);
    /// assert_eq!(test.balance().unwrap().reserved, Money::ZERO);
    /// ```
    pub fn reserve(&self, asked: Money) -> Result<Reservation, Unreserved> {
        let mut open = self.open()?;
        for (place, (budget, ledger)) in self.0.iter().zip(&open).enumerate() {
            let balance = ledger.balance();
            if balance.spent.plus(balance.reserved).plus(asked) > balance.limit {
                let whose = budget.whose().clone();
                return Err(OverBudget { whose, place, balance, asked }.into());
            }
        }
        for at in 0..open.len() {
            if let Err(error) = open[at].reserve(asked) {
                // What cannot be taken back stays set aside, which errs on the safe side.
                for ledger in &mut open[..at] {
                    let _ = ledger.settle(asked, Money::ZERO);
                }
                return Err(error.into());
            }
        }
        drop(open);
        Ok(Reservation { budgets: self.clone(), amount: asked, is_settled: false })
    }

    /// Writes down what was spent without having been set aside.
    pub fn spend(&self, spent: Money) -> Result<(), Unsettled> {
        Reservation { budgets: self.clone(), amount: Money::ZERO, is_settled: false }.settle(spent)
    }

    /// Opens all of the ledgers. They are opened in one order by everybody, and given in ours.
    fn open(&self) -> Result<Vec<Open<'_>>, LedgerError> {
        let mut order: Vec<usize> = (0..self.0.len()).collect();
        order.sort_by_key(|at| self.0[*at].place());
        let mut open: Vec<(usize, Open<'_>)> = Vec::with_capacity(order.len());
        for at in order {
            open.push((at, self.0[at].open()?));
        }
        open.sort_by_key(|(at, _)| *at);
        Ok(open.into_iter().map(|(_, ledger)| ledger).collect())
    }
}

impl Reservation {
    /// Replaces what was set aside by what was spent. Fails where a budget does not hold any more.
    pub fn settle(mut self, spent: Money) -> Result<(), Unsettled> {
        self.release(spent)
    }

    /// Settles a call as it ended. What is not known, and what was cut and may have been billed to its end, counts
    /// as all that was set aside.
    pub fn settle_call(self, call: &ModelCall) -> Result<(), Unsettled> {
        let is_estimated = call.exchange.as_ref().is_some_and(|exchange| exchange.usage_is_estimated);
        let counted = match call.cost {
            Some(cost) if is_estimated => cost.max(self.amount),
            Some(cost) => cost,
            None => self.amount,
        };
        self.settle(counted)
    }

    /// Whether settling may wait for another process.
    pub fn may_wait(&self) -> bool {
        self.budgets.may_wait()
    }

    fn release(&mut self, spent: Money) -> Result<(), Unsettled> {
        self.is_settled = true;
        // Every budget is told, also when one of them is in disorder.
        let mut first = Ok(());
        for (place, budget) in self.budgets.0.iter().enumerate() {
            let settled = budget.open().and_then(|mut ledger| ledger.settle(self.amount, spent));
            let result = match settled {
                Ok(balance) if balance.spent <= balance.limit => Ok(()),
                Ok(balance) => {
                    let whose = budget.whose().clone();
                    let limit = balance.limit;
                    Err(Unsettled::Overspent(Overspent { whose, place, limit, counted: spent }))
                }
                Err(error) => Err(error.into()),
            };
            first = first.and(result);
        }
        first
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if !self.is_settled {
            let _ = self.release(self.amount);
        }
    }
}

impl From<OverBudget> for Unreserved {
    fn from(over: OverBudget) -> Unreserved {
        Unreserved::Over(over)
    }
}

impl OverBudget {
    /// What happened.
    pub fn message(&self) -> String {
        format!("{} does not allow another model call", self.whose.budget())
    }

    /// What would have been let through.
    pub fn expected(&self) -> String {
        let Balance { limit, spent, reserved } = self.balance;
        format!(
            "a call of at most {} (limit {}, spent {}, under way {})",
            self.balance.left().max(Money::ZERO).shown(),
            limit.shown(),
            spent.shown(),
            reserved.shown()
        )
    }

    /// What to do about it.
    pub fn remedy(&self) -> String {
        let raise = self.whose.how_to_raise();
        format!("{raise}; give the request a limit of its output; or let the agent ask less")
    }
}

impl Unsettled {
    /// The place of the budget that is overspent, if it is known.
    pub fn place(&self) -> Option<usize> {
        match self {
            Unsettled::Overspent(over) => Some(over.place),
            Unsettled::Ledger(_) => None,
        }
    }
}

impl Overspent {
    /// What happened.
    pub fn message(&self) -> String {
        format!("{} is overspent", self.whose.budget())
    }
}
