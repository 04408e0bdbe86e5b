//! What comments allow, to be kept in a file.

use ruff_text_size::TextRange;

use super::{Ignore, Ignores};
use crate::rule;

/// One that is kept in a file.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct KeptIgnore {
    rule: String,
    span: Option<(u32, u32)>,
    comment: (u32, u32),
    removal: (u32, u32),
}

impl Ignores {
    /// To be kept in a file.
    pub(crate) fn kept(&self) -> Vec<KeptIgnore> {
        let pair = |range: TextRange| (range.start().to_u32(), range.end().to_u32());
        let one = |ignore: &Ignore| KeptIgnore {
            rule: ignore.rule.name.to_owned(),
            span: ignore.span.map(pair),
            comment: pair(ignore.comment),
            removal: pair(ignore.removal),
        };
        self.all.iter().map(one).collect()
    }

    /// As they were kept.
    pub(crate) fn of_kept(kept: Vec<KeptIgnore>) -> Ignores {
        let range = |(start, end): (u32, u32)| TextRange::new(start.into(), end.into());
        let one = |kept: KeptIgnore| {
            Some(Ignore {
                rule: rule(&kept.rule)?,
                span: kept.span.map(range),
                is_used: false,
                comment: range(kept.comment),
                removal: range(kept.removal),
            })
        };
        Ignores { all: kept.into_iter().filter_map(one).collect() }
    }
}
