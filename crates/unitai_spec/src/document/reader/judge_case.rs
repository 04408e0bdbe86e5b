//! Files of judge cases: evidence, questions, and what people answer.

use std::path::Path;
use std::rc::Rc;

use unitai_model::value::Value;

use super::fields::Fields;
use super::{Reader, Reading, file};
use crate::document::telling::{clipped, found};
use crate::document::yaml::{Kind, Node, parse};
use crate::document::{CaseCall, CaseKind, CaseOutcome, CaseQuestion, JudgeCase, Trouble};

const CASE_FILE: &[&str] = &["case", "evidence", "questions"];
const CASE: &[&str] = &["name", "source"];
const CALL: &[&str] = &["step", "tool", "args", "result", "text", "error", "details", "unfinished"];
const QUESTION: &[&str] = &["ask", "label", "kind", "step", "note"];

/// What a file of judge cases turned out to be.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CaseReading {
    /// Its cases, one for each document. Empty if something is wrong.
    pub cases: Vec<JudgeCase>,
    /// What is wrong with it.
    pub troubles: Vec<Trouble>,
}

/// Reads a text as the file of judge cases at this path.
///
/// ```
/// use std::path::Path;
/// use unitai_spec::document::read_judge_cases;
/// let text = "case: {name: alive}\nevidence: [{tool: ping, text: pong}]\nquestions: [{ask: \"Did it answer?\", label: yes}]\n";
/// let reading = read_judge_cases(text, Path::new("a.yaml"));
/// assert!(reading.cases[0].questions[0].is_yes);
///
/// let reading = read_judge_cases(&text.replace("label", "lable"), Path::new("a.yaml"));
/// assert_eq!(
///     reading.troubles[0].to_string(),
///     "a.yaml:3:37: a question has no key `lable` (did you mean `label`?)"
/// );
/// ```
pub fn read_judge_cases(text: &str, path: &Path) -> CaseReading {
    let mut reader = Reader::new(path);
    if let Err(message) = reader.budget.take_file(text.len(), 0) {
        reader.tell_whole(message, "make several files of it");
        return reader.ended_cases(vec![]);
    }
    let parsed = parse(text, &reader.file, &mut reader.budget);
    let is_whole = parsed.troubles.is_empty();
    reader.troubles.extend(parsed.troubles);
    if parsed.documents.is_empty() && is_whole {
        reader.tell_whole("the file holds no case", "a case has `case`, `evidence` and `questions`");
    }
    let cases = parsed.documents.iter().filter_map(|root| reader.judge_case(root)).collect();
    reader.ended_cases(cases)
}

/// Reads a file of judge cases. That it cannot be opened is a trouble like any other.
pub fn read_judge_case_file(path: &Path) -> CaseReading {
    match file::load(path) {
        Ok(text) => read_judge_cases(&text, path),
        Err(trouble) => CaseReading { cases: vec![], troubles: vec![*trouble] },
    }
}

impl Reader {
    fn ended_cases(self, cases: Vec<JudgeCase>) -> CaseReading {
        let Reading { troubles, .. } = self.ended(vec![]);
        let cases = if troubles.iter().any(Trouble::is_error) { vec![] } else { cases };
        CaseReading { cases, troubles }
    }

    fn judge_case(&mut self, root: &Node) -> Option<JudgeCase> {
        let fields = self.fields_of(root, "", "a judge case", CASE_FILE)?;
        let about = self.needed(root, &fields, "a judge case", "case");
        let about = about.map(|(node, path)| self.case_meta(node, &path));
        let evidence = self.needed(root, &fields, "a judge case", "evidence");
        let evidence = evidence.map(|(node, path)| {
            let items = self.some_of(node, &path, "a call, such as `{tool: http_get, text: ...}`");
            items.into_iter().filter_map(|(node, path)| self.case_call(node, &path)).collect::<Vec<_>>()
        });
        let questions = self.needed(root, &fields, "a judge case", "questions");
        let questions = questions.map(|(node, path)| self.case_questions(node, &path));
        let (name, source) = about??;
        Some(JudgeCase {
            name,
            source,
            evidence: evidence?,
            questions: questions?,
            place: self.place(root.at),
        })
    }

    fn case_meta(&mut self, node: &Node, path: &str) -> Option<(String, String)> {
        let fields = self.fields_of(node, path, "`case`", CASE)?;
        let (name, path) = self.needed(node, &fields, "`case`", "name")?;
        let name = self.said(name, &path)?;
        Some((name, self.maybe(&fields, "source")))
    }

