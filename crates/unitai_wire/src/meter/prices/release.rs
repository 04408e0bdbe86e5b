//! Reads the price table that is part of the release. `scripts/refresh_prices.py` writes it.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;
use unitai_model::Money;

use super::Price;
use super::names::Form;
use super::rates::{Rate, Rates, Tariff};

const FILE: &str = include_str!("../../../data/prices.json");

/// The day whose prices the table of the release holds, as `2026-01-31`.
pub fn prices_as_of() -> &'static str {
    // Found without reading the table, which takes milliseconds: the engine tells it whenever it is loaded.
    let after = FILE.split_once("\"as_of\": \"").map_or("", |(_, after)| after);
    after.split_once('"').map_or("", |(day, _)| day)
}

/// The price table of the release.
#[derive(Debug)]
pub(super) struct Release {
    models: HashMap<&'static str, (&'static str, Price)>,
}

impl Release {
    /// The table, which is read when it is needed for the first time.
    pub(super) fn get() -> &'static Release {
        static RELEASE: LazyLock<Release> = LazyLock::new(|| match Release::read(FILE) {
            Ok(release) => release,
            Err(problem) => unreachable!("the tests read the same file, but now: {problem}"),
        });
        &RELEASE
    }

    /// The price of a model by this very name, of this provider if one is named.
    pub(super) fn price(&self, form: Form<'_>) -> Option<&Price> {
        let (provider, price) = self.models.get(form.name)?;
        form.provider.is_none_or(|wanted| wanted == *provider).then_some(price)
    }

    pub(super) fn read(text: &'static str) -> Result<Release, String> {
        let file: File<'static> = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let mut models = HashMap::with_capacity(file.models.values().map(BTreeMap::len).sum());
        for (provider, entries) in file.models {
            for (name, entry) in entries {
                if entry.as_of.is_some() != entry.version.is_some() {
                    return Err(format!("the price of `{name}` has a date or a version, and not both"));
                }
                let price = entry.price().ok_or_else(|| format!("the price of `{name}` cannot be read"))?;
                if models.insert(name, (provider, price)).is_some() {
                    return Err(format!("`{name}` is there twice"));
                }
            }
        }
        Ok(Release { models })
    }
}

#[derive(Deserialize)]
struct File<'a> {
    #[serde(borrow)]
    models: BTreeMap<&'a str, BTreeMap<&'a str, Entry<'a>>>,
}

/// A model, a service tier of one, or a tier above a number of tokens. Prices are dollars for a million.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry<'a> {
    input: &'a str,
    cached_input: Option<&'a str>,
    cache_write: Option<&'a str>,
    cache_write_long: Option<&'a str>,
    output: &'a str,
    over: Option<u64>,
    #[serde(borrow, default)]
    above: Vec<Entry<'a>>,
    #[serde(borrow, default)]
    service_tiers: BTreeMap<&'a str, Entry<'a>>,
    max_output: Option<u64>,
    /// The day of the last release of the source that had a model which is retired since.
    as_of: Option<&'a str>,
    /// The version of that release.
    version: Option<&'a str>,
}

