//! How Codex and Gemini CLI were seen to end, by programs that end so.

#![cfg(target_os = "linux")]

mod fake;

use fake::Fake;
use serde_json::{Value, json};
use unitai_judge::providers::codex::Codex;
use unitai_judge::providers::gemini_cli::GeminiCli;
use unitai_judge::{Provider, Said, Trouble};

fn lines(events: &[Value]) -> String {
    events.iter().map(|it| format!("{it}\n")).collect()
}

fn codex(fake: &Fake) -> Codex {
    Codex::new(fake.program(), "gpt-5")
        .with_variable("OPENAI_API_KEY", Some("key"))
        .with_variable("OPENAI_BASE_URL", None)
        .with_variable("CODEX_API_KEY", None)
}

fn gemini(fake: &Fake, home: &std::path::Path) -> GeminiCli {
    GeminiCli::new(fake.program(), "gemini-2.5-flash")
        .with_variable("GEMINI_API_KEY", Some("key"))
        .with_variable("GEMINI_CLI_HOME", home.to_str())
}

fn kind(said: &Result<Said, Trouble>) -> &'static str {
    match said {
        Ok(_) => "said",
        Err(Trouble::Absent(_)) => "absent",
        Err(Trouble::Unavailable(_)) => "unavailable",
        Err(Trouble::Broken(_)) => "broken",
        Err(_) => "other",
    }
}

fn words(said: Result<Said, Trouble>) -> String {
    said.map_or_else(|trouble| trouble.to_string(), |said| said.text)
}

#[tokio::test]
async fn codex_answers_and_its_token_is_no_argument() {
    let call = json!({"type": "mcp_tool_call", "tool": "http_get", "status": "failed", "error": {"message": "denied"}});
    let message = json!({"type": "agent_message", "text": "{\"answers\": []}"});
    let says = lines(&[
        json!({"type": "thread.started"}),
        json!({"type": "item.completed", "item": call}),
        json!({"type": "item.completed", "item": message}),
        json!({"type": "turn.completed", "usage": {"input_tokens": 20, "cached_input_tokens": 5, "output_tokens": 3}}),
    ]);
    let fake = Fake::saying(&says, "Reading prompt from stdin...", 0);
    let said = fake.driven(&codex(&fake)).await.unwrap();
    assert_eq!((said.structured, said.model.as_str()), (Some(json!({"answers": []})), "gpt-5"));
    assert_eq!(
        (said.spent.input_tokens, said.spent.output_tokens, said.spent.cost),
        (Some(20), Some(3), None)
    );
    assert_eq!(said.notes, ["codex could not call http_get: denied"]);
    let arguments = fake.arguments().join(" ");
    for wanted in ["exec --json --ephemeral", "--ignore-user-config", "--sandbox read-only", "required=true"]
    {
        assert!(arguments.contains(wanted), "{wanted}: {arguments}");
    }
    assert!(!arguments.contains("tick-tock-token"), "{arguments}");
    assert_eq!(fake.variable("UNITAI_MCP_TOKEN").as_deref(), Some("tick-tock-token"));
    assert_eq!(fake.variable("CODEX_API_KEY").as_deref(), Some("key"));
    assert_eq!(fake.noted("input"), "do it");
}

#[tokio::test]
async fn the_troubles_of_codex() {
    let failed = |words: &str| lines(&[json!({"type": "turn.failed", "error": {"message": words}})]);
    for (says, errors, code, expected) in [
        (failed("unexpected status 401 Unauthorized: no"), "", 1, "absent"),
        (failed("exceeded retry limit, last status: 429 Too Many Requests"), "", 1, "unavailable"),
        (failed("stream disconnected before completion"), "", 1, "unavailable"),
        (failed("unexpected status 400 Bad Request"), "", 1, "broken"),
        (failed("something"), "", 0, "broken"),
        (String::new(), "Error: required MCP servers failed to initialize: llm_pytest", 1, "broken"),
        (String::new(), "error: unexpected argument '--ephemeral' found", 2, "broken"),
        (String::new(), "", 0, "broken"),
    ] {
        let fake = Fake::saying(&says, errors, code);
        let said = fake.asked(&codex(&fake)).await;
        assert_eq!(kind(&said), expected, "{says}{errors}: {said:?}");
        let text = words(said);
        assert!(text.contains("codex"), "{text}");
        assert!(text.contains(errors), "{text}");
    }
}

