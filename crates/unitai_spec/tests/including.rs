//! Files that include files.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

#[path = "../../../tests/support/stopwatch.rs"]
mod stopwatch;

use std::fs;
use std::path::Path;
use std::time::Duration;

use stopwatch::Stopwatch;
use tempfile::TempDir;
use unitai_spec::document::{ProjectRoot, Reading, Severity, Step, read_below, read_file};

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn reading(files: &[(&str, &str)]) -> Reading {
    let folder = folder(files);
    read_file(&folder.path().join("a.yaml"))
}

fn tools(steps: &[Step]) -> Vec<&str> {
    steps.iter().map(|step| step.tool.as_str()).collect()
}

#[test]
fn the_name_of_a_missing_file_is_shown_without_control_characters() {
    let reading = reading(&[("a.yaml", "include: \"x\\r::error::\\t.yaml\"\n")]);
    let shown: String = reading.troubles.iter().map(|trouble| trouble.render(None)).collect();
    assert!(shown.contains(r"x\r::error::\t.yaml"), "{shown}");
    assert!(!shown.contains(['\r', '\t']), "{shown:?}");
}

#[test]
fn what_is_included_comes_before_and_its_teardown_after() {
    let reading = reading(&[
        (
            "a.yaml",
            "test: {name: a}\ninclude: [common/one.yaml, common/two.yaml]\nvars: {x: own}\nservers: {s: {command: own}}\n\
             setup: [{tool: setup}]\nsteps: [{tool: step}]\nteardown: [{tool: down}]\nverdict: checks\n",
        ),
        (
            "common/one.yaml",
            "include: deep/three.yaml\nvars: {x: one, y: one}\nservers: {s: {command: one}, t: {command: t}}\n\
             setup: [{tool: setup1}]\nsteps: [{tool: step1}]\nteardown: [{tool: down1}]\n",
        ),
        (
            "common/two.yaml",
            "vars: {y: two}\nsetup: [{tool: setup2}]\nsteps: [{tool: step2}]\nteardown: [{tool: down2}]\n",
        ),
        ("common/deep/three.yaml", "setup: [{tool: setup3}]\nteardown: [{tool: down3}]\n"),
    ]);
    assert_eq!(reading.troubles, []);
    let spec = &reading.specs[0];
    assert_eq!(tools(&spec.setup), ["setup3", "setup1", "setup2", "setup"]);
    assert_eq!(tools(&spec.steps), ["step1", "step2", "step"]);
    assert_eq!(tools(&spec.teardown), ["down", "down2", "down1", "down3"]);
    let vars: Vec<String> = spec.vars.iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(vars, ["x=\"own\"", "y=\"two\""]);
    let servers: Vec<(&str, usize)> =
        spec.servers.iter().map(|it| (it.name.as_str(), it.place.line)).collect();
    assert_eq!(servers, [("s", 4), ("t", 3)]);
    assert!(spec.steps[0].place.file.ends_with("common/one.yaml"));
}

#[test]
fn a_step_can_stand_for_the_steps_of_a_file() {
    let reading = reading(&[
        (
            "a.yaml",
            "test: {name: a}\nsteps:\n  - tool: first\n  - repeat: 2\n    steps:\n      - include: login.yaml\n      - tool: last\nverdict: checks\n",
        ),
        ("login.yaml", "vars: {user: u}\nsetup: [{tool: s}]\nsteps: [{tool: open}, {tool: enter}]\n"),
    ]);
    assert_eq!(tools(&reading.specs[0].steps[1].steps), ["open", "enter", "last"]);
    assert_eq!(reading.specs[0].vars[0].0, "user");
    assert_eq!(reading.troubles.len(), 1);
    assert_eq!(reading.troubles[0].severity, Severity::Warning);
    assert_eq!(reading.troubles[0].path, "steps[1].steps[0].include");
}

#[test]
fn steps_may_all_come_from_an_included_file() {
    let a = "test: {name: a}\ninclude: b.yaml\nverdict: checks\n";
    let with_steps = reading(&[("a.yaml", a), ("b.yaml", "steps: [{tool: x}]\n")]);
    assert_eq!(tools(&with_steps.specs[0].steps), ["x"]);
    let without = reading(&[("a.yaml", a), ("b.yaml", "vars: {x: 1}\n")]);
    assert_eq!(without.troubles[0].message, "a test must have `steps`, which is not there");
}

#[test]
fn a_trouble_of_an_included_file_stands_in_that_file() {
    let reading = reading(&[
        ("a.yaml", "test: {name: a}\ninclude: [b.yaml, c.yaml]\nsteps: []\nverdict: checks\n"),
        ("b.yaml", "steps:\n  - {tol: x}\nverdict: checks\n"),
        ("c.yaml", "steps: [}\n"),
    ]);
    assert!(reading.specs.is_empty());
    let told: Vec<String> = reading
        .troubles
        .iter()
        .map(|it| {
            let file = Path::new(it.place.file.file_name().unwrap()).display().to_string();
            format!("{file}:{}:{} {}", it.place.line, it.place.column, it.message)
        })
        .collect();
    assert_eq!(
        told[..2],
        ["b.yaml:2:6 a step has no key `tol`", "b.yaml:3:1 a file that is included has no key `verdict`"]
    );
    assert!(told[2].starts_with("c.yaml:1:8 "), "{told:?}");
}