    fn case_call(&mut self, node: &Node, path: &str) -> Option<CaseCall> {
        let fields = self.fields_of(node, path, "a call", CALL)?;
        let (tool, tool_path) = self.needed(node, &fields, "a call", "tool")?;
        let tool = self.said(tool, &tool_path)?;
        let args = fields.get("args").map(|(node, path)| self.values(node, &path)).unwrap_or_default();
        let result = fields.get("result").map(|(node, _)| node.value());
        let text = fields.get("text").and_then(|(node, path)| self.text(node, &path));
        let has_ended = fields.get("unfinished").and_then(|(node, path)| self.flag(node, &path));
        let answers = fields.has("result") || fields.has("text");
        let ways = [answers, fields.has("error"), has_ended == Some(true)];
        if ways.into_iter().filter(|it| *it).count() != 1 {
            if !["result", "text", "error"].into_iter().any(|it| fields.is_misspelled(it)) {
                let message = "a call ends in one way: it answers, it fails, or it never ends";
                let remedy = "give `result` or `text` or both, or `error`, or `unfinished: true`";
                self.tell(node.at, path, message, remedy);
            }
            return None;
        }
        let outcome = if answers {
            CaseOutcome::Returned { result, text }
        } else if fields.has("error") {
            CaseOutcome::Failed {
                error: self.maybe(&fields, "error"),
                details: self.maybe(&fields, "details"),
            }
        } else {
            CaseOutcome::Unfinished
        };
        Some(CaseCall { step: self.maybe(&fields, "step"), tool, args, outcome })
    }

    fn case_questions(&mut self, node: &Rc<Node>, path: &str) -> Vec<CaseQuestion> {
        let mut all: Vec<CaseQuestion> = vec![];
        for (node, path) in self.some_of(node, path, "a question, such as `{ask: ..., label: yes}`") {
            let Some(question) = self.case_question(node, &path) else { continue };
            if let Some(twin) = all.iter().find(|it| it.ask == question.ask && it.kind == question.kind) {
                let message =
                    format!("`{}` is asked in line {} already", clipped(&question.ask), twin.place.line);
                self.tell(node.at, &path, message, "leave one of the two out");
            }
            all.push(question);
        }
        all
    }

    fn case_question(&mut self, node: &Rc<Node>, path: &str) -> Option<CaseQuestion> {
        let fields = self.fields_of(node, path, "a question", QUESTION)?;
        let ask = self.needed(node, &fields, "a question", "ask");
        let ask = ask.and_then(|(node, path)| self.said(node, &path));
        let label = self.needed(node, &fields, "a question", "label");
        let is_yes = label.and_then(|(node, path)| self.yes_or_no(node, &path));
        let kind = fields.get("kind").map(|(node, path)| self.word(node, &path, CaseKind::WORDS));
        Some(CaseQuestion {
            ask: ask?,
            is_yes: is_yes?,
            kind: kind.unwrap_or(Some(CaseKind::Expect))?,
            step: self.maybe(&fields, "step"),
            note: self.maybe(&fields, "note"),
            place: self.place(node.at),
        })
    }

    /// What people answer. `yes` is a boolean to YAML, and a text where somebody quotes it.
    fn yes_or_no(&mut self, node: &Node, path: &str) -> Option<bool> {
        match &node.kind {
            Kind::Scalar { value: Value::Bool(it), .. } => return Some(*it),
            Kind::Scalar { value: Value::Str(text), .. } if text == "yes" => return Some(true),
            Kind::Scalar { value: Value::Str(text), .. } if text == "no" => return Some(false),
            _ => {}
        }
        let remedy = "what people cannot answer from the evidence is no question for a judge either";
        self.tell(node.at, path, format!("`label` must be `yes` or `no`, found {}", found(node)), remedy);
        None
    }

