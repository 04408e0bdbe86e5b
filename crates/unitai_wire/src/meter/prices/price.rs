//! What a model costs: from the tokens of a call to an exact amount.

use unitai_model::{Money, OwnPrice, Usage};

use super::rates::{Rate, Rates, Tariff};

/// What a model costs.
///
/// - Every class of token has its price; a price of at most 6 decimals for a million tokens gives
///   exact sums, and any other is rounded once, to 10^-12 dollars.
/// - What is read from a cache or written to it costs what input does, where it has no price of its
///   own; what is written to stay for long costs what any write does.
/// - Where long prompts have prices of their own, the whole call has them once all tokens of its
///   prompt, cached ones too, are more than the border.
/// - A service tier (`flex`, `priority`, ...) has its own prices, or none that is known.
///
/// ```
/// use unitai_model::{Money, Usage};
/// use unitai_wire::meter::Price;
///
/// let dollars = |text: &str| text.parse::<Money>().unwrap();
/// let price = Price::per_million(dollars("2.50"), dollars("10")).cached_input(dollars("0.25"));
/// let usage = Usage { fresh: 1_000, cache_read: 4_000, output: 500, ..Usage::default() };
/// // 1,000 * 2.50 + 4,000 * 0.25 + 500 * 10 = 8,500 dollars for a million calls
/// assert_eq!(price.cost(&usage, None), Some(dollars("0.0085")));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Price {
    pub(super) standard: Tariff,
    pub(super) service_tiers: Vec<(String, Tariff)>,
    pub(super) max_output: Option<u64>,
}

/// How providers say that a call is at the standard price.
const STANDARD: [&str; 5] = ["default", "standard", "auto", "on_demand", "standard_only"];

impl Price {
    /// The price of a model that costs nothing, whatever the service tier.
    pub const FREE: Price =
        Price { standard: Tariff::flat(Rates::FREE), service_tiers: Vec::new(), max_output: None };

    /// So many dollars for a million tokens of input, and of output.
    pub fn per_million(input: Money, output: Money) -> Price {
        let rates = Rates::of(Rate::per_million(input), Rate::per_million(output));
        Price { standard: Tariff::flat(rates), ..Price::FREE }
    }

    /// So many dollars for a million tokens that are read from the provider's cache.
    pub fn cached_input(mut self, price: Money) -> Price {
        self.standard.rates.cached_input = Some(Rate::per_million(price));
        self
    }

    /// So many dollars for a million tokens that are written to the provider's cache.
    pub fn cache_write(mut self, price: Money) -> Price {
        self.standard.rates.cache_write = Some(Rate::per_million(price));
        self
    }

    /// So many dollars for a million tokens that are written to the cache to stay for long (an hour).
    pub fn cache_write_long(mut self, price: Money) -> Price {
        self.standard.rates.cache_write_long = Some(Rate::per_million(price));
        self
    }

    /// The cost of a call; `None` when its service tier has no known price.
    ///
    /// `default`, `standard`, `auto`, `on_demand` and `standard_only` are at the standard price, as is
    /// a call that names no tier.
    ///
    /// ```
    /// use unitai_model::Usage;
    /// let price = unitai_wire::meter::price_of("gpt-4o").unwrap();
    /// let cost = |tier| price.cost(&Usage::of(1_000_000, 1_000_000), tier).map(|cost| cost.to_string());
    /// assert_eq!(cost(Some("default")).as_deref(), Some("12.5"));
    /// assert_eq!(cost(Some("a-tier-of-tomorrow")), None);
    /// ```
    pub fn cost(&self, usage: &Usage, service_tier: Option<&str>) -> Option<Money> {
        let prompt_tokens = usage.prompt_tokens();
        Some(self.tariff(service_tier, prompt_tokens)?.rates_for(prompt_tokens).cost(usage))
    }

    /// The most that a call at the standard price can cost: its prompt has at most so many tokens, all
    /// of them of the dearest class and in the dearest tier that they reach, and its answer is as long
    /// as it may be.
    ///
    /// ```
    /// use unitai_wire::meter::Price;
    /// let dollars = |text: &str| text.parse().unwrap();
    /// let price = Price::per_million(dollars("3"), dollars("15")).cache_write_long(dollars("6"));
    /// // 1,000 * 6 (written to stay for an hour) + 1,000 * 15 = 21,000 dollars for a million calls
    /// assert_eq!(price.worst_case(1_000, 1_000).to_string(), "0.021");
    /// ```
    pub fn worst_case(&self, prompt_tokens: u64, max_output: u64) -> Money {
        self.standard.worst_case(prompt_tokens, max_output)
    }

    /// The same for a call that asks for a service tier, which may answer at the standard price, too;
    /// `None` when the tier has no known price.
    pub fn worst_case_in(&self, service_tier: &str, prompt_tokens: u64, max_output: u64) -> Option<Money> {
        let asked = self.tariff(Some(service_tier), prompt_tokens)?.worst_case(prompt_tokens, max_output);
        Some(asked.max(self.worst_case(prompt_tokens, max_output)))
    }

