//! A run becomes JUnit XML.

use std::io;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};
use unitai_model::Utc;
use unitai_model::event::{Captured, TestFailure, TestOutcome};

use super::facts::{self, Facts};
use super::legal::legal;
use super::names;
use crate::words::{self, word};
use crate::{Run, Test};

/// Which dialect is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// As pytest and most others write it: each test case has its properties, its file and its line.
    #[default]
    Common,
    /// What the published schema allows (`junit-10.xsd`) and nothing else, for readers that insist: a test case has
    /// neither properties nor a file, and what is known of it are properties of the suite.
    Strict,
}

/// The run as JUnit XML. Well-formed whatever the texts of tests and models hold: commands of a terminal are taken out,
/// characters that XML does not allow are spelled out, and every other one is there.
///
/// A run that did not come to its end has a test case of its own that says so, so that nobody takes it for a green one.
pub fn write(run: &Run, form: Form) -> String {
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
    // A vector takes everything.
    let _ = Document { xml: &mut xml, form }.write(run);
    let mut text = String::from_utf8(xml.into_inner()).unwrap_or_default();
    text.push('\n');
    text
}

struct Document<'a> {
    xml: &'a mut Writer<Vec<u8>>,
    form: Form,
}

type Attributes<'a> = Vec<(&'a str, String)>;

