//! `uncovered-contract`.

use crate::{Check, Contracts, Example, Project, ProjectReport, Rule, Severity};

pub(crate) static RULE: Rule = Rule {
    name: "uncovered-contract",
    what: "An implementation of an abstract class that no contract test covers, in a project that has contract tests. \
           `unitai contract list` shows all of them.",
    why: "Whoever takes any implementation relies on what all of them promise. One that was never held to the promise breaks \
          it where nobody looks.",
    bad: Example {
        path: "tests/contract/test_stores.py",
        code: "import pytest\nfrom abc import ABC, abstractmethod\n\nfrom unitai.contract import Contract\n\n\nclass Store(ABC):\n    @abstractmethod\n    def put(self, key, value): ...\n\n    @abstractmethod\n    def get(self, key): ...\n\n\nclass MemoryStore(Store):\n    def __init__(self):\n        self.values = {}\n\n    def put(self, key, value):\n        self.values[key] = value\n\n    def get(self, key):\n        return self.values.get(key)\n\n\nclass FileStore(MemoryStore):\n    pass\n\n\nclass StoreContract(Contract[Store]):\n    def test_what_is_put_is_found(self, subject):\n        subject.put(\"a\", 1)\n        assert subject.get(\"a\") == 1\n\n\nclass TestMemoryStore(StoreContract):\n    @pytest.fixture\n    def subject(self):\n        return MemoryStore()\n",
    },
    good: Example {
        path: "tests/contract/test_stores.py",
        code: "import pytest\nfrom abc import ABC, abstractmethod\n\nfrom unitai.contract import Contract\n\n\nclass Store(ABC):\n    @abstractmethod\n    def put(self, key, value): ...\n\n    @abstractmethod\n    def get(self, key): ...\n\n\nclass MemoryStore(Store):\n    def __init__(self):\n        self.values = {}\n\n    def put(self, key, value):\n        self.values[key] = value\n\n    def get(self, key):\n        return self.values.get(key)\n\n\nclass FileStore(MemoryStore):\n    pass\n\n\nclass StoreContract(Contract[Store]):\n    def test_what_is_put_is_found(self, subject):\n        subject.put(\"a\", 1)\n        assert subject.get(\"a\") == 1\n\n\nclass TestMemoryStore(StoreContract):\n    @pytest.fixture\n    def subject(self):\n        return MemoryStore()\n\n\nclass TestFileStore(StoreContract):\n    @pytest.fixture\n    def subject(self):\n        return FileStore()\n",
    },
    severity: Severity::Warning,
    layers: &[],
    is_fixable: false,
    check: Check::Project(check),
};

fn check(project: &Project<'_>, report: &mut ProjectReport<'_>) {
    // Where nobody has begun with contracts, the list tells; a finding at every class would only be in the way.
    let contracts = Contracts::of(project);
    if !contracts.is_begun {
        return;
    }
    for interface in contracts.interfaces {
        let missing: Vec<String> = interface.uncovered().map(|it| format!("`{}`", it.name)).collect();
        if missing.is_empty() {
            continue;
        }
        if interface.contracts.is_empty() && missing.len() == interface.implementations.len() {
            let message = format!(
                "no contract test covers what implements `{}`: {}",
                interface.name,
                missing.join(", ")
            );
            report.at(interface.file, interface.range, message).help(format!(
                "write a class `{0}Contract(Contract[{0}])` with its tests, and one that inherits it for each implementation",
                interface.name
            ));
            continue;
        }
        for implementation in interface.uncovered() {
            let message = format!(
                "`{}` implements `{}`, and no contract test covers it",
                implementation.name, interface.name
            );
            let help = match (implementation.not_collected.first(), interface.contracts.first()) {
                (Some(passed_over), _) => format!(
                    "pytest does not collect `{}`, which looks at it: give it a name that begins with `Test`, in a file of tests",
                    passed_over.class
                ),
                (None, Some(contract)) => {
                    format!(
                        "write a test class that inherits `{contract}`, and give it a `{}`",
                        implementation.name
                    )
                }
                (None, None) => "add it to the contract tests of the others".to_owned(),
            };
            report.at(implementation.file, implementation.range, message).help(help);
        }
    }
}
