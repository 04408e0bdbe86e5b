//! The host of plugins: one for each test at a time, kept from test to test, and gone when it hangs.

#![allow(clippy::unwrap_used, reason = "tests")]

mod common;
#[path = "../../../tests/support/stopwatch.rs"]
mod stopwatch;

use std::path::{Path, PathBuf};
use std::time::Duration;

use common::{args, names, script, value};
use serde_json::{Value, json};
use stopwatch::Stopwatch;
use tempfile::TempDir;
use unitai_mcp::client::{Servers, Settings};
use unitai_spec::run::{Called, Connector, ToolServer};

/// A project with a plugin, and a stand-in for the host.
struct Project {
    folder: TempDir,
    servers: Servers,
}

fn project(plugins: &[&str]) -> Project {
    let folder = TempDir::new().unwrap();
    std::fs::create_dir_all(folder.path().join("tests/llm/plugins")).unwrap();
    for name in plugins {
        std::fs::write(folder.path().join("tests/llm/plugins").join(name), "").unwrap();
    }
    let mut settings = Settings::new(folder.path());
    settings.python = Some(PathBuf::from("python3"));
    settings.env = vec![("PYTHONPATH".to_owned(), script("host"))];
    Project { servers: Servers::new(settings), folder }
}

impl Project {
    async fn open(&self) -> Box<dyn ToolServer> {
        self.servers.plugins().await.expect("plugins").unwrap_or_else(|error| panic!("{error}"))
    }

    fn touch(&self, name: &str) {
        std::fs::write(self.folder.path().join(name), "").unwrap();
    }

    /// What the hosts were told, without their ids.
    fn log(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.folder.path().join("log.txt")).unwrap_or_default();
        log.lines().filter_map(|line| line.split_once(' ')).map(|(_, words)| words.to_owned()).collect()
    }
}

fn is_running(pid: &Value) -> bool {
    Path::new(&format!("/proc/{pid}/environ")).metadata().is_ok()
        && std::fs::read(format!("/proc/{pid}/environ")).is_ok_and(|it| !it.is_empty())
}

#[tokio::test]
async fn a_project_without_plugins_has_no_host() {
    for plugins in [&[][..], &["_helper.py", "notes.txt"]] {
        let project = project(plugins);
        assert!(project.servers.plugins().await.is_none());
        assert_eq!(project.log(), Vec::<String>::new());
    }
    let nowhere = Servers::new(Settings::new("no/such/project"));
    assert!(nowhere.plugins().await.is_none());
}

#[tokio::test]
async fn a_host_is_kept_from_test_to_test() {
    let project = project(&["a.py"]);
    for test in 1..=3 {
        let plugins = project.open().await;
        assert_eq!(plugins.name(), "plugins");
        assert_eq!(names(&*plugins), ["count", "hang"]);
        assert_eq!(plugins.troubles(), ["broken.py: no module named x"]);
        assert_eq!(value(&*plugins, "count", json!({})).await["opened"], json!(test));
        assert_eq!(plugins.close().await, Vec::<String>::new());
    }
    assert_eq!(project.servers.shutdown().await, ["cleanup of session"]);
    let one = ["_unitai_open", "count", "_unitai_close"];
    let expected = [&["started"][..], &one, &one, &one, &["_unitai_shutdown"]].concat();
    assert_eq!(project.log(), expected);
    assert_eq!(project.servers.shutdown().await, Vec::<String>::new());
}

#[tokio::test]
async fn tests_at_the_same_time_have_a_host_each() {
    let project = project(&["a.py"]);
    let (a, b) = (project.open().await, project.open().await);
    let pid = async |plugins: &dyn ToolServer| value(plugins, "count", json!({})).await["pid"].clone();
    assert_ne!(pid(&*a).await, pid(&*b).await);
    a.close().await;
    b.close().await;
    assert_eq!(project.servers.shutdown().await.len(), 2);
}

#[tokio::test]
async fn a_host_that_hangs_is_killed_and_the_next_test_gets_another() {
    let project = project(&["a.py"]);
    let plugins = project.open().await;
    let pid = value(&*plugins, "count", json!({})).await["pid"].clone();
    let call = plugins.call("hang", args(json!({})));
    assert!(tokio::time::timeout(Duration::from_millis(200), call).await.is_err());
    let watch = Stopwatch::start();
    let troubles = plugins.close().await;
    assert_eq!(troubles, ["plugins: their cleanup took more than 5 seconds and was ended"]);
    assert!(watch.fair() < Duration::from_secs(7), "{:?}", watch.fair());
    assert!(!is_running(&pid));
    let plugins = project.open().await;
    assert_eq!(value(&*plugins, "count", json!({})).await["opened"], json!(1));
    plugins.close().await;
}

#[tokio::test]
async fn troubles_of_cleanup_are_told_and_the_host_is_kept() {
    let project = project(&["a.py"]);
    project.touch("fail-on-close");
    assert_eq!(project.open().await.close().await, ["cleanup of A failed"]);
    assert_eq!(project.open().await.close().await, ["cleanup of A failed"]);
    assert_eq!(project.log().iter().filter(|it| *it == "started").count(), 1);
}

#[tokio::test]
async fn a_host_that_died_gives_way_to_another() {
    let project = project(&["a.py"]);
    let plugins = project.open().await;
    let Called::Failed { message, .. } = plugins.call("die", args(json!({}))).await else {
        panic!("it must die")
    };
    assert_eq!(message, "server `plugins` ended with exit status 5");
    plugins.close().await;
    let plugins = project.open().await;
    assert_eq!(value(&*plugins, "count", json!({})).await["opened"], json!(1));
}

#[tokio::test]
async fn a_host_that_has_loaded_other_files_gives_way_to_another() {
    let project = project(&["a.py"]);
    project.open().await.close().await;
    project.touch("tests/llm/plugins/b.py");
    project.open().await.close().await;
    assert_eq!(project.log().iter().filter(|it| *it == "started").count(), 2);
}

#[tokio::test]
async fn a_host_that_does_not_start_is_told_with_its_words() {
    let project = project(&["a.py"]);
    project.touch("no-start");
    let error = project.servers.plugins().await.expect("plugins").map(|_| ()).expect_err("no host");
    assert!(error.starts_with("the host of plugins did not start: it ended with exit status 1"), "{error}");
    assert!(error.contains("ModuleNotFoundError: no unitai here"), "{error}");
}

#[tokio::test]
async fn nothing_is_left_when_the_servers_are_dropped() {
    let project = project(&["a.py"]);
    let plugins = project.open().await;
    let pid = value(&*plugins, "count", json!({})).await["pid"].clone();
    plugins.close().await;
    assert!(is_running(&pid));
    let Project { servers, folder: _folder } = project;
    drop(servers);
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(!is_running(&pid));
}
