//! The table of keys: every setting there is, and all that is known about it.

use crate::{Kind, LiveModels};

/// The name of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Name {
    /// The adapter that runs agents.
    Adapter,
    /// How often tests are repeated.
    DefaultN,
    /// The share of runs that must pass.
    DefaultThreshold,
    /// When tests that are repeated stop.
    DefaultMode,
    /// How many runs are under way at a time.
    MaxWorkers,
    /// What one test may spend.
    CostBudgetPerTest,
    /// What all tests may spend.
    CostBudgetPerSuite,
    /// What the runs of a repeated test may spend.
    CostBudgetPerRepeatedTest,
    /// The model that agents use instead of their own.
    ModelOverride,
    /// Which tests may call models live.
    LiveModels,
    /// Whether a tool that is not mocked is an error.
    StrictMocks,
    /// How often a tool may be called in a run.
    MaxToolCalls,
    /// How long a run may take.
    Timeout,
    /// How long a test may take before its process is killed.
    HardTimeout,
    /// Whether recordings are used.
    CacheEnabled,
    /// Where answers of models come from.
    CacheMode,
    /// Where the recordings are.
    CacheDirectory,
    /// How old a recording may be.
    CacheTtlHours,
    /// What differs each time and means nothing.
    CacheVolatile,
    /// Other addresses to record.
    CacheApis,
    /// Where the baselines are.
    BaselineDirectory,
    /// Who judges YAML tests.
    JudgeProvider,
    /// The model that judges.
    JudgeModel,
    /// The program that judges.
    JudgeCommand,
    /// Who is asked when the first judge is split or does not know.
    JudgeSecondProvider,
    /// The model of the second judge.
    JudgeSecondModel,
    /// How often each question is asked.
    JudgeRepeats,
    /// Where answers of the judge come from.
    JudgeAnswers,
    /// Whether the judge is tried first.
    JudgeCanaries,
    /// What changes in evidence and does not matter.
    JudgeMask,
    /// How long one question may take.
    JudgeTimeout,
    /// How often it must say yes where people do.
    JudgeMinTpr,
    /// How often it must say no where people do.
    JudgeMinTnr,
    /// How far it must agree with people.
    JudgeMinKappa,
    /// The keys that tests of real parts need.
    LayersKeys,
    /// The same, of integration tests.
    LayersIntegrationKeys,
    /// The same, of behavioral tests.
    LayersBehavioralKeys,
    /// The file of variables that tests are given.
    LayersEnvFile,
    /// How long a unit test may take before it is told.
    LayersUnitSeconds,
    /// The rules that look at tests.
    LintSelect,
    /// The rules that do not.
    LintIgnore,
    /// How much rules weigh.
    LintRules,
    /// Rules that are off in some folders.
    LintPerFolder,
    /// What is not looked at.
    LintExclude,
    /// The JUnit file.
    JunitXml,
    /// Whether more is told.
    Verbose,
    /// What models cost.
    Prices,
}

/// All that is known about a setting.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// Which setting it is.
    pub name: Name,
    /// The key that stands by itself.
    pub flat: &'static str,
    /// The same in a table, as `[cache]` and `ttl_hours`.
    pub table: Option<(&'static str, &'static str)>,
    /// What it takes.
    pub kind: Kind,
    /// What it is when nobody says anything, in the words of a variable; `None` for nothing at all.
    pub default: Option<&'static str>,
    /// What nothing at all means, in a word or two.
    pub nothing: &'static str,
    /// Another variable that says it, and is asked first.
    pub alias: Option<&'static str>,
    /// What it does, in a sentence.
    pub doc: &'static str,
}

/// How every variable begins.
pub const PREFIX: &str = "UNITAI_";

impl Key {
    /// The variable of the environment.
    ///
    /// ```
    /// assert_eq!(unitai_config::Name::CacheTtlHours.key().variable(), "UNITAI_CACHE_TTL_HOURS");
    /// ```
    pub fn variable(&self) -> String {
        format!("{PREFIX}{}", self.flat.to_ascii_uppercase())
    }

    /// Every variable that says it, the first one first.
    pub fn variables(&self) -> impl Iterator<Item = String> {
        self.alias.map(str::to_owned).into_iter().chain([self.variable()])
    }

    /// The setting of a flat key.
    pub fn of_flat(flat: &str) -> Option<&'static Key> {
        KEYS.iter().find(|key| key.flat == flat)
    }

    /// The setting of a key in a table.
    pub fn of_table(section: &str, inner: &str) -> Option<&'static Key> {
        KEYS.iter().find(|key| key.table == Some((section, inner)))
    }

    /// The tables that hold settings.
    pub fn sections() -> impl Iterator<Item = &'static str> {
        let mut last = None;
        KEYS.iter()
            .filter_map(|key| Some(key.table?.0))
            .filter(move |section| last.replace(*section) != Some(*section))
    }
}

