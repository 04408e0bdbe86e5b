//! The tools of a server, which may change while somebody looks at them.
//!
//! The port lends a slice, so a list that was lent must stay. Each change is a new list behind the old one; an
//! unchanged list is not kept twice.

use std::sync::OnceLock;

use unitai_spec::run::Tool;

/// A list, and the one that took its place.
#[derive(Debug, Default)]
pub(super) struct ToolList {
    tools: Vec<Tool>,
    next: OnceLock<Box<ToolList>>,
}

impl ToolList {
    pub(super) fn new(tools: Vec<Tool>) -> ToolList {
        ToolList { tools, next: OnceLock::new() }
    }

    /// The newest list.
    pub(super) fn newest(&self) -> &[Tool] {
        &self.last().tools
    }

    /// Puts another list in its place.
    pub(super) fn replace(&self, tools: Vec<Tool>) {
        let last = self.last();
        if last.tools == tools {
            return;
        }
        if let Err(mut late) = last.next.set(Box::new(ToolList::new(tools))) {
            // Somebody else was first; theirs is older.
            self.replace(std::mem::take(&mut late.tools));
        }
    }

    fn last(&self) -> &ToolList {
        let mut list = self;
        while let Some(next) = list.next.get() {
            list = next;
        }
        list
    }
}

impl Drop for ToolList {
    fn drop(&mut self) {
        // One after the other: a long chain would not fit on the stack.
        let mut next = self.next.take();
        while let Some(mut list) = next {
            next = list.next.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str) -> Tool {
        Tool { name: name.to_owned(), description: String::new(), input_schema: serde_json::Value::Null }
    }

    #[test]
    fn a_list_that_was_lent_stays_when_another_takes_its_place() {
        let list = ToolList::new(vec![tool("a")]);
        let lent = list.newest();
        list.replace(vec![tool("a"), tool("b")]);
        assert_eq!((lent.len(), list.newest().len()), (1, 2));
    }

    #[test]
    fn the_newest_of_many_counts() {
        let list = ToolList::default();
        for number in 0..100 {
            list.replace(vec![tool(&number.to_string())]);
        }
        assert_eq!(list.newest(), [tool("99")]);
    }
}
