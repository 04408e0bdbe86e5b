//! The order in which Python asks a class and those above it for a name: its linearization, by the C3 rule.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::names::{ClassId, DEEPEST};

/// Every class above each, in the order in which they are asked; no more than anybody has.
pub(super) fn above(bases: &FxHashMap<ClassId, Vec<ClassId>>) -> FxHashMap<ClassId, Vec<ClassId>> {
    let mut order = Order { bases, above: FxHashMap::default() };
    for id in bases.keys() {
        order.fill(*id, 0);
    }
    order.above
}

struct Order<'b> {
    bases: &'b FxHashMap<ClassId, Vec<ClassId>>,
    above: FxHashMap<ClassId, Vec<ClassId>>,
}

impl Order<'_> {
    fn fill(&mut self, id: ClassId, depth: usize) {
        let Some(bases) = self.bases.get(&id) else { return };
        if self.above.contains_key(&id) || depth > DEEPEST {
            return;
        }
        // A class that inherits itself, by a slip, ends here.
        self.above.insert(id, vec![]);
        let mut lines: Vec<VecDeque<ClassId>> = Vec::with_capacity(bases.len() + 1);
        for base in bases.iter().take(DEEPEST) {
            self.fill(*base, depth + 1);
            let above = self.above.get(base).map_or(&[][..], Vec::as_slice);
            lines.push(std::iter::once(base).chain(above).copied().filter(|it| *it != id).collect());
        }
        lines.push(bases.iter().copied().take(DEEPEST).collect());
        self.above.insert(id, merged(lines));
    }
}

/// The lines as one, in which nobody stands before who any of them has before him. Where they contradict each other, Python
/// makes no such class; then the first line goes first.
fn merged(mut lines: Vec<VecDeque<ClassId>>) -> Vec<ClassId> {
    let mut order = Vec::new();
    while order.len() < DEEPEST {
        lines.retain(|line| !line.is_empty());
        let is_waited_for = |id: ClassId| lines.iter().any(|line| line.iter().skip(1).any(|it| *it == id));
        let mut heads = lines.iter().map(|line| line[0]);
        let Some(next) = heads.clone().find(|head| !is_waited_for(*head)).or_else(|| heads.next()) else {
            break;
        };
        order.push(next);
        lines.iter_mut().for_each(|line| line.retain(|it| *it != next));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::above;
    use crate::contracts::names::ClassId;

    fn asked(classes: &[(usize, &[usize])], of: usize) -> Vec<usize> {
        let id = |class| ClassId { file: 0, class };
        let bases =
            classes.iter().map(|(class, bases)| (id(*class), bases.iter().map(|it| id(*it)).collect()));
        above(&bases.collect())[&id(of)].iter().map(|id| id.class).collect()
    }

    #[test]
    fn what_two_bases_share_is_asked_after_both() {
        assert_eq!(asked(&[(3, &[1, 2]), (1, &[0]), (2, &[0])], 3), [1, 2, 0]);
        // The example of Python's own document of the rule.
        let classes: [(usize, &[usize]); 6] =
            [(1, &[0]), (2, &[0]), (3, &[0]), (4, &[3, 0]), (5, &[1, 3]), (6, &[5, 4])];
        assert_eq!(asked(&classes, 6), [5, 1, 4, 3, 0]);
    }

    #[test]
    fn classes_that_cannot_be_made_end_as_well() {
        assert_eq!(asked(&[(1, &[2]), (2, &[1])], 1).len(), 1);
        assert_eq!(asked(&[(3, &[1, 2]), (4, &[2, 1]), (5, &[3, 4])], 5).len(), 4);
    }
}
