//! From the name of a model to its price: what the user has said comes first, then the release.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::Price;
use super::names::forms;
use super::release::Release;

/// The prices of models.
///
/// ```
/// use unitai_model::Money;
/// use unitai_wire::meter::{Price, PriceTable};
///
/// let mine = Price::per_million(Money::from_dollars(2.5).unwrap(), Money::from_dollars(10.0).unwrap());
/// let table = PriceTable::release().with([("my-model".to_owned(), mine.clone())]);
/// assert_eq!(table.price_of("my-model"), Some(&mine));
/// assert_eq!(table.price_of("gpt-4o"), PriceTable::release().price_of("gpt-4o"));
/// ```
#[derive(Debug, Clone)]
pub struct PriceTable {
    overrides: BTreeMap<String, Price>,
    release: &'static Release,
}

impl PriceTable {
    /// The prices that are part of this release.
    pub fn release() -> &'static PriceTable {
        static TABLE: LazyLock<PriceTable> = LazyLock::new(|| PriceTable::of(Release::get()));
        &TABLE
    }

    pub(super) const fn of(release: &'static Release) -> PriceTable {
        PriceTable { overrides: BTreeMap::new(), release }
    }

    /// This table with prices of the user's, which win over all others.
    pub fn with(&self, overrides: impl IntoIterator<Item = (String, Price)>) -> PriceTable {
        let mut table = self.clone();
        table.overrides.extend(overrides);
        table
    }

    /// The price of a model by its name on the wire; `None` when it is unknown, which is not the same
    /// as free.
    ///
    /// The name as it is comes first; then without the provider's prefix (`openai/gpt-4o`,
    /// `models/gemini-2.5-pro`) or that of a Bedrock region (`eu.`); then without a date
    /// (`-2024-08-06`, `-20240806`) or `-latest`. Anything else about a name names another model.
    ///
    /// ```
    /// let table = unitai_wire::meter::PriceTable::release();
    /// assert_eq!(table.price_of("models/gemini-2.5-pro"), table.price_of("gemini-2.5-pro"));
    /// assert_eq!(table.price_of("ft:gpt-4o-mini:org::id"), None);
    /// ```
    pub fn price_of(&self, model: &str) -> Option<&Price> {
        self.overridden(model).or_else(|| self.released(model))
    }

    /// The price of a model at an endpoint. On this machine, models are free whatever their name is,
    /// unless the user has said what they cost.
    ///
    /// ```
    /// use unitai_wire::meter::{Price, PriceTable};
    /// let table = PriceTable::release();
    /// assert_eq!(table.price_at("gpt-4o", true), Some(&Price::FREE));
    /// assert_eq!(table.price_at("gpt-4o", false), table.price_of("gpt-4o"));
    /// ```
    pub fn price_at(&self, model: &str, is_local: bool) -> Option<&Price> {
        static FREE: Price = Price::FREE;
        self.overridden(model).or_else(|| if is_local { Some(&FREE) } else { self.released(model) })
    }

    /// The most tokens that a model answers with; `None` when that is not known.
    pub fn max_output_of(&self, model: &str) -> Option<u64> {
        self.released(model)?.max_output
    }

    fn overridden(&self, model: &str) -> Option<&Price> {
        if self.overrides.is_empty() {
            return None;
        }
        forms(model).find_map(|form| self.overrides.get(form.name))
    }

    fn released(&self, model: &str) -> Option<&'static Price> {
        forms(model).find_map(|form| self.release.price(form))
    }
}

#[cfg(test)]
mod tests {
    use unitai_model::{Money, Usage};

    use super::super::sample;
    use super::*;

    fn found(model: &str) -> Option<Price> {
        sample::table().price_of(model).cloned()
    }

    fn price(dollars: i64) -> Price {
        let dollars = Money::from_pico_dollars(dollars * 1_000_000_000_000);
        Price::per_million(dollars, dollars)
    }

