//! The files that a run is about.

use std::path::{Component, Path, PathBuf};

use ignore::WalkBuilder;

use super::naming::Naming;
use crate::{FileRole, Plan};

/// What kind of file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Kind {
    /// Python that is looked at.
    Python(FileRole),
    /// YAML that was named.
    Yaml,
    /// YAML that may be a test, which its text decides.
    MaybeYaml,
    /// A source of the project, for rules that want to know its classes.
    Source,
}

/// A file that a run is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// Where it is.
    pub(crate) file: PathBuf,
    /// From the root of the project, with `/`: what rules and patterns see.
    pub(crate) path: String,
    /// From the folder of the shell: what people see.
    pub(crate) shown: String,
    /// What it is.
    pub(crate) kind: Kind,
    /// Whether somebody named it.
    pub(crate) is_named: bool,
    /// Whether it is only there for rules about the whole project: a test outside of what is named.
    pub(crate) is_beside: bool,
}

/// Where the paths of a run begin.
#[derive(Debug, Clone)]
pub(crate) struct Places<'a> {
    pub(crate) root: &'a Path,
    pub(crate) here: &'a Path,
    pub(crate) is_project: bool,
    /// Whether a file that is named is left out like one that is found.
    pub(crate) force_exclude: bool,
}

impl Places<'_> {
    fn target(&self, file: &Path, kind: Kind, is_named: bool) -> Target {
        let whole = tidy(&self.here.join(file));
        let from = |folder: &Path| whole.strip_prefix(folder).ok().map(slashed);
        let shown = from(self.here).unwrap_or_else(|| slashed(&whole));
        let path = from(self.root).unwrap_or_else(|| shown.clone());
        Target { file: whole, path, shown, kind, is_named, is_beside: false }
    }
}

/// The path without `.` and `..` in it. Links stay what they are.
fn tidy(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                tidy.pop();
            }
            part => tidy.push(part),
        }
    }
    tidy
}

fn slashed(path: &Path) -> String {
    let text = path.to_string_lossy();
    if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() }
}

/// The files that are named, and every test below the folders that are; with the sources and the other tests of the
/// project, if rules want to know them. In the order of their paths, each once.
pub(crate) fn find(
    places: &Places<'_>,
    named: &[PathBuf],
    plan: &Plan,
    with_sources: bool,
) -> Result<Vec<Target>, String> {
    let naming = Naming::of(places.root);
    let mut found = Vec::new();
    let mut folders = Vec::new();
    for path in named {
        let whole = tidy(&places.here.join(path));
        if whole.is_dir() {
            folders.push(whole);
        } else if whole.exists() {
            let kind = kind_of(&whole, &naming).ok_or_else(|| {
                format!("{} is neither Python nor YAML; name files of tests, or folders", path.display())
            })?;
            let kind = match kind {
                Kind::Yaml if places.force_exclude || !is_test_name(&whole) => Kind::MaybeYaml,
                kind => kind,
            };
            let target = places.target(path, kind, true);
            if !places.force_exclude
                || kind != Kind::Python(FileRole::Other) && !plan.is_excluded(&target.path)
            {
                found.push(target);
            }
        } else {
            return Err(format!("there is no {}; name files of tests, or folders", path.display()));
        }
    }
    if let Some((first, rest)) = folders.split_first() {
        walk(
            places,
            first,
            rest,
            plan,
            |file, name| {
                let kind = match kind_of(file, &naming)? {
                    Kind::Yaml => Kind::MaybeYaml,
                    Kind::Python(_) if !naming.is_test(name) && name != "conftest.py" => return None,
                    kind => kind,
                };
                Some(kind)
            },
            &mut found,
        );
        if with_sources {
            let asked = found.len();
            let is_inside = places.is_project && folders.iter().any(|folder| folder.starts_with(places.root));
            let (first, rest) = if is_inside { (places.root, &[][..]) } else { (first.as_path(), rest) };
            walk(
                places,
                first,
                rest,
                plan,
                |file, name| match kind_of(file, &naming)? {
                    Kind::Python(role) if naming.is_test(name) || role == FileRole::Conftest => {
                        Some(Kind::Python(role))
                    }
                    Kind::Python(_) => Some(Kind::Source),
                    _ => None,
                },
                &mut found,
            );
            found[asked..].iter_mut().for_each(|target| target.is_beside = target.kind != Kind::Source);
        }
    }
    // Of a file that is named and found, or a test and a source, the first stays.
    found.sort_by(|a, b| {
        let rank = |target: &Target| (!target.is_named, target.is_beside || target.kind == Kind::Source);
        (&a.shown, rank(a)).cmp(&(&b.shown, rank(b)))
    });
    found.dedup_by(|later, first| later.file == first.file);
    Ok(found)
}

/// Whether the name of a YAML file says that it is a test, as `unitai yaml` has it.
fn is_test_name(file: &Path) -> bool {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    stem.starts_with("test_") || stem.ends_with("_test")
}

/// What a file is, by its name.
fn kind_of(file: &Path, naming: &Naming) -> Option<Kind> {
    let name = file.file_name()?.to_str()?;
    match file.extension()?.to_str()? {
        "py" | "pyi" => Some(Kind::Python(naming.role(name))),
        "yaml" | "yml" => Some(Kind::Yaml),
        _ => None,
    }
}

/// Every file below some folders that git does not ignore, and nobody excludes.
fn walk(
    places: &Places<'_>,
    first: &Path,
    rest: &[PathBuf],
    plan: &Plan,
    kind: impl Fn(&Path, &str) -> Option<Kind>,
    found: &mut Vec<Target>,
) {
    let mut builder = WalkBuilder::new(first);
    rest.iter().for_each(|folder| {
        builder.add(folder);
    });
    // A project that was unpacked, not cloned, has its .gitignore too.
    builder.require_git(false).follow_links(false);
    let (root, excluder) = (places.root.to_owned(), plan.clone());
    builder.filter_entry(move |entry| {
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        if entry.depth() == 0 {
            return true;
        }
        if is_folder && is_foreign(entry.path()) {
            return false;
        }
        entry.path().strip_prefix(&root).map_or(true, |path| !excluder.is_excluded(&slashed(path)))
    });
    for entry in builder.build().flatten() {
        let Some(kind_of_entry) = entry.file_type() else { continue };
        // A link to a file counts as the file; a link that leads nowhere, or to a folder, does not.
        let is_file = kind_of_entry.is_file() || (kind_of_entry.is_symlink() && entry.path().is_file());
        let Some(name) = entry.file_name().to_str().filter(|_| is_file) else { continue };
        if let Some(kind) = kind(entry.path(), name) {
            found.push(places.target(entry.path(), kind, false));
        }
    }
}

/// Whether a folder holds what others wrote: environments, packages, caches, and what tests have made.
fn is_foreign(folder: &Path) -> bool {
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    matches!(name, "__pycache__" | "node_modules" | "site-packages")
        || folder.join("pyvenv.cfg").exists()
        || unitai_snapshot::holds_snapshots(folder)
}
