//! Reading version 1 exactly as this release writes it: the same keys in the same order, no white
//! space. Long trajectories are read several times as fast as by the general reader, because each
//! value is only checked and copied. Anything else is `None`: the general reader takes over, and
//! says what is wrong if something is. Tests hold the two readers to each other.

use std::sync::Arc;

use arcstr::ArcStr;

use super::exchange::{Counts, ExchangeDocument};
use super::fault::FaultDocument;
use super::v1::Names;
use crate::{Action, Ending, Failure, ModelCall, Outcome, Packed, StateChange, Step, ToolCall, Trajectory};

/// Deeper values are left to the general reader, which has a limit of its own.
const MAX_DEPTH: usize = 110;

pub(super) fn read(text: &str) -> Option<Trajectory> {
    // Copied once; every value of the trajectory is then a part of this copy.
    let whole = ArcStr::from(text);
    let mut reader = Reader { text, whole, at: 0, names: Names::default() };
    let trajectory = reader.document()?;
    (reader.at == text.len()).then_some(trajectory)
}

struct Reader<'a> {
    text: &'a str,
    whole: ArcStr,
    at: usize,
    names: Names,
}

impl<'a> Reader<'a> {
    fn document(&mut self) -> Option<Trajectory> {
        self.take("{\"format\":\"unitai.trajectory\",\"version\":1,\"run_id\":")?;
        let run_id = self.string()?;
        self.take(",\"input\":")?;
        let input = self.value()?;
        self.take(",\"started_at\":")?;
        let started_at = self.number()?;
        self.take(",\"duration_seconds\":")?;
        let duration_seconds = self.number()?;
        self.take(",\"steps\":[")?;
        let mut steps = Vec::new();
        if self.take("]").is_none() {
            loop {
                steps.push(self.step()?);
                if self.take(",").is_none() {
                    break self.take("]")?;
                }
            }
        }
        let ending = if self.take(",\"final_output\":").is_some() {
            Ending::Returned(self.value()?)
        } else {
            self.take(",\"error\":")?;
            Ending::Raised(self.failure()?)
        };
        self.take("}")?;
        Some(Trajectory::new(run_id, input, started_at, duration_seconds, steps, ending))
    }

    fn step(&mut self) -> Option<Step> {
        self.take("{\"step_type\":\"")?;
        let kind =
            ["tool_call", "llm_call", "state_change"].into_iter().find(|kind| self.take(kind).is_some())?;
        self.take("\",\"timestamp\":")?;
        let timestamp = self.number()?;
        let agent_id = if self.take(",\"agent_id\":").is_some() { Some(self.string()?) } else { None };
        let fault = if self.take(",\"fault\":").is_some() {
            let from = self.at;
            self.value()?;
            let document: FaultDocument<'_> = serde_json::from_str(&self.text[from..self.at]).ok()?;
            Some(Box::new(document.read().ok()?))
        } else {
            None
        };
        let action = match kind {
            "tool_call" => Action::ToolCall(self.tool_call()?),
            "llm_call" => Action::ModelCall(self.model_call()?),
            _ => Action::StateChange(self.state_change()?),
        };
        self.take("}")?;
        Some(Step { timestamp, agent_id, action, fault })
    }

    fn tool_call(&mut self) -> Option<ToolCall> {
        self.take(",\"tool_name\":")?;
        let tool = match self.plain_string() {
            Some(name) => self.names.tool(name),
            None => {
                let name = self.string()?;
                self.names.tool(&name)
            }
        };
        self.take(",\"tool_args\":")?;
        let args = self.value().filter(Packed::is_dict)?;
        let outcome = if self.take(",\"tool_result\":").is_some() {
            let result = self.value()?;
            let is_unseen = self.take(",\"unseen\":true").is_some();
            if is_unseen { Outcome::Unseen(result) } else { Outcome::Returned(result) }
        } else if self.take(",\"tool_error\":").is_some() {
            let error = Box::new(self.failure()?);
            let is_rejected = self.take(",\"rejected\":true").is_some();
            if is_rejected { Outcome::Rejected(error) } else { Outcome::Raised(error) }
        } else {
            Outcome::Unfinished
        };
        Some(ToolCall { tool, args, outcome })
    }

