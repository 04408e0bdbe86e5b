//! What somebody says a model costs.

use crate::Money;

/// What somebody says a model costs: US dollars for a million tokens of each class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnPrice {
    /// The prompt.
    pub input: Money,
    /// The answer, reasoning included.
    pub output: Money,
    /// Prompt tokens that the provider read from its cache, if they cost something else.
    pub cached_input: Option<Money>,
    /// Prompt tokens that it wrote to its cache, if they cost something else.
    pub cache_write: Option<Money>,
    /// Prompt tokens that it wrote to stay for long, if they cost something else.
    pub cache_write_long: Option<Money>,
}

impl OwnPrice {
    /// The words for the classes; the first two must be there.
    pub const CLASSES: [&str; 5] = ["input", "output", "cached_input", "cache_write", "cache_write_long"];

    /// The classes that must be there.
    pub const NEEDED: [&str; 2] = ["input", "output"];

    /// What a price looks like, for a message.
    pub const SHAPE: &str = "{\"input\": 2.50, \"output\": 10.0}";

    /// The price of which `of_class` knows the classes; `None` if one is missing that must be there.
    ///
    /// ```
    /// use unitai_model::{Money, OwnPrice};
    /// let price = OwnPrice::of(|class| (class != "cache_write").then_some(Money::ZERO)).unwrap();
    /// assert_eq!((price.cached_input, price.cache_write), (Some(Money::ZERO), None));
    /// assert_eq!(OwnPrice::of(|class| (class == "input").then_some(Money::ZERO)), None);
    /// ```
    pub fn of(mut of_class: impl FnMut(&str) -> Option<Money>) -> Option<OwnPrice> {
        let [input, output, cached_input, cache_write, cache_write_long] = OwnPrice::CLASSES;
        Some(OwnPrice {
            input: of_class(input)?,
            output: of_class(output)?,
            cached_input: of_class(cached_input),
            cache_write: of_class(cache_write),
            cache_write_long: of_class(cache_write_long),
        })
    }

    /// The classes that have a price, with it.
    pub fn classes(&self) -> impl Iterator<Item = (&'static str, Money)> {
        let prices =
            [Some(self.input), Some(self.output), self.cached_input, self.cache_write, self.cache_write_long];
        OwnPrice::CLASSES.into_iter().zip(prices).filter_map(|(class, price)| Some((class, price?)))
    }
}
