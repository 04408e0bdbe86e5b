//! `within`: limits on what a run may cost or take.

use unitai_model::{Money, Trajectory};

use crate::describe::count;
use crate::{Check, Judgement};

/// Holds when the run stayed at or under the limit.
pub struct Within {
    /// The limit.
    pub limit: Limit,
}

/// What is limited, and to how much.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    /// The cost of all model calls.
    Cost(Money),
    /// The tokens of all model calls.
    Tokens(u64),
    /// The number of model calls.
    LlmCalls(u64),
    /// The duration of the run, in seconds.
    Duration(f64),
}

impl Check for Within {
    fn id(&self) -> &'static str {
        "within"
    }

    fn assertion(&self) -> String {
        match self.limit {
            Limit::Cost(most) => format!("within(cost={most})"),
            Limit::Tokens(most) => format!("within(tokens={most})"),
            Limit::LlmCalls(most) => format!("within(llm_calls={most})"),
            Limit::Duration(most) => format!("within(duration={most})"),
        }
    }

    fn expected(&self) -> String {
        match self.limit {
            Limit::Cost(most) => format!("a cost of at most {}", most.shown()),
            Limit::Tokens(most) => format!("at most {}", count(most as usize, "token")),
            Limit::LlmCalls(most) => format!("at most {}", count(most as usize, "model call")),
            Limit::Duration(most) => format!("a duration of at most {most} s"),
        }
    }

    fn judge(&self, trajectory: &Trajectory) -> Judgement {
        let actual = match self.limit {
            Limit::Cost(most) => match trajectory.total_cost() {
                Ok(cost) if cost <= most => return Judgement::Held(vec![]),
                Ok(cost) => format!("it cost {}", cost.shown()),
                Err(unknown) => format!("the cost is unknown: {unknown}"),
            },
            Limit::Tokens(most) => match trajectory.total_tokens() {
                Ok(tokens) if tokens <= most => return Judgement::Held(vec![]),
                Ok(tokens) => format!("it took {tokens} tokens"),
                Err(unknown) => format!("the tokens are unknown: {unknown}"),
            },
            Limit::LlmCalls(most) if trajectory.llm_calls() as u64 <= most => return Judgement::Held(vec![]),
            Limit::LlmCalls(_) => format!("it made {}", count(trajectory.llm_calls(), "model call")),
            Limit::Duration(most) if trajectory.duration_seconds() <= most => return Judgement::Held(vec![]),
            Limit::Duration(_) => format!("it took {:.3} s", trajectory.duration_seconds()),
        };
        Judgement::broken(actual, [])
    }
}