    fn model_call(&mut self) -> Option<ModelCall> {
        self.take(",\"model\":")?;
        let model = self.string()?;
        let prompt = self.count(",\"prompt_tokens\":")?;
        let completion = self.count(",\"completion_tokens\":")?;
        let [cache_read, cache_write, cache_write_long, reasoning] = [
            self.count(",\"cache_read_tokens\":")?,
            self.count(",\"cache_write_tokens\":")?,
            self.count(",\"cache_write_long_tokens\":")?,
            self.count(",\"reasoning_tokens\":")?,
        ]
        .map(Option::unwrap_or_default);
        let counts = Counts { prompt, completion, cache_read, cache_write, cache_write_long, reasoning };
        let usage = counts.usage().ok()?;
        let cost =
            if self.take(",\"cost\":").is_some() { Some(self.plain_string()?.parse().ok()?) } else { None };
        let exchange = if self.take(",\"exchange\":").is_some() {
            let from = self.at;
            self.value()?;
            let document: ExchangeDocument<'_> = serde_json::from_str(&self.text[from..self.at]).ok()?;
            Some(Box::new(document.read().ok()?))
        } else {
            None
        };
        Some(ModelCall { model, usage, cost, exchange })
    }

    /// A number after this key; `Some(None)` when the key is not there.
    fn count(&mut self, key: &str) -> Option<Option<u64>> {
        if self.take(key).is_none() { Some(None) } else { self.scalar()?.parse().ok().map(Some) }
    }

    fn state_change(&mut self) -> Option<StateChange> {
        self.take(",\"key\":")?;
        let key = self.string()?;
        self.take(",\"old_value\":")?;
        let old_value = self.value()?;
        self.take(",\"new_value\":")?;
        let new_value = self.value()?;
        Some(StateChange { key, old_value, new_value })
    }

    fn failure(&mut self) -> Option<Failure> {
        self.take("{\"type\":")?;
        let type_name = self.string()?;
        let mut bases: Vec<String> = Vec::new();
        if self.take(",\"bases\":[").is_some() {
            loop {
                bases.push(self.string()?.to_string());
                if self.take(",").is_none() {
                    break self.take("]")?;
                }
            }
        }
        self.take(",\"message\":")?;
        let message = self.string()?;
        let place = if self.take(",\"place\":").is_some() { Some(self.string()?.to_string()) } else { None };
        self.take("}")?;
        Some(Failure::new(&*type_name, bases, &*message).at(place))
    }

    /// Takes exactly this text.
    fn take(&mut self, expected: &str) -> Option<()> {
        let end = self.at + expected.len();
        (self.text.as_bytes().get(self.at..end)? == expected.as_bytes()).then(|| self.at = end)
    }

    /// Takes any value, checked and as it stands.
    fn value(&mut self) -> Option<Packed> {
        let end = end_of_value(self.text.as_bytes(), self.at, 0)?;
        let value = Packed::from_written(&self.whole, self.at, end).ok()?;
        self.at = end;
        Some(value)
    }

    /// Takes a finite number.
    fn number(&mut self) -> Option<f64> {
        self.scalar()?.parse().ok().filter(|number: &f64| number.is_finite())
    }

