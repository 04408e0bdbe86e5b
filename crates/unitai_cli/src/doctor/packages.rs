//! The packages that UnitAI knows, and what it does with each.

use serde::Serialize;

use super::python::Python;

/// How far UnitAI reaches into a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reach {
    /// Its model calls are scripted, recorded and metered.
    ModelCalls,
    /// Its agents are run as they are, with their tools mocked.
    Agents,
    /// Requests that it sends to models are seen.
    Requests,
    /// Tests work with it.
    Plugin,
}

impl Reach {
    /// In words.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Reach::ModelCalls => "model calls are scripted, recorded and metered",
            Reach::Agents => "agents are run as they are, with their tools mocked",
            Reach::Requests => "requests to models are seen",
            Reach::Plugin => "works beside UnitAI",
        }
    }
}

const KNOWN: [(Reach, &[&str]); 4] = [
    (
        Reach::Agents,
        &[
            "langgraph",
            "langchain",
            "openai-agents",
            "crewai",
            "semantic-kernel",
            "agent-framework-core",
            "google-adk",
            "pydantic-ai",
            "pydantic-ai-slim",
        ],
    ),
    (
        Reach::ModelCalls,
        &[
            "openai",
            "anthropic",
            "google-genai",
            "mistralai",
            "boto3",
            "ollama",
            "langchain-openai",
            "langchain-anthropic",
            "litellm",
        ],
    ),
    (Reach::Requests, &["httpx", "httpx2", "urllib3", "aiohttp"]),
    (Reach::Plugin, &["pytest-xdist"]),
];

/// A package that is installed, and what UnitAI does with it.
#[derive(Debug, Serialize)]
pub(crate) struct Package {
    pub(crate) name: &'static str,
    pub(crate) version: String,
    pub(crate) reach: Reach,
}

/// Those of an interpreter, frameworks first.
pub(crate) fn installed(python: &Python) -> Vec<Package> {
    let all = KNOWN.iter().flat_map(|(reach, names)| names.iter().map(move |name| (*reach, *name)));
    all.filter_map(|(reach, name)| {
        Some(Package { name, version: python.version_of(name)?.to_owned(), reach })
    })
    .collect()
}
