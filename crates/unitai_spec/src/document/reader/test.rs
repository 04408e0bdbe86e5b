//! One document: the whole of a test, with what it includes and one test for each row of its cases.

use unitai_model::value::Value;

use super::fields::Fields;
use super::include::{Included, Parts};
use super::{Beside, Reader, expressions};
use crate::document::Spec;
use crate::document::keys::FILE;
use crate::document::yaml::Node;

impl Reader {
    /// The tests of a document.
    pub(super) fn document(&mut self, root: &Node) -> Vec<Spec> {
        let compat = root.get("test").and_then(|test| test.get("compat"));
        self.is_lenient = compat.is_some_and(|compat| compat.text() == Some("llm-pytest"));
        self.beside = Beside::default();
        let Some(fields) = self.fields(root, "", "a test", FILE) else { return vec![] };
        let meta = match fields.get("test") {
            Some((node, path)) => self.meta(node, &path),
            None => self.missing(root, &fields, "test", "write `test: {name: ...}`"),
        };
        let included = self.included_by(&fields);
        let own = self.parts(&fields);
        let gives_steps = included.iter().any(|included| included.has_steps);
        if !fields.has("steps") && !gives_steps {
            self.missing::<()>(root, &fields, "steps", "write `steps:` and a list of steps");
        }
        let verdict = match fields.get("verdict") {
            Some((node, path)) => self.verdict(node, &path),
            None => self.missing(
                root,
                &fields,
                "verdict",
                "write `verdict: {pass_if: ..., fail_if: ...}` or `verdict: checks`",
            ),
        };
        let parts = self.joined(own, included);
        let rows = fields.get("cases").map(|(node, path)| self.cases(node, &path, &parts.beside.vars));
        let (Some(test), Some(verdict)) = (meta, verdict) else { return vec![] };
        let spec = Spec {
            test,
            servers: parts.beside.servers,
            vars: parts.beside.vars,
            case: None,
            twin: 1,
            setup: parts.setup,
            steps: parts.steps,
            teardown: parts.teardown,
            verdict,
            place: self.place(root.at),
        };
        self.lint(&spec);
        self.troubles.extend(expressions::troubles(&spec));
        match rows {
            None => vec![spec],
            Some(rows) => rows.into_iter().map(|row| row.over(&spec)).collect(),
        }
    }

    fn missing<T>(&mut self, root: &Node, fields: &Fields<'_>, key: &str, remedy: &str) -> Option<T> {
        if !fields.is_misspelled(key) {
            self.tell(root.at, key, format!("a test must have `{key}`, which is not there"), remedy);
        }
        None
    }

    /// What a file itself says of servers, values and steps.
    pub(super) fn parts(&mut self, fields: &Fields<'_>) -> Parts {
        let servers = fields.get("servers").map(|(node, path)| self.servers(node, &path));
        let vars = fields.get("vars").map(|(node, path)| self.values(node, &path));
        let [setup, steps, teardown] = ["setup", "steps", "teardown"]
            .map(|name| fields.get(name).map(|(node, path)| self.steps(node, &path)).unwrap_or_default());
        let beside = Beside { servers: servers.unwrap_or_default(), vars: vars.unwrap_or_default() };
        Parts { beside, setup, steps, teardown }
    }

    /// What a file says together with what it includes: setup and steps of included files come first, their teardown
    /// last, and those that were set up last are torn down first.
    pub(super) fn joined(&mut self, own: Parts, included: Vec<Included>) -> Parts {
        let mut whole = Parts { beside: own.beside, setup: vec![], steps: vec![], teardown: own.teardown };
        let mut others = vec![];
        for Included { parts, .. } in included {
            whole.setup.extend(parts.setup);
            whole.steps.extend(parts.steps);
            others.push((parts.beside, parts.teardown));
        }
        for (beside, teardown) in others.into_iter().rev() {
            whole.beside.add(beside);
            whole.teardown.extend(teardown);
        }
        whole.setup.extend(own.setup);
        whole.steps.extend(own.steps);
        whole.beside.add(std::mem::take(&mut self.beside));
        whole
    }

    /// Values by name; nothing is none.
    pub(super) fn values(&mut self, node: &Node, path: &str) -> Vec<(String, Value)> {
        if node.is_null() {
            return vec![];
        }
        let all = self.named(node, path);
        all.into_iter().map(|(name, node, _)| (name.to_owned(), node.value())).collect()
    }
}
