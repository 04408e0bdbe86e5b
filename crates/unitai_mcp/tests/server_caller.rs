//! What tests may start and read for each caller: all that the user could over standard streams, and no program and no
//! file out of the project for a client over HTTP.

#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

#[path = "support/server.rs"]
#[allow(dead_code, reason = "the fixtures are for the other tests")]
mod server;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value as Json, json};
use server::Piped;
use tempfile::TempDir;
use unitai_mcp::client::Settings;
use unitai_mcp::server::authoring::NoAuthor;
use unitai_mcp::server::{Caller, project};

const CLIENT: Caller = Caller::Client { allow_programs: false };
const TRUSTED: Caller = Caller::Client { allow_programs: true };

/// A project in a folder of its own, with the files that a stranger would like to read beside it.
struct Served {
    folder: TempDir,
    piped: Piped,
}

impl Served {
    async fn start(caller: Caller) -> Served {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        fs::create_dir_all(root.join("tests/llm")).unwrap();
        fs::create_dir_all(folder.path().join("outside")).unwrap();
        let offer = project(Settings::new(&root), caller, Vec::new(), Default::default(), Arc::new(NoAuthor))
            .unwrap();
        let mut piped = Piped::serve(offer);
        piped.initialize("2025-11-25").await;
        Served { folder, piped }
    }

    fn root(&self) -> std::path::PathBuf {
        self.folder.path().join("project")
    }

