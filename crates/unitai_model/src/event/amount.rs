//! What model calls came to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the model calls of a test, or of a whole run, came to: by where their answers came from.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Spending {
    /// Calls that a provider answered. They are paid for.
    pub live: Part,
    /// Calls that a script answered. They cost what a provider would have taken, and nobody paid it.
    pub scripted: Part,
    /// Calls that a recording answered. They cost what they cost when they were recorded.
    pub replayed: Part,
}

/// What some calls came to.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Part {
    /// How many.
    pub calls: u64,
    /// Tokens of those whose tokens are known.
    pub tokens: u64,
    /// US dollars of those whose price is known.
    #[schemars(range(min = 0))]
    pub cost: f64,
    /// How many have a cost that is not known.
    pub unpriced: u64,
}

impl Spending {
    /// All calls together.
    ///
    /// ```
    /// use unitai_model::event::{Part, Spending};
    /// let live = Part { calls: 2, tokens: 30, cost: 0.5, unpriced: 1 };
    /// let all = Spending { live, scripted: live, ..Spending::default() }.all();
    /// assert_eq!(all, Part { calls: 4, tokens: 60, cost: 1.0, unpriced: 2 });
    /// ```
    pub fn all(&self) -> Part {
        self.live.plus(self.scripted).plus(self.replayed)
    }

    /// The sum of both.
    pub fn plus(&self, other: &Spending) -> Spending {
        Spending {
            live: self.live.plus(other.live),
            scripted: self.scripted.plus(other.scripted),
            replayed: self.replayed.plus(other.replayed),
        }
    }
}

impl Part {
    /// The sum of both. Saturates rather than wraps: what a file says may be anything.
    pub fn plus(self, other: Part) -> Part {
        Part {
            calls: self.calls.saturating_add(other.calls),
            tokens: self.tokens.saturating_add(other.tokens),
            cost: self.cost + other.cost,
            unpriced: self.unpriced.saturating_add(other.unpriced),
        }
    }
}
