//! What model calls cost.

mod prices;

pub use prices::{PRICES_AS_OF, Price, price_of};