impl Entry<'_> {
    fn price(&self) -> Option<Price> {
        let standard = self.tariff(None)?;
        let service_tiers = self.service_tiers.iter().map(|(name, entry)| {
            let tariff = entry.tariff(Some(&standard.rates))?;
            Some(((*name).to_owned(), tariff))
        });
        let service_tiers = service_tiers.collect::<Option<_>>()?;
        Some(Price { standard, service_tiers, max_output: self.max_output })
    }

    /// The rates of a service tier are those over the standard ones.
    fn tariff(&self, standard: Option<&Rates>) -> Option<Tariff> {
        let own = self.rates()?;
        let rates = standard.map_or(own, |standard| own.over(standard));
        let above = self.above.iter().map(|entry| Some((entry.over?, entry.rates()?.over(&rates))));
        let above: Vec<_> = above.collect::<Option<_>>()?;
        above.is_sorted_by_key(|(border, _)| *border).then_some(Tariff { rates, above })
    }

    fn rates(&self) -> Option<Rates> {
        let rate = |text: &str| text.parse::<Money>().ok().map(Rate::per_million);
        // A price that cannot be read is an error, and not a price that is missing.
        let maybe = |text: Option<&str>| text.map_or(Some(None), |text| rate(text).map(Some));
        Some(Rates {
            input: rate(self.input)?,
            cached_input: maybe(self.cached_input)?,
            cache_write: maybe(self.cache_write)?,
            cache_write_long: maybe(self.cache_write_long)?,
            output: rate(self.output)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    /// Every price in the file, with where it stands.
    fn prices(at: &str, value: &Value, found: &mut Vec<(String, String)>) {
        match value {
            Value::String(price) => found.push((at.to_owned(), price.clone())),
            Value::Array(items) => items.iter().for_each(|item| prices(at, item, found)),
            Value::Object(fields) => {
                let amounts =
                    fields.iter().filter(|(name, _)| !["as_of", "version"].contains(&name.as_str()));
                amounts.for_each(|(name, field)| prices(&format!("{at} {name}"), field, found));
            }
            _ => {}
        }
    }

    fn problem(text: &'static str) -> String {
        Release::read(text).unwrap_err()
    }

    #[test]
    fn the_file_of_the_release_can_be_read() {
        let release = Release::read(FILE).unwrap();
        assert!(release.models.len() > 500, "{}", release.models.len());
        for provider in
            ["anthropic", "bedrock", "cohere", "deepseek", "gemini", "groq", "mistral", "openai", "xai"]
        {
            assert!(release.models.values().any(|(known, _)| *known == provider), "{provider}");
        }
    }

    #[test]
    fn every_price_of_the_file_is_exact() {
        let file: Value = serde_json::from_str(FILE).unwrap();
        let mut found = Vec::new();
        prices("", &file["models"], &mut found);
        assert!(found.len() > 1_000, "{}", found.len());
        for (at, text) in found {
            let money: Money = text.parse().unwrap();
            assert_eq!(money.to_string(), text, "{at}");
            // A slip of the source, like a price for a thousand tokens, must not get in.
            assert!(money >= Money::ZERO && money.dollars() < 1_000.0, "{at}");
            // Six decimals for a million tokens are 10^-12 dollars for one.
            assert!(text.split_once('.').is_none_or(|(_, part)| part.len() <= 6), "{at}");
        }
    }

    #[test]
    fn a_retired_model_keeps_its_last_price_with_its_day() {
        let file: File<'_> = serde_json::from_str(FILE).unwrap();
        let last = |provider: &str, model: &str| {
            let entry = &file.models[provider][model];
            (entry.input, entry.output, entry.as_of)
        };
        assert_eq!(last("anthropic", "claude-3-5-haiku-20241022"), ("0.8", "4", Some("2026-03-10")));
        assert_eq!(last("anthropic", "claude-sonnet-4-20250514"), ("3", "15", Some("2026-09-27")));
        assert_eq!(last("gemini", "gemini-2.0-flash"), ("0.1", "0.4", Some("2026-09-27")));
        assert_eq!(last("openai", "gpt-4-0125-preview"), ("10", "30", Some("2026-09-27")));
        let days = file.models.values().flat_map(|models| models.values()).filter_map(|entry| entry.as_of);
        let days: Vec<&str> = days.collect();
        assert!(days.len() > 100, "{}", days.len());
        for day in days {
            assert!(day.len() == "2026-01-31".len() && day < prices_as_of(), "{day}");
        }
    }

    #[test]
    fn no_model_is_free() {
        for (name, (_, price)) in &Release::get().models {
            assert!(price.worst_case(1, 1) > Money::ZERO, "{name}");
        }
    }

    #[test]
    fn the_prices_are_of_a_day() {
        let parts: Vec<u32> = prices_as_of().split('-').map(|part| part.parse().unwrap()).collect();
        let [year, month, day] = parts[..] else { panic!("{parts:?}") };
        let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let days = match month {
            2 => 28 + u32::from(is_leap),
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        assert_eq!(prices_as_of().len(), "2026-01-31".len());
        assert!((2025..2100).contains(&year) && (1..=12).contains(&month) && (1..=days).contains(&day));
    }

    #[test]
    fn a_file_that_is_wrong_is_refused() {
        let twice = r#"{"as_of": "", "models": {
            "a": {"x": {"input": "1", "output": "1"}}, "b": {"x": {"input": "1", "output": "1"}}}}"#;
        assert_eq!(problem(twice), "`x` is there twice");
        let no_price = r#"{"as_of": "", "models": {"a": {"x": {"input": "1e3", "output": "1"}}}}"#;
        assert_eq!(problem(no_price), "the price of `x` cannot be read");
        let no_cache_price =
            r#"{"as_of": "", "models": {"a": {"x": {"input": "1", "cached_input": "", "output": "1"}}}}"#;
        assert_eq!(problem(no_cache_price), "the price of `x` cannot be read");
        let no_version =
            r#"{"as_of": "", "models": {"a": {"x": {"input": "1", "output": "1", "as_of": "2026-01-31"}}}}"#;
        assert_eq!(problem(no_version), "the price of `x` has a date or a version, and not both");
        let unknown =
            r#"{"as_of": "", "models": {"a": {"x": {"input": "1", "output": "1", "colour": "2"}}}}"#;
        assert!(problem(unknown).contains("colour"), "{}", problem(unknown));
    }

    #[test]
    fn no_provider_names_a_model_twice() {
        // A map would keep the second one and say nothing. A model is a line of its own.
        let mut names: Vec<&str> = FILE
            .lines()
            .filter(|line| line.starts_with("      \""))
            .filter_map(|line| line.trim_start().split_once("\": {").map(|(name, _)| name))
            .collect();
        let all = names.len();
        assert_eq!(all, Release::get().models.len());
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
