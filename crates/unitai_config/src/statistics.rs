//! The settings of tests that are repeated.

use std::path::Path;

use crate::project::number;
use crate::variables::said;
use crate::{Project, Trouble};

/// How tests are repeated that do not say it themselves. `None` is left to them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StatisticsSettings {
    /// How often.
    pub n: Option<u64>,
    /// The share of the runs that must pass.
    pub threshold: Option<f64>,
    /// How many runs are under way at a time.
    pub max_workers: Option<u64>,
}

/// What the environment says: `UNITAI_DEFAULT_N`, `UNITAI_DEFAULT_THRESHOLD`, `UNITAI_MAX_WORKERS`.
#[derive(Debug, Clone, Default)]
pub struct StatisticsOverrides {
    /// How often.
    pub n: Option<String>,
    /// The share of the runs that must pass.
    pub threshold: Option<String>,
    /// How many runs are under way at a time.
    pub max_workers: Option<String>,
}

const N: &str = "UNITAI_DEFAULT_N";
const THRESHOLD: &str = "UNITAI_DEFAULT_THRESHOLD";
const MAX_WORKERS: &str = "UNITAI_MAX_WORKERS";

const OF: &str = "the default of repeated tests";
const KEYS: [&str; 2] = ["n", "threshold"];
const COUNT: &str = "a whole number of at least 1";
const SHARE: &str = "a number from 0 to 1";

impl StatisticsOverrides {
    /// What the environment says.
    pub fn of_environment() -> StatisticsOverrides {
        StatisticsOverrides { n: said(N), threshold: said(THRESHOLD), max_workers: said(MAX_WORKERS) }
    }
}

impl StatisticsSettings {
    /// The settings for a folder: the environment first, then the project's file. They stand there as `default_n`,
    /// `default_threshold` and `max_workers`; the first two also in the table `[default]`.
    ///
    /// ```
    /// use unitai_config::{StatisticsOverrides, StatisticsSettings};
    /// # let folder = std::env::temp_dir();
    /// let said = StatisticsOverrides { n: Some("20".to_owned()), ..StatisticsOverrides::default() };
    /// assert_eq!(StatisticsSettings::resolve(&folder, &said).unwrap().n, Some(20));
    /// ```
    pub fn resolve(folder: &Path, overrides: &StatisticsOverrides) -> Result<StatisticsSettings, Trouble> {
        let project = Project::of(folder)?;
        let mut settings = StatisticsSettings::default();
        for (name, value) in project.section("default")? {
            let wrong = |expected| project.wrong(OF, &name, value, expected);
            match name.as_str() {
                "n" => settings.n = Some(value.as_integer().and_then(count).ok_or_else(|| wrong(COUNT))?),
                "threshold" => {
                    settings.threshold = Some(number(value).and_then(share).ok_or_else(|| wrong(SHARE))?);
                }
                _ => return Err(project.unknown(OF, &name, &KEYS)),
            }
        }
        if let Some(value) = project.key("max_workers") {
            let workers = value.as_integer().and_then(count);
            settings.max_workers =
                Some(workers.ok_or_else(|| project.wrong("the settings", "max_workers", value, COUNT))?);
        }
        let whole = |text: &str| text.trim().parse().ok().and_then(count);
        let counts = [
            (N, &overrides.n, &mut settings.n),
            (MAX_WORKERS, &overrides.max_workers, &mut settings.max_workers),
        ];
        for (name, text, slot) in counts {
            let Some(text) = text else { continue };
            *slot = Some(whole(text).ok_or_else(|| Trouble::of_variable(name, text, COUNT))?);
        }
        if let Some(text) = &overrides.threshold {
            let threshold = text.trim().parse().ok().and_then(share);
            settings.threshold = Some(threshold.ok_or_else(|| Trouble::of_variable(THRESHOLD, text, SHARE))?);
        }
        Ok(settings)
    }
}

fn count(number: i64) -> Option<u64> {
    u64::try_from(number).ok().filter(|number| (1..1_000_000_000).contains(number))
}

fn share(number: f64) -> Option<f64> {
    (0.0..=1.0).contains(&number).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(text: &str, overrides: &StatisticsOverrides) -> Result<StatisticsSettings, Trouble> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("unitai.toml"), text).unwrap();
        StatisticsSettings::resolve(folder.path(), overrides)
    }

    #[test]
    fn flat_keys_and_the_table_say_the_same_and_the_environment_comes_first() {
        let none = StatisticsOverrides::default();
        for text in [
            "default_n = 20\ndefault_threshold = 0.9\nmax_workers = 3\n",
            "max_workers = 3\n[default]\nn = 20\nthreshold = 0.9\n",
        ] {
            let settings = resolve(text, &none).unwrap();
            assert_eq!(
                settings,
                StatisticsSettings { n: Some(20), threshold: Some(0.9), max_workers: Some(3) }
            );
            let said = StatisticsOverrides { threshold: Some("1".to_owned()), ..none.clone() };
            assert_eq!(resolve(text, &said).unwrap().threshold, Some(1.0));
        }
        assert_eq!(resolve("", &none).unwrap(), StatisticsSettings::default());
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let none = StatisticsOverrides::default();
        for (text, expected) in [
            ("\ndefault_n = 0\n", COUNT),
            ("\ndefault_n = 2.5\n", COUNT),
            ("\ndefault_threshold = 95\n", SHARE),
            ("\ndefault_threshold = \"high\"\n", SHARE),
            ("\nmax_workers = -1\n", COUNT),
        ] {
            let trouble = resolve(text, &none).unwrap_err();
            assert!(trouble.place.ends_with("unitai.toml:2"), "{}", trouble.place);
            assert_eq!(trouble.expected, expected);
        }
        let trouble = resolve("default_treshold = 0.9\n", &none).unwrap_err();
        assert!(trouble.expected.contains("threshold"), "{trouble:?}");
        let said = StatisticsOverrides { n: Some("many".to_owned()), ..none };
        assert!(resolve("", &said).unwrap_err().to_string().contains(N));
    }
}
