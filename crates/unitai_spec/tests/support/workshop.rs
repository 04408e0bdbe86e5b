//! Tools of the tests' own, a judge with a script, and a way to run a test that is given as text.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use unitai_model::value::Value;
use unitai_spec::document::{Arguments, Server, ServerKind, Spec, read};
use unitai_spec::run::{
    Answer, Around, Brief, Called, Connector, Driven, Driver, Ending, Errand, Future, Hands, Judge,
    Recording, Replay, Reply, Ruling, Run, Source, Stop, Tool, ToolServer, Unobserved, Verdict, run,
};

/// Every call that any of the tools received.
pub(crate) type Calls = Arc<Mutex<Vec<String>>>;

/// A server whose tools are known by name: `echo` gives its arguments, `count` how often it was called, `fail` fails,
/// `slow` never answers, `flaky` answers from the third call on.
struct Workshop {
    name: String,
    tools: Vec<Tool>,
    calls: Calls,
}

impl Workshop {
    fn new(name: &str, tools: &[&str], calls: &Calls) -> Workshop {
        let tool = |name: &&str| Tool {
            name: (*name).to_owned(),
            description: String::new(),
            input_schema: serde_json::json!({"type": "object"}),
        };
        Workshop { name: name.to_owned(), tools: tools.iter().map(tool).collect(), calls: Arc::clone(calls) }
    }
}

impl ToolServer for Workshop {
    fn name(&self) -> &str {
        &self.name
    }

    fn tools(&self) -> &[Tool] {
        &self.tools
    }

    fn troubles(&self) -> &[String] {
        &[]
    }

    fn call<'a>(&'a self, tool: &'a str, args: Arguments) -> Future<'a, Called> {
        Box::pin(async move {
            let shown: Vec<String> = args.iter().map(|(name, it)| format!("{name}={it}")).collect();
            let number = {
                let mut calls = self.calls.lock().expect("no panic");
                calls.push(format!("{tool}({})", shown.join(", ")));
                calls.iter().filter(|it| it.starts_with(&format!("{tool}("))).count()
            };
            let value = match tool {
                "slow" => {
                    tokio::time::sleep(Duration::from_secs(60)).await;
                    Value::Null
                }
                "fail" => return failed("it is broken"),
                "flaky" if number < 3 => return failed("not yet"),
                "count" | "flaky" => Value::Int(i64::try_from(number).expect("few")),
                _ => Value::Dict(args.into_iter().map(|(name, it)| (Value::Str(name), it)).collect()),
            };
            Called::Returned { text: value.to_string(), value }
        })
    }

    fn close<'a>(self: Box<Self>) -> Future<'a, Vec<String>>
    where
        Self: 'a,
    {
        self.calls.lock().expect("no panic").push(format!("close {}", self.name));
        Box::pin(async { Vec::new() })
    }
}

fn failed(message: &str) -> Called {
    Called::Failed { message: message.to_owned(), details: String::new() }
}

/// Servers by the word of their command: `broken` cannot be started, `both` has tools that another has, too.
struct Shop(Calls);

impl Connector for Shop {
    fn connect<'a>(&'a self, server: &'a Server) -> Future<'a, Result<Box<dyn ToolServer>, String>> {
        Box::pin(async move {
            let ServerKind::Command { command, .. } = &server.kind else {
                return Err("no command".to_owned());
            };
            match command[0].as_str() {
                "broken" => Err(format!("the server {} could not be started", server.name)),
                _ => Ok(Box::new(Workshop::new(&server.name, &["echo"], &self.0)) as Box<dyn ToolServer>),
            }
        })
    }

    fn plugins<'a>(&'a self) -> Future<'a, Option<Result<Box<dyn ToolServer>, String>>> {
        Box::pin(async move {
            let tools = ["echo", "count", "fail", "slow", "flaky", "clean_up"];
            Some(Ok(Box::new(Workshop::new("plugins", &tools, &self.0)) as Box<dyn ToolServer>))
        })
    }
}

/// A judge that has its answers ready, and counts how often it is asked.
pub(crate) struct Scripted {
    pub(crate) ruling: Box<dyn Fn(&Brief<'_>) -> Ruling + Send + Sync>,
    pub(crate) asked: Mutex<Vec<String>>,
}

impl Scripted {
    /// One answer for each question, by the beginning of its text.
    pub(crate) fn answering(answers: &'static [(&'static str, Answer)]) -> Scripted {
        Scripted::ruling(move |brief| {
            let reply = |question: &unitai_spec::run::Question| {
                let (_, answer) = answers.iter().find(|(text, _)| question.text.starts_with(text))?;
                Some(Reply {
                    id: question.id.clone(),
                    answer: *answer,
                    quotes: Vec::new(),
                    why: String::new(),
                })
            };
            Ruling::Answered(brief.questions.iter().filter_map(reply).collect::<Vec<_>>().into())
        })
    }

    pub(crate) fn ruling(ruling: impl Fn(&Brief<'_>) -> Ruling + Send + Sync + 'static) -> Scripted {
        Scripted { ruling: Box::new(ruling), asked: Mutex::default() }
    }

    /// The questions that it was asked.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("no panic").clone()
    }
}

