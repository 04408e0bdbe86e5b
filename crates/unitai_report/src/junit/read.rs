//! JUnit XML of any tool becomes a run.

use std::collections::{HashMap, VecDeque};

use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use unitai_model::event::Captured;

use super::case::{Case, Kind, Remark};
use super::decode;
use super::facts::{self, Found};
use crate::{Run, Test, words};

/// No file is larger.
const MAX_BYTES: usize = 64 << 20;
/// No file has more tests.
const MAX_TESTS: usize = 250_000;
/// Nothing is nested deeper.
const MAX_DEPTH: usize = 64;
/// No element has more attributes worth reading.
const MAX_ATTRIBUTES: usize = 64;

/// Why a file is no JUnit report.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JunitError {
    /// It is larger than any report.
    #[error("it is larger than {} MB", MAX_BYTES >> 20)]
    TooLarge,
    /// It has more tests than any report.
    #[error("it has more than {MAX_TESTS} tests")]
    TooMany,
    /// Its elements are nested deeper than in any report.
    #[error("line {line}: elements are nested more than {MAX_DEPTH} deep")]
    TooDeep {
        /// Where.
        line: usize,
    },
    /// It is not in an encoding that can be read.
    #[error("it is neither UTF-8 nor UTF-16 nor Latin-1")]
    NotText,
    /// It has a document type, which no report needs and which can make a small file huge.
    #[error("line {line}: it has a document type (<!DOCTYPE>), which is not read: no JUnit report needs one")]
    DocumentType {
        /// Where.
        line: usize,
    },
    /// It names an entity that XML does not have by itself.
    #[error("line {line}: it names the entity &{name};, which nothing defines")]
    Entity {
        /// Where.
        line: usize,
        /// Which.
        name: String,
    },
    /// It is another kind of XML.
    #[error("it begins with <{root}>, and a JUnit report begins with <testsuites> or <testsuite>")]
    Another {
        /// How it begins.
        root: String,
    },
    /// It is no XML, or not all of it.
    #[error("line {line}: {reason}")]
    Malformed {
        /// Where.
        line: usize,
        /// What is wrong.
        reason: String,
    },
}

/// The run that a JUnit file tells of: that of pytest, Jest, Maven, googletest or any other tool, and our own.
///
/// Document types are refused, and so is what is too large or nested too deeply.
pub fn read(bytes: &[u8]) -> Result<Run, JunitError> {
    if bytes.len() > MAX_BYTES {
        return Err(JunitError::TooLarge);
    }
    let text = decode::text(bytes).ok_or(JunitError::NotText)?;
    let mut reader = Reader::from_str(&text);
    let mut reading = Reading::default();
    loop {
        let event = reader.read_event();
        // Elements that end count their lines when somebody asks.
        let at = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX).min(text.len());
        let line = || text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
        let malformed = |reason: String| JunitError::Malformed { line: line(), reason };
        match event.map_err(|error| malformed(error.to_string()))? {
            Event::Start(tag) => reading.open(&tag).map_err(|wrong| wrong.at(line()))?,
            Event::Empty(tag) => {
                reading.open(&tag).map_err(|wrong| wrong.at(line()))?;
                reading.close();
            }
            Event::End(_) => reading.close(),
            Event::Text(text) => reading.say(&text.xml10_content()),
            Event::CData(text) => reading.say(&text.xml10_content()),
            Event::GeneralRef(reference) => {
                let character = reference.resolve_char_ref().map_err(|error| malformed(error.to_string()))?;
                match (character, resolve_predefined_entity(&reference)) {
                    (Some(character), _) => reading.say(character.encode_utf8(&mut [0; 4])),
                    (None, Some(text)) => reading.say(text),
                    (None, None) => {
                        return Err(JunitError::Entity { line: line(), name: reference.to_string() });
                    }
                }
            }
            Event::DocType(_) => return Err(JunitError::DocumentType { line: line() }),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
            Event::Eof => break,
        }
        if reading.tests.len() > MAX_TESTS {
            return Err(JunitError::TooMany);
        }
    }
    let lines = text.lines().count().max(1);
    if !reading.stack.is_empty() {
        return Err(JunitError::Malformed { line: lines, reason: "it ends in the middle".to_owned() });
    }
    if !reading.has_begun {
        return Err(JunitError::Malformed { line: lines, reason: "it holds no XML element".to_owned() });
    }
    Ok(reading.run())
}

/// What is wrong with an element.
enum Wrong {
    TooDeep,
    Another(String),
    Malformed(String),
}

impl Wrong {
    fn at(self, line: usize) -> JunitError {
        match self {
            Wrong::TooDeep => JunitError::TooDeep { line },
            Wrong::Another(root) => JunitError::Another { root },
            Wrong::Malformed(reason) => JunitError::Malformed { line, reason },
        }
    }
}

/// An element that is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    Suites,
    Suite,
    Case,
    Remark,
    Properties,
    Property,
    Out,
    Err,
    /// A try that does not count, because there was a later one.
    Rerun,
    Other,
}