    /// The value of a key that must be there.
    fn needed<'n>(
        &mut self,
        node: &Node,
        fields: &Fields<'n>,
        what: &str,
        key: &str,
    ) -> Option<(&'n Rc<Node>, String)> {
        let value = fields.get(key);
        if value.is_none() && !fields.is_misspelled(key) {
            let known = format!("write `{key}:` and what belongs there");
            self.tell(node.at, key, format!("{what} must have `{key}`, which is not there"), known);
        }
        value
    }

    /// A text that says something.
    fn said(&mut self, node: &Node, path: &str) -> Option<String> {
        let text = self.text(node, path)?.trim().to_owned();
        if text.is_empty() {
            let key = path.rsplit('.').next().unwrap_or(path);
            self.tell(node.at, path, format!("`{key}` is empty"), "write a text");
            return None;
        }
        Some(text)
    }

    /// A text that may be left out.
    fn maybe(&mut self, fields: &Fields<'_>, key: &str) -> String {
        fields.get(key).and_then(|(node, path)| self.text(node, &path)).unwrap_or_default()
    }

    /// The items of a list that has some.
    fn some_of<'n>(&mut self, node: &'n Rc<Node>, path: &str, what: &str) -> Vec<(&'n Rc<Node>, String)> {
        match &node.kind {
            Kind::List(items) if !items.is_empty() => self.one_or_many(node, path),
            _ => {
                let message = format!("`{path}` must be a list of at least one, found {}", found(node));
                self.tell(node.at, path, message, format!("give it {what}"));
                vec![]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "case: {name: a}
evidence: [{tool: say, text: hello}]
questions: [{ask: Is it, label: yes}]
";

    fn told(text: &str) -> Vec<String> {
        let reading = read_judge_cases(text, Path::new("a.yaml"));
        assert_eq!(reading.cases.is_empty(), !reading.troubles.is_empty());
        reading.troubles.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn labels_are_yes_and_no_however_they_are_written() {
        for (written, is_yes) in
            [("yes", true), ("no", false), ("'yes'", true), ("\"no\"", false), ("true", true)]
        {
            let text = GOOD.replace("label: yes", &format!("label: {written}"));
            let reading = read_judge_cases(&text, Path::new("a.yaml"));
            assert_eq!(reading.cases[0].questions[0].is_yes, is_yes, "{written}");
        }
    }

    #[test]
    fn every_document_is_a_case() {
        let reading = read_judge_cases(&format!("{GOOD}---\n{GOOD}"), Path::new("a.yaml"));
        assert_eq!(reading.cases.iter().map(|it| it.place.line).collect::<Vec<_>>(), [1, 5]);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place_and_what_to_do() {
        let ends = "a.yaml:2:12: a call ends in one way: it answers, it fails, or it never ends \
                    (give `result` or `text` or both, or `error`, or `unfinished: true`)";
        for (before, after, expected) in [
            ("text: hello", "txt: hello", "a.yaml:2:24: a call has no key `txt` (did you mean `text`?)"),
            ("text: hello", "args: {}", ends),
            (
                "text: hello",
                "error: no",
                "a.yaml:2:31: `error` must be a text, found `no`, which YAML reads as false (quote it: \"no\")",
            ),
            ("text: hello", "text: hello, error: broken", ends),
            ("text: hello", "unfinished: false", ends),
            (
                "[{tool: say, text: hello}]",
                "[]",
                "a.yaml:2:11: `evidence` must be a list of at least one, found a list (give it a call, such as `{tool: http_get, text: ...}`)",
            ),
            (
                "label: yes",
                "label: perhaps",
                "a.yaml:3:33: `label` must be `yes` or `no`, found the text `perhaps` (what people cannot answer from the evidence is no question for a judge either)",
            ),
            (
                "label: yes",
                "label: yes, kind: pass-if",
                "a.yaml:3:44: `kind` must be `expect`, `pass_if` or `fail_if`, found the text `pass-if` (did you mean `pass_if`?)",
            ),
            ("ask: Is it", "ask: ' '", "a.yaml:3:19: `ask` is empty (write a text)"),
            ("]\n", "]\n", ""),
        ] {
            let text = GOOD.replacen(before, after, 1);
            let told = told(&text);
            assert_eq!(told.first().map_or("", String::as_str), expected, "{text}");
        }
        assert_eq!(
            told("# nothing\n"),
            ["a.yaml:1:1: the file holds no case (a case has `case`, `evidence` and `questions`)"]
        );
    }

    #[test]
    fn a_question_is_asked_once_in_a_case() {
        let twice = GOOD.replace("label: yes}", "label: yes}, {ask: Is it, label: no}");
        assert_eq!(
            told(&twice),
            ["a.yaml:3:39: `Is it` is asked in line 3 already (leave one of the two out)"]
        );
    }
}
