//! The tools that help to write tests, over a port that reads and runs as the tests here say.

#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value as Json, json};
use unitai_mcp::server::authoring::{Author, Authoring, Code, Draft, DraftRequest, Plugins, Tests};
use unitai_mcp::server::{Offer, Offering};
use unitai_model::value::Value;
use unitai_model::{Ending as Ended, Packed, Recorder};
use unitai_spec::data::{from_json, to_json};
use unitai_spec::document::{
    JudgeWhen, Meta, OnSetupFailure, OnTeardownError, Place, ProjectRoot, Reading, Severity, Spec, Trouble,
    VerdictSpec,
};
use unitai_spec::run::{Called, Ending, Future, Plugin, Run, Status, StepResult, Stop, Tool, Verdict, Word};
use unitai_wire::redact::Secrets;

/// Reads `name: X` as a test, and `broken` as trouble. Runs for as long as a test named `slow` is not stopped.
#[derive(Default)]
struct Fake {
    timeouts: Mutex<Vec<u32>>,
    is_torn_down: AtomicBool,
    may_not_draft: AtomicBool,
}

fn place(file: &Path, line: usize) -> Place {
    Place { file: Arc::new(file.to_owned()), line, column: 3 }
}

fn spec(file: &Path, name: &str, case: Option<&str>) -> Spec {
    let test = Meta {
        name: name.to_owned(),
        description: String::new(),
        tags: vec!["smoke".to_owned()],
        timeout: 120,
        teardown_timeout: 30,
        on_setup_failure: OnSetupFailure::Stop,
        teardown_errors: OnTeardownError::Fail,
        judge: JudgeWhen::Needed,
        max_calls: 1000,
    };
    Spec {
        test,
        servers: Vec::new(),
        vars: Vec::new(),
        case: case.map(str::to_owned),
        twin: 1,
        setup: Vec::new(),
        steps: Vec::new(),
        teardown: Vec::new(),
        verdict: VerdictSpec::default(),
        place: place(file, 1),
    }
}

impl Tests for Fake {
    fn refusals(&self, _: &[Spec]) -> Vec<Trouble> {
        Vec::new()
    }

    fn may_draft(&self) -> Result<(), String> {
        if self.may_not_draft.load(Ordering::SeqCst) { Err("not over HTTP".to_owned()) } else { Ok(()) }
    }

    fn read(&self, file: &Path, text: &str) -> Reading {
        let mut reading = Reading::default();
        for (at, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.contains("broken") {
                reading.troubles.push(Trouble {
                    severity: Severity::Error,
                    place: place(file, at + 1),
                    path: "steps[0].tool".into(),
                    message: "expected a name, found `broken`".into(),
                    remedy: "mend it".into(),
                });
            } else if let Some(name) = line.strip_prefix("name: ") {
                reading.specs.push(spec(file, name, None));
            } else if let Some(case) = line.strip_prefix("- case: ") {
                let name = reading.specs[0].test.name.clone();
                reading.specs.retain(|spec| spec.case.is_some());
                reading.specs.push(spec(file, &name, Some(case)));
            }
        }
        reading
    }

    fn run<'a>(&'a self, spec: &'a Spec, stop: &'a Stop) -> Future<'a, Run> {
        Box::pin(async move {
            self.timeouts.lock().unwrap().push(spec.test.timeout);
            let step = StepResult {
                name: "Fetch".into(),
                path: "steps[0]".into(),
                status: Status::Pass,
                details: String::new(),
                tool_output: Some(Value::Int(1)),
                evidence: vec![1],
                ms: 1.23456,
                place: spec.place.clone(),
            };
            let ending = if spec.test.name == "slow" {
                stop.asked().await;
                tokio::time::sleep(Duration::from_millis(50)).await;
                self.is_torn_down.store(true, Ordering::SeqCst);
                Ending::Stopped { steps: vec![step] }
            } else {
                let word = if spec.case.as_deref() == Some("bad") { Word::Fail } else { Word::Pass };
                let issues = if word == Word::Fail { vec!["it is bad".to_owned()] } else { Vec::new() };
                Ending::Decided(Verdict { word, reason: "checks".into(), steps: vec![step], issues })
            };
            let recorder = Recorder::open("run", Packed::null(), 0.0, 10);
            let trajectory = recorder.finish(Ended::returned(Packed::null()), 0.0);
            Run {
                ending,
                evidence: Vec::new(),
                trajectory,
                warnings: Vec::new(),
                seconds: 0.5,
                questions: 0,
                answers: Vec::new(),
                judged: None,
                driving: None,
            }
        })
    }

    fn plugins(&self) -> Future<'_, Plugins> {
        let tool = Tool {
            name: "shop_buy".into(),
            description: "Buys.".into(),
            input_schema: json!({
                "type": "object",
                "properties": {"item": {"type": "string"}, "count": {"type": "integer", "default": 1}},
                "required": ["item"],
            }),
        };
        let plugin = Plugin { name: "shop".into(), file: "shop.py".into(), tools: vec!["shop_buy".into()] };
        let troubles = vec!["bank.py: no module `bank`".into()];
        Box::pin(async { Plugins { tools: vec![tool], plugins: vec![plugin], troubles } })
    }
}