    #[test]
    fn prefixes_dates_and_latest_lead_to_the_model() {
        for (asked, meant) in [
            ("openai/gpt-4o", "gpt-4o"),
            ("gpt-4o-2024-08-06", "gpt-4o"),
            ("gpt-4o-20240806", "gpt-4o"),
            ("openai/gpt-4o-2099-01-01", "gpt-4o"),
            ("anthropic/claude-sonnet-20250929", "claude-sonnet"),
            ("mistral-tiny-latest", "mistral-tiny"),
            ("models/gemini-pro", "gemini-pro"),
            ("publishers/google/models/gemini-pro", "gemini-pro"),
            ("projects/p/locations/l/publishers/google/models/gemini-pro", "gemini-pro"),
            ("groq/openai/gpt-oss", "openai/gpt-oss"),
            ("bedrock/eu.amazon.nova-v1:0", "eu.amazon.nova-v1:0"),
            ("arn:aws:bedrock:eu-west-1:1:inference-profile/eu.amazon.nova-v1:0", "eu.amazon.nova-v1:0"),
        ] {
            assert!(found(meant).is_some(), "{meant}");
            assert_eq!(found(asked), found(meant), "{asked}");
        }
    }

    #[test]
    fn a_name_with_a_price_of_its_own_keeps_it() {
        assert_ne!(found("gpt-4o-2024-05-13"), found("gpt-4o"));
        assert_ne!(found("openai/gpt-4o-2024-05-13"), found("gpt-4o"));
        assert_ne!(found("mistral-small-latest"), found("mistral-small"));
        assert!(found("gpt-4-0613").is_some());
    }

    #[test]
    fn the_region_of_a_bedrock_name_is_taken_off_unless_it_has_a_price() {
        let base = found("amazon.nova-v1:0");
        assert_eq!(found("us.amazon.nova-v1:0"), base);
        assert_eq!(found("apac.amazon.nova-v1:0"), base);
        assert_eq!(found("global.amazon.nova-v1:0"), base);
        assert_ne!(found("eu.amazon.nova-v1:0"), base);
        assert_eq!(found("us-gov.amazon.nova-v1:0"), None);
        assert_eq!(found("us.gpt-4o"), None);
    }

    #[test]
    fn other_names_are_other_models() {
        for model in [
            "",
            "gpt-4",
            "gpt-4o-of-my-own",
            "gpt-4o-0101",
            "gpt-4o-preview",
            "gpt-4o-2024-13-01",
            "my-gpt-4o",
            "of-my-own/gpt-4o",
            "anthropic/gpt-4o",
            "GPT-4o",
            "ft:gpt-4o:org::id",
            "ft:gpt-4o-2024-08-06:org::id",
            "arn:aws:bedrock:us-east-1:1:application-inference-profile/x",
        ] {
            assert_eq!(found(model), None, "{model}");
        }
    }

    #[test]
    fn what_the_user_says_wins() {
        let tuned = "ft:gpt-4o:org::id".to_owned();
        let table = sample::table().with([("gpt-4o".to_owned(), price(1)), (tuned.clone(), price(2))]);
        for model in ["gpt-4o", "openai/gpt-4o", "gpt-4o-2024-05-13"] {
            assert_eq!(table.price_of(model), Some(&price(1)), "{model}");
        }
        assert_eq!(table.price_of(&tuned), Some(&price(2)));
        assert_eq!(table.price_of("gpt-nano").cloned(), found("gpt-nano"));

        let exact =
            table.with([("gpt-4o-2024-05-13".to_owned(), price(3)), ("gpt-4o".to_owned(), Price::FREE)]);
        assert_eq!(exact.price_of("gpt-4o-2024-05-13"), Some(&price(3)));
        assert_eq!(exact.price_of("gpt-4o").unwrap().cost(&Usage::of(9, 9), None), Some(Money::ZERO));
        assert_eq!(exact.price_of(&tuned), Some(&price(2)));
        assert_eq!(table.price_of("gpt-4o"), Some(&price(1)), "a table does not change");
    }

    #[test]
    fn on_this_machine_only_what_the_user_says_costs() {
        let table = sample::table().with([("mine".to_owned(), price(1))]);
        for model in ["gpt-4o", "llama"] {
            assert_eq!(table.price_at(model, true), Some(&Price::FREE), "{model}");
        }
        assert_eq!(table.price_at("mine", true), Some(&price(1)));
        assert_eq!(table.price_at("gpt-4o", false).cloned(), found("gpt-4o"));
        assert_eq!(table.price_at("llama", false), None);
    }

    #[test]
    fn the_longest_answer_is_known_whatever_the_price() {
        let table = sample::table().with([("gpt-4o".to_owned(), price(1))]);
        assert_eq!(table.max_output_of("openai/gpt-4o"), Some(16_384));
        assert_eq!(table.max_output_of("gpt-nano"), None);
        assert_eq!(table.max_output_of("gpt-4o-of-my-own"), None);
    }
}