#[tokio::test]
async fn gemini_answers_with_a_home_of_its_own_and_the_login_of_the_user() {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir(home.path().join(".gemini")).unwrap();
    let own = json!({"security": {"auth": {"selectedType": "oauth-personal"}}, "mcpServers": {"mine": {}}});
    std::fs::write(home.path().join(".gemini/settings.json"), own.to_string()).unwrap();
    std::fs::write(home.path().join(".gemini/oauth_creds.json"), "a login").unwrap();
    let says = lines(&[
        json!({"type": "init", "model": "gemini-2.5-flash"}),
        json!({"type": "message", "role": "assistant", "content": "Let me look."}),
        json!({"type": "tool_use", "tool_name": "mcp_llm_pytest_http_get"}),
        json!({"type": "tool_result", "status": "success"}),
        json!({"type": "message", "role": "assistant", "content": "{\"answers\":", "delta": true}),
        json!({"type": "message", "role": "assistant", "content": " []}", "delta": true}),
        json!({"type": "result", "status": "success", "stats": {"input_tokens": 20, "output_tokens": 3}}),
    ]);
    let fake = Fake::doing(
        "cat \"$GEMINI_CLI_HOME/.gemini/oauth_creds.json\" > \"$here/login\"; cat \"$here/says\"",
    );
    std::fs::write(fake.program().with_file_name("says"), says).unwrap();
    let said = fake.driven(&gemini(&fake, home.path())).await.unwrap();
    assert_eq!((said.text.as_str(), said.structured), ("{\"answers\": []}", Some(json!({"answers": []}))));
    assert_eq!((said.spent.input_tokens, said.spent.output_tokens), (Some(20), Some(3)));
    assert_eq!(fake.noted("login"), "a login");
    assert!(home.path().join(".gemini/oauth_creds.json").exists(), "a link is removed, not what it leads to");
    let settings: Value = serde_json::from_str(&fake.noted("settings.json")).unwrap();
    assert_eq!(settings["security"]["auth"]["selectedType"], "oauth-personal");
    assert_eq!(settings["model"]["maxSessionTurns"], 7);
    let servers = settings["mcpServers"].as_object().unwrap();
    assert_eq!(servers.keys().collect::<Vec<_>>(), ["llm_pytest"]);
    assert_eq!(servers["llm_pytest"]["headers"]["Authorization"], "Bearer tick-tock-token");
    assert!(
        fake.noted("input").starts_with("do it\n\nAnswer with one JSON object"),
        "{}",
        fake.noted("input")
    );
}

#[tokio::test]
async fn gemini_answers_with_one_object() {
    let models = json!({"gemini-2.5-flash": {"tokens": {"prompt": 12, "candidates": 4, "thoughts": 2}}});
    let says = json!({"session_id": "x", "response": "well", "stats": {"models": models}});
    let fake = Fake::saying(&serde_json::to_string_pretty(&says).unwrap(), "Ripgrep is not available.", 0);
    let home = tempfile::tempdir().unwrap();
    let said = fake.asked(&gemini(&fake, home.path())).await.unwrap();
    assert_eq!((said.text.as_str(), said.model.as_str()), ("well", "gemini-2.5-flash"));
    assert_eq!((said.spent.input_tokens, said.spent.output_tokens), (Some(12), Some(6)));
}

#[tokio::test]
async fn gemini_says_its_version_in_a_home_that_is_removed() {
    let home = tempfile::tempdir().unwrap();
    let fake = Fake::doing("");
    assert_eq!(gemini(&fake, home.path()).identity().await.unwrap().version, "1.2.3 (Fake)");
    // It keeps notes on the folder even then.
    let own = fake.variable("GEMINI_CLI_HOME").unwrap();
    assert_eq!(own, fake.noted("folder").trim());
    assert!(own.contains("/unitai-") && !std::path::Path::new(&own).exists(), "{own}");
}

#[tokio::test]
async fn the_troubles_of_gemini() {
    let home = tempfile::tempdir().unwrap();
    let error = |words: &str| json!({"error": {"type": "ApiError", "message": words}}).to_string();
    let unknown = "Tool \"mcp_llm_pytest_http_get\" not found.";
    let lost = lines(&[
        json!({"type": "tool_result", "status": "error", "output": unknown, "error": {"type": "tool_not_registered"}}),
        json!({"type": "result", "status": "success", "stats": {}}),
    ]);
    for (says, errors, code, expected) in [
        (String::new(), "Please set an Auth method in your settings.json", 41, "absent"),
        (error("API key not valid. Please pass a valid API key."), "", 1, "absent"),
        (error("You exceeded your current quota (429)"), "", 1, "unavailable"),
        (error("fetch failed"), "", 1, "unavailable"),
        (error("[400 Bad Request] no"), "", 1, "broken"),
        (String::new(), "not a trusted folder", 55, "broken"),
        (error("Reached max session turns"), "", 53, "broken"),
        (lost, "MCP issues detected.", 0, "broken"),
        (String::new(), "", 0, "broken"),
    ] {
        let fake = Fake::saying(&says, errors, code);
        let said = fake.driven(&gemini(&fake, home.path())).await;
        assert_eq!(kind(&said), expected, "{says}{errors}: {said:?}");
        let text = words(said);
        assert!(text.contains("gemini-cli"), "{text}");
        if says.is_empty() {
            assert!(text.contains(errors), "{text}");
        }
    }
}
