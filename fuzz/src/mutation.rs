//! Changes to JSON that leave it JSON, wherever it stands in an input. Bytes changed at random are
//! seldom JSON, and what is behind the parser would never be reached. Works on the text, so that the
//! order of keys and everything outside stay as they were.

use libfuzzer_sys::fuzzer_mutate;

use crate::random::Random;

/// Keys and values that the readers look for.
const WORDS: &str = include_str!("words.txt");

/// Values at the borders of what is allowed.
const LITERALS: &[&str] = &[
    "null",
    "true",
    "false",
    "0",
    "1",
    "-1",
    "100",
    "1.5",
    "-0.0",
    "1e300",
    "1E5",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "\"\"",
    "\"0\"",
    "\"0.000000000001\"",
    "\"\\u0000\"",
    "\"\\ud83d\\ude00\"",
    "\"é\\n\\\"\"",
    "[]",
    "{}",
    "[[]]",
    "[null]",
    "{\"\":0}",
    "{\"$unitai\":\"tuple\",\"items\":[1]}",
    "{\"$unitai\":\"dict\",\"items\":[[1,2]]}",
];

/// A value in a text, and where its key begins if it has one.
#[derive(Clone, Copy)]
struct Span {
    entry: usize,
    start: usize,
    end: usize,
}

/// The mutator of every target whose input holds JSON.
pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut random = Random::new(u64::from(seed));
    if random.below(4) > 0
        && let Some(changed) = changed(&data[..size], &mut random)
        && changed.len() <= max_size
    {
        data[..changed.len()].copy_from_slice(&changed);
        return changed.len();
    }
    fuzzer_mutate(data, size, max_size)
}

fn changed(text: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let spans = spans(text);
    let Span { entry, start, end } = *random.of_list(&spans)?;
    let words: Vec<&str> = WORDS.lines().collect();
    let word = *random.of_list(&words)?;
    let value = &text[start..end];
    let other = *random.of_list(&spans)?;
    let other_value = &text[other.start..other.end];
    Some(match random.below(9) {
        0 => spliced(text, start, end, &[random.of_list(LITERALS)?.as_bytes()]),
        1 => spliced(text, start, end, &[other_value]),
        2 => spliced(text, start, end, &[format!("\"{word}\"").as_bytes()]),
        3 => spliced(text, start, end, &[random.next().to_string().as_bytes()]),
        4 => spliced(text, start, end, &[b"[", value, b"]"]),
        5 => spliced(text, start, end, &[format!("{{\"{word}\":").as_bytes(), value, b"}"]),
        6 => spliced(text, end, end, &[b",", &text[entry..end]]),
        7 if entry < start => spliced(text, entry, start, &[format!("\"{word}\":").as_bytes()]),
        7 => spliced(text, end, end, &[b",", other_value]),
        _ => match (text.get(end), entry.checked_sub(1).map(|before| text[before])) {
            (Some(b','), _) => spliced(text, entry, end + 1, &[]),
            (_, Some(b',')) => spliced(text, entry - 1, end, &[]),
            _ => spliced(text, entry, end, &[]),
        },
    })
}

fn spliced(text: &[u8], start: usize, end: usize, new: &[&[u8]]) -> Vec<u8> {
    [&text[..start], &new.concat(), &text[end..]].concat()
}

/// Every value inside brackets, and the brackets themselves.
fn spans(text: &[u8]) -> Vec<Span> {
    let (mut spans, mut open, mut key, mut at) = (Vec::new(), Vec::new(), None, 0);
    while let Some(&byte) = text.get(at) {
        let start = at;
        at += 1;
        match byte {
            b'{' | b'[' => open.push((key.take().unwrap_or(start), start)),
            b'}' | b']' => {
                if let Some((entry, start)) = open.pop() {
                    spans.push(Span { entry, start, end: at });
                }
                key = None;
            }
            b'"' if !open.is_empty() => {
                at = end_of_string(text, at);
                if text.get(at) == Some(&b':') {
                    key = Some(start);
                } else {
                    spans.push(Span { entry: key.take().unwrap_or(start), start, end: at });
                }
            }
            b'-' | b'0'..=b'9' | b'a'..=b'z' if !open.is_empty() => {
                let is_more =
                    |byte: &&u8| matches!(byte, b'-' | b'+' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'E');
                at += text[at..].iter().take_while(is_more).count();
                spans.push(Span { entry: key.take().unwrap_or(start), start, end: at });
            }
            _ => {}
        }
    }
    spans
}

fn end_of_string(text: &[u8], mut at: usize) -> usize {
    while let Some(byte) = text.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}
