//! Whether pytest would load UnitAI's plugin, as far as can be told without starting it.

use std::env;
use std::fs;
use std::path::Path;

/// What keeps the plugin out, though it is installed.
pub(crate) fn disabled_by(root: &Path) -> Option<String> {
    let options = env::var("PYTEST_ADDOPTS").unwrap_or_default();
    if refuses(&options) {
        return Some("the variable PYTEST_ADDOPTS".to_owned());
    }
    let is_off = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    let plugins = env::var("PYTEST_PLUGINS").unwrap_or_default();
    let is_named = plugins.contains("unitai.pytest_plugin") || options.contains("unitai.pytest_plugin");
    if is_off("PYTEST_DISABLE_PLUGIN_AUTOLOAD") && !is_named {
        return Some("the variable PYTEST_DISABLE_PLUGIN_AUTOLOAD".to_owned());
    }
    let files = ["pytest.toml", "pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"];
    let is_refused = |file: &&str| {
        let text = fs::read_to_string(root.join(file)).unwrap_or_default();
        text.lines().any(|line| !line.trim_start().starts_with(['#', ';']) && refuses(line))
    };
    files.into_iter().find(is_refused).map(|file| format!("an option in {file}"))
}

/// `-p no:unitai`, however it is written: in one word, in two, or as items of a list.
pub(crate) fn refuses(options: &str) -> bool {
    options.split(|c: char| !(c.is_alphanumeric() || matches!(c, ':' | '_' | '.' | '-'))).any(|word| {
        let word = word.strip_prefix("-p").unwrap_or(word);
        matches!(word, "no:unitai" | "no:unitai.pytest_plugin")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_seen_however_it_is_written() {
        for text in ["-p no:unitai", "-pno:unitai -x", "addopts = [\"-p\", \"no:unitai\"]", "-x -p no:unitai"]
        {
            assert!(refuses(text), "{text}");
        }
        for text in ["", "-p no:unitai_other", "-p unitai", "-p no:cacheprovider"] {
            assert!(!refuses(text), "{text}");
        }
    }
}