impl Name {
    /// All that is known about it.
    pub fn key(self) -> &'static Key {
        &KEYS[self as usize]
    }
}

const fn key(name: Name, flat: &'static str, kind: Kind, doc: &'static str) -> Key {
    Key { name, flat, table: None, kind, default: None, nothing: "none", alias: None, doc }
}

impl Key {
    const fn or(self, default: &'static str) -> Key {
        Key { default: Some(default), ..self }
    }

    const fn or_nothing(self, meaning: &'static str) -> Key {
        Key { nothing: meaning, ..self }
    }

    const fn within(self, section: &'static str, inner: &'static str) -> Key {
        Key { table: Some((section, inner)), ..self }
    }

    const fn also(self, variable: &'static str) -> Key {
        Key { alias: Some(variable), ..self }
    }
}

const RUNS: Kind = Kind::Whole { least: 1, most: 999_999_999 };

/// The words for where answers of models come from.
pub(crate) const MODES: [&str; 4] = ["off", "record", "replay", "auto"];

/// The words for when repeated tests stop.
const STOPS: [&str; 3] = ["all", "early", "sequential"];

/// The words for who judges. The second judge is one of them without the first, which would choose the first judge again.
const PROVIDERS: [&str; 8] =
    ["auto", "claude-code", "codex", "gemini-cli", "anthropic", "openai", "command", "none"];
const OTHER_PROVIDERS: [&str; 7] =
    ["claude-code", "codex", "gemini-cli", "anthropic", "openai", "command", "none"];

/// The words for where answers of the judge come from.
const ANSWERS: [&str; 4] = ["auto", "cached", "live", "off"];

/// The words for how much a rule weighs.
const WEIGHTS: [&str; 3] = ["error", "warning", "off"];

