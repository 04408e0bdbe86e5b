//! What a test keeps while it runs: saved values, and what could not be saved.

use unitai_model::value::Value;

/// Values by name, in the order in which names came.
#[derive(Debug, Default)]
pub(super) struct Memory(Vec<Kept>);

/// What is kept under a name.
#[derive(Debug)]
struct Kept {
    name: String,
    /// Every value that was saved, the last one last.
    history: Vec<Value>,
    /// The step that should have saved a newer one and did not.
    missed_by: Option<String>,
}

/// What is found under a name.
#[derive(Debug, PartialEq)]
pub(super) enum Recalled<'a> {
    /// The value that was saved last, and all of them.
    Value(&'a Value, &'a [Value]),
    /// The step that should have saved it did not.
    Missing { by: &'a str },
    /// No step that has run saves under this name.
    Unknown,
}

impl Memory {
    /// Keeps one more value under a name.
    pub(super) fn save(&mut self, name: &str, value: Value) {
        let kept = self.under(name);
        kept.history.push(value);
        kept.missed_by = None;
    }

    /// A step failed that should have saved under this name: what was there before is history, and no answer any more.
    pub(super) fn miss(&mut self, name: &str, by: &str) {
        self.under(name).missed_by = Some(by.to_owned());
    }

    /// A step was left out that saves under this name. Another may have done so before.
    pub(super) fn leave_out(&mut self, name: &str, by: &str) {
        let kept = self.under(name);
        if kept.history.is_empty() {
            kept.missed_by = Some(by.to_owned());
        }
    }

    fn under(&mut self, name: &str) -> &mut Kept {
        let at = self.0.iter().position(|kept| kept.name == name).unwrap_or_else(|| {
            self.0.push(Kept { name: name.to_owned(), history: Vec::new(), missed_by: None });
            self.0.len() - 1
        });
        &mut self.0[at]
    }

    /// What is kept under a name.
    pub(super) fn recall(&self, name: &str) -> Recalled<'_> {
        match self.0.iter().find(|kept| kept.name == name) {
            Some(Kept { missed_by: Some(by), .. }) => Recalled::Missing { by },
            Some(Kept { history, .. }) => {
                history.last().map_or(Recalled::Unknown, |last| Recalled::Value(last, history))
            }
            None => Recalled::Unknown,
        }
    }

    /// Every name, for the nearest one.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|kept| kept.name.as_str())
    }

    /// How many values each name has: what comes later belongs to the iteration that begins now.
    pub(super) fn mark(&self) -> Vec<(String, usize)> {
        self.0.iter().map(|kept| (kept.name.clone(), kept.history.len())).collect()
    }

    /// What was saved since a mark, the last value of each name.
    pub(super) fn since(&self, mark: &[(String, usize)]) -> Value {
        let before = |name: &str| mark.iter().find(|(known, _)| known == name).map_or(0, |(_, count)| *count);
        let new = self.0.iter().filter(|kept| kept.history.len() > before(&kept.name));
        let entry = |kept: &Kept| Some((Value::Str(kept.name.clone()), kept.history.last()?.clone()));
        Value::Dict(new.filter_map(entry).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_fails_takes_the_name_away_until_one_succeeds() {
        let mut memory = Memory::default();
        memory.save("user", Value::Int(1));
        memory.miss("user", "Fetch again");
        assert_eq!(memory.recall("user"), Recalled::Missing { by: "Fetch again" });
        memory.save("user", Value::Int(2));
        let all = [Value::Int(1), Value::Int(2)];
        assert_eq!(memory.recall("user"), Recalled::Value(&all[1], &all));
        assert_eq!(memory.recall("users"), Recalled::Unknown);
    }

    #[test]
    fn a_step_that_is_left_out_takes_nothing_away() {
        let mut memory = Memory::default();
        memory.save("db", Value::Int(1));
        memory.leave_out("db", "Ask the other one");
        assert!(matches!(memory.recall("db"), Recalled::Value(..)));
        memory.leave_out("user", "Fetch");
        assert_eq!(memory.recall("user"), Recalled::Missing { by: "Fetch" });
    }

    #[test]
    fn an_iteration_knows_what_it_saved_itself() {
        let mut memory = Memory::default();
        memory.save("a", Value::Int(1));
        let mark = memory.mark();
        memory.save("b", Value::Int(2));
        assert_eq!(memory.since(&mark), Value::Dict(vec![(Value::Str("b".to_owned()), Value::Int(2))]));
    }
}
