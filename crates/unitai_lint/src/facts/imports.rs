//! What the names of a file stand for.

use std::fmt;

use ruff_text_size::TextRange;
use rustc_hash::FxHashMap;

use super::FunctionId;

/// One imported name.
#[derive(Debug, Clone, Copy)]
pub struct Import<'a> {
    /// The name in this file.
    pub bound: &'a str,
    /// The module that is imported, or imported from; `a` for `import a.b`, which binds `a`.
    pub module: &'a str,
    /// What is taken out of the module; empty for the module itself.
    pub name: &'a str,
    /// Whether the module is named from the file's own package: `from . import x`.
    pub is_relative: bool,
    /// How many dots it is named with.
    pub level: u32,
    /// The function that imports it, if it is not the file.
    pub owner: Option<FunctionId>,
    /// The whole of `import a.b`, as far as it is written: `a.b`.
    pub written: &'a str,
    /// Where.
    pub range: TextRange,
}

/// Every import of a file.
#[derive(Debug, Default)]
pub(crate) struct Imports<'a> {
    pub(crate) all: Vec<Import<'a>>,
    by_name: FxHashMap<&'a str, u32>,
}

impl<'a> Imports<'a> {
    pub(crate) fn add(&mut self, import: Import<'a>) {
        self.by_name.insert(import.bound, self.all.len() as u32);
        self.all.push(import);
    }

    pub(crate) fn find(&self, bound: &str) -> Option<&Import<'a>> {
        self.by_name.get(bound).map(|index| &self.all[*index as usize])
    }

    pub(crate) fn qualified(&self, name: &'a str) -> Qualified<'a> {
        let (first, rest) = name.split_once('.').unwrap_or((name, ""));
        match self.find(first) {
            Some(import) => {
                Qualified { parts: [import.module, import.name, rest], is_relative: import.is_relative }
            }
            None => Qualified { parts: [first, rest, ""], is_relative: false },
        }
    }
}

/// A name with what was imported put in its place: `patch.object` behind `from unittest.mock import patch` is
/// `unittest.mock.patch.object`.
#[derive(Debug, Clone, Copy)]
pub struct Qualified<'a> {
    parts: [&'a str; 3],
    is_relative: bool,
}

impl<'a> Qualified<'a> {
    fn segments(&self) -> impl Iterator<Item = &'a str> {
        self.parts.into_iter().filter(|part| !part.is_empty()).flat_map(|part| part.split('.'))
    }

    /// Whether it is this very name. Names of the file's own package never are.
    pub fn is(&self, name: &str) -> bool {
        !self.is_relative && self.segments().eq(name.split('.'))
    }

    /// Whether it is one of these names.
    pub fn is_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.is(name))
    }

    /// Whether it is this name, or an attribute or a part of it: `unittest.mock.patch` is in `unittest.mock`.
    pub fn is_in(&self, name: &str) -> bool {
        let mut segments = self.segments();
        !self.is_relative && name.split('.').all(|part| segments.next() == Some(part))
    }

    /// Whether it is in one of these.
    pub fn is_in_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.is_in(name))
    }

    /// What comes behind this prefix, if one part does: `slow` of `pytest.mark.slow` behind `pytest.mark`.
    pub fn behind(&self, name: &str) -> Option<&'a str> {
        let mut segments = self.segments();
        if self.is_relative || !name.split('.').all(|part| segments.next() == Some(part)) {
            return None;
        }
        let found = segments.next();
        if segments.next().is_some() { None } else { found }
    }
}

impl fmt::Display for Qualified<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_relative {
            f.write_str(".")?;
        }
        for (at, segment) in self.segments().enumerate() {
            if at > 0 {
                f.write_str(".")?;
            }
            f.write_str(segment)?;
        }
        Ok(())
    }
}