impl Document<'_> {
    fn write(&mut self, run: &Run) -> io::Result<()> {
        self.xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("utf-8"), None)))?;
        let counts = run.counts();
        let unfinished = words::is_cut_short(run).then(|| words::ending(run)).flatten();
        let time = format!("{:.3}", run.duration_seconds());
        let number = |count: u64| count.to_string();
        let errors = counts.errors + counts.inconclusive + u64::from(unfinished.is_some());
        let totals = vec![
            ("name", "unitai".to_owned()),
            ("tests", number(run.tests.len() as u64 + u64::from(unfinished.is_some()))),
            ("failures", number(counts.failed)),
            ("errors", number(errors)),
            ("time", time),
        ];
        let mut suite = totals.clone();
        suite.insert(4, ("skipped", number(counts.skipped + counts.xfailed)));
        suite.extend(
            run.started.iter().map(|started| ("timestamp", Utc::of_seconds(started.at as u64).to_string())),
        );

        self.open("testsuites", &totals)?;
        self.open("testsuite", &suite)?;
        self.properties(self.facts_of_suite(run))?;
        let is_spending_known = words::is_spending_known(run);
        for test in &run.tests {
            self.case(test, is_spending_known)?;
        }
        if let Some(ending) = unfinished {
            self.open("testcase", &[("classname", "unitai".to_owned()), ("name", "unitai.run".to_owned())])?;
            self.element("error", &[("type", "run".to_owned()), ("message", ending)], "")?;
            self.close("testcase")?;
        }
        self.close("testsuite")?;
        self.close("testsuites")
    }

    fn facts_of_suite(&self, run: &Run) -> Vec<(String, String)> {
        let named = |facts: Facts| facts.into_iter().map(|(name, value)| (name.to_owned(), value));
        let mut all: Vec<_> = named(facts::of_run(run)).collect();
        if self.form == Form::Strict {
            let is_spending_known = words::is_spending_known(run);
            for test in &run.tests {
                let (class, name) = names::of_id(&test.end.test);
                all.extend(
                    named(facts::of_test(test, is_spending_known))
                        .map(|(fact, value)| (format!("{fact}[{class}::{name}]"), value)),
                );
            }
        }
        all
    }

    fn case(&mut self, test: &Test, is_spending_known: bool) -> io::Result<()> {
        let end = &test.end;
        let (class, name) = names::of_id(&end.test);
        let mut attributes =
            vec![("classname", class), ("name", name), ("time", format!("{:.3}", end.duration_seconds))];
        if self.form == Form::Common {
            attributes.extend(end.file.iter().map(|file| ("file", file.clone())));
            attributes.extend(end.line.map(|line| ("line", line.to_string())));
        }
        self.open("testcase", &attributes)?;
        if self.form == Form::Common {
            let facts = facts::of_test(test, is_spending_known);
            self.properties(facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())?;
        }
        self.outcome(test)?;
        self.output("system-out", end.captured.iter().filter(|captured| !is_of_stderr(captured)))?;
        self.output("system-err", end.captured.iter().filter(|captured| is_of_stderr(captured)))?;
        self.close("testcase")
    }

    fn outcome(&mut self, test: &Test) -> io::Result<()> {
        let end = &test.end;
        let element = match end.outcome {
            TestOutcome::Passed | TestOutcome::XPassed => return Ok(()),
            TestOutcome::Failed => "failure",
            TestOutcome::Error | TestOutcome::Inconclusive => "error",
            TestOutcome::Skipped | TestOutcome::XFailed => {
                let kind = if end.outcome == TestOutcome::Skipped { "pytest.skip" } else { "pytest.xfail" };
                let mut attributes = vec![("type", kind.to_owned())];
                attributes.extend(end.reason.iter().map(|reason| ("message", reason.clone())));
                let texts: Vec<String> = end.failures.iter().map(text).collect();
                return self.element("skipped", &attributes, &texts.join("\n\n"));
            }
        };
        let kind = |phase| match end.outcome {
            TestOutcome::Inconclusive => word(TestOutcome::Inconclusive),
            _ => word(phase),
        };
        for failure in &end.failures {
            let attributes = [("type", kind(failure.phase)), ("message", failure.message.clone())];
            self.element(element, &attributes, &text(failure))?;
        }
        if end.failures.is_empty() {
            let attributes: Attributes<'_> = match end.outcome {
                TestOutcome::Inconclusive => vec![("type", word(TestOutcome::Inconclusive))],
                _ => Vec::new(),
            };
            self.element(element, &attributes, "")?;
        }
        Ok(())
    }

    fn output<'c>(&mut self, element: &str, all: impl Iterator<Item = &'c Captured>) -> io::Result<()> {
        // What was read from a file has no title worth writing.
        let is_plain = |title: &str| title == "stdout" || title == "stderr";
        let parts: Vec<String> = all
            .map(
                |Captured { title, text }| {
                    if is_plain(title) { text.clone() } else { format!("----- {title} -----\n{text}") }
                },
            )
            .collect();
        if parts.is_empty() { Ok(()) } else { self.element(element, &[], &parts.join("\n")) }
    }

    fn properties(&mut self, facts: Vec<(String, String)>) -> io::Result<()> {
        self.open("properties", &[])?;
        for (name, value) in facts {
            self.element("property", &[("name", name), ("value", value)], "")?;
        }
        self.close("properties")
    }

    fn open(&mut self, name: &str, attributes: &[(&str, String)]) -> io::Result<()> {
        self.xml.write_event(Event::Start(tag(name, attributes)))
    }

    fn close(&mut self, name: &str) -> io::Result<()> {
        self.xml.write_event(Event::End(BytesEnd::new(name)))
    }

    fn element(&mut self, name: &str, attributes: &[(&str, String)], text: &str) -> io::Result<()> {
        if text.is_empty() {
            return self.xml.write_event(Event::Empty(tag(name, attributes)));
        }
        self.open(name, attributes)?;
        self.xml.write_event(Event::Text(BytesText::new(&legal(text))))?;
        self.close(name)
    }
}

fn tag<'a>(name: &'a str, attributes: &[(&str, String)]) -> BytesStart<'a> {
    let mut tag = BytesStart::new(name);
    for (name, value) in attributes {
        tag.push_attribute((*name, legal(value).as_ref()));
    }
    tag
}

/// What went wrong, with what UnitAI knows about it.
fn text(failure: &TestFailure) -> String {
    match &failure.report {
        Some(report) if failure.text.is_empty() => report.clone(),
        Some(report) => format!("{}\n\n{report}", failure.text),
        None => failure.text.clone(),
    }
}

fn is_of_stderr(captured: &Captured) -> bool {
    captured.title.contains("stderr")
}
