//! Tools that help to write tests: make one, see what is wrong with it, see what there is, run it.
//!
//! Reading and running arrive through the port [`Tests`], and a model that writes tests through [`Author`]. Files are looked for below one folder, the project's root,
//! and written only below its `tests/llm`.

mod arguments;
mod create;
mod describe;
mod drafting;
mod listing;
mod place;
mod port;
mod running;
mod shown;
mod validate;
mod yaml;

use std::sync::Arc;

use serde_json::Value;
use unitai_spec::data::{from_json, to_json};
use unitai_spec::document::{Arguments, ProjectRoot};
use unitai_spec::run::{Called, Future, Tool};
use unitai_wire::redact::Secrets;

pub use port::{Author, Code, Draft, DraftRequest, NoAuthor, Plugins, Tests};

use place::Root;
use running::Runs;

use super::offer::Offering;

/// The tools that help to write tests. Neither what they write nor what they answer holds a secret.
pub struct Authoring {
    root: Root,
    tests: Arc<dyn Tests>,
    author: Arc<dyn Author>,
    secrets: Arc<Secrets>,
    runs: Runs,
}

/// What a tool of ours gives, or why it could not, for people.
type Outcome = Result<Value, String>;

impl Authoring {
    /// For the project in `root`.
    pub fn new(root: ProjectRoot, tests: Arc<dyn Tests>, secrets: Arc<Secrets>) -> Authoring {
        let author = Arc::new(NoAuthor);
        Authoring { root: Root(root), tests, author, secrets, runs: Runs::default() }
    }

    /// With somebody who writes tests from descriptions.
    pub fn written_by(mut self, author: Arc<dyn Author>) -> Authoring {
        self.author = author;
        self
    }

    async fn outcome(&self, tool: &str, args: serde_json::Map<String, Value>) -> Outcome {
        match tool {
            "create_test" if drafting::is_wanted(&args) => {
                drafting::draft(&self.root, &*self.tests, &*self.author, &self.secrets, args).await
            }
            "create_test" => create::create(&self.root, &*self.tests, &self.secrets, args),
            "validate_test" => validate::validate(&self.root, &*self.tests, args),
            "list_tests" => {
                let (root, tests) = (self.root.clone(), self.tests.clone());
                // A project may have many files, and others want to be answered meanwhile.
                let listed = tokio::task::spawn_blocking(move || listing::list(&root, &*tests, args));
                listed.await.map_err(|error| format!("the tests could not be listed: {error}"))?
            }
            "list_plugins" => listing::plugins(&self.root, &*self.tests, args).await,
            "run_test" => self.runs.run(&self.root, self.tests.clone(), args).await,
            other => Err(format!("there is no tool `{other}` here")),
        }
    }
}

impl Offering for Authoring {
    fn tools(&self) -> Future<'_, Vec<Tool>> {
        Box::pin(async { describe::tools() })
    }

    fn call<'a>(&'a self, tool: &'a str, args: Arguments) -> Future<'a, Called> {
        Box::pin(async move {
            let args = args.iter().map(|(name, it)| (name.clone(), to_json(it))).collect();
            match self.outcome(tool, args).await {
                Ok(mut told) => {
                    // A client is often a model, and its provider reads what it is told.
                    self.secrets.clean_json(&mut told);
                    Called::Returned { text: told.to_string(), value: from_json(&told) }
                }
                Err(message) => {
                    let message = self.secrets.clean(&message).into_owned();
                    Called::Failed { message, details: String::new() }
                }
            }
        })
    }

    fn close(&self) -> Future<'_, Vec<String>> {
        Box::pin(self.runs.close())
    }
}
