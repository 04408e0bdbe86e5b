//! What the server offers: tools from several hands under one list of names.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use unitai_model::nearest::nearest;
use unitai_spec::document::Arguments;
use unitai_spec::run::{Called, Future, Tool};

use super::calls::CallLog;
use super::handler::INSTRUCTIONS;

/// Cleaning up has this long, whatever it has to do. Clients kill a server that takes longer.
const CLEANUP: Duration = Duration::from_secs(5);

/// Somebody who has tools.
///
/// ```
/// use unitai_mcp::server::Offering;
/// use unitai_model::value::Value;
/// use unitai_spec::document::Arguments;
/// use unitai_spec::run::{Called, Future, Tool};
///
/// struct Greeter;
///
/// impl Offering for Greeter {
///     fn tools(&self) -> Future<'_, Vec<Tool>> {
///         let input_schema = serde_json::json!({"type": "object"});
///         let greet = Tool { name: "greet".into(), description: "Says hello.".into(), input_schema };
///         Box::pin(async { vec![greet] })
///     }
///
///     fn call<'a>(&'a self, _: &'a str, _: Arguments) -> Future<'a, Called> {
///         Box::pin(async { Called::Returned { value: Value::Str("hello".into()), text: "hello".into() } })
///     }
/// }
/// ```
pub trait Offering: Send + Sync {
    /// Its tools. Asked once; whoever must start something first may take its time here, for clients are greeted
    /// meanwhile.
    fn tools(&self) -> Future<'_, Vec<Tool>>;
    /// Calls a tool of its list. Dropping the future cancels the call.
    fn call<'a>(&'a self, tool: &'a str, args: Arguments) -> Future<'a, Called>;
    /// What does not work and why. Told when a tool is asked for that nobody has.
    fn troubles(&self) -> Vec<String> {
        Vec::new()
    }
    /// Cleans up. No call is under way, and none will come. Gives what went wrong.
    fn close(&self) -> Future<'_, Vec<String>> {
        Box::pin(async { Vec::new() })
    }
}

/// A tool, and who has it.
struct Entry {
    tool: Tool,
    owner: usize,
}

/// Everything that a server offers.
#[derive(Default)]
pub struct Offer {
    offerings: Vec<Box<dyn Offering>>,
    log: Option<CallLog>,
    instructions: Option<&'static str>,
    list: OnceCell<Vec<Entry>>,
    troubles: Mutex<Vec<String>>,
    end: CancellationToken,
    calls: TaskTracker,
}

impl Offer {
    /// An offer of nothing.
    pub fn new() -> Offer {
        Offer::default()
    }

    /// With the tools of one more. Where two have a tool of the same name, the earlier one's counts.
    pub fn with(mut self, offering: impl Offering + 'static) -> Offer {
        self.offerings.push(Box::new(offering));
        self
    }

    /// With a log of every call.
    pub fn logged(mut self, log: CallLog) -> Offer {
        self.log = Some(log);
        self
    }

    /// With words of its own for whoever is served; else those about all of UnitAI are said.
    pub fn instructing(mut self, instructions: &'static str) -> Offer {
        self.instructions = Some(instructions);
        self
    }