/// Every setting, in the order of [`Name`].
pub const KEYS: [Key; 47] = [
    key(
        Name::Adapter,
        "adapter",
        Kind::Word { also: &[("langraph", "langgraph")] },
        "The adapter that runs agents where `run` is given none, as in `langgraph`.",
    )
    .or_nothing("found by looking at the agent"),
    key(Name::DefaultN, "default_n", RUNS, "How often tests are repeated that do not say it themselves.")
        .or("10")
        .within("default", "n"),
    key(
        Name::DefaultThreshold,
        "default_threshold",
        Kind::Share,
        "The share of the runs that must pass, for tests that do not say it themselves.",
    )
    .or("0.95")
    .within("default", "threshold"),
    key(
        Name::DefaultMode,
        "default_mode",
        Kind::Choice(&STOPS),
        "When repeated tests stop that do not say it themselves: after all runs, once the outcome is settled, or once pass or \
         fail is settled at stated error rates.",
    )
    .or("all")
    .within("default", "mode"),
    key(Name::MaxWorkers, "max_workers", RUNS, "How many runs of a repeated test are under way at a time.")
        .or("5"),
    key(
        Name::CostBudgetPerTest,
        "cost_budget_per_test",
        Kind::Dollars,
        "What the model calls of one test may cost, in US dollars.",
    )
    .or_nothing("no limit")
    .within("cost_budget", "per_test"),
    key(
        Name::CostBudgetPerSuite,
        "cost_budget_per_suite",
        Kind::Dollars,
        "What the model calls of all tests may cost together, in US dollars.",
    )
    .or_nothing("no limit")
    .within("cost_budget", "per_suite"),
    key(
        Name::CostBudgetPerRepeatedTest,
        "cost_budget_per_repeated_test",
        Kind::Dollars,
        "What all runs of one repeated test may cost together, in US dollars; unless somebody says it, a model without a \
         price is let through, with a warning.",
    )
    .or("5.00")
    .within("cost_budget", "per_repeated_test"),
    key(
        Name::ModelOverride,
        "model_override",
        Kind::Word { also: &[] },
        "The model that agents use instead of their own, as in `gpt-4o-mini`.",
    )
    .or_nothing("the agent's own"),
    key(
        Name::LiveModels,
        "live_models",
        Kind::Choice(&LiveModels::WORDS),
        "Which tests may call models live: any (`allow`), those that are marked `unitai_live` or repeated (`marked`), or none (`never`).",
    )
    .or("allow"),
    key(
        Name::StrictMocks,
        "strict_mocks",
        Kind::Flag,
        "Whether calling a tool that is not mocked is an error; otherwise it warns and gives `None`.",
    )
    .or("true"),
    key(
        Name::MaxToolCalls,
        "max_tool_calls",
        Kind::Whole { least: 1, most: u32::MAX as u64 },
        "How often one tool may be called in one run before the run is ended as a loop.",
    )
    .or("50"),
    key(Name::Timeout, "timeout", Kind::Seconds, "How long one run of an agent may take.").or("60"),
    key(
        Name::HardTimeout,
        "hard_timeout",
        Kind::Seconds,
        "How long one test may take before `unitai test` kills the process that runs it.",
    )
    .or_nothing("no limit"),
    key(
        Name::CacheEnabled,
        "cache_enabled",
        Kind::Flag,
        "Whether recordings answer for the models, and what is missing is recorded.",
    )
    .or("false")
    .within("cache", "enabled"),
    key(
        Name::CacheMode,
        "cache_mode",
        Kind::Choice(&MODES),
        "Where answers of models come from: the providers, recordings, or both.",
    )
    .or_nothing("as `cache_enabled` says")
    .within("cache", "mode")
    .also("UNITAI_CACHE"),
    key(Name::CacheDirectory, "cache_directory", Kind::Path, "The folder of the recordings.")
        .or(".unitai/cache")
        .within("cache", "directory"),
    key(
        Name::CacheTtlHours,
        "cache_ttl_hours",
        Kind::Hours,
        "How many hours a recording may be replayed; 0 for ever.",
    )
    .or("168")
    .within("cache", "ttl_hours"),
    key(
        Name::CacheVolatile,
        "cache_volatile",
        Kind::Texts,
        "What differs each time and means nothing: `uuid`, `time`, `temp_path`, or the path of a field.",
    )
    .or("")
    .within("cache", "volatile"),
    key(
        Name::CacheApis,
        "cache_apis",
        Kind::Addresses,
        "The beginnings of addresses that are recorded though they are no model's.",
    )
    .or("")
    .within("cache", "apis"),
    key(
        Name::BaselineDirectory,
        "baseline_directory",
        Kind::Path,
        "The folder of the baselines of repeated tests, which are meant to be committed.",
    )
    .or("tests/baselines")
    .within("baseline", "directory"),
    key(
        Name::JudgeProvider,
        "judge_provider",
        Kind::Choice(&PROVIDERS),
        "Who judges YAML tests; `auto` is the program of `judge.command` if one is named, else the first of the others that is usable here.",
    )
    .or("auto")
    .within("judge", "provider"),
    key(
        Name::JudgeModel,
        "judge_model",
        Kind::Word { also: &[] },
        "The model that judges, as in `claude-sonnet-4-5`.",
    )
    .or_nothing("the provider's own")
    .within("judge", "model"),
    key(
        Name::JudgeCommand,
        "judge_command",
        Kind::Command,
        "The program that judges and its arguments, for the provider `command`.",
    )
    .or("")
    .within("judge", "command"),
    key(
        Name::JudgeSecondProvider,
        "judge_second_provider",
        Kind::Choice(&OTHER_PROVIDERS),
        "Who is asked when the first judge is split or does not know.",
    )
    .or_nothing("nobody")
    .within("judge", "second_provider"),
    key(
        Name::JudgeSecondModel,
        "judge_second_model",
        Kind::Word { also: &[] },
        "The model of the second judge.",
    )
    .or_nothing("the provider's own")
    .within("judge", "second_model"),
    key(
        Name::JudgeRepeats,
        "judge_repeats",
        Kind::Whole { least: 1, most: 99 },
        "How often each question is asked; at least 3 times for tests that are tagged `gate`.",
    )
    .or("1")
    .within("judge", "repeats"),
    key(
        Name::JudgeAnswers,
        "judge_answers",
        Kind::Choice(&ANSWERS),
        "Where answers of the judge come from: kept ones and else the judge, kept ones alone, always the judge, or nowhere. \
         `auto` is `cached` in CI.",
    )
    .or("auto")
    .within("judge", "answers"),
    key(
        Name::JudgeCanaries,
        "judge_canaries",
        Kind::Flag,
        "Whether the judge is first asked what is plain, once in a session; one that fails has no say.",
    )
    .or("true")
    .within("judge", "canaries"),
    key(
        Name::JudgeMask,
        "judge_mask",
        Kind::Texts,
        "Regular expressions of what changes in evidence from run to run and does not matter.",
    )
    .or("")
    .within("judge", "mask"),
    key(Name::JudgeTimeout, "judge_timeout", Kind::Seconds, "How long one question to the judge may take.")
        .or("120")
        .within("judge", "timeout"),
    key(
        Name::JudgeMinTpr,
        "judge_min_tpr",
        Kind::Share,
        "How often the judge must say yes where people do, for `unitai judge calibrate`.",
    )
    .or_nothing("not required")
    .within("judge", "min_tpr"),
    key(
        Name::JudgeMinTnr,
        "judge_min_tnr",
        Kind::Share,
        "How often the judge must say no where people do, for `unitai judge calibrate`.",
    )
    .or_nothing("not required")
    .within("judge", "min_tnr"),
    key(
        Name::JudgeMinKappa,
        "judge_min_kappa",
        Kind::Share,
        "How far the judge must agree with people beyond chance (Cohen's kappa), for `unitai judge calibrate`.",
    )
    .or_nothing("not required")
    .within("judge", "min_kappa"),
    key(
        Name::LayersKeys,
        "layers_keys",
        Kind::Variables,
        "The variables without which integration and behavioral tests are skipped, as in `OPENAI_API_KEY`.",
    )
    .or("")
    .within("layers", "keys"),
    key(
        Name::LayersIntegrationKeys,
        "layers_integration_keys",
        Kind::Variables,
        "The same for integration tests alone.",
    )
    .or_nothing("as `layers_keys` says")
    .within("layers", "integration_keys"),
    key(
        Name::LayersBehavioralKeys,
        "layers_behavioral_keys",
        Kind::Variables,
        "The same for behavioral tests alone.",
    )
    .or_nothing("as `layers_keys` says")
    .within("layers", "behavioral_keys"),
    key(
        Name::LayersEnvFile,
        "layers_env_file",
        Kind::Path,
        "The file of variables that every test is given, where the environment does not have them.",
    )
    .or(".env.test")
    .within("layers", "env_file"),
    key(
        Name::LayersUnitSeconds,
        "layers_unit_seconds",
        Kind::Seconds,
        "How long a unit test may take before a warning tells it.",
    )
    .or("1")
    .within("layers", "unit_seconds"),
    key(
        Name::LintSelect,
        "lint_select",
        Kind::Texts,
        "The rules of `unitai lint` that look at tests; an empty list is all of them.",
    )
    .or("")
    .within("lint", "select"),
    key(Name::LintIgnore, "lint_ignore", Kind::Texts, "The rules of `unitai lint` that are off.")
        .or("")
        .within("lint", "ignore"),
    key(
        Name::LintRules,
        "lint_rules",
        Kind::Words(&WEIGHTS),
        "How much single rules of `unitai lint` weigh, by their names.",
    )
    .or("{}")
    .within("lint", "rules"),
    key(
        Name::LintPerFolder,
        "lint_per_folder",
        Kind::Lists,
        "Rules of `unitai lint` that are off for some files: a pattern such as `tests/legacy/**`, and their names.",
    )
    .or("{}")
    .within("lint", "per_folder"),
    key(
        Name::LintExclude,
        "lint_exclude",
        Kind::Texts,
        "Patterns of files that `unitai lint` does not look at; a file that is named is, unless with `--force-exclude`.",
    )
    .or("")
    .within("lint", "exclude"),
    key(Name::JunitXml, "junit_xml", Kind::Path, "The JUnit file that `unitai test` writes.")
        .or("test-results/unitai.xml"),
    key(Name::Verbose, "verbose", Kind::Flag, "Whether `unitai test` tells more.").or("false"),
    key(
        Name::Prices,
        "prices",
        Kind::Prices,
        "What models cost that the price table does not know, or that cost otherwise: US dollars for a million tokens.",
    )
    .or("{}"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_names() {
        for (at, key) in KEYS.iter().enumerate() {
            assert_eq!(key.name as usize, at, "{}", key.flat);
            assert_eq!(key.name.key().flat, key.flat);
            assert!(key.doc.ends_with('.'), "{}", key.flat);
        }
    }

    #[test]
    fn the_flat_key_is_the_table_and_the_inner_one() {
        for key in &KEYS {
            if let Some((section, inner)) = key.table {
                assert_eq!(key.flat, format!("{section}_{inner}"));
                assert_eq!(Key::of_table(section, inner).map(|key| key.name), Some(key.name));
            }
            assert_eq!(Key::of_flat(key.flat).map(|key| key.name), Some(key.name));
        }
        assert_eq!(
            Key::sections().collect::<Vec<_>>(),
            ["default", "cost_budget", "cache", "baseline", "judge", "layers", "lint"]
        );
    }

    #[test]
    fn no_two_settings_share_a_word() {
        let mut words: Vec<String> = KEYS.iter().flat_map(Key::variables).collect();
        words.extend(KEYS.iter().map(|key| key.flat.to_owned()));
        words.extend(Key::sections().map(str::to_owned));
        let count = words.len();
        words.sort();
        words.dedup();
        assert_eq!(words.len(), count);
    }
}
