//! `list_tests` and `list_plugins`: what a project has.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use unitai_spec::document::{Severity, Spec, looks_like_test};
use unitai_spec::run::Plugin;
use unitai_spec::tools::BuiltIn;

use super::arguments::Given;
use super::place::{PLUGINS, Root};
use super::port::{Plugins, Tests};
use super::{Outcome, describe, shown};

/// More files than this are not looked at.
const MOST_FILES: usize = 5_000;

/// Deeper than this no folder is looked into.
const MOST_DEPTH: usize = 24;

/// Folders of tools, in which nobody keeps tests.
const LEFT_OUT: [&str; 6] = ["node_modules", "target", "__pycache__", "venv", "site-packages", "plugins"];

/// Every test of the project: YAML files below a folder `llm` that say that they are tests.
pub(super) fn list(root: &Root, tests: &dyn Tests, args: Map<String, Value>) -> Outcome {
    Given::of(args, &[])?;
    let mut found = Found::default();
    found.look_into(root.folder(), false, 0);
    found.files.sort();
    let (mut listed, mut troubles) = (Vec::new(), Vec::new());
    for file in &found.files {
        let text = match root.text(file) {
            Ok(text) => text,
            Err(why) => {
                troubles.push(json!({"severity": "error", "file": root.shown(file), "message": why}));
                continue;
            }
        };
        // Data files stand beside tests.
        if !looks_like_test(&text) {
            continue;
        }
        let reading = tests.read(file, &text);
        let is_error = |trouble: &&_| {
            matches!(trouble, unitai_spec::document::Trouble { severity: Severity::Error, .. })
        };
        let errors: Vec<_> = reading.troubles.iter().filter(is_error).cloned().collect();
        troubles.extend(shown::troubles(root, &errors));
        listed.extend(of_file(&root.shown(file), &reading.specs));
    }
    let mut told = json!({"tests": listed, "troubles": troubles});
    if found.is_cut {
        told["note"] = json!(format!("there are more than {MOST_FILES} files; the rest was not looked at"));
    }
    Ok(told)
}

/// The tests of one file: one for each name, with its cases.
fn of_file(file: &str, specs: &[Spec]) -> Vec<Value> {
    let mut listed: Vec<Value> = Vec::new();
    for spec in specs {
        let known =
            listed.iter_mut().find(|known| spec.case.is_some() && known["name"] == spec.test.name.as_str());
        match (known, &spec.case) {
            (Some(known), Some(case)) => {
                if let Some(cases) = known["cases"].as_array_mut() {
                    cases.push(json!(case));
                }
            }
            (_, case) => listed.push(json!({
                "name": spec.test.name,
                "file": file,
                "description": spec.test.description,
                "tags": spec.test.tags,
                "cases": case.iter().collect::<Vec<_>>(),
            })),
        }
    }
    listed
}

#[derive(Default)]
struct Found {
    files: Vec<PathBuf>,
    is_cut: bool,
}

impl Found {
    /// Looks for files in a folder and below. What cannot be opened is not ours to list.
    fn look_into(&mut self, folder: &Path, is_of_tests: bool, depth: usize) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            // Links are not followed: they may lead out, or round in a circle.
            let Ok(kind) = entry.file_type() else { continue };
            if name.starts_with('.') {
                continue;
            }
            if kind.is_dir() && depth < MOST_DEPTH && !LEFT_OUT.contains(&&*name) {
                self.look_into(&entry.path(), is_of_tests || name == "llm", depth + 1);
            } else if kind.is_file() && is_of_tests && (name.ends_with(".yaml") || name.ends_with(".yml")) {
                if self.files.len() == MOST_FILES {
                    self.is_cut = true;
                    return;
                }
                self.files.push(entry.path());
            }
        }
    }
}

/// The plugins with their tools, the built-in tools, the files of plugins, and what is wrong with them.
pub(super) async fn plugins(root: &Root, tests: &dyn Tests, args: Map<String, Value>) -> Outcome {
    Given::of(args, &[])?;
    let entries = fs::read_dir(root.folder().join(PLUGINS)).into_iter().flatten().flatten();
    let is_plugin = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        name.ends_with(".py") && !name.starts_with(['_', '.'])
    };
    let mut files: Vec<String> =
        entries.map(|entry| entry.path()).filter(is_plugin).map(|path| root.shown(&path)).collect();
    files.sort();
    let plugins = tests.plugins().await;
    let tools = plugins.tools.iter().map(
        |tool| json!({"name": tool.name, "description": tool.description, "arguments": tool.input_schema}),
    );
    let built_in = BuiltIn::tools().into_iter().chain(describe::tools()).map(|tool| tool.name);
    let built_in: Vec<String> = built_in.collect();
    let of_plugins: usize = plugins.plugins.iter().map(|plugin| plugin.tools.len()).sum();
    Ok(json!({
        "plugins": plugin_list(&plugins),
        "total_tools": built_in.len() + of_plugins,
        "builtin_tools": built_in,
        "files": files,
        "tools": tools.collect::<Vec<_>>(),
        "troubles": plugins.troubles,
    }))
}

/// Each plugin with its tools, and what these take.
pub(super) fn plugin_list(plugins: &Plugins) -> Value {
    let tool = |name: &String| {
        let tool = plugins.tools.iter().find(|tool| tool.name == *name)?;
        let parameters = parameters(&tool.input_schema);
        Some(json!({"name": tool.name, "description": tool.description, "parameters": parameters}))
    };
    let plugin = |plugin: &Plugin| {
        let tools: Vec<Value> = plugin.tools.iter().filter_map(tool).collect();
        json!({"name": plugin.name, "filename": plugin.file, "tools": tools})
    };
    plugins.plugins.iter().map(plugin).collect()
}

/// The parameters of a tool by its schema, with their types as Python writes them.
fn parameters(schema: &Value) -> Vec<Value> {
    let required =
        |name: &String| schema["required"].as_array().is_some_and(|all| all.iter().any(|it| it == name));
    let parameter = |(name, about): (&String, &Value)| {
        let kind = match about["type"].as_str() {
            Some("string") => "str",
            Some("integer") => "int",
            Some("number") => "float",
            Some("boolean") => "bool",
            Some("array") => "list",
            Some("object") => "dict",
            _ => "Any",
        };
        json!({"name": name, "type": kind, "required": required(name), "default": about["default"]})
    };
    schema["properties"].as_object().into_iter().flatten().map(parameter).collect()
}
