//! The server of a project, with the engine behind it: a test is written, checked, listed and run by a client.

#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

#[path = "support/server.rs"]
#[allow(dead_code, reason = "the fixtures are for the other tests")]
mod server;

use std::sync::Arc;

use serde_json::{Value as Json, json};
use server::Piped;
use unitai_mcp::client::Settings;
use unitai_mcp::server::authoring::NoAuthor;
use unitai_mcp::server::{Caller, project};
use unitai_wire::redact::Secrets;

async fn call(piped: &mut Piped, tool: &str, args: Json) -> Json {
    let told = piped.request(9, "tools/call", json!({"name": tool, "arguments": args})).await;
    told["result"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_writes_a_test_and_runs_it() {
    let folder = tempfile::tempdir().unwrap();
    let env = vec![("ANSWER".to_owned(), "42".to_owned())];
    let offer =
        project(Settings::new(folder.path()), Caller::User, env, Default::default(), Arc::new(NoAuthor))
            .unwrap();
    let mut piped = Piped::serve(offer);
    piped.initialize("2025-11-25").await;
    let told = piped.request(1, "tools/list", json!({})).await;
    let names: Vec<&str> =
        told["result"]["tools"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    for name in
        ["http_get", "sleep", "assert_equals", "store_value", "create_test", "run_test", "list_plugins"]
    {
        assert!(names.contains(&name), "{name} is not among {names:?}");
    }
    assert_eq!(names.len(), names.iter().collect::<std::collections::HashSet<_>>().len());

    let told =
        call(&mut piped, "assert_equals", json!({"actual": 1, "expected": 2, "message": "not so"})).await;
    assert_eq!((&told["isError"], &told["structuredContent"]["passed"]), (&json!(false), &json!(false)));

    let steps = json!([
        {"name": "Keep", "tool": "store_value", "args": {"name": "x", "value": "${env.ANSWER}"}, "save_as": "kept"},
        {"name": "Compare", "tool": "compare_values", "args": {"value1": "${kept.value}", "value2": "${vars.expected}"}},
    ]);
    let test = json!({
        "name": "The answer: yes or no?",
        "tags": ["smoke"],
        "steps": steps,
        "vars": {"expected": "42"},
        "verdict": "checks",
    });
    let told = call(&mut piped, "create_test", test.clone()).await;
    assert_eq!(told["isError"], false, "{told}");
    let file = told["structuredContent"]["file"].as_str().unwrap().to_owned();
    assert_eq!(file, "tests/llm/the_answer_yes_or_no.yaml");

    let told = call(&mut piped, "validate_test", json!({"path": file})).await;
    assert_eq!(told["structuredContent"]["valid"], true, "{told}");
    let told = call(&mut piped, "list_tests", json!({})).await;
    let listed = &told["structuredContent"]["tests"][0];
    assert_eq!((&listed["name"], &listed["tags"]), (&json!("The answer: yes or no?"), &json!(["smoke"])));

    let told = call(&mut piped, "run_test", json!({"path": file})).await;
    assert_eq!(told["structuredContent"]["verdict"], "PASS", "{told}");
    let steps = told["structuredContent"]["tests"][0]["steps"].as_array().unwrap();
    assert_eq!(steps.iter().map(|it| it["status"].as_str().unwrap()).collect::<Vec<_>>(), ["pass", "pass"]);

    let mut other = test;
    other["vars"]["expected"] = json!("43");
    other["overwrite"] = json!(true);
    call(&mut piped, "create_test", other).await;
    let told = call(&mut piped, "run_test", json!({"path": file, "timeout": 20})).await;
    assert_eq!((&told["isError"], &told["structuredContent"]["verdict"]), (&json!(false), &json!("FAIL")));

    piped.hang_up().await;
    assert!(piped.ended().await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_of_the_environment_is_neither_written_nor_told() {
    const SECRET: &str = "Zk3vQ8xWn2LmR7tY";
    let folder = tempfile::tempdir().unwrap();
    let secrets = Arc::new(Secrets::none());
    secrets.learn(SECRET);
    let env = vec![("KEY".to_owned(), SECRET.to_owned())];
    let offer =
        project(Settings::new(folder.path()), Caller::User, env, secrets, Arc::new(NoAuthor)).unwrap();
    let mut piped = Piped::serve(offer);
    piped.initialize("2025-11-25").await;
    let compared = json!({"actual": "${env.KEY}", "expected": "x"});
    let steps = json!([{"tool": "assert_equals", "args": compared}]);
    let test = json!({"name": "A", "path": "a.yaml", "steps": steps, "verdict": "checks"});
    assert_eq!(call(&mut piped, "create_test", test.clone()).await["isError"], false);
    let ran = call(&mut piped, "run_test", json!({"path": "tests/llm/a.yaml"})).await;
    assert_eq!(ran["structuredContent"]["verdict"], "FAIL");
    assert!(ran["structuredContent"]["tests"][0]["reason"].as_str().unwrap().contains("[redacted]"), "{ran}");
    // The test itself has it, and so has what is wrong with a step.
    let mut with_it = test;
    with_it["steps"] =
        json!([{"tool": "sleep", "args": {"seconds": 0}, "check": format!("slept == '{SECRET}")}]);
    let refused = call(&mut piped, "create_test", with_it).await;
    assert_eq!(refused["isError"], true);
    for answer in [ran, refused] {
        assert!(!answer.to_string().contains(SECRET), "{answer}");
    }
    piped.hang_up().await;
    assert!(piped.ended().await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_with_a_test_is_told_where_it_stands() {
    let folder = tempfile::tempdir().unwrap();
    let mut piped = Piped::serve(
        project(
            Settings::new(folder.path()),
            Caller::User,
            Vec::new(),
            Default::default(),
            Arc::new(NoAuthor),
        )
        .unwrap(),
    );
    piped.initialize("2025-11-25").await;
    let text = "test:\n  name: A\nsteps:\n  - tol: sleep\nverdict: checks\n";
    let told = call(&mut piped, "validate_test", json!({"text": text})).await;
    let told = &told["structuredContent"];
    assert_eq!(told["valid"], false);
    let trouble = &told["troubles"][0];
    assert_eq!((&trouble["line"], &trouble["severity"]), (&json!(4), &json!("error")), "{told}");
    assert!(trouble["hint"].as_str().unwrap().contains("`tool`"), "{told}");
    let steps = json!([{"tol": "sleep"}]);
    let told =
        call(&mut piped, "create_test", json!({"name": "A", "steps": steps, "verdict": "checks"})).await;
    assert_eq!(told["isError"], true);
    assert!(told["content"][0]["text"].as_str().unwrap().contains("nothing was written"), "{told}");
    assert!(!folder.path().join("tests").exists());
    piped.hang_up().await;
    assert!(piped.ended().await.is_empty());
}

/// What `create_test` writes must be read as it was given, whatever stands in it.
#[tokio::test(flavor = "multi_thread")]
async fn odd_texts_survive_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut piped = Piped::serve(
        project(
            Settings::new(folder.path()),
            Caller::User,
            Vec::new(),
            Default::default(),
            Arc::new(NoAuthor),
        )
        .unwrap(),
    );
    piped.initialize("2025-11-25").await;
    let odd = [
        "no",
        "1e3",
        "a: b # c",
        "line\nline\n",
        " - x",
        "\u{85}\u{2028}é😀",
        "'\"\\",
        "2024-01-01",
        "~",
        "",
        "---\nx",
    ];
    let steps: Vec<Json> = odd
        .iter()
        .map(|it| {
            // The value stands twice, and must be the same as what the engine gets from JSON inside a list.
            json!({"tool": "store_value", "args": {"name": "x", "value": it}, "check": ["stored == 'x'"], "save_as": "kept"})
        })
        .collect();
    let told =
        call(&mut piped, "create_test", json!({"name": "Odd", "steps": steps, "verdict": "checks"})).await;
    assert_eq!(told["isError"], false, "{told}");
    let text = std::fs::read_to_string(folder.path().join("tests/llm/odd.yaml")).unwrap();
    let reading = unitai_spec::document::read(&text, &folder.path().join("tests/llm/odd.yaml"));
    let read: Vec<_> = reading.specs[0].steps.iter().map(|step| step.args[1].1.clone()).collect();
    let given: Vec<_> = odd.iter().map(|it| unitai_model::value::Value::Str((*it).to_owned())).collect();
    assert_eq!(read, given, "{text}");
    piped.hang_up().await;
    assert!(piped.ended().await.is_empty());
}