#[test]
fn files_that_cannot_be_included_are_told_where_they_are_named() {
    let test = |include: &str| format!("test: {{name: a}}\ninclude: {include}\nsteps: []\nverdict: checks\n");
    for (include, b, message) in [
        ("a.yaml", "", "`a.yaml` includes itself"),
        ("b.yaml", "include: ./a.yaml", "`./a.yaml` includes itself"),
        ("no.yaml", "", "there is no such file"),
        ("b.yaml", "", "must be one document"),
        ("b.yaml", "steps: []\n---\nsteps: []\n", "must be one document"),
        ("[1]", "", "`include[0]` must be a text, found the number `1`"),
        ("b.yaml", "[]", "a file that is included must be a mapping, found a list"),
    ] {
        let reading = reading(&[("a.yaml", &test(include)), ("b.yaml", b)]);
        assert_eq!(reading.troubles.len(), 1, "{include} {b}: {:?}", reading.troubles);
        assert!(reading.troubles[0].message.contains(message), "{}", reading.troubles[0]);
    }
    let reading = reading(&[
        ("a.yaml", "test: {name: a}\nsteps: [{include: b.yaml, tool: x}]\nverdict: checks\n"),
        ("b.yaml", "steps: []"),
    ]);
    assert_eq!(reading.troubles[0].message, "a step with `include` has another key beside it");
}

#[test]
fn files_that_include_one_another_many_times_over_are_refused() {
    // Each file includes the next one ten times: ten to the twentieth.
    let files: Vec<(String, String)> = (0..20)
        .map(|at| {
            let next = format!("f{}.yaml", at + 1);
            let steps = format!("steps: [{}]\n", vec![format!("{{include: {next}}}"); 10].join(", "));
            (format!("f{at}.yaml"), if at == 19 { "steps: [{tool: x}]\n".to_owned() } else { steps })
        })
        .collect();
    let mut all: Vec<(&str, &str)> =
        files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    all.push(("a.yaml", "test: {name: a}\ninclude: f0.yaml\nsteps: []\nverdict: checks\n"));
    let watch = Stopwatch::start();
    let reading = reading(&all);
    assert!(watch.fair() < Duration::from_secs(5), "{:?}", watch.fair());
    assert!(reading.specs.is_empty());
    assert_eq!(reading.troubles.len(), 1, "{:?}", reading.troubles);
}

/// What a confined caller is told about a test in `project/tests/a.yaml` that includes this.
fn confined(files: &[(&str, &str)], include: &str) -> Vec<String> {
    let folder = folder(files);
    let root = ProjectRoot::new(folder.path().join("project")).unwrap();
    let text = format!("test: {{name: a}}\ninclude: {include:?}\nsteps: []\nverdict: checks\n");
    let reading = read_below(&root, &text, &root.folder().join("tests/a.yaml"));
    assert_eq!(reading.specs.is_empty(), !reading.troubles.is_empty());
    reading.troubles.iter().map(ToString::to_string).collect()
}

#[test]
fn a_confined_caller_includes_files_of_the_project_alone() {
    let files = [
        ("project/tests/part.yaml", "steps: [{tool: ping}]\n"),
        ("project/shared.yml", "vars: {x: 1}\nsteps: [{tool: ping}]\n"),
        ("outside.yaml", "steps: [{tool: SECRET}]\n"),
        ("project-2/part.yaml", "steps: [{tool: SECRET}]\n"),
    ];
    for inside in ["part.yaml", "./part.yaml", "../shared.yml", "../tests/part.yaml"] {
        assert_eq!(confined(&files, inside), [""; 0], "{inside}");
    }
    for outside in [
        "../../outside.yaml",
        "../../project-2/part.yaml",
        "../../missing.yaml",
        "/etc/passwd",
        "/missing.yaml",
    ] {
        let messages = confined(&files, outside);
        assert_eq!(messages.len(), 1, "{messages:?}");
        assert!(messages[0].contains("leads out of the project"), "{messages:?}");
    }
}

#[test]
fn a_confined_caller_is_not_told_what_is_in_a_file_that_is_not_for_tests() {
    let files = [
        ("project/.env.yaml", "steps: SECRET\n"),
        ("project/.hidden/part.yaml", "steps: SECRET\n"),
        ("project/notes.txt", "steps: SECRET\n"),
        ("project/settings.yaml", "SECRET: SECRET\n"),
        ("project/mixed.yaml", "vars: {a: 1}\nSECRET: 1\n"),
        ("project/text.yaml", "SECRET\n"),
        ("project/list.yaml", "- SECRET\n"),
        ("project/broken.yaml", "SECRET: [\n"),
        ("project/json.yaml", "{\"SECRET\": {\"steps\": 1}}\n"),
        ("project/empty.yaml", ""),
    ];
    for (file, _) in files {
        let messages = confined(&files, &format!("../{}", file.trim_start_matches("project/")));
        assert_eq!(messages.len(), 1, "{file}: {messages:?}");
        assert!(!messages[0].contains("SECRET"), "{file}: {messages:?}");
    }
    // A step of a file that is for tests is quoted, so that it can be mended.
    let messages = confined(&[("project/tests/part.yaml", "steps: [{tol: ping}]\n")], "part.yaml");
    assert!(messages[0].contains("`tol`"), "{messages:?}");
}
