//! YAML as a tree in which every node knows its place. What a node means to a test is read elsewhere.

mod comments;
mod compose;
mod json;
mod limits;
mod mapping;
mod moment;
mod number;
mod scalar;
mod syntax;
mod tag;

use std::rc::Rc;

use unitai_model::value::Value;

pub use comments::comments;
pub(crate) use compose::parse;
pub(crate) use limits::{Budget, LONGEST_TEXT, Measure};

/// A line and a column, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct At {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// One node. Aliases share the node that they stand for.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) at: At,
    pub(crate) kind: Kind,
    /// What it holds, aliases filled in.
    pub(crate) measure: Measure,
}

/// What a node is.
#[derive(Debug)]
pub(crate) enum Kind {
    /// A text, number, boolean or nothing.
    Scalar {
        value: Value,
        /// As it stands in the file; empty for texts, which are their own value.
        written: String,
    },
    /// A list.
    List(Vec<Rc<Node>>),
    /// A mapping: merge keys are filled in, no key is there twice.
    Map(Vec<Entry>),
}

/// A key of a mapping and its value.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) key: Rc<Node>,
    pub(crate) value: Rc<Node>,
}

impl Node {
    /// The node as plain data.
    pub(crate) fn value(&self) -> Value {
        match &self.kind {
            Kind::Scalar { value, .. } => value.clone(),
            Kind::List(items) => Value::List(items.iter().map(|item| item.value()).collect()),
            Kind::Map(entries) => {
                Value::Dict(entries.iter().map(|entry| (entry.key.value(), entry.value.value())).collect())
            }
        }
    }

    /// The text, if it is one.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar { value: Value::Str(text), .. } => Some(text),
            _ => None,
        }
    }

    /// Whether nothing was written.
    pub(crate) fn is_null(&self) -> bool {
        matches!(self.kind, Kind::Scalar { value: Value::Null, .. })
    }

    /// A scalar as somebody wrote it: `8080`, `yes`, or the text itself. `None` of nothing and of collections.
    pub(crate) fn as_written(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar { value: Value::Null, .. } | Kind::List(_) | Kind::Map(_) => None,
            Kind::Scalar { value: Value::Str(text), .. } => Some(text),
            Kind::Scalar { written, .. } => Some(written),
        }
    }

    /// The value of a key that is a text, if this is a mapping that has it.
    pub(crate) fn get(&self, key: &str) -> Option<&Rc<Node>> {
        let Kind::Map(entries) = &self.kind else { return None };
        entries.iter().find(|entry| entry.key.text() == Some(key)).map(|entry| &entry.value)
    }
}
