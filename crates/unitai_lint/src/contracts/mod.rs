//! Interfaces, their implementations, and which contract tests cover them: what the code of a project says about it.

mod collected;
mod cover;
mod names;

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use self::cover::Covers;
use self::names::{ClassId, Names};
use crate::{ClassSummary, Project};

/// A class of the project with abstract methods, which no other such class stands above.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Interface {
    /// Its name.
    pub name: String,
    /// The file that it stands in.
    pub path: String,
    /// The contracts that are for it: those that name it, and those that cover an implementation of it, or would.
    pub contracts: Vec<String>,
    /// Its implementations, in the order of files.
    pub implementations: Vec<Implementation>,
    /// The index of its file in [`Project::files`].
    #[serde(skip)]
    pub file: usize,
    /// Where its name stands.
    #[serde(skip)]
    pub range: (u32, u32),
}

/// A class that has everything an interface asks for.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Implementation {
    /// Its name.
    pub name: String,
    /// The file that it stands in.
    pub path: String,
    /// The tests that hold it to a contract.
    pub covers: Vec<Cover>,
    /// The classes that would, if pytest collected them.
    pub not_collected: Vec<Cover>,
    /// The index of its file in [`Project::files`].
    #[serde(skip)]
    pub file: usize,
    /// Where its name stands.
    #[serde(skip)]
    pub range: (u32, u32),
}

/// A test that holds an implementation to a contract.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Cover {
    /// The file of the test.
    pub path: String,
    /// The class of the test; empty for functions.
    pub class: String,
    /// The class that it inherits its tests from; empty where it only stands among contract tests.
    pub contract: String,
}

impl Interface {
    /// The implementations that no contract test covers.
    pub fn uncovered(&self) -> impl Iterator<Item = &Implementation> {
        self.implementations.iter().filter(|implementation| implementation.covers.is_empty())
    }
}

/// What the code of a project says about its contracts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contracts {
    /// Every interface, in the order of files. Classes of tests are no promise to anybody, unless a contract beside them
    /// says so; nor are those whose names begin with `_`.
    pub interfaces: Vec<Interface>,
    /// Whether the project has contract tests at all.
    pub is_begun: bool,
}

impl Contracts {
    /// Of all files of a project.
    pub fn of(project: &Project<'_>) -> Contracts {
        let names = Names::new(project);
        let lineage = Lineage::new(&names);
        let covers = Covers::new(&names, project.classes);
        let roots = lineage.interfaces(&covers);
        Contracts {
            interfaces: roots.map(|root| interface(root, &names, &lineage, &covers)).collect(),
            is_begun: covers.has_any(),
        }
    }
}

fn interface(root: ClassId, names: &Names<'_>, lineage: &Lineage<'_>, covers: &Covers<'_>) -> Interface {
    let implementations: Vec<Implementation> = lineage
        .implementations(root)
        .map(|id| Implementation {
            name: names.class(id).name.clone(),
            path: names.path(id).to_owned(),
            covers: covers.of(id),
            not_collected: covers.not_collected(id),
            file: id.file,
            range: names.class(id).range,
        })
        .collect();
    let covering = implementations
        .iter()
        .flat_map(|it| it.covers.iter().chain(&it.not_collected).map(|cover| cover.contract.clone()));
    let contracts: BTreeSet<String> =
        covers.naming(root).chain(covering.filter(|contract| !contract.is_empty())).collect();
    let (file, range) = (root.file, names.class(root).range);
    let (name, path) = (names.class(root).name.clone(), names.path(root).to_owned());
    Interface { name, path, contracts: contracts.into_iter().collect(), implementations, file, range }
}

/// Who inherits from whom, and what is still abstract.
struct Lineage<'n> {
    names: &'n Names<'n>,
    /// The methods that each class leaves to others.
    open: FxHashMap<ClassId, BTreeSet<&'n str>>,
}

impl<'n> Lineage<'n> {
    fn new(names: &'n Names<'n>) -> Lineage<'n> {
        let mut lineage = Lineage { names, open: FxHashMap::default() };
        for id in names.all() {
            lineage.fill(id, 0);
        }
        lineage
    }

    fn fill(&mut self, id: ClassId, depth: usize) {
        if self.open.contains_key(&id) || depth > names::DEEPEST {
            return;
        }
        let class = self.names.class(id);
        // A class that inherits itself, by a slip, ends here.
        self.open.insert(id, BTreeSet::new());
        let mut open: BTreeSet<&'n str> = BTreeSet::new();
        for base in self.names.bases(id) {
            self.fill(*base, depth + 1);
            open.extend(self.open.get(base).into_iter().flatten());
        }
        open.retain(|name| !defines(class, name));
        open.extend(
            class.methods.iter().filter(|method| method.is_abstract).map(|method| method.name.as_str()),
        );
        self.open.insert(id, open);
    }

    fn is_abstract(&self, id: ClassId) -> bool {
        self.open.get(&id).is_some_and(|open| !open.is_empty())
    }

    fn interfaces(&self, covers: &Covers<'_>) -> impl Iterator<Item = ClassId> {
        self.names.all().filter(|id| {
            self.is_abstract(*id)
                && !self.names.class(*id).name.starts_with('_')
                && (!self.names.is_of_tests(id.file) || covers.naming(*id).next().is_some())
                && !self.names.ancestors(*id).iter().any(|above| self.is_abstract(*above))
        })
    }

    fn implementations(&self, root: ClassId) -> impl Iterator<Item = ClassId> {
        self.names.all().filter(move |id| {
            !self.is_abstract(*id)
                && !self.names.class(*id).name.starts_with('_')
                && (id.file == root.file || !self.names.is_of_tests(id.file))
                && self.names.ancestors(*id).contains(&root)
        })
    }
}

fn defines(class: &ClassSummary, name: &str) -> bool {
    class.methods.iter().any(|method| method.name == name) || class.attributes.iter().any(|it| it == name)
}
