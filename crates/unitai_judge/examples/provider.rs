//! Asks a provider that is a program once, or has it drive the tools of a server, and prints what came of it as JSON.
//!
//! `provider NAME PROGRAM ask|drive MODEL [URL TOKEN]`, with the prompt on standard input. An empty MODEL is the program's own.

use std::io::Read;
use std::time::Duration;

use serde_json::{Value, json};
use unitai_judge::providers::claude_code::ClaudeCode;
use unitai_judge::providers::codex::Codex;
use unitai_judge::providers::gemini_cli::GeminiCli;
use unitai_judge::{Ask, Drive, Provider, Reach, Said, Trouble};
use unitai_spec::run::Hands;

const LIMIT: Duration = Duration::from_secs(240);

fn main() -> Result<(), String> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [name, program, what, model, rest @ ..] = &words[..] else {
        return Err("provider NAME PROGRAM ask|drive MODEL [URL TOKEN]".to_owned());
    };
    let provider: Box<dyn Provider> = match name.as_str() {
        "claude-code" => Box::new(ClaudeCode::new(program, model)),
        "codex" => Box::new(Codex::new(program, model)),
        "gemini-cli" => Box::new(GeminiCli::new(program, model)),
        other => return Err(format!("there is no provider {other}")),
    };
    let mut prompt = String::new();
    std::io::stdin().read_to_string(&mut prompt).map_err(|error| error.to_string())?;
    let schema = json!({
        "type": "object",
        "properties": {"verdict": {"type": "string"}, "reason": {"type": "string"}},
        "required": ["verdict", "reason"],
        "additionalProperties": false,
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let told = runtime.block_on(async {
        let identity = provider.identity().await;
        let said = match (what.as_str(), rest) {
            ("drive", [url, token]) => {
                let (hands, _calls) = Hands::new(Vec::new());
                let reach = Reach { hands, url: url.clone(), token: token.clone(), pay: None };
                let system = "You drive the tools of a test.";
                let drive = Drive { system, prompt: &prompt, schema: &schema, timeout: LIMIT, turns: 20 };
                provider.drive(&drive, &reach).await
            }
            _ => {
                let system = "You judge evidence.";
                provider.ask(&Ask { system, prompt: &prompt, schema: &schema, timeout: LIMIT }).await
            }
        };
        let version = identity.map_or_else(|trouble| trouble.to_string(), |it| it.version);
        json!({"version": version, "said": told(said)})
    });
    #[expect(clippy::print_stdout, reason = "it is what this program is for")]
    {
        println!("{told}");
    }
    Ok(())
}

fn told(said: Result<Said, Trouble>) -> Value {
    match said {
        Ok(said) => json!({
            "text": said.text,
            "structured": said.structured,
            "model": said.model,
            "input_tokens": said.spent.input_tokens,
            "output_tokens": said.spent.output_tokens,
            "cost": said.spent.cost.map(|it| it.dollars()),
            "notes": said.notes,
        }),
        Err(trouble) => {
            let kind = format!("{trouble:?}");
            let kind = kind.split(['(', ' ']).next().unwrap_or_default();
            json!({"trouble": kind, "text": trouble.to_string()})
        }
    }
}