impl Judge for Scripted {
    fn judge<'a>(&'a self, brief: &'a Brief<'a>) -> Future<'a, Ruling> {
        let texts = brief.questions.iter().map(|question| question.text.clone());
        self.asked.lock().expect("no panic").extend(texts);
        let ruling = (self.ruling)(brief);
        Box::pin(async move { ruling })
    }
}

/// A test that has run, and what its tools were called with.
pub(crate) struct Ran {
    pub(crate) spec: Spec,
    pub(crate) run: Run,
    pub(crate) calls: Vec<String>,
}

impl Ran {
    /// What it leaves for the next.
    pub(crate) fn recorded(&self) -> Recording {
        Recording::of(&self.spec, &self.run)
    }

    /// Its verdict.
    pub(crate) fn verdict(&self) -> &Verdict {
        match &self.run.ending {
            Ending::Decided(verdict) => verdict,
            other => panic!("no verdict but {other:?}"),
        }
    }

    /// The word of its verdict and its reason.
    pub(crate) fn said(&self) -> (&'static str, &str) {
        (self.verdict().word.text(), &self.verdict().reason)
    }

    /// Each step with its status and details.
    pub(crate) fn steps(&self) -> Vec<String> {
        let steps = match &self.run.ending {
            Ending::Decided(verdict) => &verdict.steps,
            Ending::Error { steps, .. } | Ending::Stopped { steps } => steps,
        };
        steps.iter().map(|it| format!("{} {}: {}", it.path, it.status.text(), it.details)).collect()
    }
}

/// Runs a test that no judge is asked about.
pub(crate) fn ran(text: &str) -> Ran {
    ran_with(text, &unitai_spec::run::NoJudge, None)
}

/// Runs a test; with `stop`, it is asked to stop after so many milliseconds.
pub(crate) fn ran_with(text: &str, judge: &dyn Judge, stop: Option<u64>) -> Ran {
    ran_again(text, judge, stop, Source::Tools)
}

/// Runs a test from its recording: no tool is called, and no judge asked.
pub(crate) fn replayed(text: &str, recording: &Recording) -> Ran {
    let judge = Scripted::ruling(|_| panic!("no judge is asked"));
    ran_again(text, &judge, None, Source::Recording(Replay { recording, clean: &str::to_owned }))
}

/// The same where the value of `BASE` is a secret.
pub(crate) fn replayed_cleanly(text: &str, recording: &Recording) -> Ran {
    let judge = Scripted::ruling(|_| panic!("no judge is asked"));
    ran_again(text, &judge, None, Source::Recording(Replay { recording, clean: &without_base }))
}

/// A text without the value of `BASE`.
pub(crate) fn without_base(text: &str) -> String {
    text.replace("here", "[redacted]")
}

/// What a driver does with the steps that it was told and the tools that it was given.
type Acting = dyn Fn(String, Hands) -> Future<'static, Driven> + Send + Sync;

/// A driver with a script.
pub(crate) struct Acted(pub(crate) Box<Acting>);

impl Acted {
    pub(crate) fn by<F>(act: impl Fn(String, Hands) -> F + Send + Sync + 'static) -> Acted
    where
        F: std::future::Future<Output = Driven> + Send + 'static,
    {
        Acted(Box::new(move |steps, hands| Box::pin(act(steps, hands))))
    }
}

impl Driver for Acted {
    fn drive<'a>(&'a self, errand: &'a Errand<'a>, hands: Hands) -> Future<'a, Driven> {
        (self.0)(errand.steps.to_owned(), hands)
    }
}

/// Runs a test whose steps a driver drives.
pub(crate) fn driven(text: &str, driver: &dyn Driver, judge: &dyn Judge, stop: Option<u64>) -> Ran {
    ran_again(text, judge, stop, Source::Driver(driver))
}

fn ran_again(text: &str, judge: &dyn Judge, stop: Option<u64>, source: Source<'_>) -> Ran {
    let mut reading = read(text, Path::new("tests/llm/some.yaml"));
    assert_eq!(reading.specs.len(), 1, "{:?}", reading.troubles);
    let calls = Calls::default();
    let shop = Shop(Arc::clone(&calls));
    let around = Around {
        run_id: "run",
        connector: &shop,
        judge,
        observer: &Unobserved,
        env: &[("BASE".to_owned(), "here".to_owned())],
        timeout: None,
        source,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let handle = Stop::default();
    let run = runtime.block_on(async {
        let asking = async {
            match stop {
                Some(ms) => tokio::time::sleep(Duration::from_millis(ms)).await,
                None => std::future::pending().await,
            }
            handle.ask();
            std::future::pending::<()>().await;
        };
        tokio::select! {
            run = run(&reading.specs[0], &around, &handle) => run,
            () = asking => unreachable!(),
        }
    });
    let calls = calls.lock().expect("no panic").clone();
    Ran { spec: reading.specs.remove(0), run, calls }
}
