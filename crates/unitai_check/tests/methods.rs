//! The catalogue of checks says what there is, and of each what is true of it.

use std::fs;
use std::path::Path;

use unitai_check::checks::*;
use unitai_check::{Check, find};
use unitai_model::{Ending, Packed, Trajectory};

#[test]
fn it_has_every_check_of_a_result_and_no_other() {
    let stub = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python/unitai/_engine.pyi");
    let stub = fs::read_to_string(stub).unwrap();
    let class = stub.split("class AgentRunResult:\n").nth(1).unwrap().split("\nclass ").next().unwrap();
    let mut names: Vec<(&str, bool)> = class
        .split("    def ")
        .zip(class.split("    def ").skip(1))
        .filter(|(_, method)| {
            method.split_once(") -> ").is_some_and(|(_, returns)| returns.starts_with("Finding"))
        })
        .map(|(before, method)| (method.split('(').next().unwrap(), before.trim_end().ends_with("@property")))
        .collect();
    names.sort_unstable();
    let known: Vec<(&str, bool)> = METHODS.iter().map(|method| (method.name, method.is_property)).collect();
    let forgotten = names.iter().filter(|name| !known.contains(name)).map(|(name, _)| {
        format!("{name} is not in METHODS as it is in the stub: add it in crates/unitai_check/src/checks/methods.rs")
    });
    let left = known.iter().filter(|name| !names.contains(name)).map(|(name, _)| {
        format!("{name} is in METHODS, and not as AgentRunResult of python/unitai/_engine.pyi has it: add it there")
    });
    let wrong: Vec<String> = forgotten.chain(left).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(known.is_sorted_by(|a, b| a.0 < b.0), "METHODS is sorted by name, and has each once");
    for method in METHODS.iter().filter(|method| method.is_complete && !method.is_property) {
        let parameters = class.split(&format!("def {}(self, ", method.name)).nth(1).unwrap();
        let first = parameters.split([',', ')']).next().unwrap();
        assert!(first.contains('='), "{} needs {first}", method.name);
    }
}

#[test]
fn what_holds_for_an_agent_that_did_nothing_is_known() {
    let checks: Vec<Box<dyn Check>> = vec![
        Box::new(CallOrderContains { tools: ["a"].into_iter().collect() }),
        Box::new(Failed),
        Box::new(OutputContains { text: "a".into() }),
        Box::new(OutputNotContains { text: "a".into() }),
        Box::new(RecoveredFrom { kind: None }),
        Box::new(RetriedAtMost { limit: 0, tool: None }),
        Box::new(Succeeded),
        Box::new(ToolCalledBefore { first: "a".into(), second: "b".into() }),
        Box::new(ToolCalledImmediatelyBefore {
            first: "a".into(),
            second: "b".into(),
            is_of_first_calls: false,
        }),
        Box::new(ToolNotCalled { tool: "a".into() }),
        Box::new(ToolCallAttempted { tool: "a".into() }),
        Box::new(ToolCallCount { tool: "a".into(), count: 1 }),
        Box::new(ToolWasCalled { tool: "a".into() }),
        Box::new(Within { limit: Limit::LlmCalls(3) }),
    ];
    let ending = Ending::returned(Packed::null());
    let idle = Trajectory::new("run-1", Packed::null(), 0.0, 0.1, vec![], ending);
    for check in checks {
        let says = method_of(&*check).says;
        assert_eq!(find(&*check, &idle).held(), says != Says::Happened, "{}", check.id());
    }
}

/// The method that makes this check. Where a result has a value of the check's name, the method's ends with `_is`.
fn method_of(check: &dyn Check) -> &'static Method {
    let name = check.id();
    Method::of_name(name).or_else(|| Method::of_name(&format!("{name}_is"))).expect(name)
}

#[test]
fn what_holds_because_a_tool_is_absent_is_known() {
    let absent = |check: &dyn Check| check.absent_tool().map(str::to_owned);
    let named = Some("a".to_owned());
    let checks: Vec<(Box<dyn Check>, Option<String>)> = vec![
        (Box::new(ToolNotCalled { tool: "a".into() }), named.clone()),
        (Box::new(ToolCallCount { tool: "a".into(), count: 0 }), named),
        (Box::new(ToolCallCount { tool: "a".into(), count: 1 }), None),
        (Box::new(ToolWasCalled { tool: "a".into() }), None),
        (Box::new(RetriedAtMost { limit: 0, tool: Some("a".into()) }), None),
    ];
    for (check, tool) in &checks {
        assert_eq!(absent(&**check), *tool, "{}", check.id());
        let method = method_of(&**check);
        assert!(method.is_about_absent_tool || tool.is_none(), "{} is one of them", check.id());
    }
    let named: Vec<&str> = METHODS.iter().filter(|it| it.is_about_absent_tool).map(|it| it.name).collect();
    assert_eq!(named, ["tool_call_count_is", "tool_not_called"]);
}
