//! Files that are included: by the whole test, or by a step.

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use super::fields::{Fields, last};
use super::{Beside, Reader, file};
use crate::document::keys::INCLUDED;
use crate::document::telling::clipped;
use crate::document::yaml::{Node, parse};
use crate::document::{ProjectRoot, Step, looks_like_included};

/// What a file says of servers, values and steps.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) beside: Beside,
    pub(super) setup: Vec<Step>,
    pub(super) steps: Vec<Step>,
    pub(super) teardown: Vec<Step>,
}

/// What came from a file that is included.
pub(super) struct Included {
    pub(super) parts: Parts,
    /// Whether it, or a file that it includes, has the key `steps`.
    pub(super) has_steps: bool,
}

impl Reader {
    /// What a file includes as a whole.
    pub(super) fn included_by(&mut self, fields: &Fields<'_>) -> Vec<Included> {
        let Some((node, path)) = fields.get("include") else { return vec![] };
        if node.is_null() {
            return vec![];
        }
        let all = self.one_or_many(node, &path);
        all.into_iter().filter_map(|(node, path)| self.included(node, &path)).collect()
    }

    /// The steps of a file that stands for a step.
    pub(super) fn included_steps(&mut self, node: &Rc<Node>, path: &str) -> Vec<Step> {
        let Some(Included { parts, .. }) = self.included(node, path) else { return vec![] };
        if !parts.setup.is_empty() || !parts.teardown.is_empty() {
            let message = "a step takes the steps of a file, and this one has `setup` or `teardown`";
            self.warn(node.at, path, message, "include it at the top of the file to have these run");
        }
        self.beside.add(parts.beside);
        parts.steps
    }

    fn included(&mut self, node: &Rc<Node>, path: &str) -> Option<Included> {
        let name = self.text(node, path)?;
        if self.budget.is_spent() {
            return None;
        }
        let target = self.file.parent().unwrap_or(Path::new("")).join(&name);
        let known = std::fs::canonicalize(&target).unwrap_or_else(|_| target.clone());
        if self.open.contains(&known) {
            let message = format!("`{}` includes itself", clipped(&name));
            self.tell(node.at, path, message, "leave one of the includes out");
            return None;
        }
        let loaded = match &self.root {
            None => file::load(&target),
            Some(root) => match may_include(root, &target) {
                Ok(real) => file::load_below(root, &target, &real),
                Err((message, remedy)) => {
                    self.tell(node.at, path, format!("`{}` {message}", clipped(&name)), remedy);
                    return None;
                }
            },
        };
        let text = match loaded {
            Ok(text) => text,
            Err(trouble) if trouble.place.line == 0 => {
                self.tell(
                    node.at,
                    path,
                    trouble.message,
                    "the name is relative to the file that includes it",
                );
                return None;
            }
            // The message holds a byte of the file.
            Err(_) if self.root.is_some() => {
                self.tell(node.at, path, format!("`{}` is not UTF-8", clipped(&name)), "save it as UTF-8");
                return None;
            }
            Err(trouble) => {
                self.troubles.push(*trouble);
                return None;
            }
        };
        // Messages quote what they find, so a confined caller is told nothing about a file that is not for tests.
        if self.root.is_some() && !looks_like_included(&text) {
            let message = format!("`{}` is not a file that tests include", clipped(&name));
            self.tell(
                node.at,
                path,
                message,
                "such a file has `steps`, `setup`, `teardown`, `vars` or `servers`",
            );
            return None;
        }
        if let Err(message) = self.budget.take_file(text.len(), self.open.len()) {
            self.tell(node.at, path, message, "put what they say into fewer files");
            return None;
        }
        let includer = std::mem::replace(&mut self.file, Arc::new(target));
        // What steps of this file include is told apart from what steps of the includer do.
        let beside = std::mem::take(&mut self.beside);
        self.open.push(known);
        let included = self.included_text(&text);
        self.open.pop();
        self.beside = beside;
        let here = std::mem::replace(&mut self.file, includer);
        if included.is_none() && self.troubles.iter().all(|trouble| trouble.place.file != here) {
            let message =
                format!("`{}` must be one document with steps and their like", clipped(last(&name)));
            self.tell(node.at, path, message, "a file that is included holds one mapping");
        }
        included
    }

    fn included_text(&mut self, text: &str) -> Option<Included> {
        let parsed = parse(text, &self.file.clone(), &mut self.budget);
        let is_broken = !parsed.troubles.is_empty();
        self.troubles.extend(parsed.troubles);
        let [root] = parsed.documents.as_slice() else {
            // Its own troubles say why.
            return is_broken.then(|| Included { parts: Parts::default(), has_steps: true });
        };
        let fields = self.fields_of(root, "", "a file that is included", INCLUDED)?;
        let included = self.included_by(&fields);
        let own = self.parts(&fields);
        let has_steps = fields.has("steps") || included.iter().any(|included| included.has_steps);
        Some(Included { parts: self.joined(own, included), has_steps })
    }
}

/// Where a file that a confined caller includes really is, or why they may not, with the remedy.
fn may_include(root: &ProjectRoot, target: &Path) -> Result<PathBuf, (&'static str, &'static str)> {
    let Ok(real) = root.resolve(target) else {
        return Err(("leads out of the project", "include a file below the project's root"));
    };
    let inner = real.strip_prefix(root.folder()).unwrap_or(&real);
    if inner.components().any(|part| part.as_os_str().to_string_lossy().starts_with('.')) {
        return Err(("is hidden", "include a file without a dot before a part of its path"));
    }
    let is_yaml = inner.extension().is_some_and(|end| end == "yaml" || end == "yml");
    if is_yaml { Ok(real) } else { Err(("is not a YAML file", "include a file that ends in .yaml")) }
}
