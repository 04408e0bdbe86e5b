//! Pairing the calls of a trajectory with those of a reference when order does not count.
//!
//! The pairing is a maximum one: an early match never takes a call that another entry of the
//! reference needed more. Plain data is paired by hash in linear time; what is left (matchers, live
//! objects) grows the pairing by augmenting paths, which ends at a maximum from any start.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};

use rustc_hash::{FxBuildHasher, FxHasher};
use unitai_model::calls::PlacedCall;
use unitai_model::value::hash;
use unitai_model::{Packed, ToolName};

use super::ExpectedCall;

type Map<K, V> = HashMap<K, V, FxBuildHasher>;

/// Who stayed alone, as indices in order.
pub(super) struct Pairs {
    /// Entries of the reference without a call.
    pub(super) missing: Vec<usize>,
    /// Calls without an entry of the reference.
    pub(super) surplus: Vec<usize>,
}

pub(super) fn pair(expected: &[ExpectedCall], actual: &[PlacedCall<'_>]) -> Pairs {
    let mut pairing =
        Pairing { expected, actual, call_of: vec![None; expected.len()], entry_of: vec![None; actual.len()] };
    pairing.pair_same_text();
    if pairing.is_open() {
        if pairing.lacks_a_call_of_its_own() {
            pairing.grow();
        }
        pairing.give_the_rest_away();
    }
    Pairs { missing: alone(&pairing.call_of), surplus: alone(&pairing.entry_of) }
}

fn alone(partners: &[Option<usize>]) -> Vec<usize> {
    partners.iter().enumerate().filter(|(_, partner)| partner.is_none()).map(|(n, _)| n).collect()
}

struct Pairing<'a> {
    expected: &'a [ExpectedCall],
    actual: &'a [PlacedCall<'a>],
    call_of: Vec<Option<usize>>,
    entry_of: Vec<Option<usize>>,
}

impl Pairing<'_> {
    /// Pairs calls whose stored text is the same, without reading it.
    fn pair_same_text(&mut self) {
        let mut waiting: Map<(&ToolName, &str), Vec<usize>> = Map::default();
        for (at, call) in self.actual.iter().enumerate().rev() {
            waiting.entry((&call.call.tool, call.call.args.text())).or_default().push(at);
        }
        for (n, entry) in self.expected.iter().enumerate() {
            let Some(data) = data(entry) else { continue };
            let Some(calls) = waiting.get_mut(&(&entry.tool, data.text())) else { continue };
            let Some(at) = calls.pop() else { continue };
            if data.is_tagged() && !entry.accepts(self.actual[at]) {
                continue;
            }
            self.call_of[n] = Some(at);
            self.entry_of[at] = Some(n);
        }
    }

    /// Whether both sides still have somebody alone.
    fn is_open(&self) -> bool {
        self.call_of.contains(&None) && self.entry_of.contains(&None)
    }

    /// Whether an entry that asks for certain arguments is alone.
    fn lacks_a_call_of_its_own(&self) -> bool {
        self.expected
            .iter()
            .zip(&self.call_of)
            .any(|(entry, call)| call.is_none() && entry.args.port().is_some())
    }

    /// Grows the pairing until it is a maximum one.
    fn grow(&mut self) {
        let candidates = Candidates::of(self.expected, self.actual);
        let mut seen = vec![usize::MAX; self.actual.len()];
        for n in 0..self.expected.len() {
            if self.call_of[n].is_none() && self.expected[n].args.port().is_some() {
                self.augment(n, &candidates, &mut seen);
            }
        }
    }

    /// Gives calls that are still alone to entries that take any arguments. They come last: whatever
    /// is left of their tool serves them equally well, so no other entry has to make room.
    fn give_the_rest_away(&mut self) {
        let mut free: Map<&ToolName, Vec<usize>> = Map::default();
        for (at, call) in self.actual.iter().enumerate().rev() {
            if self.entry_of[at].is_none() {
                free.entry(&call.call.tool).or_default().push(at);
            }
        }
        for (n, entry) in self.expected.iter().enumerate() {
            if self.call_of[n].is_none()
                && entry.args.port().is_none()
                && let Some(at) = free.get_mut(&entry.tool).and_then(Vec::pop)
            {
                self.call_of[n] = Some(at);
                self.entry_of[at] = Some(n);
            }
        }
    }

    /// Seeks a path from the entry `start` to a call that is alone, and turns every pair on it
    /// over. Breadth first, with the paths kept as parents: depth cannot overflow the stack.
    fn augment(&mut self, start: usize, candidates: &Candidates, seen: &mut [usize]) {
        let mut queue = vec![start];
        let mut parent: Map<usize, usize> = Map::default();
        let mut head = 0;
        while let Some(entry) = queue.get(head).copied() {
            head += 1;
            for at in candidates.calls_for(entry) {
                if seen[at] == start || !self.expected[entry].accepts(self.actual[at]) {
                    continue;
                }
                seen[at] = start;
                parent.insert(at, entry);
                match self.entry_of[at] {
                    Some(other) => queue.push(other),
                    None => return self.turn_over(at, start, &parent),
                }
            }
        }
    }

    fn turn_over(&mut self, mut at: usize, start: usize, parent: &Map<usize, usize>) {
        loop {
            let entry = parent[&at];
            let released = self.call_of[entry].replace(at);
            self.entry_of[at] = Some(entry);
            match released {
                Some(call) if entry != start => at = call,
                _ => return,
            }
        }
    }
}

