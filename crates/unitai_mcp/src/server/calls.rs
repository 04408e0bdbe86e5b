//! The log of calls: what really happened, for whoever compares it with what somebody says has happened.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value, json};
use unitai_spec::data::to_json;
use unitai_spec::document::Arguments;
use unitai_spec::run::Called;
use unitai_wire::gate::Log;
use unitai_wire::redact::Secrets;

/// A file of JSON lines, one for each call when it has ended: `number`, `tool`, `args`, `started` (seconds since the
/// epoch), `ms`, `outcome`, and what belongs to that. Numbers are given when calls begin, so lines may stand in
/// another order.
///
/// | `outcome` | besides |
/// |---|---|
/// | `returned` | `value`, `text` |
/// | `failed` | `message`, `details` |
/// | `refused` | `message`: nobody has such a tool |
/// | `unfinished` | nothing: the call was cancelled, or the server ended |
#[derive(Debug, Clone)]
pub struct CallLog(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    secrets: Arc<Secrets>,
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    log: Log,
    last: u64,
    trouble: Option<String>,
}

impl CallLog {
    /// Begins a log anew. Secrets are not written.
    pub fn begin_file(path: &Path, secrets: Arc<Secrets>) -> io::Result<CallLog> {
        let inner = Inner { log: Log::begin(path)?, last: 0, trouble: None };
        Ok(CallLog(Arc::new(Shared { secrets, inner: Mutex::new(inner) })))
    }

    /// A call begins.
    pub(super) fn begin(&self, tool: &str, args: &Arguments) -> Began {
        let number = {
            let mut inner = self.0.lock();
            inner.last += 1;
            inner.last
        };
        let started = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64());
        let args: Map<String, Value> = args.iter().map(|(name, it)| (name.clone(), to_json(it))).collect();
        let line = json!({"number": number, "tool": tool, "args": args, "started": started});
        Began { log: Some(self.0.clone()), line, since: Instant::now() }
    }

    /// Why lines are missing, if some are.
    pub(super) fn trouble(&self) -> Option<String> {
        self.0.lock().trouble.clone()
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, line: &Value) {
        let mut inner = self.lock();
        if let Err(error) = inner.log.add(&line.to_string(), &self.secrets) {
            inner.trouble.get_or_insert(format!(
                "the log of calls could not be written: {error}; calls are missing in it"
            ));
        }
    }
}

/// A call that has begun. Dropped before its end, it is unfinished.
pub(super) struct Began {
    log: Option<Arc<Shared>>,
    line: Value,
    since: Instant,
}

impl Began {
    pub(super) fn ended(self, called: &Called) {
        match called {
            Called::Returned { value, text } => {
                self.write("returned", json!({"value": to_json(value), "text": text}));
            }
            Called::Failed { message, details } => {
                self.write("failed", json!({"message": message, "details": details}));
            }
        }
    }

    pub(super) fn refused(self, message: &str) {
        self.write("refused", json!({"message": message}));
    }

    fn write(mut self, outcome: &str, besides: Value) {
        self.add(outcome, besides);
    }

    fn add(&mut self, outcome: &str, besides: Value) {
        let Some(log) = self.log.take() else { return };
        // A thousandth of a millisecond is as exact as anybody can use it.
        let ms = (self.since.elapsed().as_secs_f64() * 1e6).round() / 1e3;
        self.line["ms"] = json!(ms);
        self.line["outcome"] = json!(outcome);
        if let (Some(line), Value::Object(besides)) = (self.line.as_object_mut(), besides) {
            line.extend(besides);
        }
        log.add(&self.line);
    }
}

impl Drop for Began {
    fn drop(&mut self) {
        self.add("unfinished", json!({}));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unitai_model::value::Value as Told;

    #[test]
    fn every_ending_is_one_line_without_secrets() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("calls.jsonl");
        let secrets = Secrets::none();
        secrets.learn("Zk3vQ8xWn2LmR7tY");
        let log = CallLog::begin_file(&path, Arc::new(secrets)).unwrap();
        let args = vec![("url".to_owned(), Told::Str("http://x/?key=Zk3vQ8xWn2LmR7tY".to_owned()))];
        let first = log.begin("http_get", &args);
        let second = log.begin("sleep", &Vec::new());
        drop(second);
        first.ended(&Called::Returned { value: Told::Int(1), text: "1".into() });
        log.begin("b", &Vec::new()).ended(&Called::Failed { message: "no".into(), details: "why".into() });
        log.begin("c", &Vec::new()).refused("there is none");
        assert_eq!(log.trouble(), None);

        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!text.contains("Zk3vQ8xWn2LmR7tY"));
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let told =
            |line: &Value| (line["number"].as_u64().unwrap(), line["outcome"].as_str().unwrap().to_owned());
        let told: Vec<_> = lines.iter().map(told).collect();
        assert_eq!(
            told,
            [(2, "unfinished".into()), (1, "returned".into()), (3, "failed".into()), (4, "refused".into())]
        );
        assert_eq!(lines[1]["value"], json!(1));
        assert_eq!(lines[2]["message"], json!("no"));
        assert!(lines.iter().all(|line| line["ms"].is_f64() && line["started"].as_f64().unwrap() > 1e9));
    }
}
