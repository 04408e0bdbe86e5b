//! What model calls cost.

mod budget;
mod budgets;
mod ledger;
mod prices;
mod shared;
mod tally;
mod whose;

pub use budget::Budget;
pub use budgets::{Budgets, OverBudget, Overspent, Reservation, Unreserved, Unsettled};
pub use ledger::{Balance, LedgerError, LedgerTrouble};
pub use prices::{Price, PriceTable, max_output_of, price_of, prices_as_of};
pub use tally::Tally;
pub use whose::Whose;
