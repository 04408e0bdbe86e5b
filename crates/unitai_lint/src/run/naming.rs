//! What pytest collects, by the names of files and classes.

use std::fs;
use std::path::Path;

use globset::{Glob, GlobSet, GlobSetBuilder};

use crate::{ClassNames, FileRole};

/// What pytest collects: `python_files` and `python_classes` of its settings, or what it has by itself.
#[derive(Debug)]
pub(crate) struct Naming {
    patterns: GlobSet,
    pub(crate) classes: ClassNames,
}

impl Naming {
    /// As the settings of pytest at the root of the project say.
    pub(crate) fn of(root: &Path) -> Naming {
        let own = |key: &str| {
            of_ini(&root.join("pytest.ini"), "pytest", key)
                .or_else(|| of_pyproject(&root.join("pyproject.toml"), key))
                .or_else(|| of_ini(&root.join("tox.ini"), "pytest", key))
                .or_else(|| of_ini(&root.join("setup.cfg"), "tool:pytest", key))
                .filter(|own| !own.is_empty())
        };
        let classes = own("python_classes").map(|patterns| ClassNames::of(&patterns)).unwrap_or_default();
        Naming { classes, ..own("python_files").map_or_else(Naming::usual, Naming::by) }
    }

    /// What pytest has by itself.
    pub(crate) fn usual() -> Naming {
        Naming::by(vec!["test_*.py".to_owned(), "*_test.py".to_owned()])
    }

    fn by(patterns: Vec<String>) -> Naming {
        let mut set = GlobSetBuilder::new();
        for pattern in patterns {
            // Of a pattern with folders, the name decides.
            let name = pattern.rsplit('/').next().unwrap_or_default();
            if let Ok(glob) = Glob::new(name) {
                set.add(glob);
            }
        }
        Naming { patterns: set.build().unwrap_or_default(), classes: ClassNames::default() }
    }

    /// What a file of Python is for, by its name.
    pub(crate) fn role(&self, name: &str) -> FileRole {
        match name {
            "conftest.py" => FileRole::Conftest,
            name if self.is_test(name) => FileRole::Test,
            _ => FileRole::Other,
        }
    }

    /// Whether a file of this name holds tests.
    pub(crate) fn is_test(&self, name: &str) -> bool {
        self.patterns.is_match(name)
    }
}

fn of_pyproject(path: &Path, key: &str) -> Option<Vec<String>> {
    let text = fs::read_to_string(path).ok()?;
    let table: toml::Table = toml::from_str(&text).ok()?;
    let pytest = table.get("tool")?.get("pytest")?;
    let value = pytest.get("ini_options").and_then(|options| options.get(key));
    match value.or_else(|| pytest.get(key))? {
        toml::Value::String(text) => Some(text.split_whitespace().map(str::to_owned).collect()),
        toml::Value::Array(items) => {
            Some(items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect())
        }
        _ => None,
    }
}

/// The value of a key in a section of an INI file, over as many lines as it has.
fn of_ini(path: &Path, section: &str, wanted: &str) -> Option<Vec<String>> {
    let text = fs::read_to_string(path).ok()?;
    let mut found: Option<Vec<String>> = None;
    let (mut is_section, mut is_value) = (false, false);
    for line in text.lines() {
        let code = line.split(['#', ';']).next().unwrap_or_default();
        if let Some(name) = code.trim().strip_prefix('[') {
            is_section = name.trim_end_matches(']') == section;
            is_value = false;
        } else if is_section {
            let value = if line.starts_with([' ', '\t']) {
                if is_value { code } else { continue }
            } else {
                let (key, value) = code.split_once('=').unwrap_or((code, ""));
                is_value = key.trim() == wanted;
                if !is_value {
                    continue;
                }
                value
            };
            found.get_or_insert_default().extend(value.split_whitespace().map(str::to_owned));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::Naming;

    #[track_caller]
    fn collects(file: &str, text: &str, yes: &[&str], no: &[&str]) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(file), text).unwrap();
        let naming = Naming::of(folder.path());
        assert!(
            yes.iter().all(|name| naming.is_test(name)) && !no.iter().any(|name| naming.is_test(name)),
            "{text}"
        );
    }

    #[test]
    fn pytest_says_which_classes_hold_tests() {
        let folder = tempfile::tempdir().unwrap();
        let has = |name: &str| Naming::of(folder.path()).classes.has(name);
        assert!(has("TestStore") && !has("StoreSuite"));
        std::fs::write(folder.path().join("pytest.ini"), "[pytest]\npython_classes = Check *Suite\n")
            .unwrap();
        assert!(has("CheckStore") && has("StoreSuite") && !has("TestStore"));
    }

    #[test]
    fn pytest_says_which_files_hold_tests() {
        let (usual, other) = (["test_a.py", "a_test.py"], ["check_a.py", "a.py", "conftest.py"]);
        collects("nothing", "", &usual, &other);
        collects(
            "pytest.ini",
            "[pytest]\npython_files = check_*.py\n    *_check.py\n",
            &["check_a.py", "a_check.py"],
            &usual,
        );
        collects("pytest.ini", "[pytest]\naddopts = -q\n", &usual, &other);
        collects(
            "tox.ini",
            "[tox]\npython_files = x.py\n[pytest]\npython_files=a.py # b.py\n",
            &["a.py"],
            &["b.py", "x.py"],
        );
        collects("setup.cfg", "[tool:pytest]\npython_files =\n  a.py\nother = b.py\n", &["a.py"], &["b.py"]);
        collects(
            "pyproject.toml",
            "[tool.pytest.ini_options]\npython_files = ['a.py', 'tests/b.py']",
            &["a.py", "b.py"],
            &usual,
        );
        collects(
            "pyproject.toml",
            "[tool.pytest.ini_options]\npython_files = 'a.py b.py'",
            &["a.py", "b.py"],
            &usual,
        );
        collects("pyproject.toml", "[tool.pytest\n", &usual, &other);
    }
}
