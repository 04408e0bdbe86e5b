//! `create_test` from a description: a model writes the test, and a plugin where the project has no tool for it. Nothing is
//! written that is no test, and no file that is there is changed.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use unitai_model::value::quoted;
use unitai_wire::redact::Secrets;

use super::arguments::Given;
use super::create::{self, file_name};
use super::listing::plugin_list;
use super::place::Root;
use super::port::{Author, Code, Draft, DraftRequest, Plugins, Tests};
use super::{Outcome, shown};

/// What a test is made of by whoever knows its steps.
const WHOLE: [&str; 3] = ["name", "steps", "verdict"];

/// Seconds that a model has, if nobody says more.
const TO_WRITE: u32 = 120;

/// Whether a model is to write the test: it is described, and nothing of it is given.
pub(super) fn is_wanted(args: &Map<String, Value>) -> bool {
    args.contains_key("description") && !WHOLE.iter().any(|key| args.contains_key(*key))
}

/// Has a test written. What goes wrong is a part of the answer, as clients of `create_test` know it.
pub(super) async fn draft(
    root: &Root,
    tests: &dyn Tests,
    author: &dyn Author,
    secrets: &Secrets,
    args: Map<String, Value>,
) -> Outcome {
    match drafted(root, tests, author, secrets, args).await {
        Ok(made) => Ok(made),
        Err(why) => Ok(json!({"success": false, "error": why})),
    }
}

async fn drafted(
    root: &Root,
    tests: &dyn Tests,
    author: &dyn Author,
    secrets: &Secrets,
    args: Map<String, Value>,
) -> Outcome {
    let known = ["description", "filename", "path", "extend_plugin", "timeout", "overwrite"];
    let mut given = Given::of(args, &known)?;
    let description = given.needed("description")?;
    let wanted = create::path_given(&mut given)?;
    let extend = given.text("extend_plugin")?;
    let seconds = given.seconds("timeout")?.unwrap_or(TO_WRITE);
    let may_replace = given.flag("overwrite")?;
    tests.may_draft()?;
    if let Some(path) = &wanted {
        root.new_test(path)?;
    }
    let plugins = tests.plugins().await;
    if let Some(name) = &extend
        && !plugins.plugins.iter().any(|plugin| plugin.name == *name)
    {
        let names: Vec<&str> = plugins.plugins.iter().map(|plugin| plugin.name.as_str()).collect();
        return Err(format!(
            "there is no plugin {} to extend; there are: {}",
            quoted(name),
            names.join(", ")
        ));
    }
    let request = DraftRequest {
        description: &description,
        tools: plugin_list(&plugins),
        extend_plugin: extend.as_deref(),
        seconds,
    };
    let Draft { test, plugin } = author.write(&request).await?;
    let path = wanted.unwrap_or_else(|| usable_name(&test).unwrap_or_else(|| file_name(&description)));
    let path = root.new_test(&path)?;
    let reading = tests.read_to_use(&path, &test.text);
    if reading.has_errors() {
        let told: Vec<String> = reading.troubles.iter().map(shown::line).collect();
        return Err(format!("nothing was written, because the model wrote no test:\n{}", told.join("\n")));
    }
    let plugin = match &plugin {
        Some(code) => Some((plugin_place(root, code, &plugins, extend.as_deref())?, code)),
        None => None,
    };
    if let Some((place, code)) = &plugin {
        write_new(root, place, &code.text, secrets)?;
    }
    let written = create::write(root, &path, &test.text, may_replace, secrets);
    if let (Err(_), Some((place, _))) = (&written, &plugin) {
        // The one is of no use without the other.
        let _ = fs::remove_file(place);
    }
    written?;
    let plugin = plugin.map(|(place, code)| (root.shown(&place), code.text.as_str()));
    Ok(create::made(root, &path, &test.text, plugin, &reading))
}

/// The name that the model gave the file of a test, if it can be one.
fn usable_name(test: &Code) -> Option<String> {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-' | '.');
    let stem = test.filename.strip_suffix(".yaml").or_else(|| test.filename.strip_suffix(".yml"))?;
    (!stem.is_empty() && !stem.starts_with('.') && stem.chars().all(is_plain)).then(|| test.filename.clone())
}

/// Where a plugin is written: in a file of its own, under a name that no plugin has, unless it extends that one.
fn plugin_place(
    root: &Root,
    code: &Code,
    plugins: &Plugins,
    extend: Option<&str>,
) -> Result<PathBuf, String> {
    let wrong = |why: String| Err(format!("nothing was written: the plugin of the model {why}"));
    let Some(name) = name_of(&code.text) else {
        return wrong("has no class with a `name`, such as name = \"shop\"".to_owned());
    };
    match extend {
        Some(extended) if extended != name => {
            wrong(format!("is called {}, and {} was to be extended", quoted(&name), quoted(extended)))
        }
        None if plugins.plugins.iter().any(|known| known.name == name) => {
            wrong(format!("is called {}, as another one is", quoted(&name)))
        }
        _ => root.new_plugin(&code.filename),
    }
}

/// The name that a plugin gives itself, read without running it.
fn name_of(code: &str) -> Option<String> {
    code.lines().find_map(|line| {
        let value = line.trim_start().strip_prefix("name")?.trim_start();
        // With or without its type.
        let value = value.strip_prefix(": str").map_or(value, str::trim_start).strip_prefix('=')?.trim();
        let quote = value.chars().next().filter(|it| matches!(it, '"' | '\''))?;
        let (name, _) = value[1..].split_once(quote)?;
        (!name.is_empty()).then(|| name.to_owned())
    })
}

fn write_new(root: &Root, place: &Path, text: &str, secrets: &Secrets) -> Result<(), String> {
    create::write(root, place, text, false, secrets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_plugin_is_read_without_running_it() {
        for (code, name) in [
            ("class Shop(LLMPlugin):\n    name = \"shop\"\n", Some("shop")),
            ("class Shop(LLMPlugin):\n    name: str = 'shop'  # short\n", Some("shop")),
            ("class Shop(LLMPlugin):\n    names = \"shop\"\n    pass", None),
            ("class Shop(LLMPlugin):\n    name = compute()\n", None),
            ("", None),
        ] {
            assert_eq!(name_of(code).as_deref(), name, "{code}");
        }
    }

    #[test]
    fn a_name_of_a_file_from_a_model_leads_nowhere() {
        let name = |filename: &str| usable_name(&Code { filename: filename.into(), text: String::new() });
        assert_eq!(name("test_shop-1.yaml").as_deref(), Some("test_shop-1.yaml"));
        for wrong in ["", ".yaml", "../x.yaml", "a/b.yaml", "x.py", "..yaml", "a b.yaml"] {
            assert_eq!(name(wrong), None, "{wrong}");
        }
    }
}
