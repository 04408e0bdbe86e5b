//! Where one run stands in a plan.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::When;
use crate::chance::fraction;

/// Where one run stands in a plan: how many calls each rule has seen, and how many met its fault.
#[derive(Debug, Default)]
pub struct Standing(Mutex<HashMap<usize, Seen>>);

#[derive(Debug, Default)]
struct Seen {
    calls: u64,
    faults: u64,
    /// How often each call came, by what it says.
    repeats: HashMap<u64, u64>,
}

impl Standing {
    /// How often a call that says the same has come to this rule before.
    pub(super) fn repeat(&self, rule: usize, content: u64) -> u64 {
        let mut rules = self.rules();
        let times = rules.entry(rule).or_default().repeats.entry(content).or_default();
        *times += 1;
        *times - 1
    }

    /// Counts a call, and says whether it meets the rule's fault, if the fault `is_free` to be met.
    pub(super) fn count(&self, rule: usize, when: &When, drawn: u64, is_free: bool) -> bool {
        let mut rules = self.rules();
        let seen = rules.entry(rule).or_default();
        seen.calls += 1;
        let is_met = is_free
            && (when.numbers.is_empty() || when.numbers.contains(&seen.calls))
            && when.every.is_none_or(|every| seen.calls % every == 0)
            && when.times.is_none_or(|times| seen.faults < times)
            && when.chance.is_none_or(|chance| fraction(drawn) < chance);
        seen.faults += u64::from(is_met);
        is_met
    }

    fn rules(&self) -> MutexGuard<'_, HashMap<usize, Seen>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
