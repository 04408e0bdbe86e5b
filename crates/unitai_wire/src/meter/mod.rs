//! What model calls cost.

mod budget;
mod prices;

pub use budget::{Budget, OverBudget, Overspent, Reservation};
pub use prices::{Price, PriceTable, max_output_of, price_of, prices_as_of};
