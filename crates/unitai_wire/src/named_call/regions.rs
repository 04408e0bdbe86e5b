//! The pieces of code in a text: fences and tags.

use super::code::Language;

/// A piece of a text.
#[derive(Debug, PartialEq)]
pub(super) enum Region<'a> {
    /// Code that its author marked as such.
    Code { text: &'a str, language: Language },
    /// Everything else. Lines of it may still be code.
    Prose(&'a str),
}

const FENCE: &str = "```";
/// Tags around code that an agent runs.
const TAGS: [&str; 6] = ["code", "tool_code", "execute_python", "execute", "python", "py"];

/// Cuts a text into its regions. What is never closed is prose: other answers follow it.
pub(super) fn regions(text: &str) -> Vec<Region<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(block) = next_block(rest) {
        found.push(Region::Prose(&rest[..block.start]));
        found.push(block.region);
        rest = &rest[block.end..];
    }
    found.push(Region::Prose(rest));
    found
}

struct Block<'a> {
    start: usize,
    end: usize,
    region: Region<'a>,
}

fn next_block(text: &str) -> Option<Block<'_>> {
    let mut from = 0;
    loop {
        let fence = text[from..].find(FENCE).map(|at| from + at);
        let tag = next_tag(text, from);
        match (fence, tag) {
            (Some(at), Some((start, _))) if at < start => {
                if let Some(block) = fenced(text, at) {
                    return Some(block);
                }
                from = at + FENCE.len();
            }
            (_, Some((start, name))) => {
                if let Some(block) = tagged(text, start, name) {
                    return Some(block);
                }
                from = start + 1;
            }
            (Some(at), None) => {
                if let Some(block) = fenced(text, at) {
                    return Some(block);
                }
                from = at + FENCE.len();
            }
            (None, None) => return None,
        }
    }
}

fn next_tag(text: &str, from: usize) -> Option<(usize, &'static str)> {
    text[from..].match_indices('<').find_map(|(at, _)| {
        let after = &text[from + at + 1..];
        let is_tag = |name: &&&str| after.strip_prefix(**name).is_some_and(|rest| rest.starts_with('>'));
        TAGS.iter().find(is_tag).map(|name| (from + at, *name))
    })
}

fn tagged<'a>(text: &'a str, start: usize, name: &str) -> Option<Block<'a>> {
    let body = start + name.len() + 2;
    let closing = format!("</{name}>");
    let length = text[body..].find(&closing)?;
    let inside = &text[body..body + length];
    // In one line, it is most likely a name in prose.
    let region = if inside.contains('\n') {
        Region::Code { text: inside, language: Language::Python }
    } else {
        Region::Prose(inside)
    };
    Some(Block { start, end: body + length + closing.len(), region })
}

fn fenced(text: &str, start: usize) -> Option<Block<'_>> {
    let opened = start + FENCE.len();
    let line = text[opened..].find('\n').map_or(text.len(), |length| opened + length);
    if let Some(length) = text[opened..line].find(FENCE) {
        let region = Region::Prose(&text[opened..opened + length]);
        return Some(Block { start, end: opened + length + FENCE.len(), region });
    }
    let length = text[line..].find(FENCE)?;
    let inside = &text[line..line + length];
    let region = match Language::named(text[opened..line].trim()) {
        Some(language) => Region::Code { text: inside, language },
        None => Region::Prose(inside),
    };
    Some(Block { start, end: line + length + FENCE.len(), region })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_with_a_language_is_code_and_an_unclosed_one_is_prose() {
        let python = |text| Region::Code { text, language: Language::Python };
        assert_eq!(regions("a ```py\nb\n``` c"), [Region::Prose("a "), python("\nb\n"), Region::Prose(" c")]);
        assert_eq!(regions("a ```py\nb"), [Region::Prose("a ```py\nb")]);
        assert_eq!(regions("<code>\nb\n</code>"), [Region::Prose(""), python("\nb\n"), Region::Prose("")]);
        assert_eq!(regions("<code>b"), [Region::Prose("<code>b")]);
    }
}
