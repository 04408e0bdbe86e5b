//! Which calls meet which fault.

use std::num::NonZeroU64;
use std::sync::Arc;

use unitai_model::Packed;

use super::{ModelFault, Standing, ToolFault};
use crate::chance::{draw, key_of};
use crate::common::Request;
use crate::script::Condition;

/// What goes wrong, and when.
pub struct Plan {
    /// The seed of everything that is left to chance.
    pub seed: u64,
    /// The rules. Of several that want the same call, the first has it.
    pub rules: Vec<Rule>,
}

/// Some calls meet a fault.
pub enum Rule {
    /// Model calls do.
    Model {
        /// Which requests it looks at: those for which this holds.
        condition: Condition,
        /// Which of those meet the fault.
        when: When,
        /// The fault.
        fault: ModelFault,
    },
    /// Tool calls do.
    Tool {
        /// The tool; any, unless given.
        tool: Option<String>,
        /// Which calls it looks at: those with such arguments.
        arguments: Option<Arc<dyn ArgumentMatcher>>,
        /// Which of those meet the fault.
        when: When,
        /// The fault.
        fault: ToolFault,
    },
}

/// Which of the calls that a rule looks at meet its fault. All that is given must hold.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct When {
    /// These, counted from 1 in each run; all, when it is empty.
    pub numbers: Vec<u64>,
    /// Every so many.
    pub every: Option<NonZeroU64>,
    /// How likely each is, from 0 to 1.
    pub chance: Option<f64>,
    /// No more than so many in each run.
    pub times: Option<u64>,
}

/// Decides whether the arguments of a tool call are meant. It may be the user's code, which may fail.
pub trait ArgumentMatcher: Send + Sync {
    /// Whether they are, or why that cannot be told.
    fn matches(&self, arguments: &Packed) -> Result<bool, String>;
}

/// A call that meets a fault.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit<'a, F> {
    /// The rule, by its place in the plan.
    pub rule: usize,
    /// The fault.
    pub fault: &'a F,
    /// For what the fault itself leaves to chance.
    pub drawn: u64,
}

impl Plan {
    /// The fault that a request to a model meets, if any.
    pub fn for_model(
        &self,
        standing: &Standing,
        request: &Request,
    ) -> Result<Option<Hit<'_, ModelFault>>, String> {
        let mut looking = Vec::new();
        for (at, rule) in self.rules.iter().enumerate() {
            if let Rule::Model { condition, when, fault } = rule
                && condition.holds(request, 0)?
            {
                looking.push((at, when, fault));
            }
        }
        let hit = || self.first_hit(standing, looking.as_slice(), request_key(request));
        Ok(if looking.is_empty() { None } else { hit() })
    }

    /// The fault that a tool call meets, if any.
    pub fn for_tool(
        &self,
        standing: &Standing,
        tool: &str,
        arguments: &Packed,
    ) -> Result<Option<Hit<'_, ToolFault>>, String> {
        let mut looking = Vec::new();
        for (at, rule) in self.rules.iter().enumerate() {
            let Rule::Tool { tool: wanted, arguments: matcher, when, fault } = rule else { continue };
            let is_meant = wanted.as_deref().is_none_or(|wanted| wanted == tool);
            if is_meant && matcher.as_ref().map_or(Ok(true), |matcher| matcher.matches(arguments))? {
                looking.push((at, when, fault));
            }
        }
        let hit = || self.first_hit(standing, looking.as_slice(), key_of([tool, arguments.text()]));
        Ok(if looking.is_empty() { None } else { hit() })
    }

    /// Every rule that looks at a call counts it, so that its numbers do not depend on other rules.
    fn first_hit<'a, F>(
        &self,
        standing: &Standing,
        looking: &[(usize, &When, &'a F)],
        content: u64,
    ) -> Option<Hit<'a, F>> {
        let mut found = None;
        for (rule, when, fault) in looking {
            let repeat = standing.repeat(*rule, content);
            let drawn = draw(self.seed, &[*rule as u64, content, repeat]);
            if standing.count(*rule, when, drawn, found.is_none()) {
                found = Some(Hit { rule: *rule, fault: *fault, drawn });
            }
        }
        found
    }
}

/// What is new in a request, as a key. Not the whole of it: prompts hold dates and ids, which would
/// make every run another.
fn request_key(request: &Request) -> u64 {
    let length = request.messages.len().to_string();
    let last = request.last_message();
    let results = request.tool_results().into_iter().map(|(_, text)| text);
    key_of([request.model.as_str(), &length, &last].into_iter().chain(results))
}
