//! A program that says what a test wants, notes what it was given, and leaves a child behind on purpose.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used, reason = "each test binary uses a part of it")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use unitai_judge::{Ask, Drive, Provider, Reach, Said, Trouble};
use unitai_spec::run::Hands;

const SCRIPT: &str = r#"#!/bin/sh
here=$(dirname "$0")
if [ "$1" = --version ]; then
    echo asked >> "$here/versions"
    env > "$here/environment"
    pwd > "$here/folder"
    echo "1.2.3 (Fake)"
    exit 0
fi
for word in "$@"; do
    printf '%s\n' "$word" >> "$here/arguments"
    [ "$before" = --mcp-config ] && cp "$word" "$here/mcp.json"
    before=$word
done
cp "$GEMINI_CLI_HOME/.gemini/settings.json" "$here/settings.json" 2> /dev/null
pwd > "$here/folder"
env > "$here/environment"
cat > "$here/input"
sleep 300 > /dev/null 2>&1 &
echo $! > "$here/child"
"#;

/// The program, in a folder of its own.
pub struct Fake {
    folder: tempfile::TempDir,
}

impl Fake {
    /// A program that does this, in words of the shell, after it has noted what it was given.
    pub fn doing(body: &str) -> Fake {
        let fake = Fake { folder: tempfile::tempdir().unwrap() };
        // Written by another process: while ours has a program open, another thread's child may hold it too, and then it
        // cannot be run.
        let mut writer = Command::new("sh")
            .args(["-c", "cat > program && chmod +x program"])
            .current_dir(fake.folder.path())
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        writer.stdin.take().unwrap().write_all(format!("{SCRIPT}{body}\n").as_bytes()).unwrap();
        assert!(writer.wait().unwrap().success());
        fake
    }

    /// A program that prints this and ends with a code.
    pub fn saying(output: &str, errors: &str, code: i32) -> Fake {
        let fake = Fake::doing(&format!("cat \"$here/says\"\ncat \"$here/complains\" >&2\nexit {code}"));
        std::fs::write(fake.folder.path().join("says"), output).unwrap();
        std::fs::write(fake.folder.path().join("complains"), errors).unwrap();
        fake
    }

    pub fn program(&self) -> PathBuf {
        self.folder.path().join("program")
    }

    /// Something that it noted.
    pub fn noted(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).unwrap_or_default()
    }

    pub fn arguments(&self) -> Vec<String> {
        self.noted("arguments").lines().map(str::to_owned).collect()
    }

    /// The value of a variable that it had.
    pub fn variable(&self, name: &str) -> Option<String> {
        let environment = self.noted("environment");
        let found = environment.lines().find_map(|it| it.strip_prefix(name)?.strip_prefix('='));
        found.map(str::to_owned)
    }

    /// Nobody and nothing is left of it.
    pub fn is_swept(&self) {
        let child = self.noted("child");
        let process = Path::new("/proc").join(child.trim());
        assert!(!child.trim().is_empty(), "it has started no child");
        let until = Instant::now() + Duration::from_secs(5);
        while is_running(&process) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(10));
        }
        assert!(!is_running(&process), "its child {child} is left");
        let folder = self.noted("folder");
        let private = Path::new(folder.trim()).parent().unwrap();
        assert!(folder.contains("/unitai-"), "{folder}");
        assert!(!private.exists(), "{} is left", private.display());
    }

    /// Asks, and looks that nothing is left.
    pub async fn asked(&self, provider: &dyn Provider) -> Result<Said, Trouble> {
        let said = ask(provider, "what is it?", Duration::from_secs(60)).await;
        self.is_swept();
        said
    }

    /// Has it drive, and looks that nothing is left.
    pub async fn driven(&self, provider: &dyn Provider) -> Result<Said, Trouble> {
        let (hands, _calls) = Hands::new(Vec::new());
        let (url, token) = ("http://127.0.0.1:9/mcp".to_owned(), "tick-tock-token".to_owned());
        let schema = schema();
        let drive = Drive {
            system: "you drive",
            prompt: "do it",
            schema: &schema,
            timeout: Duration::from_secs(60),
            turns: 7,
        };
        let said = provider.drive(&drive, &Reach { hands, url, token, pay: None }).await;
        self.is_swept();
        said
    }
}

pub async fn ask(provider: &dyn Provider, prompt: &str, timeout: Duration) -> Result<Said, Trouble> {
    provider.ask(&Ask { system: "you judge", prompt, schema: &schema(), timeout }).await
}

pub fn schema() -> Value {
    json!({"type": "object", "properties": {"answers": {"type": "array"}}})
}

/// A process that is there and not merely unburied.
fn is_running(process: &Path) -> bool {
    let state = std::fs::read_to_string(process.join("stat")).unwrap_or_default();
    state.rsplit(')').next().is_some_and(|it| !it.is_empty() && !it.trim_start().starts_with('Z'))
}
