//! The program of `docs/reference/judge-protocol.md` is one that works.

#![cfg(unix)]

use std::path::Path;
use std::time::Duration;

use serde_json::json;
use unitai_judge::providers::command::Command;
use unitai_judge::{Ask, Provider, Trouble};

const PAGE: &str = include_str!("../../../docs/reference/judge-protocol.md");

fn ask<'a>(prompt: &'a str, schema: &'a serde_json::Value) -> Ask<'a> {
    Ask { system: "You judge.", prompt, schema, timeout: Duration::from_secs(20) }
}

/// A program in Python with this text.
fn python(folder: &Path, text: &str) -> Command {
    let file = folder.join("judge.py");
    std::fs::write(&file, text).expect("a folder of our own");
    Command::new("python3", vec![file.display().to_string()], folder, "m")
}

#[tokio::test]
async fn the_example_of_the_page_answers() {
    let folder = tempfile::tempdir().expect("a folder");
    let start = PAGE.find("```python\n").expect("an example") + "```python\n".len();
    let end = PAGE[start..].find("```").expect("its end") + start;
    let judge = python(folder.path(), &PAGE[start..end]);
    let said = judge.ask(&ask("Q2: is it there? Q1: is it new? Q2!", &json!({}))).await.expect("an answer");
    let answers = &said.structured.expect("an object")["answers"];
    assert_eq!(
        (&answers[0]["id"], &answers[1]["id"], &answers[2]),
        (&json!("Q1"), &json!("Q2"), &json!(null))
    );
    assert_eq!((said.model.as_str(), said.spent.input_tokens), ("yes-man", Some(0)));
}

#[tokio::test]
async fn what_is_wrong_with_a_program_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    for (text, expected) in [
        ("print('{}')", "expected `text`, `answer` or `error`"),
        ("print('{\"text\": 5}')", "something else than one object of the protocol"),
        ("import sys; sys.exit('no disk left')", "no disk left"),
        ("print('{\"text\": \"x\"}'); import sys; sys.exit(3)", "had answered, and ended with"),
        ("pass", "said nothing"),
        ("print('{\"error\": {\"message\": \"hm\"}}')", "hm"),
    ] {
        let Err(Trouble::Broken(why)) = python(folder.path(), text).ask(&ask("", &json!({}))).await else {
            panic!("{text}")
        };
        assert!(why.contains(expected), "{text}: {why}");
    }
}

#[tokio::test]
async fn a_program_that_is_not_there_is_absent() {
    let judge = Command::new("/nowhere/judge", Vec::new(), std::env::temp_dir(), "");
    let Err(Trouble::Absent(why)) = judge.ask(&ask("", &json!({}))).await else { panic!("it is not there") };
    assert!(why.contains("/nowhere/judge"), "{why}");
}

#[tokio::test]
async fn a_program_that_reads_nothing_is_not_waited_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let prompt = "x".repeat(1 << 20);
    let judge = python(folder.path(), "print('{\"text\": \"I know\", \"cost_usd\": 0.25}')");
    let said = judge.ask(&ask(&prompt, &json!({}))).await.expect("an answer");
    assert_eq!(said.text, "I know");
    assert_eq!(said.spent.cost.map(|cost| cost.dollars()), Some(0.25));
}
