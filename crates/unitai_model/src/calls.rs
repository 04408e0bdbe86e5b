//! Where each tool was called: the index that makes checks independent of a trajectory's length. A call that was rejected
//! never reached its tool, so it stands apart.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;

use crate::{Action, Outcome, Step, ToolCall, ToolName};

/// The tool calls of a trajectory, by position and by name. Derived from the steps once, when the
/// trajectory is made; a trajectory never changes, so neither does this.
#[derive(Debug, Clone, Default)]
pub struct CallIndex {
    /// For each tool call in order, the index of its step.
    steps: Vec<u32>,
    /// For each tool, the positions of its calls among all tool calls.
    by_tool: HashMap<ToolName, Vec<u32>, FxBuildHasher>,
    /// For each tool, the steps of its rejected calls.
    rejected: HashMap<ToolName, Vec<u32>, FxBuildHasher>,
}

impl CallIndex {
    pub(crate) fn of(steps: &[Step]) -> CallIndex {
        let mut index = CallIndex { steps: Vec::with_capacity(steps.len()), ..CallIndex::default() };
        for (at, step) in steps.iter().enumerate() {
            let Action::ToolCall(call) = &step.action else { continue };
            if let Outcome::Rejected(_) = call.outcome {
                index.rejected.entry(call.tool.clone()).or_default().push(at as u32);
                continue;
            }
            let position = index.steps.len() as u32;
            index.steps.push(at as u32);
            match index.by_tool.get_mut(&call.tool) {
                Some(positions) => positions.push(position),
                None => {
                    index.by_tool.insert(call.tool.clone(), vec![position]);
                }
            }
        }
        index
    }

    /// Step indices of one tool's rejected calls, in order.
    pub fn rejected(&self, tool: &str) -> &[u32] {
        self.rejected.get(tool).map_or(&[], Vec::as_slice)
    }

    /// Step indices of all tool calls, in order.
    pub fn order(&self) -> &[u32] {
        &self.steps
    }

    /// Positions of one tool's calls among all tool calls, in order.
    pub fn positions(&self, tool: &str) -> &[u32] {
        self.by_tool.get(tool).map_or(&[], Vec::as_slice)
    }

    /// Position of a tool's first call among all tool calls.
    pub fn first(&self, tool: &str) -> Option<usize> {
        self.positions(tool).first().map(|position| *position as usize)
    }

    /// Position of a tool's first call at or after `from`.
    pub fn next(&self, tool: &str, from: usize) -> Option<usize> {
        let positions = self.positions(tool);
        let n = positions.partition_point(|position| (*position as usize) < from);
        positions.get(n).map(|position| *position as usize)
    }

    /// The step index of the tool call at a position.
    pub fn step(&self, position: usize) -> usize {
        self.steps[position] as usize
    }

    /// The names of the tools that were called, sorted.
    pub fn tools(&self) -> Vec<&ToolName> {
        let mut names: Vec<_> = self.by_tool.keys().collect();
        names.sort();
        names
    }
}

/// A tool call and where it stands.
#[derive(Debug, Clone, Copy)]
pub struct PlacedCall<'a> {
    /// The index of its step in the trajectory.
    pub step: usize,
    /// The call.
    pub call: &'a ToolCall,
}
