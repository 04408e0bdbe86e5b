//! A budget that holds: money is reserved before a request is sent and settled after its answer.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use unitai_model::Money;

use super::ledger::{Balance, Ledger, LedgerError, Open};
use super::shared::SharedLedger;
use super::{Budgets, Reservation, Unreserved, Whose};

/// An amount that may be spent, shared by whoever spends it. Clones share one ledger.
///
/// ```
/// use unitai_model::Money;
/// use unitai_wire::meter::Budget;
/// let cents = |n: i64| Money::from_pico_dollars(n * 10_000_000_000);
/// let budget = Budget::new(cents(10));
/// let call = budget.reserve(cents(6)).unwrap();
/// assert!(budget.reserve(cents(6)).is_err(), "both could not be paid");
/// call.settle(cents(2)).unwrap();
/// assert_eq!(budget.balance().unwrap().spent, cents(2));
/// assert!(budget.reserve(cents(8)).is_ok());
/// ```
#[derive(Debug, Clone)]
pub struct Budget {
    ledger: Arc<Ledger>,
    limit: Money,
    whose: Whose,
    /// Of one that nobody asked for: the first model without a price that it let through.
    unpriced: Option<Arc<OnceLock<String>>>,
}

impl Budget {
    /// A budget of this amount, for this process.
    pub fn new(limit: Money) -> Budget {
        Budget { ledger: Arc::new(Ledger::in_memory(limit)), limit, whose: Whose::Nobodys, unpriced: None }
    }

    /// A budget that several processes share: its ledger is a file. It is made where there is none, with the limit
    /// that is given; one that is there must have that limit.
    pub fn shared(path: &Path, limit: Option<Money>) -> Result<Budget, LedgerError> {
        let (ledger, limit) = SharedLedger::join(path, limit)?;
        let ledger = Arc::new(Ledger::File(ledger));
        Ok(Budget { ledger, limit, whose: Whose::Nobodys, unpriced: None })
    }

    /// The same budget, as one that nobody asked for. It holds for what can be priced, and refuses no model without a price.
    pub fn by_default(self) -> Budget {
        Budget { unpriced: Some(Arc::default()), ..self }
    }

    /// Whether nobody asked for it.
    pub fn is_by_default(&self) -> bool {
        self.unpriced.is_some()
    }

    /// The first model without a price that it let through.
    pub fn unpriced_model(&self) -> Option<&str> {
        self.unpriced.as_ref()?.get().map(String::as_str)
    }

    /// Writes down that it let a model without a price through.
    pub(super) fn let_through(&self, model: &str) {
        if let Some(unpriced) = &self.unpriced {
            unpriced.get_or_init(|| model.to_owned());
        }
    }

    /// The same budget, as somebody's.
    pub fn of(self, whose: Whose) -> Budget {
        Budget { whose, ..self }
    }

    /// The same budget, as somebody's unless it is another's already.
    pub fn or_of(self, whose: Whose) -> Budget {
        if self.whose == Whose::Nobodys { self.of(whose) } else { self }
    }

    /// Whose it is.
    pub fn whose(&self) -> &Whose {
        &self.whose
    }

    /// What may be spent in all.
    pub fn limit(&self) -> Money {
        self.limit
    }

    /// How it stands.
    pub fn balance(&self) -> Result<Balance, LedgerError> {
        self.open().map(|ledger| ledger.balance())
    }

    /// The file of its ledger, if several processes share it.
    pub fn path(&self) -> Option<&Path> {
        self.ledger.place().0
    }

    /// Sets money aside, or says why it cannot be.
    pub fn reserve(&self, asked: Money) -> Result<Reservation, Unreserved> {
        Budgets::from(self.clone()).reserve(asked)
    }

    /// Whether both are about the same money.
    pub fn is(&self, other: &Budget) -> bool {
        self.ledger.place() == other.ledger.place()
    }

    pub(super) fn place(&self) -> (Option<&Path>, usize) {
        self.ledger.place()
    }

    pub(super) fn open(&self) -> Result<Open<'_>, LedgerError> {
        self.ledger.open()
    }
}
