//! What a file can say and hardly means.

use std::collections::HashMap;

use super::Reader;
use crate::document::telling::clipped;
use crate::document::{Spec, Step, Trouble};

impl Reader {
    /// Looks at a whole test.
    pub(super) fn lint(&mut self, spec: &Spec) {
        let mut savers = HashMap::new();
        for (name, steps) in [("setup", &spec.setup), ("steps", &spec.steps), ("teardown", &spec.teardown)] {
            self.savers(name, steps, &mut savers);
        }
    }

    /// Two steps that save under one name: the second takes the value of the first away.
    fn savers<'s>(&mut self, path: &str, steps: &'s [Step], savers: &mut HashMap<&'s str, &'s Step>) {
        for (at, step) in steps.iter().enumerate() {
            let path = format!("{path}[{at}]");
            if step.tool.is_empty() && (step.retry.is_some() || step.timeout.is_some()) {
                let what = if step.retry.is_some() { "retry" } else { "timeout" };
                self.troubles.push(Trouble::warning(
                    step.place.clone(),
                    format!("{path}.{what}"),
                    format!(
                        "`{what}` is about the call of a tool, and this step calls none: it has no effect"
                    ),
                    "put it on the steps that call tools",
                ));
            }
            if !step.save_as.is_empty() {
                match savers.get(step.save_as.as_str()) {
                    // A file that is included twice has the same step twice. Steps under conditions are alternatives.
                    Some(first) if first.place == step.place => {}
                    Some(first) if !first.when.is_empty() && !step.when.is_empty() => {}
                    Some(first) => {
                        let name = clipped(&step.save_as);
                        let message =
                            format!("`{name}` is saved by another step too, in line {}", first.place.line);
                        self.troubles.push(Trouble::warning(
                            step.place.clone(),
                            format!("{path}.save_as"),
                            message,
                            "give each its own name; `${name.$all}` has all values of a repeated step",
                        ));
                    }
                    None => {
                        savers.insert(&step.save_as, step);
                    }
                }
            }
            self.savers(&format!("{path}.steps"), &step.steps, savers);
        }
    }
}
