//! Events become nodes. Everything is counted as it comes: what would be too much is refused before it is built.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use granit_parser::{ErrorKind, Event, Marker, Parser, ScalarStyle, ScanError, Span, StrInput, Tag, options};
use unitai_model::value::Value;

use super::limits::{Budget, Measure};
use super::{At, Entry, Kind, Node, json, mapping, scalar, syntax, tag};
use crate::document::{Place, Trouble};

/// The documents of a text, as far as it could be read.
pub(crate) struct Parsed {
    /// The roots, in order. Documents without content are left out.
    pub(crate) documents: Vec<Rc<Node>>,
    /// What is wrong with it as YAML.
    pub(crate) troubles: Vec<Trouble>,
}

/// Reads a text. The first error of syntax ends it: what follows would be guessed.
pub(crate) fn parse(text: &str, file: &Arc<PathBuf>, budget: &mut Budget) -> Parsed {
    // A mark at the beginning says only how the file is encoded.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let is_json = json::is_json(text);
    let text = if is_json { json::escaped(text) } else { text.into() };
    let mut composer = Composer {
        events: Parser::new_from_str_with_options(&text, options! { emit_comments: false }),
        file,
        budget,
        anchors: HashMap::new(),
        troubles: vec![],
        is_json,
    };
    let mut documents = vec![];
    if let Err(end) = composer.stream(&mut documents) {
        composer.troubles.push(match end {
            End::Syntax(marker, kind) => syntax::trouble(&text, file, &marker, &kind),
            End::Refused(trouble) => trouble,
        });
    }
    Parsed { documents, troubles: composer.troubles }
}

/// Why reading ended before the text did.
pub(super) enum End {
    Syntax(Marker, ErrorKind),
    Refused(Trouble),
}

impl End {
    fn of(error: &ScanError) -> End {
        End::Syntax(*error.marker(), error.kind().clone())
    }
}

pub(super) struct Composer<'a> {
    events: Parser<'a, StrInput<'a>>,
    file: &'a Arc<PathBuf>,
    budget: &'a mut Budget,
    /// Nodes with a name, by the parser's number; `None` while they are being read.
    anchors: HashMap<usize, Option<Rc<Node>>>,
    pub(super) troubles: Vec<Trouble>,
    is_json: bool,
}

impl<'a> Composer<'a> {
    fn stream(&mut self, documents: &mut Vec<Rc<Node>>) -> Result<(), End> {
        loop {
            match self.next()? {
                (Event::StreamEnd, _) => return Ok(()),
                (Event::DocumentStart(..), _) => {
                    // Names hold within their document.
                    self.anchors.clear();
                    let (event, span) = self.next()?;
                    let root = self.node(event, span, 0)?;
                    if !root.is_null() {
                        documents.push(root);
                    }
                }
                _ => {}
            }
        }
    }

