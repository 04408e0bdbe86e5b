//! The five layers of tests: their names, what they mean, and which one a folder stands for.

use std::path::{Component, Path};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a test protects.
///
/// ```
/// use std::path::Path;
/// use unitai_model::Layer;
///
/// assert_eq!(Layer::of_word("contract"), Some(Layer::Contract));
/// assert_eq!(Layer::of_path(Path::new("tests/unit/test_parsing.py")), Some(Layer::Unit));
/// assert_eq!(Layer::of_path(Path::new("shop/tests/integration")), Some(Layer::Integration));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Layer {
    /// Pure logic: nothing outside takes part.
    Unit,
    /// What every implementation of one interface keeps.
    Contract,
    /// Real parts, put together.
    Integration,
    /// What an agent decides, seen from outside.
    Behavioral,
    /// Output that changes on purpose only.
    Regression,
}

impl Layer {
    /// Every layer, from the fastest feedback to the last.
    pub const ALL: [Layer; 5] =
        [Layer::Unit, Layer::Contract, Layer::Integration, Layer::Behavioral, Layer::Regression];

    /// The name of its marker and of its folder.
    pub fn word(self) -> &'static str {
        match self {
            Layer::Unit => "unit",
            Layer::Contract => "contract",
            Layer::Integration => "integration",
            Layer::Behavioral => "behavioral",
            Layer::Regression => "regression",
        }
    }

    /// What its marker means, as `pytest --markers` says it.
    pub fn meaning(self) -> &'static str {
        match self {
            Layer::Unit => "pure logic: no network, no key, no mock, under a second",
            Layer::Contract => "what every implementation of one interface keeps, one suite for all of them",
            Layer::Integration => "real parts put together: services, databases, processes; no mock",
            Layer::Behavioral => "what an agent decides, judged by its answer and its tool calls",
            Layer::Regression => "deterministic output that changes on purpose only",
        }
    }

    /// The layer of this name.
    pub fn of_word(word: &str) -> Option<Layer> {
        Layer::ALL.into_iter().find(|layer| layer.word() == word)
    }

    /// The layer that a path stands for: of a file or a folder, relative to the root of the project.
    ///
    /// Below a folder `tests` or `test`, the first folder that is named after a layer decides, at any depth:
    /// `tests/unit/integration/` holds unit tests of something called integration. Where no such folder is on the
    /// way, only the first folder counts, for roots that hold nothing but tests: `src/integration/` is code.
    pub fn of_path(path: &Path) -> Option<Layer> {
        let mut names = path.components().filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_str().unwrap_or_default()),
            _ => None,
        });
        let first = names.clone().next()?;
        if names.any(|name| name == "tests" || name == "test") {
            names.find_map(Layer::of_word)
        } else {
            Layer::of_word(first)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn stands_for(path: &str, layer: Option<Layer>) {
        assert_eq!(Layer::of_path(Path::new(path)), layer, "{path}");
    }

    #[test]
    fn a_folder_below_tests_is_a_layer_at_any_depth() {
        for layer in Layer::ALL {
            stands_for(&format!("tests/{}/test_x.py", layer.word()), Some(layer));
            stands_for(&format!("test/{}", layer.word()), Some(layer));
            stands_for(&format!("packages/shop/tests/billing/{}/deep/test_x.py", layer.word()), Some(layer));
        }
    }

    #[test]
    fn the_first_of_two_layers_decides() {
        stands_for("tests/unit/integration/test_x.py", Some(Layer::Unit));
        stands_for("tests/contract/tests/unit/test_x.py", Some(Layer::Contract));
    }

    #[test]
    fn without_a_folder_of_tests_only_the_first_one_counts() {
        stands_for("unit/test_x.py", Some(Layer::Unit));
        stands_for("./unit/test_x.py", Some(Layer::Unit));
        stands_for("src/integration/test_x.py", None);
    }

    #[test]
    fn what_stands_above_the_tests_is_no_layer() {
        stands_for("integration/tests/test_x.py", None);
        stands_for("integration/tests/unit/test_x.py", Some(Layer::Unit));
    }

    #[test]
    fn other_names_are_no_layers() {
        for path in
            ["", "tests", "tests/test_x.py", "tests/unit.py", "tests/Unit/test_x.py", "tests/units/test_x.py"]
        {
            stands_for(path, None);
        }
    }

    #[test]
    fn words_go_both_ways() {
        for layer in Layer::ALL {
            assert_eq!(Layer::of_word(layer.word()), Some(layer));
        }
        assert_eq!(Layer::of_word("slow"), None);
    }
}