    fn write(&self, file: &str, text: &str) {
        let file = self.root().join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    /// A program that leaves a file, as the server of a test.
    fn program(&self) -> Json {
        let mark = self.folder.path().join("ran");
        json!({"command": ["sh", "-c", format!("touch {}", mark.display())]})
    }

    fn ran(&self) -> bool {
        self.folder.path().join("ran").exists()
    }

    /// A test with these servers, as the text of a file: JSON is YAML.
    fn test(servers: &Json) -> String {
        let step = json!({"tool": "greet"});
        json!({"test": {"name": "A"}, "servers": servers, "steps": [step], "verdict": "checks"}).to_string()
    }

    async fn call(&mut self, tool: &str, args: Json) -> Json {
        let answer = self.piped.request(9, "tools/call", json!({"name": tool, "arguments": args})).await;
        answer["result"].clone()
    }

    /// What each of the tools that take a test says of one with these servers.
    async fn answers(&mut self, servers: &Json) -> [Json; 3] {
        let text = Served::test(servers);
        self.write("tests/llm/there.yaml", &text);
        let step = json!({"tool": "greet"});
        let made = json!({"name": "Made", "servers": servers, "steps": [step], "verdict": "checks"});
        [
            self.call("create_test", made).await,
            self.call("validate_test", json!({"text": text})).await,
            self.call("run_test", json!({"path": "tests/llm/there.yaml"})).await,
        ]
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn tests_of_a_client_start_no_programs() {
    let mut served = Served::start(CLIENT).await;
    let [made, checked, ran] = served.answers(&json!({"shell": served.program()})).await;
    for answer in [&made, &checked, &ran] {
        let text = answer.to_string();
        assert!(text.contains("server `shell` is a program, which tests over HTTP may not start"), "{text}");
        assert!(text.contains("--allow-programs"), "{text}");
    }
    assert_eq!((&made["isError"], &ran["isError"]), (&json!(true), &json!(true)));
    assert_eq!(checked["structuredContent"]["valid"], false);
    assert!(!served.ran());
    assert!(!served.root().join("tests/llm/made.yaml").exists());
}

/// A model that writes a test may bring a plugin, which is a program.
#[tokio::test(flavor = "multi_thread")]
async fn no_model_writes_tests_for_a_client() {
    for (caller, why) in [
        (CLIENT, "start `unitai mcp` with --allow-programs"),
        (TRUSTED, "no model"),
        (Caller::User, "no model"),
    ] {
        let mut served = Served::start(caller).await;
        let answer = served.call("create_test", json!({"description": "Log in"})).await;
        assert_eq!(answer["structuredContent"]["success"], false, "{answer}");
        assert!(answer["structuredContent"]["error"].as_str().unwrap().contains(why), "{caller:?}: {answer}");
    }
}

/// The servers of a test may come from another file.
#[tokio::test(flavor = "multi_thread")]
async fn an_included_program_is_refused_as_well() {
    let mut served = Served::start(CLIENT).await;
    let servers = json!({"servers": {"shell": served.program()}}).to_string();
    served.write("tests/llm/shared/servers.yaml", &servers);
    let step = json!({"tool": "greet"});
    let test = json!({
        "test": {"name": "A"}, "include": ["shared/servers.yaml"], "steps": [step], "verdict": "checks",
    });
    served.write("tests/llm/there.yaml", &test.to_string());
    let answer = served.call("run_test", json!({"path": "tests/llm/there.yaml"})).await;
    assert_eq!(answer["isError"], true);
    assert!(answer.to_string().contains("is a program, which tests over HTTP may not start"), "{answer}");
    assert!(!served.ran());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_user_and_a_trusted_client_start_programs() {
    for caller in [Caller::User, TRUSTED] {
        let mut served = Served::start(caller).await;
        let [made, checked, _] = served.answers(&json!({"shell": served.program()})).await;
        assert_eq!(made["isError"], false, "{made}");
        assert_eq!(checked["structuredContent"]["valid"], true, "{checked}");
        // It is not an MCP server, so the test fails, but it ran.
        assert!(served.ran(), "{caller:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trusted_client_starts_them_in_the_project_only() {
    for cwd in ["..", "../outside", "/", "link", "${vars.away}"] {
        let mut served = Served::start(TRUSTED).await;
        #[cfg(unix)]
        std::os::unix::fs::symlink("../outside", served.root().join("link")).unwrap();
        let mut program = served.program();
        program["cwd"] = json!(cwd);
        let step = json!({"tool": "greet"});
        let test = json!({
            "test": {"name": "A"}, "vars": {"away": "../outside"},
            "servers": {"shell": program}, "steps": [step], "verdict": "checks",
        });
        served.write("tests/llm/there.yaml", &test.to_string());
        let answer = served.call("run_test", json!({"path": "tests/llm/there.yaml"})).await;
        assert!(answer.to_string().contains("its `cwd` leads out of the project"), "{cwd}: {answer}");
        assert!(!served.ran(), "{cwd}");
    }
    let mut served = Served::start(TRUSTED).await;
    let mut program = served.program();
    program["cwd"] = json!("tests");
    served.answers(&json!({"shell": program})).await;
    assert!(served.ran());
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn plugins_from_outside_are_not_loaded_for_a_client() {
    let link = |served: &Served, from: &str, to: &Path| {
        let from = served.root().join(from);
        fs::create_dir_all(from.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(to, from).unwrap();
    };
    for from in ["tests/llm/plugins", "tests/llm/plugins/shop.py"] {
        let mut served = Served::start(CLIENT).await;
        let mark = served.folder.path().join("ran");
        let plugin = served.folder.path().join("outside/shop.py");
        fs::write(&plugin, format!("open({:?}, 'w').close()\n", mark.display().to_string())).unwrap();
        let target = if from.ends_with(".py") { plugin } else { served.folder.path().join("outside") };
        link(&served, from, &target);
        let answer = served.call("list_plugins", json!({})).await;
        assert!(answer.to_string().contains("leads out of the project"), "{answer}");
        assert!(!served.ran(), "{from}");
    }
}

/// What the answers about a file say of its content.
#[tokio::test(flavor = "multi_thread")]
async fn no_key_and_no_argument_reads_out_of_the_project() {
    for caller in [Caller::User, CLIENT, TRUSTED] {
        let mut served = Served::start(caller).await;
        fs::write(served.folder.path().join("outside/secret.yaml"), "root:x:0 s3cret\n").unwrap();
        let absolute = served.folder.path().join("outside/secret.yaml").display().to_string();
        served.write("notes.yaml", "a note, s3cret, and no test\n");
        #[cfg(unix)]
        std::os::unix::fs::symlink("../../outside", served.root().join("tests/linked")).unwrap();
        let paths = [
            "../../../outside/secret.yaml",
            "../linked/secret.yaml",
            "../../notes.yaml",
            "shared/../../../../outside/secret.yaml",
            &absolute,
        ];
        for path in paths {
            let plain = json!({"test": {"name": "A"}, "steps": [{"tool": "sleep"}], "verdict": "checks"});
            let (mut above, mut within) = (plain.clone(), plain);
            above["include"] = json!([path]);
            within["steps"] = json!([{"include": path}]);
            for test in [above, within] {
                let answer = served.call("validate_test", json!({"text": test.to_string()})).await;
                assert_eq!(answer["structuredContent"]["valid"], false, "{path}: {answer}");
                assert!(!answer.to_string().contains("s3cret"), "{path}: {answer}");
            }
            for tool in ["validate_test", "run_test"] {
                for path in [path, path.trim_start_matches("../")] {
                    let answer =
                        served.call(tool, json!({"test_path": path})).await["structuredContent"].clone();
                    assert!(answer["valid"] == false || answer["success"] == false, "{path}: {answer}");
                    assert!(!answer.to_string().contains("s3cret"), "{path}: {answer}");
                    let answer = served.call(tool, json!({"path": path})).await;
                    assert_eq!(answer["isError"], true, "{path}: {answer}");
                    assert!(!answer.to_string().contains("s3cret"), "{path}: {answer}");
                }
            }
        }
    }
}