struct Project {
    folder: tempfile::TempDir,
    tests: Arc<Fake>,
    authoring: Authoring,
}

fn project() -> Project {
    let folder = tempfile::tempdir().unwrap();
    let tests = Arc::new(Fake::default());
    let authoring =
        Authoring::new(ProjectRoot::new(folder.path()).unwrap(), tests.clone(), Secrets::none().into());
    Project { folder, tests, authoring }
}

impl Project {
    fn write(&self, path: &str, text: &str) {
        let path = self.folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(path)).unwrap()
    }

    async fn call(&self, tool: &str, args: Json) -> Result<Json, String> {
        let args = args.as_object().unwrap().iter().map(|(name, it)| (name.clone(), from_json(it))).collect();
        match self.authoring.call(tool, args).await {
            Called::Returned { value, .. } => Ok(to_json(&value)),
            Called::Failed { message, .. } => Err(message),
        }
    }
}

fn given(name: &str) -> Json {
    json!({"name": name, "steps": [{"tool": "sleep", "args": {"seconds": 0}}], "verdict": "checks"})
}

#[tokio::test]
async fn a_test_is_made_and_never_replaced_by_chance() {
    let project = project();
    let told = project.call("create_test", given("Login works")).await.unwrap();
    assert_eq!(told["file"], "tests/llm/login_works.yaml");
    assert_eq!(told["tests"], json!(["Login works"]));
    assert_eq!((&told["success"], &told["test_path"]), (&json!(true), &told["file"]));
    assert_eq!((&told["plugin_path"], &told["plugin_content"]), (&Json::Null, &Json::Null));
    assert_eq!(told["test_content"], project.read("tests/llm/login_works.yaml"));
    let expected =
        "test:\n  name: Login works\nsteps:\n  - tool: sleep\n    args:\n      seconds: 0\nverdict: checks\n";
    assert_eq!(project.read("tests/llm/login_works.yaml"), expected);

    let mut again = given("Login works");
    again["tags"] = json!(["slow"]);
    let told = project.call("create_test", again.clone()).await.unwrap_err();
    assert!(told.contains("is there already") && told.contains("overwrite: true"), "{told}");
    assert_eq!(project.read("tests/llm/login_works.yaml"), expected);
    again["overwrite"] = json!(true);
    project.call("create_test", again).await.unwrap();
    assert!(project.read("tests/llm/login_works.yaml").contains("tags:\n    - slow\n"));
}

#[tokio::test]
async fn nothing_is_written_that_is_no_test_or_stands_elsewhere() {
    let project = project();
    let mut broken = given("Login");
    broken["steps"][0]["tool"] = json!("broken");
    let told = project.call("create_test", broken).await.unwrap_err();
    assert!(told.contains("steps[0].tool: expected a name, found `broken` (mend it)"), "{told}");
    for path in ["../x.yaml", "/tmp/x.yaml", "a/../../../x.yaml", ".hidden/x.yaml", "x.py"] {
        let mut elsewhere = given("Login");
        elsewhere["path"] = json!(path);
        assert!(project.call("create_test", elsewhere).await.is_err(), "{path}");
    }
    let mut misspelled = given("Login");
    misspelled["teardwn"] = json!([]);
    assert!(project.call("create_test", misspelled).await.unwrap_err().contains("did you mean `teardown`?"));
    let told = project.call("create_test", json!({"steps": []})).await.unwrap_err();
    assert!(told.contains("`name` is missing"), "{told}");
    assert_eq!(std::fs::read_dir(project.folder.path()).unwrap().count(), 0);
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_is_not_written_through() {
    let project = project();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("mine.yaml"), "mine").unwrap();
    project.write("tests/llm/here.yaml", "");
    let link = project.folder.path().join("tests/llm/link.yaml");
    std::os::unix::fs::symlink(outside.path().join("mine.yaml"), link).unwrap();
    let mut through = given("Login");
    through["path"] = json!("link.yaml");
    through["overwrite"] = json!(true);
    assert!(project.call("create_test", through).await.is_err());
    assert_eq!(std::fs::read_to_string(outside.path().join("mine.yaml")).unwrap(), "mine");
}

