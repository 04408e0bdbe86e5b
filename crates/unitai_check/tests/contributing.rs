//! The check that CONTRIBUTING.md writes compiles and works, and the guide shows it to the letter.

#[path = "contributing/tool_called_last.rs"]
pub mod tool_called_last;

use std::fs;
use std::path::Path;

use tool_called_last::ToolCalledLast;
// The example says `use crate::{Check, Judgement}`, as a check in the crate does.
pub use unitai_check::{Check, Judgement};
use unitai_model::{Action, Ending, Outcome, Packed, Step, ToolCall, ToolName, Trajectory};

fn project_file(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path))
        .expect("a file of the project")
}

/// The Rust blocks of the guide, without the indentation of the list that they stand in.
fn guide_blocks() -> Vec<String> {
    let guide = project_file("CONTRIBUTING.md");
    let blocks =
        guide.split("   ```rust\n").skip(1).map(|block| block.split("   ```").next().unwrap_or(block));
    blocks
        .map(|block| block.lines().map(|line| format!("{}\n", line.get(3..).unwrap_or(""))).collect())
        .collect()
}

#[test]
fn the_guide_shows_the_check_that_is_compiled_here() {
    let compiled = project_file("crates/unitai_check/tests/contributing/tool_called_last.rs");
    assert_eq!(guide_blocks()[0], compiled);
}

#[test]
fn the_method_of_the_guide_is_written_like_those_of_the_binding() {
    let [_, method] = &guide_blocks()[..] else { panic!("the guide has two blocks of Rust") };
    let body = method.split_once('\n').unwrap().1;
    let known =
        body.replace("tool_called_last", "tool_was_called").replace("ToolCalledLast", "ToolWasCalled");
    let known: String = known.lines().map(|line| format!("    {line}\n")).collect();
    let binding = project_file("crates/unitai_python/src/asserting/result.rs");
    assert!(binding.contains(&known), "crates/unitai_python/src/asserting/result.rs has no\n{known}");
}

#[test]
fn the_check_of_the_guide_finds_what_it_says() {
    let call = |tool: &&str| Step {
        timestamp: 0.0,
        agent_id: None,
        action: Action::ToolCall(ToolCall {
            tool: ToolName::new(tool),
            args: Packed::null(),
            outcome: Outcome::Returned(Packed::null()),
        }),
        fault: None,
    };
    let judge = |tools: &[&str]| {
        let steps = tools.iter().map(call).collect();
        let ending = Ending::returned(Packed::null());
        ToolCalledLast { tool: "mail".into() }.judge(&Trajectory::new(
            "run",
            Packed::null(),
            0.0,
            0.0,
            steps,
            ending,
        ))
    };
    assert!(judge(&["search", "mail"]).held());
    assert!(!judge(&["mail", "search"]).held());
    assert!(!judge(&[]).held());
}