    pub(super) fn instructions(&self) -> &'static str {
        self.instructions.unwrap_or(INSTRUCTIONS)
    }

    /// Ready to be served.
    pub fn ready(self) -> Arc<Offer> {
        Arc::new(self)
    }

    async fn list(&self) -> &[Entry] {
        let gathered = async {
            let mut list: Vec<Entry> = Vec::new();
            for (owner, offering) in self.offerings.iter().enumerate() {
                for tool in offering.tools().await {
                    if list.iter().any(|known| known.tool.name == tool.name) {
                        let name = &tool.name;
                        self.note(format!("there are two tools with the name `{name}`; the first is used"));
                    } else {
                        list.push(Entry { tool, owner });
                    }
                }
            }
            list
        };
        self.list.get_or_init(|| gathered).await
    }

    /// Every tool, in the order of the offerings.
    pub async fn tools(&self) -> Vec<&Tool> {
        self.list().await.iter().map(|entry| &entry.tool).collect()
    }

    /// A tool by its name, if the list has been asked for.
    pub(super) fn known(&self, name: &str) -> Option<&Tool> {
        self.list.get()?.iter().map(|entry| &entry.tool).find(|tool| tool.name == name)
    }

    /// Calls a tool, and writes the call down. The error says that nobody has such a tool.
    pub async fn call(&self, name: &str, args: Arguments) -> Result<Called, String> {
        let list = self.list().await;
        // Given back last: whoever waits for calls waits for their lines in the log too.
        let _under_way = self.calls.token();
        let began = self.log.as_ref().map(|log| log.begin(name, &args));
        let Some(entry) = list.iter().find(|entry| entry.tool.name == name) else {
            let told = self.unknown(name, list);
            if let Some(began) = began {
                began.refused(&told);
            }
            return Err(told);
        };
        let called = tokio::select! {
            biased;
            // Dropped here, the call is unfinished, in the log too.
            () = self.end.cancelled() => {
                let message = "the server has ended, and the call with it".to_owned();
                return Ok(Called::Failed { message, details: String::new() });
            }
            called = self.offerings[entry.owner].call(name, args) => called,
        };
        if let Some(began) = began {
            began.ended(&called);
        }
        Ok(called)
    }

    fn unknown(&self, name: &str, list: &[Entry]) -> String {
        let names = || list.iter().map(|entry| entry.tool.name.as_str());
        let shown = unitai_model::value::quoted(name);
        let mut told = match nearest(name, names()) {
            Some(meant) => format!("there is no tool {shown}; did you mean `{meant}`?"),
            None => {
                format!("there is no tool {shown}; there are: {}", names().collect::<Vec<_>>().join(", "))
            }
        };
        for trouble in self.offerings.iter().flat_map(|offering| offering.troubles()) {
            told.push_str(&format!("\n{trouble}"));
        }
        told
    }

    fn note(&self, trouble: String) {
        self.troubles.lock().unwrap_or_else(PoisonError::into_inner).push(trouble);
    }

    /// Ends every call and cleans up, within a limit. Gives everything that somebody should know.
    pub async fn close(&self) -> Vec<String> {
        self.close_within(CLEANUP).await
    }

    async fn close_within(&self, limit: Duration) -> Vec<String> {
        self.end.cancel();
        self.calls.close();
        let cleaned = async {
            self.calls.wait().await;
            let mut troubles = Vec::new();
            for offering in self.offerings.iter().rev() {
                troubles.extend(offering.close().await);
            }
            troubles
        };
        let troubles = tokio::time::timeout(limit, cleaned).await;
        let troubles = troubles.unwrap_or_else(|_| {
            vec![format!("cleaning up took more than {} seconds and was left", limit.as_secs_f64())]
        });
        let mut all = std::mem::take(&mut *self.troubles.lock().unwrap_or_else(PoisonError::into_inner));
        all.extend(troubles);
        all.extend(self.log.as_ref().and_then(CallLog::trouble));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unitai_model::value::Value;

    struct Has(&'static [&'static str], &'static str);

    impl Offering for Has {
        fn tools(&self) -> Future<'_, Vec<Tool>> {
            let tool = |name: &&str| Tool {
                name: (*name).to_owned(),
                description: String::new(),
                input_schema: serde_json::json!({"type": "object"}),
            };
            Box::pin(async move { self.0.iter().map(tool).collect() })
        }

        fn call<'a>(&'a self, _: &'a str, _: Arguments) -> Future<'a, Called> {
            Box::pin(async { Called::Returned { value: Value::Str(self.1.into()), text: self.1.into() } })
        }

        fn troubles(&self) -> Vec<String> {
            vec![format!("{} is ill", self.1)]
        }

        fn close(&self) -> Future<'_, Vec<String>> {
            Box::pin(async {
                if self.1 == "slow" {
                    std::future::pending::<()>().await;
                }
                vec![format!("{} is closed", self.1)]
            })
        }
    }

    #[tokio::test]
    async fn the_first_of_two_tools_with_one_name_counts_and_it_is_told() {
        let offer = Offer::new().with(Has(&["one", "two"], "a")).with(Has(&["two", "three"], "b"));
        let names: Vec<&str> = offer.tools().await.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, ["one", "two", "three"]);
        for (tool, owner) in [("two", "a"), ("three", "b")] {
            let Ok(Called::Returned { text, .. }) = offer.call(tool, Vec::new()).await else {
                panic!("{tool}")
            };
            assert_eq!(text, owner);
        }
        let troubles = offer.close().await;
        assert!(troubles[0].contains("`two`"), "{troubles:?}");
        assert_eq!(troubles[1..], ["b is closed", "a is closed"]);
    }

    #[tokio::test]
    async fn a_tool_that_nobody_has_is_told_with_the_nearest_name_and_what_is_ill() {
        let offer = Offer::new().with(Has(&["http_get"], "a"));
        let told = offer.call("http_gte", Vec::new()).await.unwrap_err();
        assert!(told.contains("did you mean `http_get`?") && told.contains("a is ill"), "{told}");
        let told = offer.call("zzz\n", Vec::new()).await.unwrap_err();
        assert!(told.contains("there are: http_get") && !told.contains("zzz\n"), "{told}");
    }

    #[tokio::test]
    async fn cleaning_up_ends_within_its_limit() {
        let limit = Duration::from_millis(250);
        let troubles = Offer::new().with(Has(&[], "slow")).close_within(limit).await;
        assert_eq!(troubles, ["cleaning up took more than 0.25 seconds and was left"]);
    }
}