#[tokio::test]
async fn troubles_are_told_with_their_place() {
    let project = project();
    project.write("tests/llm/a.yaml", "test:\n  name: A\nsteps:\n  - broken\n");
    let told = project.call("validate_test", json!({"path": "tests/llm/a.yaml"})).await.unwrap();
    assert_eq!(told["valid"], false);
    let expected = json!({
        "severity": "error", "file": "tests/llm/a.yaml", "line": 4, "column": 3, "path": "steps[0].tool",
        "message": "expected a name, found `broken`", "hint": "mend it",
    });
    assert_eq!(told["troubles"], json!([expected]));
    let told = project.call("validate_test", json!({"text": "name: B"})).await.unwrap();
    assert_eq!((told["valid"].as_bool(), &told["tests"]), (Some(true), &json!(["B"])));
    assert!(project.call("validate_test", json!({})).await.is_err());
    assert!(project.call("validate_test", json!({"path": "a", "text": "b"})).await.is_err());
    assert!(project.call("validate_test", json!({"path": "../a.yaml"})).await.is_err());
}

/// As clients of llm-pytest call it: what is wrong with the path is a part of the answer, too.
#[tokio::test]
async fn a_test_is_named_by_its_test_path_as_well() {
    let project = project();
    project.write("tests/llm/a.yaml", "test:\n  name: A\nsteps:\nverdict: checks\n");
    project.write("tests/llm/wrong.yaml", "test:\n  broken\nsteps:\n");
    let absolute = std::fs::canonicalize(project.folder.path().join("tests/llm/a.yaml")).unwrap();
    for path in ["tests/llm/a.yaml", absolute.to_str().unwrap()] {
        let told = project.call("validate_test", json!({"test_path": path})).await.unwrap();
        assert_eq!((&told["valid"], &told["test_name"]), (&json!(true), &json!("A")), "{path}");
        assert_eq!((&told["step_count"], &told["tools_used"]), (&json!(0), &json!([])));
        assert_eq!(told["errors"], json!([]));
        let ran = project.call("run_test", json!({"test_path": path, "timeout": 5})).await.unwrap();
        assert_eq!((&ran["success"], &ran["verdict"]), (&json!(true), &json!("PASS")), "{path}");
        assert_eq!((&ran["reason"], &ran["duration_seconds"]), (&json!("checks"), &json!(0.5)));
        assert!(ran.get("error").is_none());
    }
    assert_eq!(*project.tests.timeouts.lock().unwrap(), [5, 5]);
    for (path, why) in [
        ("tests/llm/none.yaml", "there is no file"),
        ("../a.yaml", "goes upwards"),
        ("/etc/passwd", "is not relative"),
        ("tests/llm/wrong.yaml", "expected a name"),
    ] {
        let told = project.call("validate_test", json!({"test_path": path})).await.unwrap();
        assert_eq!((&told["valid"], &told["test_name"]), (&json!(false), &Json::Null), "{path}");
        assert!(told["errors"][0].as_str().unwrap().contains(why), "{told}");
        let ran = project.call("run_test", json!({"test_path": path})).await.unwrap();
        assert_eq!(
            (&ran["success"], &ran["verdict"], &ran["reason"]),
            (&json!(false), &Json::Null, &Json::Null)
        );
        assert_eq!(ran["duration_seconds"], 0.0);
        assert!(ran["error"].as_str().unwrap().contains(why), "{ran}");
    }
    for tool in ["validate_test", "run_test"] {
        let both = json!({"path": "tests/llm/a.yaml", "test_path": "tests/llm/a.yaml"});
        assert!(project.call(tool, both).await.is_err(), "{tool}");
    }
}

