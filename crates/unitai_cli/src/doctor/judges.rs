//! Who could judge YAML tests here. Nothing is started, and nobody is asked.

use std::env;
use std::path::Path;

use serde::Serialize;
use unitai_config::{JudgeProvider, JudgeSettings};
use unitai_judge::providers::choosing::{Surroundings, Usable, how_to_get_one, on_path, usable};
use unitai_wire::meter::PriceTable;

/// A provider of judges.
#[derive(Debug, Serialize)]
pub(crate) struct Judge {
    pub(crate) name: &'static str,
    pub(crate) usable: bool,
    /// Whether the settings choose it.
    pub(crate) chosen: bool,
    /// What makes it usable, or what is missing.
    pub(crate) why: String,
}

/// Every provider, the one that is preferred first.
pub(crate) fn judges(settings: &JudgeSettings, folder: &Path) -> Vec<Judge> {
    let path = env::var_os("PATH");
    let variable = |name: &str| env::var(name).ok();
    let find = |name: &str| on_path(path.as_deref(), name);
    let prices = PriceTable::release();
    usable(settings, Surroundings { env: &variable, find: &find, prices, folder })
        .into_iter()
        .map(Judge::of)
        .collect()
}

impl Judge {
    fn of(one: Usable) -> Judge {
        let usable = one.how.is_ok();
        let why = one.how.unwrap_or_else(|why| why);
        Judge { name: one.provider.word(), usable, chosen: one.is_chosen, why }
    }
}

/// The judge in one line.
pub(crate) fn told(judges: &[Judge], wanted: JudgeProvider) -> String {
    let others: Vec<&str> =
        judges.iter().filter(|judge| judge.usable && !judge.chosen).map(|judge| judge.name).collect();
    let others =
        if others.is_empty() { String::new() } else { format!("; usable, too: {}", others.join(", ")) };
    match judges.iter().find(|judge| judge.chosen) {
        Some(judge) if judge.usable => format!("{} ({}){others}", judge.name, judge.why),
        Some(judge) => format!("{}, which is not usable{others}", judge.name),
        None if wanted == JudgeProvider::Nobody => format!("none, as judge.provider says{others}"),
        None => format!("none; to get one: {}", how_to_get_one()),
    }
}

/// What is wrong with the judge that settings name, and what to do about it.
pub(crate) fn problem(judges: &[Judge]) -> Option<(String, String)> {
    let judge = judges.iter().find(|judge| judge.chosen && !judge.usable)?;
    let what = format!("the judge {} is not usable: {}", judge.name, judge.why);
    let other = judges.iter().find(|judge| judge.usable).map_or("none", |judge| judge.name);
    Some((what, format!("see to that, or choose another: judge.provider = \"{other}\"")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(name: &'static str, usable: bool, chosen: bool) -> Judge {
        Judge { name, usable, chosen, why: format!("{name} it is") }
    }

    #[test]
    fn the_judge_and_the_others_are_told_in_a_line() {
        let told = |judges: &[Judge]| told(judges, JudgeProvider::Auto);
        let both = [judge("codex", true, true), judge("openai", true, false), judge("command", false, false)];
        assert_eq!(told(&both), "codex (codex it is); usable, too: openai");
        assert_eq!(told(&[judge("codex", false, true)]), "codex, which is not usable");
        let none = told(&[judge("codex", false, false)]);
        assert!(none.starts_with("none; to get one: install Claude Code"), "{none}");
        assert!(!none.contains("unitai doctor"), "who reads this is there already: {none}");
        let nobody = super::told(&[judge("codex", true, false)], JudgeProvider::Nobody);
        assert_eq!(nobody, "none, as judge.provider says; usable, too: codex");
    }

    #[test]
    fn only_a_judge_that_is_named_and_not_usable_is_a_problem() {
        assert_eq!(problem(&[judge("codex", true, true), judge("openai", false, false)]), None);
        let (what, remedy) =
            problem(&[judge("codex", false, true), judge("openai", true, false)]).expect("one");
        assert_eq!(what, "the judge codex is not usable: codex it is");
        assert!(remedy.ends_with("judge.provider = \"openai\""), "{remedy}");
    }
}
