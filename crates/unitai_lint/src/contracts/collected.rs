//! Which classes of tests pytest runs. What it passes over holds nobody to a contract.

use super::names::{ClassId, Names};
use crate::{ClassNames, ClassSummary};

/// The base of contracts, as it can be imported.
const CONTRACT: [&str; 2] = ["unitai.contract.Contract", "unitai.Contract"];

/// Bases that bring no fixture.
const BARE: [&str; 6] = ["ABC", "abc.ABC", "Generic", "typing.Generic", "Protocol", "typing.Protocol"];

/// Which classes of tests pytest runs.
pub(super) struct Collected<'n> {
    pub(super) names: &'n Names<'n>,
    pub(super) classes: &'n ClassNames,
}

impl Collected<'_> {
    /// Whether a class inherits `unitai.contract.Contract` itself.
    pub(super) fn is_contract(&self, id: ClassId) -> bool {
        self.names.class(id).bases.iter().any(|base| self.is_base_of_contracts(id.file, base))
    }

    /// Whether it does, or a class above it.
    pub(super) fn is_of_contracts(&self, id: ClassId) -> bool {
        self.line(id).any(|it| self.is_contract(it))
    }

    /// Whether pytest collects a class, and runs the tests that it has or inherits.
    pub(super) fn has(&self, id: ClassId) -> bool {
        let is_meant = if self.is_of_contracts(id) { self.is_run(id) } else { self.is_test(id) };
        is_meant && self.is_in_a_file_of_tests(id)
    }

    /// Whether a class, or what it inherits, has a fixture `subject`, that of `Contract` aside.
    pub(super) fn has_subject(&self, id: ClassId) -> bool {
        self.owner_of_subject(id).is_some() || self.line(id).any(|it| self.has_foreign_base(it))
    }

    /// A class and all above it, the nearest first.
    fn line(&self, id: ClassId) -> impl Iterator<Item = ClassId> {
        std::iter::once(id).chain(self.names.ancestors(id).iter().copied())
    }

    /// As `_is_run` of `python/unitai/contract.py` has it, for what inherits `Contract`.
    fn is_run(&self, id: ClassId) -> bool {
        let class = self.names.class(id);
        if let Some(said) = class.is_collected {
            return said;
        }
        let is_named = class.name.starts_with("Test");
        if self.is_contract(id) {
            return is_named && self.has_subject(id);
        }
        // What a contract has for all of its inheritors does not say what this one is.
        let is_said = match self.owner_of_subject(id) {
            Some(owner) if owner == id => true,
            Some(owner) => !self.is_contract(owner) || self.is_run(owner),
            None => self.has_subject(id),
        };
        is_named || is_said
    }

    /// As pytest has it, for every other class.
    fn is_test(&self, id: ClassId) -> bool {
        let of_unittest =
            |it: ClassId| self.names.class(it).bases.iter().any(|base| base.ends_with("TestCase"));
        if self.line(id).any(of_unittest) {
            return true;
        }
        let said = self.line(id).find_map(|it| self.names.class(it).is_collected);
        let has_constructor = self.line(id).any(|it| {
            let mut methods = self.names.class(it).methods.iter();
            methods.any(|method| matches!(method.name.as_str(), "__init__" | "__new__"))
        });
        !has_constructor && said.unwrap_or_else(|| self.classes.has(&self.names.class(id).name))
    }

    /// Whether it stands in a file that pytest collects, or one of those imports it.
    fn is_in_a_file_of_tests(&self, id: ClassId) -> bool {
        let is_collected = |file: usize| {
            self.names.files()[file].is_test && !self.names.files()[file].path.ends_with("conftest.py")
        };
        let name = self.names.class(id).name.as_str();
        let imports = |file: usize| {
            self.names.files()[file].imports.iter().any(|(bound, target)| {
                let bound = if bound == "*" { name } else { bound };
                let is_of_the_name = target.ends_with('*') || target.rsplit('.').next() == Some(name);
                is_of_the_name && self.names.resolve(file, bound) == Some(id)
            })
        };
        is_collected(id.file) || (0..self.names.files().len()).any(|file| is_collected(file) && imports(file))
    }

    fn owner_of_subject(&self, id: ClassId) -> Option<ClassId> {
        let has = |class: &ClassSummary| {
            class.methods.iter().any(|method| method.name == "subject")
                || class.attributes.iter().any(|it| it == "subject")
        };
        self.line(id).find(|it| has(self.names.class(*it)))
    }

    /// Whether a class inherits one that the project does not hold: nobody here knows what that one brings.
    fn has_foreign_base(&self, id: ClassId) -> bool {
        self.names.class(id).bases.iter().any(|base| {
            !BARE.contains(&base.as_str())
                && !self.is_base_of_contracts(id.file, base)
                && self.names.resolve(id.file, base).is_none()
        })
    }

    fn is_base_of_contracts(&self, file: usize, base: &str) -> bool {
        self.names.imported(file, base).is_some_and(|target| CONTRACT.contains(&target.as_str()))
    }
}
