//! The frameworks that `unitai init` has an example for, and how each is recognised.

use clap::ValueEnum;

/// What an agent is written with. The order is that of preference: a framework stands before the client it is built on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Framework {
    /// LangGraph, and agents of LangChain
    Langgraph,
    /// The OpenAI Agents SDK
    OpenaiAgents,
    /// CrewAI
    Crewai,
    /// Semantic Kernel
    SemanticKernel,
    /// Microsoft Agent Framework
    #[value(name = "agent-framework")]
    MicrosoftAgents,
    /// Pydantic AI
    PydanticAi,
    /// Google's Agent Development Kit
    GoogleAdk,
    /// OpenAI's client, with a loop of your own
    Openai,
    /// Plain Python
    Generic,
}

impl Framework {
    /// All of them, the preferred first.
    pub(crate) fn all() -> &'static [Framework] {
        Framework::value_variants()
    }

    /// How people call it.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Framework::Langgraph => "LangGraph and LangChain",
            Framework::OpenaiAgents => "the OpenAI Agents SDK",
            Framework::Crewai => "CrewAI",
            Framework::SemanticKernel => "Semantic Kernel",
            Framework::MicrosoftAgents => "Microsoft Agent Framework",
            Framework::PydanticAi => "Pydantic AI",
            Framework::GoogleAdk => "Google's ADK",
            Framework::Openai => "OpenAI's client",
            Framework::Generic => "plain Python",
        }
    }

    /// The word on the command line.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Framework::Langgraph => "langgraph",
            Framework::OpenaiAgents => "openai-agents",
            Framework::Crewai => "crewai",
            Framework::SemanticKernel => "semantic-kernel",
            Framework::MicrosoftAgents => "agent-framework",
            Framework::PydanticAi => "pydantic-ai",
            Framework::GoogleAdk => "google-adk",
            Framework::Openai => "openai",
            Framework::Generic => "generic",
        }
    }

    /// What it is installed as.
    pub(crate) fn distributions(self) -> &'static [&'static str] {
        match self {
            Framework::Langgraph => &["langgraph"],
            Framework::OpenaiAgents => &["openai-agents"],
            Framework::Crewai => &["crewai"],
            Framework::SemanticKernel => &["semantic-kernel"],
            Framework::MicrosoftAgents => &["agent-framework", "agent-framework-core"],
            Framework::PydanticAi => &["pydantic-ai", "pydantic-ai-slim"],
            Framework::GoogleAdk => &["google-adk"],
            Framework::Openai => &["openai"],
            Framework::Generic => &[],
        }
    }

    /// What code imports it as. The Agents SDK calls itself `agents`, as many folders of projects do.
    pub(crate) fn module(self) -> Option<&'static str> {
        match self {
            Framework::Langgraph => Some("langgraph"),
            Framework::OpenaiAgents => Some("agents"),
            Framework::Crewai => Some("crewai"),
            Framework::SemanticKernel => Some("semantic_kernel"),
            Framework::MicrosoftAgents => Some("agent_framework"),
            Framework::PydanticAi => Some("pydantic_ai"),
            Framework::GoogleAdk => Some("google.adk"),
            Framework::Openai => Some("openai"),
            Framework::Generic => None,
        }
    }

    /// What its companions are called: one whole word of a package or of a module, perhaps with more behind it. They go with
    /// other frameworks as well, so they speak for this one only where no other is there.
    pub(crate) fn companion(self) -> Option<&'static str> {
        match self {
            Framework::Langgraph => Some("langchain"),
            _ => None,
        }
    }

    /// The example.
    pub(crate) fn example(self) -> &'static str {
        match self {
            Framework::Langgraph => include_str!("../../templates/test_langgraph.py"),
            Framework::OpenaiAgents => include_str!("../../templates/test_openai_agents.py"),
            Framework::Crewai => include_str!("../../templates/test_crewai.py"),
            Framework::SemanticKernel => include_str!("../../templates/test_semantic_kernel.py"),
            Framework::MicrosoftAgents => include_str!("../../templates/test_agent_framework.py"),
            Framework::PydanticAi => include_str!("../../templates/test_pydantic_ai.py"),
            Framework::GoogleAdk => include_str!("../../templates/test_google_adk.py"),
            Framework::Openai => include_str!("../../templates/test_openai.py"),
            Framework::Generic => include_str!("../../templates/test_generic.py"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_is_that_of_the_command_line() {
        for framework in Framework::all() {
            let value = framework.to_possible_value().unwrap();
            assert_eq!(value.get_name(), framework.word());
        }
    }

    #[test]
    fn an_example_imports_what_it_is_for() {
        for framework in Framework::all() {
            let Some(module) = framework.module() else { continue };
            let imports = framework.example().lines().any(|line| {
                let mut words = line.split(' ');
                matches!(words.next(), Some("import" | "from"))
                    && words.next().is_some_and(|name| name.starts_with(module))
            });
            assert!(imports, "{module}");
        }
    }
}
