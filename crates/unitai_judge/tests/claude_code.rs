//! Every way in which Claude Code was seen to end, by a program that ends so.

#![cfg(target_os = "linux")]

mod fake;
#[path = "../../../tests/support/stopwatch.rs"]
mod stopwatch;

use std::time::{Duration, Instant};

use fake::Fake;
use serde_json::{Value, json};
use stopwatch::Stopwatch;
use unitai_judge::providers::claude_code::ClaudeCode;
use unitai_judge::{Provider, Said, Trouble};
use unitai_model::Money;

fn claude(fake: &Fake) -> ClaudeCode {
    ClaudeCode::new(fake.program(), "sonnet")
        .with_variable("ANTHROPIC_API_KEY", Some("key"))
        .with_variable("CLAUDE_CODE_MAX_RETRIES", None)
}

fn envelope(changes: Value) -> Value {
    let mut it = json!({
        "type": "result", "subtype": "success", "is_error": false, "result": "well", "num_turns": 2,
        "usage": {"input_tokens": 10, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 1, "output_tokens": 7},
        "modelUsage": {"small": {"outputTokens": 1}, "claude-sonnet-5-5": {"outputTokens": 7}},
        "total_cost_usd": 0.25, "permission_denials": [], "api_error_status": null,
    });
    for (name, value) in changes.as_object().into_iter().flatten() {
        it[name] = value.clone();
    }
    it
}

async fn asked(changes: Value, code: i32) -> Result<Said, Trouble> {
    let fake = Fake::saying(&envelope(changes).to_string(), "", code);
    fake.asked(&claude(&fake)).await
}

/// Events, one in each line, with a server in a state.
fn stream(state: &str, events: &[Value], last: Value) -> String {
    let servers = json!([{"name": "llm_pytest", "status": state}]);
    let init =
        json!({"type": "system", "subtype": "init", "model": "claude-sonnet-5-5", "mcp_servers": servers});
    let all = std::iter::once(&init).chain(events).chain(std::iter::once(&last));
    all.map(|it| format!("{it}\n")).collect()
}

fn broken(said: Result<Said, Trouble>, words: &str) {
    let Err(Trouble::Broken(text)) = said else { panic!("{said:?}") };
    assert!(text.contains(words), "{text}");
}

fn unavailable(said: Result<Said, Trouble>, words: &str) {
    let Err(Trouble::Unavailable(text)) = said else { panic!("{said:?}") };
    assert!(text.contains(words), "{text}");
}

fn absent(said: Result<Said, Trouble>, words: &str) {
    let Err(Trouble::Absent(text)) = said else { panic!("{said:?}") };
    assert!(text.contains(words) && text.contains("/login"), "{text}");
}

#[tokio::test]
async fn normal() {
    let says = envelope(json!({"structured_output": {"answers": []}}));
    let fake = Fake::saying(&says.to_string(), "a warning", 0);
    let said = fake.asked(&claude(&fake)).await.unwrap();
    assert_eq!((said.text.as_str(), said.structured), ("well", Some(json!({"answers": []}))));
    assert_eq!(said.model, "claude-sonnet-5-5");
    assert_eq!((said.spent.input_tokens, said.spent.output_tokens), (Some(16), Some(7)));
    assert_eq!(said.spent.cost, Money::from_dollars(0.25));
    let arguments = fake.arguments();
    for wanted in
        ["-p", "--bare", "--strict-mcp-config", "--no-session-persistence", "--system-prompt", "you judge"]
    {
        assert!(arguments.iter().any(|it| it == wanted), "{wanted}: {arguments:?}");
    }
    assert!(
        !arguments.iter().any(|it| it.contains("what is it")),
        "the prompt is no argument: {arguments:?}"
    );
    assert_eq!(fake.noted("input"), "what is it?");
    assert_eq!(fake.variable("CLAUDE_CODE_MAX_RETRIES").as_deref(), Some("2"));
    assert!(fake.variable("NO_PROXY").unwrap().ends_with("127.0.0.1,localhost"));
}

#[tokio::test]
async fn a_result_that_is_an_object_and_an_output_that_is_a_list_are_unwrapped() {
    let said = asked(json!({"result": {"answers": [1]}}), 0).await.unwrap();
    assert_eq!(said.structured, Some(json!({"answers": [1]})));
    let fake = Fake::saying(&json!([{"type": "system"}, envelope(json!({}))]).to_string(), "", 0);
    assert_eq!(fake.asked(&claude(&fake)).await.unwrap().text, "well");
}

