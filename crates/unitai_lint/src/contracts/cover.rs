//! Which tests hold which class to a contract.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Cover;
use super::collected::Collected;
use super::names::{ClassId, Names};
use crate::{ClassNames, Layer};

/// Which tests hold which class to a contract.
pub(super) struct Covers<'n> {
    names: &'n Names<'n>,
    collected: Collected<'n>,
    /// Classes of tests that others inherit, or that say so.
    contracts: FxHashSet<ClassId>,
    by_class: FxHashMap<ClassId, BTreeSet<Cover>>,
    /// Of classes that would cover, if pytest collected them.
    passed_over: FxHashMap<ClassId, BTreeSet<Cover>>,
    has_layer: bool,
    /// Where fixtures of a name are: the file, and which of its fixtures.
    fixtures: FxHashMap<&'n str, Vec<(usize, usize)>>,
}

impl<'n> Covers<'n> {
    pub(super) fn new(names: &'n Names<'n>, classes: &'n ClassNames) -> Covers<'n> {
        let mut covers = Covers {
            names,
            collected: Collected { names, classes },
            passed_over: FxHashMap::default(),
            contracts: FxHashSet::default(),
            by_class: FxHashMap::default(),
            fixtures: FxHashMap::default(),
            has_layer: names.files().iter().any(|file| file.is_test && is_layer(&file.path)),
        };
        for (file, summary) in names.files().iter().enumerate() {
            for (at, fixture) in summary.fixtures.iter().enumerate() {
                covers.fixtures.entry(&fixture.name).or_default().push((file, at));
            }
        }
        covers.find_contracts();
        for id in names.all().filter(|id| names.is_of_tests(id.file)).collect::<Vec<_>>() {
            covers.look_at_class(id);
        }
        for file in 0..names.files().len() {
            covers.look_at_functions(file);
        }
        covers
    }

    pub(super) fn has_any(&self) -> bool {
        self.has_layer || !self.contracts.is_empty()
    }

    /// The tests of a class: those that inherit a contract, else all that stand in the layer.
    pub(super) fn of(&self, id: ClassId) -> Vec<Cover> {
        let all = || self.by_class.get(&id).into_iter().flatten();
        let is_held = all().any(|cover| !cover.contract.is_empty());
        all().filter(|cover| !is_held || !cover.contract.is_empty()).cloned().collect()
    }

    /// The classes of tests that would cover a class, if pytest collected them.
    pub(super) fn not_collected(&self, id: ClassId) -> Vec<Cover> {
        self.passed_over.get(&id).into_iter().flatten().cloned().collect()
    }

    /// The contracts that name this class: `Contract[BaseStore]`.
    pub(super) fn naming(&self, base: ClassId) -> impl Iterator<Item = String> {
        let names = self.names;
        self.contracts
            .iter()
            .filter(move |id| {
                let mut parameters = names.class(**id).parameters.iter();
                parameters.any(|name| names.resolve(id.file, name) == Some(base))
            })
            .map(move |id| names.class(*id).name.clone())
    }

    fn find_contracts(&mut self) {
        let names = self.names;
        for id in names.all().filter(|id| names.is_of_tests(id.file)) {
            if self.collected.is_contract(id) {
                self.contracts.insert(id);
            }
            // What contract tests inherit their tests from is one, whatever it is called.
            if is_layer(names.path(id)) || names.class(id).layer == Layer::Contract.word() {
                let above = names.ancestors(id).iter().copied();
                self.contracts.extend(above.filter(|above| has_tests(names, *above)));
            }
        }
    }

    fn look_at_class(&mut self, id: ClassId) {
        let names = self.names;
        let class = names.class(id);
        let above = names.ancestors(id);
        let contract = above.iter().find(|above| self.contracts.contains(above));
        let is_contract = self.collected.is_contract(id);
        let contract = match contract {
            Some(contract) => names.class(*contract).name.as_str(),
            // For others to inherit; with a subject, it may be contract and implementation in one.
            None if is_contract && !self.collected.has_subject(id) => return,
            None if is_contract => class.name.as_str(),
            None if class.layer == Layer::Contract.word() && has_tests(names, id) => "",
            None => return,
        };
        let mut found = FxHashSet::default();
        let is_run = self.collected.has(id);
        // Its `subject` is its own or that of `Contract`, whatever the file has under the name. Who is not run and has none
        // may have meant the one of the file.
        let has_own = self.collected.is_of_contracts(id) && (is_run || self.collected.has_subject(id));
        let own = has_own.then_some("subject");
        for id in above.iter().chain([&id]) {
            let mut seen = own.map(|name| (id.file, name)).into_iter().collect();
            self.means(id.file, &names.class(*id).uses, &mut found, &mut seen);
        }
        let cover = Cover {
            path: names.path(id).to_owned(),
            class: class.name.clone(),
            contract: contract.to_owned(),
        };
        let covers = if is_run { &mut self.by_class } else { &mut self.passed_over };
        for id in found {
            covers.entry(id).or_default().insert(cover.clone());
        }
    }

    /// Contract tests that are functions.
    fn look_at_functions(&mut self, file: usize) {
        let summary = &self.names.files()[file];
        if summary.uses.is_empty() {
            return;
        }
        let mut found = FxHashSet::default();
        self.means(file, &summary.uses, &mut found, &mut FxHashSet::default());
        let cover = Cover { path: summary.path.clone(), ..Cover::default() };
        for id in found {
            let covers = self.by_class.entry(id).or_default();
            // A class says more than the file that it stands in.
            if !covers.iter().any(|it| it.path == cover.path) {
                covers.insert(cover.clone());
            }
        }
    }

    /// The classes that names mean, by themselves or as fixtures that make them.
    fn means(
        &self,
        file: usize,
        uses: &'n [String],
        found: &mut FxHashSet<ClassId>,
        seen: &mut FxHashSet<(usize, &'n str)>,
    ) {
        for name in uses {
            if !seen.insert((file, name)) {
                continue;
            }
            if let Some(id) = self.names.resolve(file, name) {
                found.insert(id);
                continue;
            }
            for (at, index) in self.fixtures.get(name.as_str()).into_iter().flatten() {
                let files = self.names.files();
                if *at == file || sees(&files[file].path, &files[*at].path) {
                    self.means(*at, &files[*at].fixtures[*index].uses, found, seen);
                }
            }
        }
    }
}

/// Whether tests of a file see the fixtures of another.
fn sees(path: &str, conftest: &str) -> bool {
    conftest.strip_suffix("conftest.py").is_some_and(|folder| path.starts_with(folder))
}

fn has_tests(names: &Names<'_>, id: ClassId) -> bool {
    names.class(id).methods.iter().any(|method| method.is_test || method.name.starts_with("test_"))
}

fn is_layer(path: &str) -> bool {
    Layer::of_path(std::path::Path::new(path)) == Some(Layer::Contract)
}
