//! Which class a name means, by the imports of its file.

use rustc_hash::FxHashMap;

use super::order;
use crate::{ClassSummary, Project, Summary};

/// Nobody inherits, or imports, further than this.
pub(super) const DEEPEST: usize = 64;

/// A class of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ClassId {
    pub(super) file: usize,
    pub(super) class: usize,
}

/// Every class of a project, by name.
pub(super) struct Names<'p> {
    files: &'p [Summary],
    /// The module of each file, from the root: `src`, `shop`, `stores`.
    modules: Vec<Vec<&'p str>>,
    by_name: FxHashMap<&'p str, Vec<ClassId>>,
    /// Every class above each, in the order in which Python asks them.
    above: FxHashMap<ClassId, Vec<ClassId>>,
}

impl<'p> Names<'p> {
    pub(super) fn new(project: &Project<'p>) -> Names<'p> {
        let files = project.files;
        let modules = files.iter().map(|file| module(&file.path)).collect();
        let mut names = Names { files, modules, by_name: FxHashMap::default(), above: FxHashMap::default() };
        for id in names.all().collect::<Vec<_>>() {
            names.by_name.entry(&names.files[id.file].classes[id.class].name).or_default().push(id);
        }
        let mut direct = FxHashMap::default();
        for id in names.all() {
            let bases = files[id.file].classes[id.class].bases.iter();
            let bases: Vec<ClassId> =
                bases.filter_map(|base| names.resolve(id.file, base)).filter(|base| *base != id).collect();
            if !bases.is_empty() {
                direct.insert(id, bases);
            }
        }
        names.above = order::above(&direct);
        names
    }

    /// Every class, in the order of files. Stubs say of classes what the others say of themselves.
    pub(super) fn all(&self) -> impl Iterator<Item = ClassId> + use<'p> {
        let files = self.files.iter().enumerate().filter(|(_, summary)| !summary.path.ends_with(".pyi"));
        files.flat_map(|(file, summary)| (0..summary.classes.len()).map(move |class| ClassId { file, class }))
    }

    pub(super) fn files(&self) -> &'p [Summary] {
        self.files
    }

    pub(super) fn class(&self, id: ClassId) -> &'p ClassSummary {
        &self.files[id.file].classes[id.class]
    }

    pub(super) fn path(&self, id: ClassId) -> &'p str {
        &self.files[id.file].path
    }

    /// Whether a file is one of tests, or helps them.
    pub(super) fn is_of_tests(&self, file: usize) -> bool {
        let is_folder = |part: &str| {
            matches!(part, "tests" | "test" | "testing" | "conftest" | "benchmarks" | "examples")
        };
        self.files[file].is_test || self.modules[file].iter().any(|part| is_folder(part))
    }

    /// Every class above it, in the order in which Python asks them.
    pub(super) fn ancestors(&self, id: ClassId) -> &[ClassId] {
        self.above.get(&id).map_or(&[], Vec::as_slice)
    }

    /// What a name of a file stands for: `shop.stores.BaseStore`; none if the file does not import it.
    pub(super) fn imported(&self, file: usize, name: &str) -> Option<String> {
        let (first, rest) = name.split_once('.').unwrap_or((name, ""));
        let (_, target) = self.files[file].imports.iter().rev().find(|(bound, _)| bound == first)?;
        Some(if rest.is_empty() { target.clone() } else { format!("{target}.{rest}") })
    }

    /// The class that a name of a file means, if it is one of the project.
    pub(super) fn resolve(&self, file: usize, name: &str) -> Option<ClassId> {
        match self.imported(file, name) {
            Some(target) => self.of_target(file, &target),
            None => {
                let last = name.rsplit('.').next().unwrap_or(name);
                self.by_name
                    .get(last)?
                    .iter()
                    .copied()
                    .find(|id| id.file == file)
                    .or_else(|| self.by_star(file, last))
            }
        }
    }

    /// By `from shop.stores import *`.
    fn by_star(&self, file: usize, name: &str) -> Option<ClassId> {
        let stars = self.files[file].imports.iter().filter(|(bound, _)| bound == "*");
        stars
            .filter_map(|(_, target)| target.strip_suffix('*'))
            .find_map(|module| self.of_target(file, &format!("{module}{name}")))
    }

    fn of_target(&self, file: usize, target: &str) -> Option<ClassId> {
        let level = target.len() - target.trim_start_matches('.').len();
        let mut parts: Vec<&str> = Vec::new();
        if level > 0 {
            let here = &self.modules[file];
            let is_package = self.files[file].path.ends_with("__init__.py");
            let up = level - usize::from(is_package);
            parts.extend(&here[..here.len().checked_sub(up)?]);
        }
        parts.extend(target[level..].split('.').filter(|part| !part.is_empty()));
        let (name, module) = parts.split_last()?;
        self.nearest(self.by_name.get(*name)?, module)
    }

    /// The one class that stands in this module; else the one further down in it, which it hands on; else the one of the
    /// same package.
    fn nearest(&self, candidates: &[ClassId], module: &[&str]) -> Option<ClassId> {
        let one = |is_it: &dyn Fn(&[&str]) -> bool| {
            let mut found = candidates.iter().copied().filter(|id| is_it(&self.modules[id.file]));
            let first = found.next()?;
            found.next().is_none().then_some(first)
        };
        let top = &module[..module.len().min(1)];
        one(&|it| it.ends_with(module))
            .or_else(|| one(&|it| !module.is_empty() && it.windows(module.len()).any(|part| part == module)))
            .or_else(|| one(&|it| !top.is_empty() && it.contains(&top[0])))
    }
}

/// The module of a file, from the root: `src`, `shop`, `stores`.
fn module(path: &str) -> Vec<&str> {
    let path = path.strip_suffix(".py").unwrap_or(path);
    let path = path.strip_suffix("/__init__").unwrap_or(path);
    path.split('/').collect()
}
