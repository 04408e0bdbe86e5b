//! What JUnit has no word for: properties with our names, written and read here.

use std::collections::HashMap;
use std::str::FromStr;

use unitai_model::Layer;
use unitai_model::event::{
    Covered, Limit, Part, RunEnding, RunFinished, RunStarted, Spending, Statistics, TestOutcome, Verdict,
};

use crate::words::{KILLED, ending_word, is_spending_known, known_cost, of_word, word};
use crate::{Run, Test};

/// Names and values, in the order in which they are written.
pub(super) type Facts = Vec<(&'static str, String)>;

/// The fact that a test's facts begin with: its id.
pub(super) const FIRST: &str = "unitai.test";

/// The facts of a run.
pub(super) fn of_run(run: &Run) -> Facts {
    let mut facts = Facts::new();
    facts.push(("unitai.ending", ending_word(run)));
    if let Some(started) = &run.started {
        facts.push(("unitai.version", started.unitai.clone()));
        facts.push(("unitai.run_id", started.run_id.clone()));
        facts.push(("unitai.started_at", started.at.to_string()));
        facts.push(("unitai.python", started.python.clone()));
        facts.push(("unitai.pytest", started.pytest.clone()));
    }
    if let Some(found) = run.found {
        facts.push(("unitai.tests_found", found.to_string()));
    }
    if let Some(finished) = &run.finished {
        facts.extend(finished.exit_code.map(|code| ("unitai.exit_code", code.to_string())));
        facts.extend(finished.reason.iter().map(|reason| ("unitai.reason", reason.clone())));
        if let Some(budget) = finished.budget {
            facts.push(("unitai.budget", budget.limit.to_string()));
            facts.push(("unitai.budget_spent", budget.spent.to_string()));
        }
    }
    if is_spending_known(run) {
        push_spending(&mut facts, &run.spending());
    }
    facts
}

/// The facts of a test. Where costs are known, those of a test without model calls are, too.
pub(super) fn of_test(test: &Test, is_spending_known: bool) -> Facts {
    let mut facts = vec![("unitai.test", test.end.test.clone()), ("unitai.outcome", word(test.end.outcome))];
    facts.push(("unitai.duration", format!("{:.3}", test.end.duration_seconds)));
    if test.end.reruns > 0 {
        facts.push(("unitai.reruns", test.end.reruns.to_string()));
    }
    facts.extend(test.end.layer.map(|layer| ("unitai.layer", layer.word().to_owned())));
    if let Some(covered) = &test.end.contract {
        facts.push(("unitai.contract", covered.contract.clone()));
        facts.extend(covered.base.iter().map(|base| ("unitai.contract_base", base.clone())));
        facts.push(("unitai.implementation", covered.implementation.clone()));
    }
    facts.extend(test.end.worker.iter().map(|worker| ("unitai.worker", worker.clone())));
    let spending = test.end.spending.or(is_spending_known.then(Spending::default));
    facts.extend(properties(spending.as_ref(), test.end.statistics.as_ref()));
    facts
}

/// What JUnit files say of a test's model calls and of its runs, whoever writes them: pytest has a file of its own.
///
/// ```
/// use unitai_model::event::{Part, Spending};
/// let live = Part { calls: 2, tokens: 30, cost: 0.5, unpriced: 0 };
/// let said = unitai_report::junit::properties(Some(&Spending { live, ..Spending::default() }), None);
/// assert_eq!(said[0], ("unitai.cost", "0.5".to_owned()));
/// ```
pub fn properties(
    spending: Option<&Spending>,
    statistics: Option<&Statistics>,
) -> Vec<(&'static str, String)> {
    let mut facts = Facts::new();
    if let Some(spending) = spending {
        push_spending(&mut facts, spending);
    }
    if let Some(statistics) = statistics {
        push_statistics(&mut facts, statistics);
    }
    facts
}

fn push_spending(facts: &mut Facts, spending: &Spending) {
    let all = spending.all();
    facts.extend(known_cost(all).map(|cost| ("unitai.cost", cost.to_string())));
    facts.push(("unitai.paid", spending.live.cost.to_string()));
    facts.push(("unitai.tokens", all.tokens.to_string()));
    facts.push(("unitai.model_calls", all.calls.to_string()));
    let some = [
        ("unitai.unpriced_calls", all.unpriced),
        ("unitai.scripted_calls", spending.scripted.calls),
        ("unitai.replayed_calls", spending.replayed.calls),
    ];
    facts.extend(some.iter().filter(|(_, count)| *count > 0).map(|(name, count)| (*name, count.to_string())));
}

fn push_statistics(facts: &mut Facts, statistics: &Statistics) {
    let Statistics { verdict, passed, failed, inconclusive, planned, pass_rate, threshold, .. } = statistics;
    let [low, high] = statistics.interval;
    facts.push(("unitai.verdict", word(verdict)));
    facts.push(("unitai.passed", passed.to_string()));
    facts.push(("unitai.failed", failed.to_string()));
    facts.push(("unitai.inconclusive", inconclusive.to_string()));
    facts.push(("unitai.planned", planned.to_string()));
    if passed + failed > 0 && statistics.is_rate() {
        facts.push(("unitai.pass_rate", pass_rate.to_string()));
    }
    facts.push(("unitai.threshold", threshold.to_string()));
    facts.push(("unitai.interval", format!("{low} {high}")));
    facts.push(("unitai.interval_basis", word(statistics.interval_basis)));
    facts.push(("unitai.confidence", statistics.confidence.to_string()));
    facts.push(("unitai.mode", statistics.mode.clone()));
    facts.extend(statistics.stopped.clone().map(|why| ("unitai.stopped", why)));
    if !statistics.claim.is_empty() {
        facts.push(("unitai.claim", statistics.claim.clone()));
    }
}

/// Properties as they were found. What is not as it should be is as good as not there.
#[derive(Default)]
pub(super) struct Found(HashMap<String, String>);

impl Found {
    pub(super) fn put(&mut self, name: String, value: String) {
        self.0.insert(name, value);
    }

    /// Those that a test case does not have itself.
    pub(super) fn add(&mut self, others: Found) {
        for (name, value) in others.0 {
            self.0.entry(name).or_insert(value);
        }
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    fn number<T: FromStr>(&self, name: &str) -> Option<T> {
        self.text(name)?.parse().ok()
    }

    fn amount(&self, name: &str) -> Option<f64> {
        self.number(name).filter(|amount: &f64| amount.is_finite() && *amount >= 0.0)
    }

    fn share(&self, name: &str) -> Option<f64> {
        self.amount(name).filter(|share| *share <= 1.0)
    }

    pub(super) fn outcome(&self) -> Option<TestOutcome> {
        of_word(self.text("unitai.outcome")?)
    }

    pub(super) fn reruns(&self) -> Option<u64> {
        self.number("unitai.reruns")
    }

    pub(super) fn layer(&self) -> Option<Layer> {
        Layer::of_word(self.text("unitai.layer")?)
    }

    pub(super) fn covered(&self) -> Option<Covered> {
        Some(Covered {
            contract: self.text("unitai.contract")?.to_owned(),
            base: self.text("unitai.contract_base").map(str::to_owned),
            implementation: self.text("unitai.implementation")?.to_owned(),
        })
    }

    pub(super) fn is_of_a_run(&self) -> bool {
        self.text("unitai.ending").is_some()
    }

    /// Whether the run came to its end, so far as these say.
    pub(super) fn is_complete(&self) -> bool {
        self.ending().is_none_or(|ending| ending == Some(RunEnding::Completed))
    }

    /// How the run ended; `Some(None)` when it was killed. A word that nobody knows is no good end.
    fn ending(&self) -> Option<Option<RunEnding>> {
        match self.text("unitai.ending")? {
            KILLED => Some(None),
            other => Some(Some(of_word(other).unwrap_or(RunEnding::Broken))),
        }
    }

    pub(super) fn found(&self) -> Option<u64> {
        self.number("unitai.tests_found")
    }

    pub(super) fn started(&self) -> Option<RunStarted> {
        let text = |name| self.text(name).unwrap_or_default().to_owned();
        Some(RunStarted {
            format: "unitai.events".to_owned(),
            version: unitai_model::event::VERSION,
            at: self.amount("unitai.started_at").unwrap_or(0.0),
            run_id: text("unitai.run_id"),
            unitai: self.text("unitai.version")?.to_owned(),
            python: text("unitai.python"),
            pytest: text("unitai.pytest"),
            arguments: Vec::new(),
            model_override: None,
            cache_mode: None,
        })
    }

    /// The end of the run. A file of another tool was written when its run was over.
    pub(super) fn finished(&self, duration_seconds: f64) -> Option<RunFinished> {
        let ending = match self.ending() {
            Some(None) => return None,
            Some(Some(ending)) => ending,
            None => RunEnding::Completed,
        };
        let limit = self.amount("unitai.budget");
        Some(RunFinished {
            at: self.amount("unitai.started_at").unwrap_or(0.0) + duration_seconds,
            duration_seconds,
            ending,
            exit_code: self.number("unitai.exit_code"),
            reason: self.text("unitai.reason").map(str::to_owned),
            spending: None,
            budget: limit
                .map(|limit| Limit { limit, spent: self.amount("unitai.budget_spent").unwrap_or(0.0) }),
        })
    }

    /// What model calls came to, if there were some. Of tokens and unpriced calls only the sum is known: they are put to those calls of
    /// which there are some.
    pub(super) fn spending(&self) -> Option<Spending> {
        let calls = self.number("unitai.model_calls").filter(|calls: &u64| *calls > 0)?;
        let count = |name| self.number::<u64>(name).unwrap_or(0);
        let (scripted, replayed) = (count("unitai.scripted_calls"), count("unitai.replayed_calls"));
        let free = scripted.checked_add(replayed).filter(|free| *free <= calls)?;
        let cost = self.amount("unitai.cost").unwrap_or(0.0);
        let paid = self.amount("unitai.paid").unwrap_or(0.0);
        let part = |calls| Part { calls, ..Part::default() };
        let mut spending =
            Spending { live: part(calls - free), scripted: part(scripted), replayed: part(replayed) };
        spending.live.cost = paid;
        let rest = match (scripted, replayed) {
            (0, 0) => &mut spending.live,
            (0, _) => &mut spending.replayed,
            _ => &mut spending.scripted,
        };
        rest.tokens = count("unitai.tokens");
        rest.unpriced = count("unitai.unpriced_calls");
        if free > 0 {
            rest.cost = (cost - paid).max(0.0);
        } else {
            rest.cost = cost;
        }
        Some(spending)
    }

    pub(super) fn statistics(&self) -> Option<Statistics> {
        let verdict: Verdict = of_word(self.text("unitai.verdict")?)?;
        let (low, high) = self.text("unitai.interval")?.split_once(' ')?;
        let share = |text: &str| text.parse().ok().filter(|share: &f64| (0.0..=1.0).contains(share));
        let spent = self.spending().unwrap_or_default().all();
        Some(Statistics {
            verdict,
            passed: self.number("unitai.passed")?,
            failed: self.number("unitai.failed")?,
            inconclusive: self.number("unitai.inconclusive")?,
            planned: self.number("unitai.planned")?,
            // Without runs that decided anything, there is no rate.
            pass_rate: self.share("unitai.pass_rate").unwrap_or(0.0),
            threshold: self.share("unitai.threshold")?,
            interval: [share(low)?, share(high)?],
            interval_basis: self.text("unitai.interval_basis").and_then(of_word).unwrap_or_default(),
            confidence: self.share("unitai.confidence").unwrap_or(0.0),
            claim: self.text("unitai.claim").unwrap_or_default().to_owned(),
            mode: self.text("unitai.mode").unwrap_or_default().to_owned(),
            saved_runs: 0,
            stopped: self.text("unitai.stopped").map(str::to_owned),
            cost: spent.cost,
            is_cost_known: spent.unpriced == 0,
            failure_modes: Vec::new(),
            causes: Vec::new(),
            notes: Vec::new(),
        })
    }
}