/// Which calls an entry could possibly accept.
struct Candidates {
    of_entry: Vec<Likely>,
    by_tool: Vec<Vec<usize>>,
    by_data: Map<u64, Vec<usize>>,
    live: Vec<Vec<usize>>,
}

enum Likely {
    /// Plain data: only calls with the same hash, and those that hold live objects.
    Data { key: u64, tool: usize },
    /// A matcher: any call of the tool.
    Any { tool: usize },
    /// The tool was never called.
    None,
}

impl Candidates {
    fn of(expected: &[ExpectedCall], actual: &[PlacedCall<'_>]) -> Candidates {
        let mut tools: Map<&ToolName, usize> = Map::default();
        let mut by_tool: Vec<Vec<usize>> = Vec::new();
        for (at, call) in actual.iter().enumerate() {
            let tool = *tools.entry(&call.call.tool).or_insert_with(|| {
                by_tool.push(Vec::new());
                by_tool.len() - 1
            });
            by_tool[tool].push(at);
        }
        let mut by_data: Map<u64, Vec<usize>> = Map::default();
        let mut live = vec![Vec::new(); by_tool.len()];
        for (at, call) in actual.iter().enumerate() {
            if call.call.args.is_opaque() {
                live[tools[&call.call.tool]].push(at);
            } else {
                by_data.entry(data_key(&call.call.tool, &call.call.args)).or_default().push(at);
            }
        }
        let of_entry = expected
            .iter()
            .map(|entry| match (tools.get(&entry.tool), data(entry)) {
                (None, _) => Likely::None,
                (Some(tool), Some(data)) => Likely::Data { key: data_key(&entry.tool, data), tool: *tool },
                (Some(tool), None) => Likely::Any { tool: *tool },
            })
            .collect();
        Candidates { of_entry, by_tool, by_data, live }
    }

    fn calls_for(&self, entry: usize) -> impl Iterator<Item = usize> + '_ {
        let (some, more): (&[usize], &[usize]) = match &self.of_entry[entry] {
            Likely::None => (&[], &[]),
            Likely::Any { tool } => (&self.by_tool[*tool], &[]),
            Likely::Data { key, tool } => {
                (self.by_data.get(key).map_or(&[], Vec::as_slice), &self.live[*tool])
            }
        };
        some.iter().chain(more).copied()
    }
}

fn data(entry: &ExpectedCall) -> Option<&Packed> {
    entry.args.port()?.as_data()
}

fn data_key(tool: &ToolName, args: &Packed) -> u64 {
    let mut hasher = FxHasher::default();
    tool.hash(&mut hasher);
    hash(&args.value()).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use unitai_model::value::equal;

    use super::*;

    #[test]
    fn hash_and_equality_agree_on_what_pairs() {
        let (a, b) = (Packed::from_text("{\"n\":1}").unwrap(), Packed::from_text("{\"n\":1.0}").unwrap());
        let tool = ToolName::new("t");
        assert!(equal(&a.value(), &b.value()));
        assert_eq!(data_key(&tool, &a), data_key(&tool, &b));
    }
}