/// A suite that is open.
#[derive(Default)]
struct Suite {
    name: String,
    seconds: Option<f64>,
    /// Tests that did not pass, by its own count.
    red: u64,
    /// Where its tests begin.
    from: usize,
    facts: Found,
    /// What it says of its test cases; of several with one name, in their order.
    facts_of_cases: HashMap<String, VecDeque<Found>>,
    remarks: Vec<Remark>,
}

#[derive(Default)]
struct Reading {
    has_begun: bool,
    stack: Vec<Open>,
    suites: Vec<Suite>,
    case: Option<Case>,
    remark: Option<Remark>,
    property: Option<(String, Option<String>)>,
    /// Text of the element that is open, where it matters.
    text: Option<String>,
    seconds: Option<f64>,
    seconds_of_suites: Option<f64>,
    facts: Found,
    tests: Vec<Test>,
}

impl Reading {
    fn open(&mut self, tag: &BytesStart<'_>) -> Result<(), Wrong> {
        if self.stack.len() >= MAX_DEPTH {
            return Err(Wrong::TooDeep);
        }
        let name = tag.local_name();
        let kind = match (self.stack.last(), name.as_ref()) {
            (None, _) if self.has_begun => {
                return Err(Wrong::Malformed("it has a second root element".to_owned()));
            }
            (None, "testsuites") => Open::Suites,
            (None | Some(Open::Suites | Open::Suite), "testsuite") => Open::Suite,
            (None, root) => return Err(Wrong::Another(root.to_owned())),
            (Some(Open::Suites | Open::Suite), "testcase") => Open::Case,
            (Some(Open::Case | Open::Suite), "failure" | "error")
            | (Some(Open::Case), "skipped" | "ignored") => Open::Remark,
            (Some(Open::Case), "system-out") => Open::Out,
            (Some(Open::Case), "system-err") => Open::Err,
            (Some(Open::Case), "rerunFailure" | "rerunError" | "flakyFailure" | "flakyError") => Open::Rerun,
            (Some(Open::Case | Open::Suite), "properties") => Open::Properties,
            (Some(Open::Properties), "property") => Open::Property,
            _ => Open::Other,
        };
        self.has_begun = true;
        self.stack.push(kind);
        self.begin(kind, name.as_ref(), attributes(tag)?);
        Ok(())
    }

    fn begin(&mut self, kind: Open, name: &str, mut said: HashMap<String, String>) {
        let mut take = |name: &str| said.remove(name);
        match kind {
            Open::Suites => self.seconds = take("time").map(|time| seconds(&time)),
            Open::Suite => {
                let count =
                    |text: Option<String>| text.and_then(|text| text.trim().parse::<u64>().ok()).unwrap_or(0);
                self.suites.push(Suite {
                    red: count(take("failures")).saturating_add(count(take("errors"))),
                    name: take("name").unwrap_or_default(),
                    seconds: take("time").map(|time| seconds(&time)),
                    from: self.tests.len(),
                    ..Suite::default()
                });
            }
            Open::Case => {
                self.case = Some(Case {
                    class: take("classname").or_else(|| take("class")).unwrap_or_default(),
                    name: take("name").unwrap_or_default(),
                    file: take("file").or_else(|| take("filepath")).filter(|file| !file.is_empty()),
                    line: take("line").or_else(|| take("lineno")).and_then(|line| line.trim().parse().ok()),
                    seconds: take("time").map_or(0.0, |time| seconds(&time)),
                    status: take("result").filter(|result| result != "completed").or_else(|| take("status")),
                    ..Case::default()
                });
            }
            Open::Remark => {
                self.text = Some(String::new());
                let kind = match name {
                    "failure" => Kind::Failure,
                    "error" => Kind::Error,
                    _ => Kind::Skipped,
                };
                let (type_name, message) = (take("type"), take("message"));
                self.remark = Some(Remark { kind, type_name, message, text: String::new() });
            }
            Open::Property => {
                self.text = Some(String::new());
                self.property = Some((take("name").unwrap_or_default(), take("value")));
            }
            Open::Out | Open::Err => self.text = Some(String::new()),
            Open::Rerun => {
                if let Some(case) = &mut self.case {
                    case.reruns += 1;
                }
            }
            Open::Properties | Open::Other => {}
        }
    }

    fn say(&mut self, text: &str) {
        if let Some(said) = &mut self.text {
            said.push_str(text);
        }
    }

    fn close(&mut self) {
        let Some(kind) = self.stack.pop() else { return };
        match kind {
            Open::Remark => self.close_remark(),
            Open::Property => self.close_property(),
            Open::Out | Open::Err => {
                let text = self.text.take().unwrap_or_default();
                let title = if kind == Open::Out { "stdout" } else { "stderr" };
                if let Some(case) = &mut self.case
                    && !is_blank(&text)
                {
                    case.captured.push(Captured { title: title.to_owned(), text });
                }
            }
            Open::Case => {
                let Some(mut case) = self.case.take() else { return };
                let of_key =
                    self.suites.last_mut().and_then(|suite| suite.facts_of_cases.get_mut(&case.key()));
                case.facts.add(of_key.and_then(VecDeque::pop_front).unwrap_or_default());
                self.tests.push(case.test());
            }
            Open::Suite => self.close_suite(),
            Open::Suites | Open::Properties | Open::Rerun | Open::Other => {}
        }
    }

