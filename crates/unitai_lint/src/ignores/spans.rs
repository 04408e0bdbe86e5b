//! Which comments count at a place, found without asking each of them.

use ruff_text_size::TextRange;

use super::Ignore;

/// Where comments count, by where that begins; a tree whose root is in the middle, and so on for both halves.
pub(super) struct Spans {
    /// Each with the index of its comment, and with how far the furthest of its half reaches.
    spans: Vec<(TextRange, usize, u32)>,
    /// The comments that count for the whole file.
    everywhere: Vec<usize>,
}

impl Spans {
    pub(super) fn of(all: &[Ignore]) -> Spans {
        let (mut spans, mut everywhere) = (Vec::new(), Vec::new());
        for (index, ignore) in all.iter().enumerate() {
            match ignore.span {
                Some(span) => spans.push((span, index, 0)),
                None => everywhere.push(index),
            }
        }
        spans.sort_unstable_by_key(|(span, ..)| span.start());
        furthest(&mut spans);
        Spans { spans, everywhere }
    }

    /// Shows every comment that counts somewhere in a range, or next to it.
    pub(super) fn each(&self, range: TextRange, mut show: impl FnMut(usize)) {
        self.everywhere.iter().for_each(|index| show(*index));
        let mut open = vec![&self.spans[..]];
        while let Some(half) = open.pop() {
            let middle = half.len() / 2;
            let Some((span, index, end)) = half.get(middle) else { continue };
            if *end < range.start().to_u32() {
                continue;
            }
            open.push(&half[..middle]);
            if span.start() <= range.end() {
                open.push(&half[middle + 1..]);
                if span.intersect(range).is_some() {
                    show(*index);
                }
            }
        }
    }
}

/// Says of each span how far its half reaches.
fn furthest(half: &mut [(TextRange, usize, u32)]) -> u32 {
    let middle = half.len() / 2;
    let Some((before, rest)) = half.split_at_mut_checked(middle) else { return 0 };
    let Some(((span, _, end), behind)) = rest.split_first_mut() else { return 0 };
    *end = furthest(before).max(furthest(behind)).max(span.end().to_u32());
    *end
}

#[cfg(test)]
mod tests {
    use ruff_text_size::TextRange;

    use super::Spans;
    use crate::ignores::Ignore;
    use crate::rules::SYNTAX_ERROR;

    #[test]
    fn it_finds_what_asking_each_of_them_finds() {
        let range = |start: u32, end: u32| TextRange::new(start.into(), end.into());
        let ignore = |span| Ignore {
            rule: &SYNTAX_ERROR,
            span,
            is_used: false,
            comment: TextRange::default(),
            removal: TextRange::default(),
        };
        for count in [0, 1, 2, 3, 7, 40] {
            let span = |at: u32| match at % 11 {
                0 => None,
                3 => Some(range(at, at + 60)),
                _ => Some(range(at * 37 % 90, at * 37 % 90 + at % 5)),
            };
            let all: Vec<Ignore> = (0..count).map(|at| ignore(span(at))).collect();
            let spans = Spans::of(&all);
            for (start, end) in (0..100).flat_map(|start| [(start, start), (start, start + 9)]) {
                let mut found = Vec::new();
                spans.each(range(start, end), |index| found.push(index));
                found.sort_unstable();
                let is_here = |ignore: &Ignore| {
                    ignore.span.is_none_or(|span| span.intersect(range(start, end)).is_some())
                };
                let expected: Vec<usize> = (0..all.len()).filter(|at| is_here(&all[*at])).collect();
                assert_eq!(found, expected, "{count} comments, {start} to {end}");
            }
        }
    }
}
