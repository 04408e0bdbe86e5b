//! `unitai init --layers`: a folder for each layer, with one example that passes at once.

use std::path::Path;

use unitai_model::Layer;

use super::framework::Framework;
use super::lay::Laid;

/// How the layers are used, day by day.
pub(super) const WORKFLOW: &str = "  unitai test --layer unit                          while you write
  unitai test --layer unit,contract                 before a commit
  unitai test --layer unit,contract,integration     before a pull request
  unitai test                                       before a release: everything
  unitai test --layer regression --snapshot-update  after a change of output that is meant";

/// A file of the layers: its place in the folder of the tests, its text, and what it is.
type File = (&'static str, &'static str, &'static str);

const FILES: [File; 6] = [
    (
        "unit/test_unit_example.py",
        include_str!("../../templates/layers/test_unit_example.py"),
        "pure logic, in milliseconds",
    ),
    (
        "contract/test_contract_example.py",
        include_str!("../../templates/layers/test_contract_example.py"),
        "one suite, two implementations",
    ),
    (
        "integration/conftest.py",
        include_str!("../../templates/layers/integration_conftest.py"),
        "what integration tests share, and where keys go",
    ),
    (
        "integration/test_integration_example.py",
        include_str!("../../templates/layers/test_integration_example.py"),
        "a real database",
    ),
    (
        "regression/test_regression_example.py",
        include_str!("../../templates/layers/test_regression_example.py"),
        "a prompt that changes on purpose only",
    ),
    (
        "regression/snapshots/test_regression_example/test_the_prompt/system_prompt.txt",
        include_str!("../../templates/layers/system_prompt.txt"),
        "what it was the last time",
    ),
];

/// Lays the layers into a folder of tests, or into one below it where they are known by its name. The behavioral example
/// is written with the project's framework.
pub(super) fn lay(here: &Path, tests: &Path, framework: Framework, why: &str, is_dry: bool) -> Vec<Laid> {
    let is_known = Layer::of_path(&tests.join(Layer::Unit.word())) == Some(Layer::Unit);
    let tests = &if is_known { tests.to_owned() } else { tests.join("tests") };
    // Each file has a name of its own: pytest imports two of one name only from packages.
    let behavioral = "behavioral/test_behavioral_example.py";
    let agent = format!("what an agent does, for {}{why}", framework.title());
    let mut laid: Vec<Laid> = FILES
        .iter()
        .map(|(file, text, what)| Laid::new_file(here, &tests.join(file), text, (*what).to_owned(), is_dry))
        .collect();
    // In the order of the layers.
    laid.insert(4, Laid::new_file(here, &tests.join(behavioral), framework.example(), agent, is_dry));
    laid
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_layer_has_an_example_in_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        for tests in ["tests", "spec", "checks/unit", "packages/shop/test"] {
            let laid = lay(folder.path(), Path::new(tests), Framework::Generic, "", true);
            let is_test = |laid: &&Laid| laid.file.to_string_lossy().ends_with("_example.py");
            let mut layers: Vec<Option<Layer>> =
                laid.iter().filter(is_test).map(|laid| Layer::of_path(&laid.file)).collect();
            layers.sort();
            assert_eq!(layers, Layer::ALL.map(Some), "{tests}");
        }
    }
}