    fn scalar(&mut self) -> Option<&'a str> {
        let end = end_of_number(self.text.as_bytes(), self.at)?;
        let text = &self.text[self.at..end];
        self.at = end;
        Some(text)
    }

    /// Takes a string that needs no unescaping; leaves any other.
    fn plain_string(&mut self) -> Option<&'a str> {
        let end = end_of_string(self.text.as_bytes(), self.at)?;
        let inner = &self.text[self.at + 1..end - 1];
        (!inner.contains('\\')).then(|| self.at = end)?;
        Some(inner)
    }

    fn string(&mut self) -> Option<Arc<str>> {
        if let Some(plain) = self.plain_string() {
            return Some(Arc::from(plain));
        }
        let end = end_of_string(self.text.as_bytes(), self.at)?;
        let text: String = serde_json::from_str(&self.text[self.at..end]).ok()?;
        self.at = end;
        Some(Arc::from(text))
    }
}

/// Where the value that begins at `at` ends; `None` if it is not written as this release writes.
fn end_of_value(bytes: &[u8], at: usize, depth: usize) -> Option<usize> {
    match bytes.get(at)? {
        b'"' => end_of_string(bytes, at),
        b'{' => end_of_items(bytes, at, b'}', depth, |at| {
            let colon = end_of_string(bytes, at)?;
            (bytes.get(colon) == Some(&b':')).then_some(())?;
            end_of_value(bytes, colon + 1, depth + 1)
        }),
        b'[' => end_of_items(bytes, at, b']', depth, |at| end_of_value(bytes, at, depth + 1)),
        b't' => bytes[at..].starts_with(b"true").then_some(at + 4),
        b'f' => bytes[at..].starts_with(b"false").then_some(at + 5),
        b'n' => bytes[at..].starts_with(b"null").then_some(at + 4),
        _ => end_of_number(bytes, at),
    }
}

fn end_of_items(
    bytes: &[u8],
    open: usize,
    close: u8,
    depth: usize,
    end_of_item: impl Fn(usize) -> Option<usize>,
) -> Option<usize> {
    if depth > MAX_DEPTH {
        return None;
    }
    if bytes.get(open + 1) == Some(&close) {
        return Some(open + 2);
    }
    let mut at = open;
    loop {
        at = end_of_item(at + 1)?;
        match bytes.get(at)? {
            b',' => {}
            byte if *byte == close => return Some(at + 1),
            _ => return None,
        }
    }
}

fn end_of_string(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'"') {
        return None;
    }
    let mut at = at + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => match bytes.get(at + 1)? {
                b'"' | b'\\' | b'n' | b'r' | b't' => at += 2,
                // The only other escape that is written is that of a control character without a short form.
                b'u' if bytes.get(at + 2..at + 6).is_some_and(is_written_escape) => at += 6,
                _ => return None,
            },
            0x00..=0x1f => return None,
            _ => at += 1,
        }
    }
}

/// Whether `digits` after `\\u` are those of a control character, as this release spells it.
fn is_written_escape(digits: &[u8]) -> bool {
    let is_control = digits.starts_with(b"000") || digits.starts_with(b"001");
    is_control
        && matches!(digits[3], b'0'..=b'9' | b'a'..=b'f')
        && ![b"0009", b"000a", b"000d"].iter().any(|short| *short == digits)
}

fn end_of_number(bytes: &[u8], at: usize) -> Option<usize> {
    let digits = |from: usize| from + bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let start = if bytes.get(at) == Some(&b'-') { at + 1 } else { at };
    let mut end = digits(start.min(bytes.len()));
    if end == start || (bytes[start] == b'0' && end > start + 1) {
        return None;
    }
    if bytes.get(end) == Some(&b'.') {
        let fraction = digits(end + 1);
        if fraction == end + 1 {
            return None;
        }
        end = fraction;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'-' | b'+')));
        let exponent = digits((end + 1 + sign).min(bytes.len()));
        if exponent == end + 1 + sign {
            return None;
        }
        end = exponent;
    }
    // Only such a number can be beyond all floats, and then it is none: the general reader says so.
    let is_far = end - at > 300 || bytes[at..end].iter().any(|byte| matches!(byte, b'e' | b'E'));
    let is_finite = || std::str::from_utf8(&bytes[at..end]).ok()?.parse().ok().map(f64::is_finite);
    if is_far && is_finite() != Some(true) { None } else { Some(end) }
}

