//! Prices by class of token, and by the size of the prompt. All sums are of whole numbers.

use unitai_model::{Money, Usage};

/// The price of a million tokens, in units of 10^-12 dollars. For one token these are 10^-18 dollars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rate(i64);

impl Rate {
    pub(super) const FREE: Rate = Rate(0);

    pub(super) fn per_million(price: Money) -> Rate {
        // Money tells its units as text only.
        let text = price.to_string();
        let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
        Rate(format!("{whole}{part:0<12}").parse().unwrap_or(i64::MAX))
    }

    /// In units of 10^-18 dollars.
    fn times(self, tokens: u64) -> i128 {
        // 63 bits by 64 bits are 127 bits.
        i128::from(self.0) * i128::from(tokens)
    }
}

/// The price of each class of token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rates {
    pub(super) input: Rate,
    pub(super) cached_input: Option<Rate>,
    pub(super) cache_write: Option<Rate>,
    pub(super) cache_write_long: Option<Rate>,
    pub(super) output: Rate,
}

impl Rates {
    pub(super) const FREE: Rates = Rates::of(Rate::FREE, Rate::FREE);

    pub(super) const fn of(input: Rate, output: Rate) -> Rates {
        Rates { input, cached_input: None, cache_write: None, cache_write_long: None, output }
    }

    /// Without a price of its own, what is read from a cache costs what input does.
    fn cached_input(&self) -> Rate {
        self.cached_input.unwrap_or(self.input)
    }

    /// Without a price of its own, what is written to a cache costs what input does.
    fn cache_write(&self) -> Rate {
        self.cache_write.unwrap_or(self.input)
    }

    /// Without a price of its own, what is written to stay for long costs what any write does.
    fn cache_write_long(&self) -> Rate {
        self.cache_write_long.unwrap_or(self.cache_write())
    }

    /// The rates of a tier over those of its model: a class that the tier does not name costs what
    /// stands for it in the tier or what it costs without the tier, whichever is more.
    pub(super) fn over(self, base: &Rates) -> Rates {
        Rates {
            cached_input: self.cached_input.or(Some(self.cached_input().max(base.cached_input()))),
            cache_write: self.cache_write.or(Some(self.cache_write().max(base.cache_write()))),
            cache_write_long: self
                .cache_write_long
                .or(Some(self.cache_write_long().max(base.cache_write_long()))),
            ..self
        }
    }

    /// Reasoning is a part of the output, at its price.
    pub(super) fn cost(&self, usage: &Usage) -> Money {
        money(&[
            self.input.times(usage.fresh),
            self.cached_input().times(usage.cache_read),
            self.cache_write().times(usage.cache_write),
            self.cache_write_long().times(usage.cache_write_long),
            self.output.times(usage.output),
        ])
    }

    /// The most that so many tokens can cost, whatever class those of the prompt are of.
    pub(super) fn worst_case(&self, prompt_tokens: u64, max_output: u64) -> Money {
        let dearest =
            self.input.max(self.cached_input()).max(self.cache_write()).max(self.cache_write_long());
        money(&[dearest.times(prompt_tokens), self.output.times(max_output)])
    }
}

/// The amount of a sum of 10^-18 dollars; what is less than a unit of money is rounded once, at the end.
fn money(parts: &[i128]) -> Money {
    const PARTS_OF_A_UNIT: i128 = 1_000_000;
    let sum = parts.iter().fold(PARTS_OF_A_UNIT / 2, |sum, part| sum.saturating_add(*part));
    let units = sum.div_euclid(PARTS_OF_A_UNIT);
    Money::from_pico_dollars(i64::try_from(units).unwrap_or(if units < 0 { i64::MIN } else { i64::MAX }))
}

/// Rates, and those of longer prompts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tariff {
    pub(super) rates: Rates,
    /// Prompts of more tokens than the number have these rates; the numbers rise.
    pub(super) above: Vec<(u64, Rates)>,
}

impl Tariff {
    pub(super) const fn flat(rates: Rates) -> Tariff {
        Tariff { rates, above: Vec::new() }
    }

    /// The rates of a whole call: its prompt, cached or not, says which.
    pub(super) fn rates_for(&self, prompt_tokens: u64) -> &Rates {
        self.tier_for(prompt_tokens).map_or(&self.rates, |(_, rates)| rates)
    }

    /// The number of tokens that the prompt is above.
    pub(super) fn border_for(&self, prompt_tokens: u64) -> Option<u64> {
        self.tier_for(prompt_tokens).map(|(border, _)| *border)
    }

    fn tier_for(&self, prompt_tokens: u64) -> Option<&(u64, Rates)> {
        self.above.iter().rev().find(|(border, _)| prompt_tokens > *border)
    }

    /// The most that a call can cost whose prompt has at most so many tokens.
    pub(super) fn worst_case(&self, prompt_tokens: u64, max_output: u64) -> Money {
        let reached = self.above.iter().filter(|(border, _)| prompt_tokens > *border).map(|(_, rates)| rates);
        let at_first = self.rates.worst_case(prompt_tokens, max_output);
        reached.map(|rates| rates.worst_case(prompt_tokens, max_output)).fold(at_first, Money::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(dollars: &str) -> Rate {
        Rate::per_million(dollars.parse().unwrap())
    }

    #[test]
    fn a_rate_has_the_digits_of_its_price() {
        assert_eq!(rate("2.5"), Rate(2_500_000_000_000));
        assert_eq!(rate("0.000000000001"), Rate(1));
        assert_eq!(rate("15"), Rate(15_000_000_000_000));
        assert_eq!(rate("0"), Rate::FREE);
        assert_eq!(rate("-0.5"), Rate(-500_000_000_000));
    }

    #[test]
    fn less_than_a_unit_is_rounded_once() {
        // $0.0000004 for a million tokens are 0.4 * 10^-12 dollars each.
        let tiny = Rates::of(rate("0.0000004"), rate("0.0000004"));
        let cost = |fresh, output| tiny.cost(&Usage { fresh, output, ..Usage::default() });
        assert_eq!(cost(1, 0), Money::ZERO); // 0.4
        assert_eq!(cost(1, 1), Money::from_pico_dollars(1)); // 0.8, and not 0 + 0
        assert_eq!(cost(5, 0), Money::from_pico_dollars(2)); // 2.0
    }

    #[test]
    fn too_much_is_the_most_there_is() {
        let dear = Rates::of(rate("9000000"), rate("9000000"));
        assert_eq!(dear.cost(&Usage::of(u64::MAX, u64::MAX)), Money::from_pico_dollars(i64::MAX));
    }

    #[test]
    fn a_class_that_a_tier_does_not_name_is_never_cheaper_than_known() {
        let base = Rates {
            cached_input: Some(rate("0.3")),
            cache_write_long: Some(rate("6")),
            ..Rates::of(rate("3"), rate("15"))
        };
        let batch =
            Rates { cache_write: Some(rate("1.9")), ..Rates::of(rate("1.5"), rate("7.5")) }.over(&base);
        assert_eq!(batch.cached_input(), rate("1.5")); // the tier's input, rather than 0.3
        assert_eq!(batch.cache_write(), rate("1.9")); // its own
        assert_eq!(batch.cache_write_long(), rate("6")); // the base's, rather than 1.9
    }
}
