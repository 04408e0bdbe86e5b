//! `duplicated-contract`.

use crate::{Check, Example, MethodSummary, Project, ProjectReport, Rule, Severity};

pub(crate) static RULE: Rule = Rule {
    name: "duplicated-contract",
    what: "Contract tests that stand there twice: two classes, or two files, of the contract layer with two or more tests of the same \
           names and the same bodies. Names of classes may differ in them.",
    why: "The copies drift apart: somebody mends one of them, and the implementations do not keep the same contract any more. One \
          class holds the tests; each implementation has a class that inherits them and says what is tested.",
    bad: Example {
        path: "tests/contract/test_stores.py",
        code: "class TestMemoryStore:\n    def test_get(self, store):\n        store.put(\"a\", 1)\n        assert store.get(\"a\") == 1\n\n    def test_missing(self, store):\n        assert store.get(\"nobody\") is None\n\n\nclass TestDiskStore:\n    def test_get(self, store):\n        store.put(\"a\", 1)\n        assert store.get(\"a\") == 1\n\n    def test_missing(self, store):\n        assert store.get(\"nobody\") is None\n",
    },
    good: Example {
        path: "tests/contract/test_stores.py",
        code: "import pytest\n\n\nclass StoreContractTests:\n    def test_get(self, store):\n        store.put(\"a\", 1)\n        assert store.get(\"a\") == 1\n\n    def test_missing(self, store):\n        assert store.get(\"nobody\") is None\n\n\nclass TestMemoryStore(StoreContractTests):\n    @pytest.fixture\n    def store(self):\n        return MemoryStore()\n\n\nclass TestDiskStore(StoreContractTests):\n    @pytest.fixture\n    def store(self, tmp_path):\n        return DiskStore(tmp_path)\n",
    },
    severity: Severity::Error,
    layers: &[crate::Layer::Contract],
    is_fixable: false,
    check: Check::Project(check),
};

/// How many of the repeated tests are named.
const SHOWN: usize = 3;

/// The tests of a class, or those of a file that stand in none.
struct Suite<'p> {
    file: usize,
    path: &'p str,
    /// Empty for a file.
    class: &'p str,
    range: (u32, u32),
    tests: &'p [MethodSummary],
}

fn check(project: &Project<'_>, report: &mut ProjectReport<'_>) {
    let suites = suites(project);
    for (at, suite) in suites.iter().enumerate() {
        // The first one that has the same tests is the one to keep.
        let found = suites[..at].iter().find_map(|other| {
            let repeated = repeated(suite, other);
            // One alone is chance: `test_close` looks the same everywhere.
            (repeated.len() >= 2).then_some((other, repeated))
        });
        let Some((other, repeated)) = found else { continue };
        let range = if suite.class.is_empty() { repeated[0].range } else { suite.range };
        let mut names: Vec<String> =
            repeated.iter().take(SHOWN).map(|test| format!("`{}`", test.name)).collect();
        if repeated.len() > SHOWN {
            names.push(format!("and {} more", repeated.len() - SHOWN));
        }
        let whose =
            if suite.class.is_empty() { "this file".to_owned() } else { format!("`{}`", suite.class) };
        let of = match (other.class, other.file == suite.file) {
            ("", _) => format!("`{}`", other.path),
            (class, true) => format!("`{class}`"),
            (class, false) => format!("`{class}` in `{}`", other.path),
        };
        report
            .at(suite.file, range, format!("{whose} repeats tests of {of}: {}", names.join(", ")))
            .help("put them into one class that every implementation's class inherits");
    }
}

fn suites<'p>(project: &Project<'p>) -> Vec<Suite<'p>> {
    let mut suites = Vec::new();
    for (index, file) in project.files.iter().enumerate().filter(|(_, file)| file.is_test) {
        let suite = |class, range, tests| Suite { file: index, path: &file.path, class, range, tests };
        for class in file.classes.iter().filter(|class| class.layer == "contract") {
            suites.push(suite(&class.name, class.range, &class.methods));
        }
        if !file.contract_tests.is_empty() {
            suites.push(suite("", (0, 0), &file.contract_tests));
        }
    }
    suites
}

fn tests<'p>(suite: &Suite<'p>) -> impl Iterator<Item = &'p MethodSummary> {
    suite.tests.iter().filter(|test| test.is_test)
}

/// The tests of a suite that another one has as well.
fn repeated<'p>(suite: &Suite<'p>, other: &Suite<'p>) -> Vec<&'p MethodSummary> {
    let is_same =
        |a: &MethodSummary, b: &MethodSummary| a.digest != 0 && a.digest == b.digest && a.name == b.name;
    tests(suite).filter(|test| tests(other).any(|known| is_same(test, known))).collect()
}
