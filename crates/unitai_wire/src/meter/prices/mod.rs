//! What models cost. The prices of the release have a date, are part of it and are never fetched: an
//! old run priced again gives the same sum. What is not known has no price, which is not the same as
//! a price of nothing.

mod names;
mod price;
mod rates;
mod release;
#[cfg(test)]
mod sample;
mod table;

pub use price::Price;
pub use release::prices_as_of;
pub use table::PriceTable;

/// The price of a model in the [table of the release](PriceTable::release).
///
/// ```
/// use unitai_wire::meter::price_of;
/// assert_eq!(price_of("openai/gpt-4o-2024-08-06"), price_of("gpt-4o"));
/// assert_eq!(price_of("gpt-4o-of-my-own"), None);
/// ```
pub fn price_of(model: &str) -> Option<&'static Price> {
    PriceTable::release().price_of(model)
}

/// The most tokens that a model answers with, by the [table of the release](PriceTable::release).
///
/// ```
/// assert_eq!(unitai_wire::meter::max_output_of("gpt-4o"), Some(16_384));
/// ```
pub fn max_output_of(model: &str) -> Option<u64> {
    PriceTable::release().max_output_of(model)
}