#[cfg(test)]
mod tests {
    use super::super::v1;
    use super::*;

    const DOCUMENT: &str = concat!(
        r#"{"format":"unitai.trajectory","version":1,"run_id":"r\n\u0001","input":{"a":[1,-2.5e-3,true,null,{}],"b":[]},"#,
        r#""started_at":17.25,"duration_seconds":1.0,"steps":["#,
        r#"{"step_type":"tool_call","timestamp":1.5,"agent_id":"x","tool_name":"a","tool_args":{"é":"\\\"é"},"tool_result":false},"#,
        r#"{"step_type":"tool_call","timestamp":2.0,"tool_name":"b","tool_args":{"$unitai":"dict","items":[[1,2]]},"#,
        r#""tool_error":{"type":"E","bases":["A","B"],"message":"m","place":"p"}},"#,
        r#"{"step_type":"tool_call","timestamp":0.0,"fault":{"kind":"corrupt","text":"garbled","seed":7,"instead_of":[1]},"#,
        r#""tool_name":"b","tool_args":{}},"#,
        r#"{"step_type":"llm_call","timestamp":3.0,"model":"m","prompt_tokens":1,"completion_tokens":2,"cost":"0.01"},"#,
        r#"{"step_type":"state_change","timestamp":4.0,"key":"k","old_value":0,"new_value":1}],"final_output":"done"}"#
    );

    fn general(text: &str) -> Option<Trajectory> {
        serde_json::from_str::<v1::Document<'_>>(text).ok().filter(|found| found.version == 1)?.read().ok()
    }

    #[test]
    fn what_is_written_is_read_without_the_general_reader() {
        let trajectory = read(DOCUMENT).unwrap();
        assert_eq!(trajectory.steps().len(), 5);
        assert_eq!(general(DOCUMENT), Some(trajectory.clone()));
        assert_eq!(trajectory.to_json(), DOCUMENT);
        assert_eq!(read(&trajectory.to_json()), Some(trajectory));
    }

    /// Every place of a document, replaced by, preceded by and relieved of characters that matter.
    #[test]
    fn whatever_this_reader_takes_the_general_reader_takes_alike() {
        let others: Vec<&str> = r#"" \ { } [ ] , : 0 9 - + . e E u n t x $ é"#.split(' ').chain([" ", "\n", "\u{1}", ""]).collect();
        let mut taken = 0;
        for (at, c) in DOCUMENT.char_indices() {
            for other in &others {
                for rest in [&DOCUMENT[at..], &DOCUMENT[at + c.len_utf8()..]] {
                    let changed = format!("{}{other}{rest}", &DOCUMENT[..at]);
                    if let Some(found) = read(&changed) {
                        taken += 1;
                        assert_eq!(general(&changed), Some(found), "{changed}");
                    }
                }
            }
        }
        assert!(taken > 1000, "the changes were all refused: {taken}");
    }

    #[test]
    fn depth_is_left_to_the_general_reader() {
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        assert_eq!(end_of_value(deep.as_bytes(), 0, 0), None);
        assert_eq!(end_of_value(b"[[[1]]]", 0, 0), Some(7));
        assert_eq!(end_of_value(b"-", 0, 0), None);
        assert_eq!(end_of_value(b"", 0, 0), None);
    }

    #[test]
    fn a_number_beyond_all_floats_is_none_for_either_reader() {
        for number in ["1e999".to_owned(), "9".repeat(400)] {
            let text = DOCUMENT.replace("-2.5e-3", &number);
            assert!(read(&text).is_none());
            assert!(Trajectory::from_json(&text).is_err());
            assert!(Trajectory::from_json(&text.replacen('{', "{ ", 1)).is_err());
        }
    }
}