    fn close_remark(&mut self) {
        let text = self.text.take().unwrap_or_default();
        let Some(mut remark) = self.remark.take() else { return };
        // Space around elements that stand in it is no text.
        remark.text = if is_blank(&text) { String::new() } else { text };
        match (&mut self.case, self.suites.last_mut()) {
            (Some(case), _) => case.remarks.push(remark),
            (None, Some(suite)) => suite.remarks.push(remark),
            (None, None) => {}
        }
    }

    fn close_property(&mut self) {
        let text = self.text.take().unwrap_or_default();
        let Some((name, value)) = self.property.take() else { return };
        let value = value.unwrap_or(text);
        if let Some(case) = &mut self.case {
            return case.facts.put(name, value);
        }
        let Some(suite) = self.suites.last_mut() else { return };
        // Where test cases may have no properties, the suite's speak of them: `unitai.cost[class::name]`.
        match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
            Some((fact, key)) if fact.starts_with("unitai.") => {
                let of_key = suite.facts_of_cases.entry(key.to_owned()).or_default();
                if fact == facts::FIRST || of_key.is_empty() {
                    of_key.push_back(Found::default());
                }
                if let Some(last) = of_key.back_mut() {
                    last.put(fact.to_owned(), value);
                }
            }
            _ => suite.facts.put(name, value),
        }
    }

    fn close_suite(&mut self) {
        let Some(suite) = self.suites.pop() else { return };
        let has_red = |tests: &[Test]| tests.iter().any(|test| words::is_red(test.end.outcome));
        let mut remarks = suite.remarks;
        // Some tools count what went wrong outside of every test and say no more of it.
        if remarks.is_empty() && suite.red > 0 && !has_red(&self.tests[suite.from..]) {
            let message =
                format!("the suite counts {} failures and errors that no test case tells of", suite.red);
            remarks.push(Remark {
                kind: Kind::Error,
                type_name: None,
                message: Some(message),
                text: String::new(),
            });
        }
        if !remarks.is_empty() {
            let name = if suite.name.is_empty() { "(suite)".to_owned() } else { suite.name };
            self.tests.push(Case { name, remarks, ..Case::default() }.test());
        }
        if self.suites.is_empty()
            && let Some(seconds) = suite.seconds
        {
            *self.seconds_of_suites.get_or_insert(0.0) += seconds;
        }
        // Of several runs in one file, one that did not come to its end speaks for all.
        if suite.facts.is_of_a_run() && (!self.facts.is_of_a_run() || !suite.facts.is_complete()) {
            self.facts = suite.facts;
        }
    }

    fn run(self) -> Run {
        let of_tests = || self.tests.iter().map(|test| test.end.duration_seconds).sum();
        let seconds = self.seconds.or(self.seconds_of_suites).unwrap_or_else(of_tests);
        let mut run = Run {
            started: self.facts.started(),
            found: self.facts.found(),
            finished: self.facts.finished(seconds),
            tests: self.tests,
        };
        // The last test case of a run that was cut short only says what the properties say.
        if self.facts.is_of_a_run() && words::is_cut_short(&run) {
            run.tests.pop_if(|test| test.end.test == "unitai::unitai.run");
        }
        run
    }
}

/// The attributes by their names, without prefixes. Of two with one name, the first counts.
fn attributes(tag: &BytesStart<'_>) -> Result<HashMap<String, String>, Wrong> {
    let mut all = HashMap::new();
    // Without their check for doubles, which takes the square of their number.
    for attribute in tag.attributes().with_checks(false).take(MAX_ATTRIBUTES) {
        let attribute = attribute.map_err(|error| Wrong::Malformed(error.to_string()))?;
        let value = attribute.normalized_value(XmlVersion::Implicit1_0);
        let value = value.map_err(|error| Wrong::Malformed(error.to_string()))?.into_owned();
        all.entry(attribute.key.local_name().as_ref().to_owned()).or_insert(value);
    }
    Ok(all)
}

/// Whether there is nothing but what XML takes for space.
fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
}

/// A number of seconds: `1.5`, `1,234.5` as Maven writes it, and `1,5` as some tools do where that is the custom. What
/// is none is 0.
fn seconds(text: &str) -> f64 {
    let text = text.trim();
    let is_grouped =
        |text: &str| text.split(',').skip(1).all(|part| part.split('.').next().unwrap_or(part).len() == 3);
    let text = if is_grouped(text) { text.replace(',', "") } else { text.replace(',', ".") };
    text.parse()
        .ok()
        .filter(|seconds: &f64| seconds.is_finite() && (0.0..1e12).contains(seconds))
        .unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_every_custom() {
        let cases = [
            ("1.5", 1.5),
            ("1,234.5", 1234.5),
            ("1,5", 1.5),
            (" 2 ", 2.0),
            ("nan", 0.0),
            ("-1", 0.0),
            ("", 0.0),
            ("1e400", 0.0),
        ];
        for (text, number) in cases {
            assert_eq!(seconds(text), number, "{text}");
        }
    }
}
