//! What model calls came to, added up as they end.

use unitai_model::event::{Part, Spending};
use unitai_model::{Action, ModelCall, Money, Source, Trajectory};

/// What model calls came to, by who answered them.
///
/// ```
/// use unitai_model::{ModelCall, Money, Usage};
/// use unitai_wire::meter::Tally;
///
/// let mut tally = Tally::NONE;
/// let before = tally;
/// let cost = Money::from_dollars(0.25);
/// tally.add(&ModelCall { model: "gpt-4o".into(), usage: Some(Usage::of(90, 10)), cost, exchange: None });
/// let since = tally.since(&before).unwrap();
/// assert_eq!((since.live.calls, since.live.tokens, since.live.cost), (1, 100, 0.25));
/// assert_eq!(tally.since(&tally), None);
///
/// // One that was given up may be billed.
/// tally.add(&ModelCall { model: "gpt-4o".into(), usage: None, cost: None, exchange: None });
/// assert_eq!(tally.since(&before).unwrap().live.unpriced, 1);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    live: Sum,
    scripted: Sum,
    replayed: Sum,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Sum {
    calls: u64,
    tokens: u64,
    cost: Money,
    unpriced: u64,
}

impl Tally {
    /// Nothing yet.
    pub const NONE: Tally = Tally { live: Sum::NONE, scripted: Sum::NONE, replayed: Sum::NONE };

    /// Adds a call that is over. What an agent reports itself was answered by a provider.
    pub fn add(&mut self, call: &ModelCall) {
        let sum = match call.exchange.as_ref().map(|exchange| exchange.source) {
            Some(Source::Script) => &mut self.scripted,
            Some(Source::Replay) => &mut self.replayed,
            Some(Source::Live) | None => &mut self.live,
        };
        sum.calls += 1;
        sum.tokens += call.usage.map_or(0, |usage| usage.total());
        sum.cost = sum.cost.plus(call.cost.unwrap_or_default());
        // What was refused costs nothing, and says so. One that was given up may be billed, and nobody knows how much.
        sum.unpriced += u64::from(call.cost.is_none());
    }

    /// Adds live calls of which only the sums are known.
    pub fn add_live(&mut self, calls: u64, tokens: u64, cost: Money, unpriced: u64) {
        let sum = &mut self.live;
        sum.calls += calls;
        sum.tokens = sum.tokens.saturating_add(tokens);
        sum.cost = sum.cost.plus(cost);
        sum.unpriced += unpriced;
    }

    /// Adds the calls of a run that happened in another process.
    pub fn add_all(&mut self, trajectory: &Trajectory) {
        for step in trajectory.steps() {
            if let Action::ModelCall(call) = &step.action {
                self.add(call);
            }
        }
    }

    /// What came since it was as `before`; `None` when no call did.
    pub fn since(&self, before: &Tally) -> Option<Spending> {
        (self != before).then(|| Spending {
            live: self.live.since(&before.live),
            scripted: self.scripted.since(&before.scripted),
            replayed: self.replayed.since(&before.replayed),
        })
    }
}

impl Sum {
    const NONE: Sum = Sum { calls: 0, tokens: 0, cost: Money::ZERO, unpriced: 0 };

    fn since(&self, before: &Sum) -> Part {
        Part {
            calls: self.calls - before.calls,
            tokens: self.tokens - before.tokens,
            cost: self.cost.minus(before.cost).dollars(),
            unpriced: self.unpriced - before.unpriced,
        }
    }
}
