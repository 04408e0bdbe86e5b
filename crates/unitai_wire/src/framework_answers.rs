//! Tools that frameworks without an adapter offer and answer themselves: handoffs, agents that are called as tools, task
//! lists, final answers. Their calls run none of the agent's tools.
//!
//! A name alone proves nothing, as anybody may name a tool `handoff`. So a row also says what the framework's own tool
//! takes, and what it says of itself or answers.

use crate::common::Tool;
use crate::requested_calls::RequestedCall;

/// A tool as a framework makes it.
struct FrameworkTool {
    name: Name,
    /// Exactly what it takes.
    parameters: &'static [&'static str],
    /// One of these proves that it is the framework's.
    proofs: &'static [Proof],
}

enum Name {
    Is(&'static str),
    /// This, and the name of an agent.
    BeginsWith(&'static str),
    /// The name of an agent.
    Any,
}

enum Proof {
    /// Its description begins so. `{agent}` is the rest of its name.
    Says(&'static str),
    /// Its parameters are described so, from their beginning.
    SaysOfParameters(&'static [(&'static str, &'static str)]),
    /// Its result reads so. `{}` is any text, and anything may follow.
    Answers(&'static str),
}

use Name::{Any, BeginsWith, Is};
use Proof::{Answers, Says, SaysOfParameters};

const TABLE: &[FrameworkTool] = &[
    // AutoGen: handoffs of `AssistantAgent`.
    FrameworkTool {
        name: BeginsWith("transfer_to_"),
        parameters: &[],
        proofs: &[
            Says("Handoff to {agent}."),
            Answers("Transferred to {agent}, adopting the role of {agent} immediately."),
        ],
    },
    // LlamaIndex: handoffs of `AgentWorkflow`.
    FrameworkTool {
        name: Is("handoff"),
        parameters: &["to_agent", "reason"],
        proofs: &[
            Says("Useful for handing off to another agent."),
            Answers("Agent {} is now handling the request due to the following reason: "),
            Answers("Agent {} not found. Please select a valid agent to hand off to."),
            Answers("Agent {} cannot hand off to {}. Please select a valid agent to hand off to."),
        ],
    },
    // Strands: handoffs of `Swarm`.
    FrameworkTool {
        name: Is("handoff_to_agent"),
        parameters: &["agent_name", "message", "context"],
        proofs: &[Says("Transfer control to another agent in the swarm for specialized help.")],
    },
    // Agno: members of a `Team`, and the tasks that it shares out.
    FrameworkTool {
        name: Is("delegate_task_to_member"),
        parameters: &["member_id", "task"],
        proofs: &[Says("Use this function to delegate a task to the selected team member.")],
    },
    FrameworkTool {
        name: Is("delegate_task_to_members"),
        parameters: &["task"],
        proofs: &[Says(
            "Use this function to send one task to every member agent and return their responses.",
        )],
    },
    FrameworkTool {
        name: Is("create_task"),
        parameters: &["title", "description", "assignee", "depends_on"],
        proofs: &[Says("Create a new task for the team to work on.")],
    },
    FrameworkTool {
        name: Is("execute_task"),
        parameters: &["task_id", "member_id"],
        proofs: &[Says("Execute a task by delegating it to a team member.")],
    },
    FrameworkTool {
        name: Is("execute_tasks_parallel"),
        parameters: &["task_ids"],
        proofs: &[Says(
            "Execute multiple independent tasks in parallel by delegating each to its assigned member.",
        )],
    },
    FrameworkTool {
        name: Is("update_task_status"),
        parameters: &["task_id", "status", "result"],
        proofs: &[Says(
            "Update the status of a task. Use this to mark tasks you handle yourself as completed.",
        )],
    },
    FrameworkTool {
        name: Is("list_tasks"),
        parameters: &[],
        proofs: &[Says("List all tasks with their current status, assignees, and dependencies.")],
    },
    FrameworkTool {
        name: Is("add_task_note"),
        parameters: &["task_id", "note"],
        proofs: &[Says("Add a note to a task for tracking progress or communicating context.")],
    },
    FrameworkTool {
        name: Is("mark_all_complete"),
        parameters: &["summary"],
        proofs: &[Says("Signal that the overall goal has been achieved.")],
    },
    // smolagents: the end of a run, and agents that another manages.
    FrameworkTool {
        name: Is("final_answer"),
        parameters: &["answer"],
        proofs: &[SaysOfParameters(&[("answer", "The final answer to the problem")])],
    },
    FrameworkTool {
        name: Any,
        parameters: &["task", "additional_args"],
        proofs: &[SaysOfParameters(&[
            ("task", "Long detailed description of the task."),
            ("additional_args", "Dictionary of extra inputs to pass to the managed agent"),
        ])],
    },
];

/// Whether a framework without an adapter answers a call itself, so that no code of a tool runs: by the tool as the request
/// offers it, and by the result where one is known.
///
/// ```
/// use serde_json::json;
/// use unitai_wire::common::Tool;
/// use unitai_wire::dialects::Called;
/// use unitai_wire::framework_answers::is_answered_by_framework;
/// use unitai_wire::requested_calls::RequestedCalls;
///
/// let mut calls = RequestedCalls::default();
/// calls.push(&Called::new("call_1", "transfer_to_billing"), 0);
/// let call = calls.waiting().next().expect("a call waits");
/// let mut tool = Tool {
///     name: "transfer_to_billing".to_owned(),
///     description: "Handoff to billing.".to_owned(),
///     schema: json!({"type": "object", "properties": {}}),
/// };
/// assert!(is_answered_by_framework(&tool, call, None));
/// tool.description = "Transfers money to billing.".to_owned();
/// assert!(!is_answered_by_framework(&tool, call, None));
/// ```
pub fn is_answered_by_framework(offered: &Tool, call: &RequestedCall, result: Option<&str>) -> bool {
    offered.name == call.tool && TABLE.iter().any(|row| row.is_shape_of(offered, result))
}

impl FrameworkTool {
    fn is_shape_of(&self, tool: &Tool, result: Option<&str>) -> bool {
        let agent = match self.name {
            Is(name) => (tool.name == name).then_some(""),
            BeginsWith(prefix) => tool.name.strip_prefix(prefix).filter(|agent| !agent.is_empty()),
            Any => Some(tool.name.as_str()),
        };
        let Some(agent) = agent else { return false };
        self.takes_the_same(tool) && self.proofs.iter().any(|proof| proof.holds(tool, agent, result))
    }

    fn takes_the_same(&self, tool: &Tool) -> bool {
        let taken = tool.schema.get("properties").and_then(|properties| properties.as_object());
        match taken {
            Some(taken) => {
                taken.len() == self.parameters.len()
                    && self.parameters.iter().all(|name| taken.contains_key(*name))
            }
            // Some dialects leave out the schema of a tool that takes nothing.
            None => self.parameters.is_empty(),
        }
    }
}

impl Proof {
    fn holds(&self, tool: &Tool, agent: &str, result: Option<&str>) -> bool {
        match self {
            Says(text) => reads(&tool.description, &text.replace("{agent}", agent)),
            SaysOfParameters(texts) => texts.iter().all(|(name, text)| {
                let described = &tool.schema["properties"][name]["description"];
                described.as_str().is_some_and(|described| reads(described, text))
            }),
            Answers(text) => result.is_some_and(|result| reads(result, &text.replace("{agent}", agent))),
        }
    }
}

/// Whether a text begins as a pattern says, where `{}` is any text. In any case: frameworks make lower case of the names
/// of agents.
fn reads(text: &str, pattern: &str) -> bool {
    let (text, pattern) = (text.trim_start().to_lowercase(), pattern.to_lowercase());
    let mut pieces = pattern.split("{}");
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    pieces.all(|piece| match rest.find(piece) {
        Some(at) => {
            rest = &rest[at + piece.len()..];
            true
        }
        None => false,
    })
}