#[tokio::test]
async fn what_there_is_is_listed() {
    let project = project();
    project.write(
        "tests/llm/b.yaml",
        "test:\n  name: B\nverdict: checks\nsteps:\ncases:\n  - case: x\n  - case: y\n",
    );
    project.write("tests/llm/deep/a.yml", "test:\n  name: A\nsteps:\nverdict: checks\n");
    project.write("tests/llm/data.yaml", "name: no test\n");
    project.write("tests/llm/wrong.yaml", "test:\n  broken\nsteps:\nverdict:\n");
    project.write("tests/other/c.yaml", "test:\n  name: C\nsteps:\nverdict: checks\n");
    project.write("node_modules/llm/d.yaml", "test:\n  name: D\nsteps:\nverdict: checks\n");
    project.write(".venv/llm/e.yaml", "test:\n  name: E\nsteps:\nverdict: checks\n");
    project.write("tests/llm/plugins/shop.py", "");
    project.write("tests/llm/plugins/_shared.py", "");
    let told = project.call("list_tests", json!({})).await.unwrap();
    let tests = told["tests"].as_array().unwrap();
    assert_eq!(tests.len(), 2, "{told}");
    assert_eq!((&tests[0]["name"], &tests[0]["file"]), (&json!("B"), &json!("tests/llm/b.yaml")));
    assert_eq!((&tests[0]["cases"], &tests[0]["tags"]), (&json!(["x", "y"]), &json!(["smoke"])));
    assert_eq!((&tests[1]["name"], &tests[1]["cases"]), (&json!("A"), &json!([])));
    assert_eq!(told["troubles"][0]["file"], "tests/llm/wrong.yaml");
    let told = project.call("list_plugins", json!({})).await.unwrap();
    assert_eq!(told["files"], json!(["tests/llm/plugins/shop.py"]));
    assert_eq!(told["tools"][0]["name"], "shop_buy");
    let parameters = json!([
        {"name": "count", "type": "int", "required": false, "default": 1},
        {"name": "item", "type": "str", "required": true, "default": null},
    ]);
    let buy = json!({"name": "shop_buy", "description": "Buys.", "parameters": parameters});
    assert_eq!(told["plugins"], json!([{"name": "shop", "filename": "shop.py", "tools": [buy]}]));
    let built_in: Vec<&str> =
        told["builtin_tools"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
    for name in [
        "store_value",
        "get_value",
        "list_values",
        "sleep",
        "create_test",
        "validate_test",
        "list_plugins",
        "run_test",
    ] {
        assert!(built_in.contains(&name), "{name}");
    }
    assert_eq!(told["total_tools"], built_in.len() + 1);
    assert_eq!(told["troubles"], json!(["bank.py: no module `bank`"]));
}

#[tokio::test]
async fn a_file_is_run_and_the_worst_of_its_tests_is_its_verdict() {
    let project = project();
    project.write("tests/llm/b.yaml", "test:\n  name: B\nsteps:\ncases:\n  - case: good\n  - case: bad\n");
    let told = project.call("run_test", json!({"path": "tests/llm/b.yaml", "timeout": 7})).await.unwrap();
    assert_eq!(told["verdict"], "FAIL");
    let verdicts: Vec<_> =
        told["tests"].as_array().unwrap().iter().map(|it| (&it["name"], &it["verdict"])).collect();
    assert_eq!(verdicts, [(&json!("B[good]"), &json!("PASS")), (&json!("B[bad]"), &json!("FAIL"))]);
    assert_eq!(told["tests"][1]["issues"], json!(["it is bad"]));
    let step =
        json!({"name": "Fetch", "path": "steps[0]", "status": "pass", "details": "", "ms": 1.235, "line": 1});
    assert_eq!(told["tests"][0]["steps"], json!([step]));
    assert_eq!(*project.tests.timeouts.lock().unwrap(), [7, 7]);
    let told =
        project.call("run_test", json!({"path": "tests/llm/b.yaml", "name": "B[good]"})).await.unwrap();
    assert_eq!((told["verdict"].as_str(), told["tests"].as_array().unwrap().len()), (Some("PASS"), 1));
    let told = project.call("run_test", json!({"path": "tests/llm/b.yaml", "name": "C"})).await.unwrap_err();
    assert!(told.contains("B[good], B[bad]"), "{told}");
    project.write("tests/llm/wrong.yaml", "broken\ntest:\nsteps:\n");
    let told = project.call("run_test", json!({"path": "tests/llm/wrong.yaml"})).await.unwrap_err();
    assert!(told.contains("1:3: error: steps[0].tool"), "{told}");
    project.write("data.yaml", "broken: SECRET\n");
    let told = project.call("run_test", json!({"path": "data.yaml"})).await.unwrap_err();
    assert!(told.contains("data.yaml is not a test") && !told.contains("SECRET"), "{told}");
}

#[tokio::test]
async fn teardown_runs_though_nobody_waits_any_more() {
    let project = project();
    project.write("tests/llm/slow.yaml", "test:\n  name: slow\nsteps:\n");
    let tests = project.tests.clone();
    let call = project.call("run_test", json!({"path": "tests/llm/slow.yaml"}));
    // The one who called gives up.
    assert!(tokio::time::timeout(Duration::from_millis(50), call).await.is_err());
    let limit = std::time::Instant::now() + Duration::from_secs(5);
    while !tests.is_torn_down.load(Ordering::SeqCst) && std::time::Instant::now() < limit {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(tests.is_torn_down.load(Ordering::SeqCst));
}

#[tokio::test]
async fn the_end_of_the_server_waits_for_teardown() {
    let Project { folder, tests, authoring } = project();
    std::fs::create_dir_all(folder.path().join("tests/llm")).unwrap();
    std::fs::write(folder.path().join("tests/llm/slow.yaml"), "test:\n  name: slow\nsteps:\n").unwrap();
    let offer = Offer::new().with(authoring).ready();
    let args = vec![("path".to_owned(), Value::Str("tests/llm/slow.yaml".to_owned()))];
    let call = tokio::spawn({
        let offer = offer.clone();
        async move { offer.call("run_test", args).await }
    });
    while tests.timeouts.lock().unwrap().is_empty() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert!(offer.close().await.is_empty());
    assert!(tests.is_torn_down.load(Ordering::SeqCst));
    assert!(matches!(call.await.unwrap(), Ok(Called::Failed { .. })));
}

/// Writes what the test here says, and keeps what it was asked.
struct Writer {
    draft: Result<Draft, String>,
    asked: Mutex<Vec<(String, Option<String>, u32)>>,
}

impl Author for Writer {
    fn write<'a>(&'a self, request: &'a DraftRequest<'a>) -> Future<'a, Result<Draft, String>> {
        let extend = request.extend_plugin.map(str::to_owned);
        self.asked.lock().unwrap().push((request.description.to_owned(), extend, request.seconds));
        assert_eq!(request.tools[0]["name"], "shop");
        Box::pin(async { self.draft.clone() })
    }
}

