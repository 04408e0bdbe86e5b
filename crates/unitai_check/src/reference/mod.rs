//! `matches`: a trajectory against a reference, call by call.

mod alignment;
mod pairing;

use std::str::FromStr;

use unitai_model::calls::PlacedCall;
use unitai_model::value::plain;
use unitai_model::{ToolName, Trajectory};

use crate::ports::ExpectedArguments;
use crate::{Check, Judgement, describe};

/// How a trajectory must agree with its reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// The same calls in the same order.
    Strict,
    /// The same calls in any order.
    Unordered,
    /// No call that the reference does not have.
    Subset,
    /// Every call that the reference has.
    Superset,
    /// Every call that the reference has, in its order; others may lie between them.
    InOrder,
}

impl Mode {
    /// All modes.
    pub const ALL: [Mode; 5] = [Mode::Strict, Mode::Unordered, Mode::Subset, Mode::Superset, Mode::InOrder];

    /// The mode's name.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Strict => "strict",
            Mode::Unordered => "unordered",
            Mode::Subset => "subset",
            Mode::Superset => "superset",
            Mode::InOrder => "in_order",
        }
    }
}

impl FromStr for Mode {
    type Err = ();

    fn from_str(name: &str) -> Result<Mode, ()> {
        Mode::ALL.into_iter().find(|mode| mode.name() == name).ok_or(())
    }
}

/// One call of a reference.
pub struct ExpectedCall {
    /// The tool.
    pub tool: ToolName,
    /// Its arguments.
    pub args: ExpectedArguments,
}

impl ExpectedCall {
    fn accepts(&self, call: PlacedCall<'_>) -> bool {
        self.tool == call.call.tool && self.args.port().is_none_or(|args| args.are_exactly(call))
    }

    fn shown(&self) -> String {
        format!("{}({})", plain(self.tool.as_str()), self.args.shown())
    }

    fn differences(&self, call: PlacedCall<'_>) -> Vec<String> {
        self.args.port().map_or_else(Vec::new, |args| args.differences(call, true))
    }
}

/// Holds when the tool calls agree with the reference in the given mode.
pub struct Matches {
    /// The calls to agree with.
    pub expected: Vec<ExpectedCall>,
    /// How.
    pub mode: Mode,
}

impl Check for Matches {
    fn id(&self) -> &'static str {
        "matches"
    }

    fn assertion(&self) -> String {
        format!("matches([{}], mode=\"{}\")", describe::count(self.expected.len(), "call"), self.mode.name())
    }

    fn expected(&self) -> String {
        let n = self.expected.len();
        let calls = if n == 1 { "call".to_owned() } else { format!("{n} calls") };
        match self.mode {
            Mode::Strict => format!("exactly the {calls} of the reference, in order"),
            Mode::Unordered => format!("exactly the {calls} of the reference, in any order"),
            Mode::Subset => format!("no call beyond the {calls} of the reference"),
            Mode::Superset => format!("each of the {calls} of the reference, in any order"),
            Mode::InOrder => format!("the {calls} of the reference in order, others between them or not"),
        }
    }

    fn judge(&self, trajectory: &Trajectory) -> Judgement {
        let actual: Vec<PlacedCall<'_>> = trajectory.tool_calls().collect();
        match self.mode {
            Mode::Strict => {
                let agrees = actual.len() == self.expected.len()
                    && self.expected.iter().zip(&actual).all(|(expected, call)| expected.accepts(*call));
                if agrees { self.held(&actual) } else { alignment::broken(&self.expected, &actual, true) }
            }
            Mode::InOrder => {
                let mut rest = actual.iter();
                let found = self.expected.iter().all(|expected| rest.any(|call| expected.accepts(*call)));
                if found { self.held(&actual) } else { alignment::broken(&self.expected, &actual, false) }
            }
            Mode::Unordered | Mode::Subset | Mode::Superset => {
                let pairs = pairing::pair(&self.expected, &actual);
                let missing = if self.mode == Mode::Subset { vec![] } else { pairs.missing };
                let surplus = if self.mode == Mode::Superset { vec![] } else { pairs.surplus };
                if missing.is_empty() && surplus.is_empty() {
                    return self.held(&actual);
                }
                self.unpaired(&actual, &missing, &surplus)
            }
        }
    }
}

impl Matches {
    fn held(&self, actual: &[PlacedCall<'_>]) -> Judgement {
        Judgement::Held(actual.iter().map(|call| call.step).collect())
    }

    fn unpaired(&self, actual: &[PlacedCall<'_>], missing: &[usize], surplus: &[usize]) -> Judgement {
        let mut lines = Vec::new();
        for n in missing.iter().take(alignment::MAX_LINES) {
            let expected = &self.expected[*n];
            lines.push(format!("- {}", expected.shown()));
            let near = surplus.iter().map(|at| actual[*at]).filter(|call| call.call.tool == expected.tool);
            let nearest =
                near.take(50).map(|call| (call, expected.differences(call))).min_by_key(|(_, d)| d.len());
            if let Some((call, differences)) = nearest {
                lines.push(format!("    nearest is step {}: {}", call.step + 1, differences.join("; ")));
            }
        }
        for at in surplus.iter().take(alignment::MAX_LINES) {
            let call = actual[*at];
            lines.push(format!(
                "+ {} (step {})",
                describe::call(call.call.tool.as_str(), &call.call.args),
                call.step + 1
            ));
        }
        let summary = match (missing.len(), surplus.len()) {
            (0, more) => format!("{} not in the reference", alignment::calls_are(more)),
            (less, 0) => format!("{} missing", alignment::calls_are(less)),
            (less, more) => format!("{} missing and {more} not in the reference", alignment::calls_are(less)),
        };
        let cites: Vec<usize> = surplus.iter().map(|at| actual[*at].step).collect();
        Judgement::broken(format!("{summary}\n{}", lines.join("\n")), cites)
    }
}
