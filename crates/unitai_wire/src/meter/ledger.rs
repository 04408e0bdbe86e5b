//! Where it is written down what a budget's money went to: in this process, or in a file for several.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use unitai_model::Money;

use super::shared::{OpenBook, SharedLedger};

/// How a budget stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Balance {
    /// What may be spent in all.
    pub limit: Money,
    /// What was spent.
    pub spent: Money,
    /// What calls under way may still cost.
    pub reserved: Money,
}

impl Balance {
    /// What is left for further calls.
    pub fn left(&self) -> Money {
        self.limit.minus(self.spent).minus(self.reserved)
    }
}

/// Why a ledger cannot be used. It is never taken for one in which nothing was spent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the ledger {} {trouble}", path.display())]
pub struct LedgerError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub trouble: LedgerTrouble,
}

/// What is wrong with a ledger.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LedgerTrouble {
    /// There is none.
    #[error("is not there")]
    Absent,
    /// It was not written by a ledger, or was changed since.
    #[error("is damaged: {0}")]
    Damaged(String),
    /// The disk refused.
    #[error("could not be read or written: {0}")]
    Disk(String),
    /// It was opened with another limit.
    #[error("has a limit of {}, not {}", .there.shown(), .given.shown())]
    OtherLimit {
        /// The limit that it has.
        there: Money,
        /// The limit that was given.
        given: Money,
    },
}

/// The ledger of one budget.
#[derive(Debug)]
pub(super) enum Ledger {
    Memory(Mutex<Balance>),
    File(SharedLedger),
}

/// A ledger that nobody else can change at present.
pub(super) enum Open<'a> {
    Memory(MutexGuard<'a, Balance>),
    File(Box<OpenBook<'a>>),
}

impl Ledger {
    pub(super) fn in_memory(limit: Money) -> Ledger {
        Ledger::Memory(Mutex::new(Balance { limit, spent: Money::ZERO, reserved: Money::ZERO }))
    }

    pub(super) fn open(&self) -> Result<Open<'_>, LedgerError> {
        match self {
            Ledger::Memory(balance) => {
                Ok(Open::Memory(balance.lock().unwrap_or_else(PoisonError::into_inner)))
            }
            Ledger::File(ledger) => ledger.open().map(|book| Open::File(Box::new(book))),
        }
    }

    /// The place of the ledger in the order in which several are opened, so that nobody waits for another in a
    /// circle. Those with the same place are the same.
    pub(super) fn place(&self) -> (Option<&std::path::Path>, usize) {
        match self {
            Ledger::Memory(balance) => (None, std::ptr::from_ref(balance).addr()),
            Ledger::File(ledger) => (Some(ledger.path()), 0),
        }
    }
}

impl Open<'_> {
    pub(super) fn balance(&self) -> Balance {
        match self {
            Open::Memory(balance) => **balance,
            Open::File(book) => book.balance(),
        }
    }

    /// Sets money aside.
    pub(super) fn reserve(&mut self, amount: Money) -> Result<(), LedgerError> {
        match self {
            Open::Memory(balance) => {
                balance.reserved = balance.reserved.plus(amount);
                Ok(())
            }
            Open::File(book) => book.reserve(amount),
        }
    }

    /// Puts what was spent in the place of what was set aside.
    pub(super) fn settle(&mut self, reserved: Money, spent: Money) -> Result<Balance, LedgerError> {
        match self {
            Open::Memory(balance) => {
                balance.reserved = balance.reserved.minus(reserved);
                balance.spent = balance.spent.plus(spent);
            }
            Open::File(book) => book.settle(reserved, spent)?,
        }
        Ok(self.balance())
    }
}