    /// The prices in a service tier. Where prompts of this size have a price of their own and the tier
    /// does not say which, there is none: the tier's price for shorter ones would be too low.
    fn tariff(&self, service_tier: Option<&str>, prompt_tokens: u64) -> Option<&Tariff> {
        let is_standard = |tier: &str| STANDARD.iter().any(|word| tier.eq_ignore_ascii_case(word));
        let Some(tier) = service_tier.filter(|tier| !is_standard(tier)) else {
            return Some(&self.standard);
        };
        if *self == Price::FREE {
            return Some(&self.standard);
        }
        let (_, tariff) = self.service_tiers.iter().find(|(name, _)| tier.eq_ignore_ascii_case(name))?;
        (tariff.border_for(prompt_tokens) >= self.standard.border_for(prompt_tokens)).then_some(tariff)
    }
}

impl From<&OwnPrice> for Price {
    fn from(own: &OwnPrice) -> Price {
        let mut price = Price::per_million(own.input, own.output);
        let rates = &mut price.standard.rates;
        rates.cached_input = own.cached_input.map(Rate::per_million);
        rates.cache_write = own.cache_write.map(Rate::per_million);
        rates.cache_write_long = own.cache_write_long.map(Rate::per_million);
        price
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meter::prices::sample::price;

    fn dollars(text: &str) -> Money {
        text.parse().unwrap()
    }

    fn cost(model: &str, usage: Usage, tier: Option<&str>) -> Option<String> {
        price(model).cost(&usage, tier).map(|cost| cost.to_string())
    }

    #[test]
    fn one_token_is_exact() {
        // gpt-nano: $0.05 in, $0.005 cached, $0.40 out for a million: 5, 0.5 and 40 * 10^-8 for one.
        let usage = Usage { fresh: 1, cache_read: 1, output: 1, ..Usage::default() };
        assert_eq!(cost("gpt-nano", usage, None).as_deref(), Some("0.000000455"));
    }

    #[test]
    fn six_decimals_for_a_million_are_exact_for_one_token() {
        let price = Price::per_million(dollars("0.000001"), dollars("1234.567891"));
        assert_eq!(price.cost(&Usage::of(1, 0), None), Some(Money::from_pico_dollars(1)));
        assert_eq!(price.cost(&Usage::of(0, 1), None), Some(Money::from_pico_dollars(1_234_567_891)));
    }

    #[test]
    fn each_class_has_its_price_and_reasoning_is_output() {
        let usage = Usage {
            fresh: 1_000,
            cache_read: 20_000,
            cache_write: 3_000,
            cache_write_long: 400,
            output: 500,
            reasoning: 450,
        };
        // claude-sonnet: 1,000 * 3 + 20,000 * 0.3 + 3,000 * 3.75 + 400 * 6 + 500 * 15
        //   = 3,000 + 6,000 + 11,250 + 2,400 + 7,500 = 30,150 dollars for a million calls
        assert_eq!(cost("claude-sonnet", usage, None).as_deref(), Some("0.03015"));
    }

    #[test]
    fn classes_without_a_price_cost_what_stands_for_them() {
        let usage = Usage { cache_read: 1_000_000, ..Usage::default() };
        let written = Usage { cache_write: 1_000_000, cache_write_long: 1_000_000, ..Usage::default() };
        let bare = Price::per_million(dollars("2"), dollars("8"));
        assert_eq!(bare.cost(&usage, None), Some(dollars("2")));
        assert_eq!(bare.cost(&written, None), Some(dollars("4"))); // 2 + 2
        let writes = bare.clone().cache_write(dollars("2.5"));
        assert_eq!(writes.cost(&written, None), Some(dollars("5"))); // 2.5 + 2.5
        let whole =
            bare.cache_write_long(dollars("4")).cache_write(dollars("2.5")).cached_input(dollars("0.5"));
        assert_eq!(whole.cost(&written, None), Some(dollars("6.5"))); // 2.5 + 4
        assert_eq!(whole.cost(&usage, None), Some(dollars("0.5")));
    }

    #[test]
    fn a_prompt_above_the_border_prices_the_whole_call() {
        // gemini-pro: 1.25 and 10 up to 200,000 tokens of prompt, 2.50 and 15 above.
        // 200,000 * 1.25 + 1,000 * 10 = 260,000 dollars for a million calls
        assert_eq!(cost("gemini-pro", Usage::of(200_000, 1_000), None).as_deref(), Some("0.26"));
        // 200,001 * 2.50 + 1,000 * 15 = 515,002.5
        assert_eq!(cost("gemini-pro", Usage::of(200_001, 1_000), None).as_deref(), Some("0.5150025"));
        // Cached tokens count: 1 * 2.50 + 200,000 * 0.25 + 1,000 * 15 = 65,002.5
        let cached = Usage { fresh: 1, cache_read: 200_000, output: 1_000, ..Usage::default() };
        assert_eq!(cost("gemini-pro", cached, None).as_deref(), Some("0.0650025"));
    }

    #[test]
    fn of_several_borders_the_last_one_counts() {
        let cost = |fresh| cost("claude-sonnet", Usage::of(fresh, 0), None);
        assert_eq!(cost(100_000).as_deref(), Some("0.3")); // * 3
        assert_eq!(cost(100_001).as_deref(), Some("0.400004")); // * 4
        assert_eq!(cost(200_000).as_deref(), Some("0.8")); // * 4
        assert_eq!(cost(200_001).as_deref(), Some("1.200006")); // * 6
    }

    #[test]
    fn a_service_tier_has_its_own_prices() {
        let usage = Usage { fresh: 1_000_000, cache_read: 1_000_000, output: 1_000_000, ..Usage::default() };
        // gpt-4o: 2.50 + 1.25 + 10, and with priority 4.25 + 2.125 + 17
        for standard in
            [None, Some("default"), Some("standard"), Some("auto"), Some("on_demand"), Some("STANDARD")]
        {
            assert_eq!(cost("gpt-4o", usage, standard).as_deref(), Some("13.75"), "{standard:?}");
        }
        assert_eq!(cost("gpt-4o", usage, Some("priority")).as_deref(), Some("23.375"));
        // Batch has no price for cached input: 1.25 + 1.25 + 5
        assert_eq!(cost("gpt-4o", usage, Some("batch")).as_deref(), Some("7.5"));
        assert_eq!(cost("gpt-4o", usage, Some("flex")), None);
        assert_eq!(cost("gpt-4o", usage, Some("")), None);
    }

    #[test]
    fn a_service_tier_without_a_price_for_long_prompts_has_none() {
        // 4.50 * 200,001 for a million calls
        let long = Usage::of(200_001, 0);
        assert_eq!(cost("gemini-pro", long, Some("priority")).as_deref(), Some("0.9000045"));
        assert_eq!(cost("gemini-pro", long, Some("flex")), None);
        // 0.625 * 200,000 for a million calls
        assert_eq!(cost("gemini-pro", Usage::of(200_000, 0), Some("flex")).as_deref(), Some("0.125"));
    }

    #[test]
    fn the_worst_case_is_the_dearest_class_and_tier_that_can_be_reached() {
        let worst = |model, prompt, output| price(model).worst_case(prompt, output).to_string();
        // gpt-4o has no price for writes: 1,000 * 2.50 + 100 * 10 = 3,500
        assert_eq!(worst("gpt-4o", 1_000, 100), "0.0035");
        // claude-sonnet: 1,000 * 6 (written for an hour) + 100 * 15 = 7,500
        assert_eq!(worst("claude-sonnet", 1_000, 100), "0.0075");
        // gemini-pro, both sides of the border
        assert_eq!(worst("gemini-pro", 200_000, 0), "0.25");
        assert_eq!(worst("gemini-pro", 200_001, 0), "0.5000025");
    }

    #[test]
    fn free_is_free_in_any_tier() {
        assert_eq!(Price::FREE.worst_case(u64::MAX, u64::MAX), Money::ZERO);
        assert_eq!(Price::FREE.cost(&Usage::of(9, 9), Some("priority")), Some(Money::ZERO));
    }

    #[test]
    fn the_worst_case_in_a_service_tier_is_not_below_the_standard_one() {
        let price = price("gpt-4o");
        let worst = |tier| price.worst_case_in(tier, 1_000_000, 0).map(|cost| cost.to_string());
        assert_eq!(worst("priority").as_deref(), Some("4.25"));
        assert_eq!(worst("batch").as_deref(), Some("2.5"));
        assert_eq!(worst("auto").as_deref(), Some("2.5"));
        assert_eq!(worst("flex"), None);
    }

    #[test]
    fn no_call_costs_more_than_its_worst_case() {
        for model in ["gpt-4o", "claude-sonnet", "gemini-pro", "mistral-tiny"] {
            let price = price(model);
            for prompt in [0, 1, 99_999, 100_001, 199_999, 200_000, 200_001, 1_000_000] {
                let worst = price.worst_case(prompt, 5_000);
                let half = prompt / 2;
                for usage in [
                    Usage { fresh: prompt, output: 5_000, ..Usage::default() },
                    Usage { cache_read: half, cache_write: prompt - half, output: 4_999, ..Usage::default() },
                    Usage { cache_write_long: prompt, output: 5_000, reasoning: 5_000, ..Usage::default() },
                ] {
                    assert!(price.cost(&usage, None).unwrap() <= worst, "{model}: {usage:?}");
                }
            }
        }
    }
}