fn code(filename: &str, text: &str) -> Code {
    Code { filename: filename.into(), text: text.into() }
}

fn drafted(test: Code, plugin: Option<Code>) -> (Project, Arc<Writer>) {
    let writer = Arc::new(Writer { draft: Ok(Draft { test, plugin }), asked: Mutex::default() });
    let project = project();
    let Project { folder, tests, authoring } = project;
    (Project { folder, tests, authoring: authoring.written_by(writer.clone()) }, writer)
}

const GOOD: &str = "test:\n  name: Login\nsteps:\nverdict: checks\n";
const PLUGIN: &str = "class Login(LLMPlugin):\n    name = \"login\"\n";

#[tokio::test]
async fn a_test_is_written_from_its_description() {
    let (project, writer) = drafted(code("test_login.yaml", GOOD), Some(code("login.py", PLUGIN)));
    let told = project.call("create_test", json!({"description": "Log in", "timeout": 7})).await.unwrap();
    assert_eq!(told["success"], true, "{told}");
    assert_eq!(
        (&told["test_path"], &told["test_content"]),
        (&json!("tests/llm/test_login.yaml"), &json!(GOOD))
    );
    assert_eq!(
        (&told["plugin_path"], &told["plugin_content"]),
        (&json!("tests/llm/plugins/login.py"), &json!(PLUGIN))
    );
    assert_eq!(
        (project.read("tests/llm/test_login.yaml"), project.read("tests/llm/plugins/login.py")),
        (GOOD.into(), PLUGIN.into())
    );
    assert_eq!(*writer.asked.lock().unwrap(), [("Log in".to_owned(), None, 7)]);
    // Nothing that is there is written over, and of the two files none is written without the other.
    let again = project.call("create_test", json!({"description": "Log in"})).await.unwrap();
    assert_eq!(again["success"], false);
    assert!(again["error"].as_str().unwrap().contains("is there already"), "{again}");

    let (project, _) = drafted(code("test_login.yaml", GOOD), None);
    let named = json!({"description": "Log in", "filename": "test_mine.yaml"});
    let told = project.call("create_test", named).await.unwrap();
    assert_eq!((&told["test_path"], &told["plugin_path"]), (&json!("tests/llm/test_mine.yaml"), &Json::Null));
    let (project, _) = drafted(code("../../x.yaml", GOOD), None);
    let told = project.call("create_test", json!({"description": "Log in"})).await.unwrap();
    assert_eq!(told["test_path"], "tests/llm/log_in.yaml");
}

