//! What a project says about itself in `pyproject.toml`: what it needs, and where its tests are.

use std::fs;
use std::path::{Component, Path, PathBuf};

use toml::{Table, Value};

/// `pyproject.toml` as far as it matters here. One that cannot be read says nothing: whoever needs it complains.
pub(crate) struct Pyproject(Table);

impl Pyproject {
    /// That of a folder.
    pub(crate) fn of(folder: &Path) -> Pyproject {
        let text = fs::read_to_string(folder.join("pyproject.toml")).unwrap_or_default();
        Pyproject(text.parse().unwrap_or_default())
    }

    /// The names of all packages that it asks for, wherever it does.
    pub(crate) fn needs(&self) -> Vec<String> {
        let mut found = Vec::new();
        let project = self.at(&["project"]);
        let lists = [
            project.and_then(|project| project.get("dependencies")),
            project.and_then(|project| project.get("optional-dependencies")),
            self.at(&["dependency-groups"]),
            self.at(&["tool", "uv", "dev-dependencies"]),
        ];
        lists.into_iter().flatten().for_each(|value| requirements(value, &mut found));
        let poetry = self.at(&["tool", "poetry"]);
        let groups = poetry.and_then(|poetry| poetry.get("group")).and_then(Value::as_table);
        let tables = [poetry]
            .into_iter()
            .flatten()
            .chain(groups.into_iter().flat_map(|groups| groups.values()))
            .filter_map(|place| place.get("dependencies").and_then(Value::as_table));
        tables.for_each(|table| found.extend(table.keys().map(|name| normal(name))));
        found
    }

    /// The first folder of `testpaths` that is one plain folder of the project.
    pub(crate) fn tests(&self) -> Option<PathBuf> {
        let said = [&["tool", "pytest", "ini_options", "testpaths"][..], &["tool", "pytest", "testpaths"]]
            .into_iter()
            .find_map(|path| self.at(path))?;
        let texts: Vec<&str> = match said {
            Value::String(text) => text.split_whitespace().collect(),
            Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        texts.into_iter().find(|text| is_plain_folder(text)).map(PathBuf::from)
    }

    fn at(&self, path: &[&str]) -> Option<&Value> {
        let (first, rest) = path.split_first()?;
        rest.iter().try_fold(self.0.get(*first)?, |value, name| value.get(name))
    }
}

/// The requirements in a list, or in the lists of a table.
fn requirements(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.extend(requirement(text)),
        Value::Array(items) => items.iter().for_each(|item| requirements(item, found)),
        Value::Table(table) => table.values().for_each(|value| requirements(value, found)),
        _ => {}
    }
}

/// The name of the package in a line like `langgraph[extra]>=1 ; python_version > "3.10"`.
pub(crate) fn requirement(line: &str) -> Option<String> {
    let line = line.trim();
    let end = line.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')));
    let name = &line[..end.unwrap_or(line.len())];
    name.starts_with(|c: char| c.is_ascii_alphanumeric()).then(|| normal(name))
}

/// A package's name as the index knows it.
pub(crate) fn normal(name: &str) -> String {
    name.to_ascii_lowercase().replace(['_', '.'], "-")
}

/// Tests go into the project, and a pattern is no folder.
fn is_plain_folder(text: &str) -> bool {
    let is_within =
        Path::new(text).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    is_within && !text.is_empty() && !text.contains(['*', '?', '[']) && !text.ends_with(".py")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Pyproject {
        Pyproject(text.parse().unwrap())
    }

    #[test]
    fn packages_are_found_wherever_they_are_asked_for() {
        let text = r#"
            [project]
            dependencies = ["LangGraph[all]>=1,<2 ; python_version > '3.10'", "pydantic_ai"]
            [project.optional-dependencies]
            agents = ["openai-agents @ https://example.com/x.whl"]
            [dependency-groups]
            dev = ["crewai~=1.0", { include-group = "other" }]
            [tool.poetry.dependencies]
            semantic-kernel = "^1"
            [tool.poetry.group.dev.dependencies]
            openai = { version = "^2" }
        "#;
        let needs = of(text).needs();
        for name in ["langgraph", "pydantic-ai", "openai-agents", "crewai", "semantic-kernel", "openai"] {
            assert!(needs.iter().any(|need| need == name), "{name} is not among {needs:?}");
        }
    }

    #[test]
    fn a_folder_of_tests_is_within_the_project() {
        let tests = |said: &str| of(&format!("[tool.pytest.ini_options]\ntestpaths = {said}\n")).tests();
        assert_eq!(tests("[\"checks\"]"), Some(PathBuf::from("checks")));
        assert_eq!(tests("\"spec other\""), Some(PathBuf::from("spec")));
        assert_eq!(tests("[\"src/*/tests\", \"test\"]"), Some(PathBuf::from("test")));
        for wrong in ["[]", "[\"../up\"]", "[\"/etc\"]", "[\"test_one.py\"]", "7"] {
            assert_eq!(tests(wrong), None, "{wrong}");
        }
        assert_eq!(of("[tool.pytest]\ntestpaths = [\"checks\"]\n").tests(), Some(PathBuf::from("checks")));
    }
}
