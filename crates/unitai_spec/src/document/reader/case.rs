//! `cases`: one test for each row.

use std::rc::Rc;

use unitai_model::value::Value;

use super::Reader;
use crate::document::telling::{clipped, found};
use crate::document::yaml::{Kind, Node};
use crate::document::{Place, Spec};

/// One row: its name, and its values.
pub(super) struct Row {
    name: String,
    /// Whether somebody gave the name.
    is_named: bool,
    vars: Vec<(String, Value)>,
    place: Place,
}

impl Row {
    /// The test of this row.
    pub(super) fn over(self, spec: &Spec) -> Spec {
        let mut spec = spec.clone();
        for (name, value) in self.vars {
            match spec.vars.iter_mut().find(|(known, _)| *known == name) {
                Some((_, old)) => *old = value,
                None => spec.vars.push((name, value)),
            }
        }
        Spec { case: Some(self.name), place: self.place, ..spec }
    }
}

impl Reader {
    pub(super) fn cases(&mut self, node: &Rc<Node>, path: &str, vars: &[(String, Value)]) -> Vec<Row> {
        let items = match &node.kind {
            Kind::List(items) => items.as_slice(),
            _ if node.is_null() => &[],
            _ => {
                let message = format!("`cases` must be a list of mappings, found {}", found(node));
                self.tell(node.at, path, message, "begin each row with `- `");
                return vec![];
            }
        };
        if items.is_empty() {
            let message = "`cases` has no row, so there would be no test";
            self.tell(node.at, path, message, "give it a row, or leave it out");
        }
        self.rows += items.len();
        self.row_measure.nodes += node.measure.nodes;
        self.row_measure.bytes += node.measure.bytes;
        if let Err(message) = self.budget.repeats(self.rows, self.row_measure) {
            self.tell(node.at, path, message, "make several files of it");
            return vec![];
        }
        let mut rows: Vec<Row> = vec![];
        for (at, item) in items.iter().enumerate() {
            self.row(item, &format!("{path}[{at}]"), at, vars, &mut rows);
        }
        rows
    }

    fn row(
        &mut self,
        node: &Rc<Node>,
        path: &str,
        at: usize,
        known: &[(String, Value)],
        rows: &mut Vec<Row>,
    ) {
        let Kind::Map(_) = &node.kind else {
            let message = format!("a row of `cases` must be a mapping, found {}", found(node));
            self.tell(node.at, path, message, "write `name: value`");
            return;
        };
        let mut given = None;
        let mut vars = vec![];
        for (name, value, path) in self.named(node, path) {
            if name != "name" {
                vars.push((name.to_owned(), value.value()));
                continue;
            }
            given = self.text(value, &path).map(|text| (text, value.at, path.clone()));
            if known.iter().any(|(name, _)| name == "name") {
                let message = "a row's `name` is the name of the row, and `${vars.name}` stays as it is";
                self.warn(value.at, &path, message, "give the value another name");
            }
        }
        let place = self.place(node.at);
        let Some((name, name_at, path)) = given else {
            let name = free(shown(&vars, at), rows);
            rows.push(Row { name, is_named: false, vars, place });
            return;
        };
        if let Some(first) = rows.iter().find(|row| row.is_named && row.name == name) {
            let lines = format!("lines {} and {}", first.place.line, place.line);
            let message = format!("two rows are called `{}`, in {lines}", clipped(&name));
            self.tell(name_at, &path, message, "give each row a name of its own");
        }
        let name = free(name, rows);
        rows.push(Row { name, is_named: true, vars, place });
    }
}

/// The name of a row without one: its values, such as `backend=mysql`.
fn shown(vars: &[(String, Value)], at: usize) -> String {
    if vars.is_empty() {
        return format!("row {}", at + 1);
    }
    let values = vars.iter().map(|(name, value)| match value {
        Value::Str(text) => format!("{name}={text}"),
        value => format!("{name}={}", value.shown(60)),
    });
    clipped(&values.collect::<Vec<_>>().join(","))
}

/// The name, or with a number behind it if another row has it.
fn free(name: String, rows: &[Row]) -> String {
    let is_taken = |name: &str| rows.iter().any(|row| row.name == name);
    if !is_taken(&name) {
        return name;
    }
    let mut number = rows.len() + 1;
    while is_taken(&format!("{name} #{number}")) {
        number += 1;
    }
    format!("{name} #{number}")
}