#[tokio::test]
async fn a_plugin_is_extended_by_a_file_of_its_own() {
    let more = PLUGIN.replace("login", "shop");
    let (project, writer) = drafted(code("test_a.yaml", GOOD), Some(code("shop_more.py", &more)));
    let extend = json!({"description": "Log in", "extend_plugin": "shop"});
    let told = project.call("create_test", extend.clone()).await.unwrap();
    assert_eq!(
        (&told["success"], &told["plugin_path"]),
        (&json!(true), &json!("tests/llm/plugins/shop_more.py"))
    );
    assert_eq!(writer.asked.lock().unwrap()[0].1.as_deref(), Some("shop"));
    let unknown = json!({"description": "Log in", "extend_plugin": "bank"});
    let told = project.call("create_test", unknown).await.unwrap();
    assert!(
        told["error"].as_str().unwrap().contains("no plugin \"bank\" to extend; there are: shop"),
        "{told}"
    );
    let (project, _) = drafted(code("test_a.yaml", GOOD), Some(code("login.py", PLUGIN)));
    let told = project.call("create_test", extend).await.unwrap();
    assert!(told["error"].as_str().unwrap().contains("was to be extended"), "{told}");
}

#[tokio::test]
async fn what_a_model_writes_is_not_kept_unless_it_can_be_used() {
    let test = || code("test_a.yaml", GOOD);
    for (test, plugin, why) in [
        (code("test_a.yaml", "test:\n  broken\nsteps:\n"), None, "the model wrote no test"),
        (test(), Some(code("../login.py", PLUGIN)), "cannot be the file of a plugin"),
        (test(), Some(code("login.py", "x = 1\n")), "has no class with a `name`"),
        (test(), Some(code("other.py", &PLUGIN.replace("login", "shop"))), "as another one is"),
    ] {
        let (project, _) = drafted(test, plugin);
        let told = project.call("create_test", json!({"description": "Log in"})).await.unwrap();
        assert_eq!(told["success"], false, "{why}");
        assert!(told["error"].as_str().unwrap().contains(why), "{told}");
        assert_eq!(std::fs::read_dir(project.folder.path()).unwrap().count(), 0, "{why}");
    }
    // A test that is there already takes the plugin along.
    let (project, _) = drafted(test(), Some(code("login.py", PLUGIN)));
    project.write("tests/llm/test_a.yaml", "mine");
    let told = project.call("create_test", json!({"description": "Log in"})).await.unwrap();
    assert!(told["error"].as_str().unwrap().contains("is there already"), "{told}");
    assert!(!project.folder.path().join("tests/llm/plugins/login.py").exists());
    assert_eq!(project.read("tests/llm/test_a.yaml"), "mine");
}

#[tokio::test]
async fn who_may_not_have_a_test_written_asks_no_model() {
    let (project, writer) = drafted(code("test_a.yaml", GOOD), None);
    project.tests.may_not_draft.store(true, Ordering::SeqCst);
    let told = project.call("create_test", json!({"description": "Log in"})).await.unwrap();
    assert_eq!(told, json!({"success": false, "error": "not over HTTP"}));
    assert!(writer.asked.lock().unwrap().is_empty());
    // Without a model there is nobody to write.
    let alone = self::project();
    let told = alone.call("create_test", json!({"description": "Log in"})).await.unwrap();
    assert!(told["error"].as_str().unwrap().contains("there is no model"), "{told}");
}
