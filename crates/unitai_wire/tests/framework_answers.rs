//! Calls that frameworks without an adapter answer themselves, as their own releases offer and answer them.

use serde_json::{Value, json};
use unitai_wire::common::Tool;
use unitai_wire::dialects::Called;
use unitai_wire::framework_answers::is_answered_by_framework;
use unitai_wire::requested_calls::RequestedCalls;

/// A tool with these parameters, each with its description.
fn tool(name: &str, description: &str, parameters: &[(&str, &str)]) -> Tool {
    let described = |text: &str| json!({"type": "string", "description": text});
    let properties: serde_json::Map<String, Value> =
        parameters.iter().map(|(name, text)| ((*name).to_owned(), described(text))).collect();
    Tool {
        name: name.to_owned(),
        description: description.to_owned(),
        schema: json!({"type": "object", "properties": properties}),
    }
}

fn is_answered(offered: &Tool, result: Option<&str>) -> bool {
    is_call_answered(offered, &offered.name, result)
}

fn is_call_answered(offered: &Tool, name: &str, result: Option<&str>) -> bool {
    let mut calls = RequestedCalls::default();
    calls.push(&Called::new("call_1", name), 0);
    let call = calls.waiting().next().expect("it was pushed");
    is_answered_by_framework(offered, call, result)
}

/// What the frameworks offered in real exchanges: AutoGen 0.7.5, LlamaIndex 0.14.25, Strands 1.62, Agno 3.1, smolagents 1.26.
fn of_frameworks() -> Vec<Tool> {
    vec![
        tool("transfer_to_billing", "Handoff to billing.", &[]),
        tool("transfer_to_billing_clerk", "Handoff to Billing_Clerk.", &[]),
        tool(
            "handoff",
            "Useful for handing off to another agent.\nIf you are currently not equipped to handle the user's request, or \
             another agent is better suited to handle the request, please hand off to the appropriate agent.\n\nCurrently \
             available agents:\n{'billing': 'b'}\n",
            &[("to_agent", ""), ("reason", "")],
        ),
        tool(
            "handoff_to_agent",
            "Transfer control to another agent in the swarm for specialized help.\n\nReturns:\n    Confirmation of handoff \
             initiation",
            &[
                ("agent_name", "Name of the agent to hand off to"),
                ("message", "Message explaining what needs to be done and why you're handing off"),
                ("context", "Additional context to share with the next agent"),
            ],
        ),
        tool(
            "delegate_task_to_member",
            "Use this function to delegate a task to the selected team member.",
            &[("member_id", "(str) The ID of the member"), ("task", "(str) A clear and concise description")],
        ),
        tool(
            "delegate_task_to_members",
            "Use this function to send one task to every member agent and return their responses.\nOne call reaches all \
             members; do not call it once per member.",
            &[("task", "(str) A clear and concise description of the task")],
        ),
        tool(
            "create_task",
            "Create a new task for the team to work on.",
            &[("title", ""), ("description", ""), ("assignee", ""), ("depends_on", "")],
        ),
        tool(
            "execute_task",
            "Execute a task by delegating it to a team member. The member will receive the task\ndescription and return a \
             result.",
            &[("task_id", ""), ("member_id", "")],
        ),
        tool(
            "execute_tasks_parallel",
            "Execute multiple independent tasks in parallel by delegating each to its assigned member.\nAll tasks must be \
             pending with no unresolved dependencies.",
            &[("task_ids", "")],
        ),
        tool(
            "update_task_status",
            "Update the status of a task. Use this to mark tasks you handle yourself as completed.",
            &[("task_id", ""), ("status", ""), ("result", "")],
        ),
        tool("list_tasks", "List all tasks with their current status, assignees, and dependencies.", &[]),
        tool(
            "add_task_note",
            "Add a note to a task for tracking progress or communicating context.",
            &[("task_id", ""), ("note", "")],
        ),
        tool(
            "mark_all_complete",
            "Signal that the overall goal has been achieved. Call this when all tasks are done.",
            &[("summary", "")],
        ),
        tool(
            "final_answer",
            "Provides a final answer to the given problem.",
            &[("answer", "The final answer to the problem")],
        ),
        tool(
            "researcher",
            "Finds things out.",
            &[
                ("task", "Long detailed description of the task."),
                (
                    "additional_args",
                    "Dictionary of extra inputs to pass to the managed agent, e.g. images, dataframes, or any other \
                     contextual data it may need.",
                ),
            ],
        ),
    ]
}

#[test]
fn what_a_framework_answers_is_known_with_and_without_its_result() {
    for offered in of_frameworks() {
        assert!(is_answered(&offered, None), "{}", offered.name);
        assert!(is_answered(&offered, Some("done")), "{}", offered.name);
    }
}

#[test]
fn a_tool_that_only_has_such_a_name_and_takes_the_same_is_a_tool() {
    for offered in of_frameworks() {
        let mut own = offered.clone();
        own.description = "Does it for real.".to_owned();
        if let Some(properties) = own.schema["properties"].as_object_mut() {
            properties.values_mut().for_each(|each| each["description"] = json!("What to do."));
        }
        assert!(!is_answered(&own, None), "{}", own.name);
        assert!(!is_answered(&own, Some("really done")), "{}", own.name);
    }
}

#[test]
fn a_tool_that_takes_something_else_is_a_tool() {
    for mut offered in of_frameworks() {
        offered.schema["properties"]["amount"] = json!({"type": "number"});
        assert!(!is_answered(&offered, None), "{}", offered.name);
    }
}

#[test]
fn a_tool_that_only_says_the_same_is_a_tool() {
    for mut offered in of_frameworks().into_iter().filter(|offered| offered.name != "researcher") {
        offered.name = "refund".to_owned();
        assert!(!is_answered(&offered, None), "{}", offered.description);
    }
}

#[test]
fn a_call_of_another_tool_is_none_of_it() {
    for offered in of_frameworks() {
        assert!(!is_call_answered(&offered, "refund", Some("done")), "{}", offered.name);
    }
}

#[test]
fn a_handoff_that_a_user_describes_is_known_by_its_result() {
    let to_billing = tool("transfer_to_billing", "For all that costs money.", &[]);
    let said = "Transferred to Billing, adopting the role of Billing immediately.";
    assert!(is_answered(&to_billing, Some(said)));
    assert!(!is_answered(&to_billing, Some("Transferred 49.99 to billing.")));
    assert!(!is_answered(&tool("transfer_to_shop", "For orders.", &[]), Some(said)));

    let handoff = tool("handoff", "Hands the customer on.", &[("to_agent", ""), ("reason", "")]);
    for said in [
        "Agent billing is now handling the request due to the following reason: x.\nPlease continue with the current request.",
        "Agent boss not found. Please select a valid agent to hand off to. Valid agents: billing",
        "Agent boss cannot hand off to triage. Please select a valid agent to hand off to.",
    ] {
        assert!(is_answered(&handoff, Some(said)), "{said}");
    }
    assert!(!is_answered(&handoff, Some("Agent billing has paid 49.99 back.")));
}
