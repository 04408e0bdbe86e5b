//! Interfaces, their implementations, and which contract tests cover them: what the code of a project says about it.

mod built_in;
mod collected;
mod cover;
mod names;
mod order;

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use self::cover::Covers;
use self::names::{ClassId, Names};
use crate::Project;

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
    /// The classes that leave something to others.
    open: FxHashSet<ClassId>,
}

impl<'n> Lineage<'n> {
    fn new(names: &'n Names<'n>) -> Lineage<'n> {
        let asks = |id: ClassId| names.class(id).methods.iter().any(|method| method.is_abstract);
        // Few classes of a project ask for anything: the others need no second look.
        let asking: FxHashSet<ClassId> = names.all().filter(|id| asks(*id)).collect();
        let open = names.all().filter(|id| leaves_open(names, &asking, *id)).collect();
        Lineage { names, open }
    }

    fn is_abstract(&self, id: ClassId) -> bool {
        self.open.contains(&id)
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

/// Whether a class leaves a method to others: whoever Python asks first for it does not have it.
fn leaves_open(names: &Names<'_>, asking: &FxHashSet<ClassId>, id: ClassId) -> bool {
    let line = || std::iter::once(id).chain(names.ancestors(id).iter().copied());
    let asked = line().filter(|it| asking.contains(it));
    let mut wanted = asked.flat_map(|it| names.class(it).methods.iter().filter(|method| method.is_abstract));
    wanted.any(|wanted| {
        let answers = line().find_map(|it| has_made(names, it, &wanted.name));
        answers == Some(false)
    })
}

/// Whether a class has made a method itself: or only asks for it. None if it says nothing about it.
fn has_made(names: &Names<'_>, id: ClassId, name: &str) -> Option<bool> {
    let class = names.class(id);
    // A property is abstract as soon as one of its functions is.
    let mut said = class.methods.iter().filter(|method| method.name == name).peekable();
    if said.peek().is_some() {
        return Some(!said.any(|method| method.is_abstract));
    }
    // What stands behind a class of the project is asked after it, and that one asks for the method.
    let mut first = class.bases.iter().take_while(|base| names.resolve(id.file, base).is_none());
    let whole = |base: &String| names.imported(id.file, base).unwrap_or_else(|| base.clone());
    let is_brought = |base: &String| built_in::has(whole(base).trim_start_matches("builtins."), name);
    let is_there = class.attributes.iter().any(|it| it == name) || first.any(is_brought);
    is_there.then_some(true)
}