#[tokio::test]
async fn without_a_key_the_login_is_used() {
    let fake = Fake::saying(&envelope(json!({})).to_string(), "", 0);
    fake.asked(&claude(&fake).with_variable("ANTHROPIC_API_KEY", None)).await.unwrap();
    let arguments = fake.arguments();
    assert!(!arguments.contains(&"--bare".to_owned()), "{arguments:?}");
    assert!(arguments.contains(&r#"{"disableAllHooks":true}"#.to_owned()), "{arguments:?}");
    assert_eq!(fake.variable("CLAUDE_CODE_DISABLE_CLAUDE_MDS").as_deref(), Some("1"));
}

#[tokio::test]
async fn tool_raises() {
    let raised = json!({"type": "user", "message": {"content": [{"type": "tool_result", "is_error": true}]}});
    let fake = Fake::saying(&stream("connected", &[raised], envelope(json!({}))), "", 0);
    assert_eq!(fake.driven(&claude(&fake)).await.unwrap().text, "well");
    let config: Value = serde_json::from_str(&fake.noted("mcp.json")).unwrap();
    let headers = json!({"Authorization": "Bearer tick-tock-token"});
    let server = json!({"type": "http", "url": "http://127.0.0.1:9/mcp", "headers": headers});
    assert_eq!(config, json!({"mcpServers": {"llm_pytest": server}}));
    let arguments = fake.arguments().join(" ");
    for wanted in
        ["--allowedTools mcp__llm_pytest__*", "--max-turns 7", "--output-format stream-json --verbose"]
    {
        assert!(arguments.contains(wanted), "{wanted}: {arguments}");
    }
    assert!(!arguments.contains("tick-tock-token"), "everybody can see arguments: {arguments}");
}

#[tokio::test]
async fn tool_not_allowed() {
    let denied = json!({"permission_denials": [{"tool_name": "Bash"}]});
    let said = asked(denied, 0).await.unwrap();
    assert_eq!(said.notes, ["claude-code was not allowed to call Bash"]);
}

#[tokio::test]
async fn http_400_500_and_a_refused_connection() {
    let error =
        |status: Value, words: &str| json!({"is_error": true, "api_error_status": status, "result": words});
    broken(asked(error(json!(400), "API Error: 400 bad"), 1).await, "refused (400): API Error: 400 bad");
    unavailable(asked(error(json!(500), "API Error: 500"), 1).await, "is ill: API Error: 500");
    let refused = error(json!(null), "API Error: Unable to connect to API (ConnectionRefused)");
    unavailable(asked(refused, 1).await, "was not reached: API Error: Unable to connect");
}

#[tokio::test]
async fn http_401() {
    let error = json!({"is_error": true, "api_error_status": 401, "result": "Failed to authenticate. API Error: 401"});
    absent(asked(error, 1).await, "not logged in: Failed to authenticate");
}

#[tokio::test]
async fn http_429_and_529_once() {
    let retry = json!({"type": "system", "subtype": "api_retry", "attempt": 1, "error_status": 529});
    let fake = Fake::saying(&stream("connected", &[retry], envelope(json!({}))), "", 0);
    assert_eq!(fake.driven(&claude(&fake)).await.unwrap().text, "well");
    for status in [429, 529] {
        let error = json!({"is_error": true, "api_error_status": status, "result": "API Error: Overloaded"});
        unavailable(asked(error, 1).await, "is busy: API Error: Overloaded");
    }
}

#[tokio::test]
async fn no_key() {
    let error = json!({"is_error": true, "result": "Not logged in · Please run /login"});
    absent(asked(error, 1).await, "claude-code is not logged in");
}

#[tokio::test]
async fn max_turns() {
    let mut last =
        envelope(json!({"subtype": "error_max_turns", "num_turns": 8, "errors": ["Reached maximum"]}));
    last.as_object_mut().unwrap().remove("result");
    let fake = Fake::saying(&stream("connected", &[], last), "", 1);
    broken(fake.driven(&claude(&fake)).await, "was not done after 8 turns: Reached maximum");
}

#[tokio::test]
async fn bad_or_missing_mcp_config_and_unknown_flag() {
    let fake = Fake::saying("", "Error: Invalid MCP configuration", 1);
    let said = fake.driven(&claude(&fake)).await;
    broken(
        said,
        "nothing on standard output; it ended with exit status 1; its standard error ends with: Error: Invalid",
    );
    let fake = Fake::saying("", "error: unknown option '--bare'", 1);
    broken(fake.asked(&claude(&fake)).await, "is it an old version?");
}

#[tokio::test]
async fn model_text_only_and_empty() {
    let said = asked(json!({"result": "I think so."}), 0).await.unwrap();
    assert_eq!((said.text.as_str(), said.structured), ("I think so.", None));
    assert_eq!(asked(json!({"result": ""}), 0).await.unwrap().text, "");
}

#[tokio::test]
async fn sigterm_sigint_and_sigkill() {
    for (body, words) in
        [("exit 143", "exit status 143"), ("exit 0", "exit status 0"), ("kill -9 $$", "signal 9")]
    {
        let fake = Fake::doing(body);
        broken(fake.asked(&claude(&fake)).await, words);
    }
}

#[tokio::test]
async fn an_answer_with_a_bad_exit_code_is_no_answer() {
    broken(asked(json!({}), 3).await, "gave an answer and yet ended with exit status 3");
}

#[tokio::test]
async fn stdin_is_closed_and_takes_200_kb() {
    let fake = Fake::saying(&envelope(json!({})).to_string(), "", 0);
    let prompt = "x".repeat(200 << 10);
    // It reads to the end of its input before it says anything.
    fake::ask(&claude(&fake), &prompt, Duration::from_secs(60)).await.unwrap();
    assert_eq!(fake.noted("input"), prompt);
    fake.is_swept();
}

#[tokio::test]
async fn big_tool_result_and_far_too_big_an_output() {
    let big = json!({"type": "user", "message": {"content": "x".repeat(195 << 10)}});
    let fake = Fake::saying(&stream("connected", &[big], envelope(json!({}))), "", 0);
    assert_eq!(fake.driven(&claude(&fake)).await.unwrap().text, "well");
    let fake = Fake::doing("exec yes");
    broken(fake.asked(&claude(&fake)).await, "wrote more than 16 MB");
}

#[tokio::test]
async fn a_server_that_is_not_connected_ends_it_at_once() {
    for state in ["failed", "pending"] {
        let fake = Fake::doing("cat \"$here/says\"; sleep 300");
        let says = stream(state, &[], envelope(json!({})));
        std::fs::write(fake.program().with_file_name("says"), says).unwrap();
        let watch = Stopwatch::start();
        broken(
            fake.driven(&claude(&fake)).await,
            &format!("did not reach the tools of the test: llm_pytest is {state}"),
        );
        assert!(watch.fair() < Duration::from_secs(30), "{:?}", watch.fair());
    }
    let fake = Fake::saying(&envelope(json!({})).to_string(), "", 0);
    broken(fake.driven(&claude(&fake)).await, "did not say whether it reached the tools");
}

#[tokio::test]
async fn the_time_limit_holds_for_one_that_ignores_signals_and_keeps_talking() {
    let fake = Fake::doing("trap '' TERM INT; while :; do echo '{}'; sleep 0.05; done");
    let watch = Stopwatch::start();
    let said = fake::ask(&claude(&fake), "", Duration::from_secs(2)).await;
    assert_eq!(said, Err(Trouble::TimedOut { provider: "claude-code".to_owned(), seconds: 2 }));
    assert!(watch.fair() < Duration::from_secs(5), "{:?}", watch.fair());
    fake.is_swept();
}

#[tokio::test]
async fn whoever_no_longer_waits_leaves_nobody_behind() {
    // A child that has left the group is found by its mark.
    let away =
        "export here; setsid sh -c 'echo $$ > \"$here/child\"; touch \"$here/begun\"; exec sleep 300' &";
    let fake = Fake::doing(&format!("{away}\nsleep 300"));
    let provider = claude(&fake);
    let until = Instant::now() + Duration::from_secs(60);
    let begun = async {
        while !fake.program().with_file_name("begun").exists() && Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::select! {
        said = fake::ask(&provider, "", Duration::from_secs(120)) => panic!("{said:?}"),
        () = begun => {}
    }
    fake.is_swept();
}

#[tokio::test]
async fn who_it_is_is_asked_once() {
    let fake = Fake::doing("");
    let provider = claude(&fake);
    for _ in 0..2 {
        let identity = provider.identity().await.unwrap();
        assert_eq!((identity.model.as_str(), identity.version.as_str()), ("sonnet", "1.2.3 (Fake)"));
    }
    assert_eq!(fake.noted("versions"), "asked\n");
    let nobody = ClaudeCode::new("/nowhere/claude", "");
    let Err(Trouble::Absent(text)) = nobody.identity().await else { panic!("it is not there") };
    assert!(text.contains("`/nowhere/claude` was not found; is it installed"), "{text}");
}