    fn next(&mut self) -> Result<(Event<'a>, Span), End> {
        match self.events.next_event() {
            Some(Ok(event)) => Ok(event),
            Some(Err(error)) => Err(End::of(&error)),
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }

    fn node(&mut self, event: Event<'a>, span: Span, depth: usize) -> Result<Rc<Node>, End> {
        let at = At { line: span.start.line().max(1), column: span.start.col() + 1 };
        let (anchor, node) = match event {
            Event::Alias(id) => return self.alias(id, at, depth),
            Event::Scalar(text, style, anchor, tag) => {
                (anchor, self.scalar(text, style, tag.as_deref(), at, depth)?)
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.open(anchor, at, depth)?;
                self.check_tag(tag.as_deref(), "!!seq", at);
                (anchor, self.list(at, depth)?)
            }
            Event::MappingStart(_, anchor, tag) => {
                self.open(anchor, at, depth)?;
                self.check_tag(tag.as_deref(), "!!map", at);
                (anchor, self.map(at, depth)?)
            }
            _ => return Err(End::Syntax(span.start, ErrorKind::ExpectedNodeContent)),
        };
        let node = Rc::new(node);
        if anchor > 0 {
            self.anchors.insert(anchor, Some(node.clone()));
        }
        Ok(node)
    }

    fn open(&mut self, anchor: usize, at: At, depth: usize) -> Result<(), End> {
        if anchor > 0 {
            self.anchors.insert(anchor, None);
        }
        self.take(Measure { nodes: 1, bytes: 0, levels: 1 }, at, depth)
    }

    fn take(&mut self, measure: Measure, at: At, depth: usize) -> Result<(), End> {
        self.budget.take(measure, depth).map_err(|message| {
            let remedy = "nest less, use fewer aliases, or make several files of it";
            End::Refused(Trouble::error(self.place(at), "", message, remedy))
        })
    }

    fn alias(&mut self, id: usize, at: At, depth: usize) -> Result<Rc<Node>, End> {
        let node = match self.anchors.get(&id) {
            Some(Some(node)) => node.clone(),
            Some(None) => return Err(self.refused(at, "this alias stands for what it is part of")),
            None => return Err(self.refused(at, "this alias stands for nothing in its document")),
        };
        self.take(node.measure, at, depth)?;
        Ok(node)
    }

    fn refused(&self, at: At, message: &str) -> End {
        End::Refused(Trouble::error(self.place(at), "", message, "name it with `&` first, or write it out"))
    }

    fn scalar(
        &mut self,
        text: Cow<'a, str>,
        style: ScalarStyle,
        tag: Option<&Tag>,
        at: At,
        depth: usize,
    ) -> Result<Node, End> {
        let measure = Measure { nodes: 1, bytes: text.len(), levels: 1 };
        self.take(measure, at, depth)?;
        let value = match tag {
            Some(tag) => tag::scalar(tag, &text).unwrap_or_else(|message| {
                self.tell(at, message, "leave the tag out");
                Value::Str(text.to_string())
            }),
            None if style == ScalarStyle::Plain => scalar::resolve(&text, self.is_json),
            None => Value::Str(text.to_string()),
        };
        let written = if matches!(value, Value::Str(_)) { String::new() } else { text.into_owned() };
        Ok(Node { at, kind: Kind::Scalar { value, written }, measure })
    }

    fn list(&mut self, at: At, depth: usize) -> Result<Node, End> {
        let mut items = vec![];
        let mut measure = Measure { nodes: 1, bytes: 0, levels: 1 };
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => break,
                (event, span) => {
                    let item = self.node(event, span, depth + 1)?;
                    add(&mut measure, item.measure);
                    items.push(item);
                }
            }
        }
        Ok(Node { at, kind: Kind::List(items), measure })
    }

    fn map(&mut self, at: At, depth: usize) -> Result<Node, End> {
        let mut entries = vec![];
        let mut merged = vec![];
        let mut measure = Measure { nodes: 1, bytes: 0, levels: 1 };
        loop {
            let (event, span) = self.next()?;
            if event == Event::MappingEnd {
                break;
            }
            let merges = matches!(&event, Event::Scalar(text, ScalarStyle::Plain, _, None) if text == "<<");
            let key = self.node(event, span, depth + 1)?;
            let (event, span) = self.next()?;
            let value = self.node(event, span, depth + 1)?;
            add(&mut measure, key.measure);
            add(&mut measure, value.measure);
            (if merges { &mut merged } else { &mut entries }).push(Entry { key, value });
        }
        let entries = mapping::whole(self, entries, merged);
        Ok(Node { at, kind: Kind::Map(entries), measure })
    }

    fn check_tag(&mut self, tag: Option<&Tag>, own: &str, at: At) {
        if let Some(Err(message)) = tag.map(|tag| tag::collection(tag, own)) {
            self.tell(at, message, "leave the tag out");
        }
    }

    pub(super) fn tell(&mut self, at: At, message: String, remedy: &str) {
        self.troubles.push(Trouble::error(self.place(at), "", message, remedy));
    }

    fn place(&self, at: At) -> Place {
        Place { file: self.file.clone(), line: at.line, column: at.column }
    }
}

fn add(whole: &mut Measure, part: Measure) {
    whole.nodes += part.nodes;
    whole.bytes += part.bytes;
    whole.levels = whole.levels.max(part.levels + 1);
}
