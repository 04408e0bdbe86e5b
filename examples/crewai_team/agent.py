"""A newsletter made by two agents of CrewAI: one finds facts, the other publishes them. Code stands between."""

import re
from typing import Any

from crewai import LLM, Agent, Crew, Task
from crewai.tools import tool

MODEL = "openai/gpt-4o-mini"


@tool
def search(query: str) -> list:
    """Addresses of pages about something."""
    raise NotImplementedError("ask your search engine here")


@tool
def read_page(url: str) -> str:
    """The text at an address."""
    raise NotImplementedError("get the page here")


@tool
def publish(title: str, text: str) -> dict:
    """Send the newsletter to everybody."""
    raise NotImplementedError("send it here")


def names_a_source(output) -> tuple[bool, Any]:
    """What the researcher hands on must name a page; otherwise it is asked again."""
    if re.search(r"https?://\S+", output.raw):
        return True, output.raw
    return False, "Name the address of the page that says so."


def newsletter_crew() -> Crew:
    """The team. CrewAI fills `{topic}` in."""
    llm = LLM(model=MODEL)
    researcher = Agent(
        role="researcher",
        goal="Find one fact about {topic}, and the page that says so.",
        backstory="You believe nothing that you have not read.",
        llm=llm,
        tools=[search, read_page],
    )
    editor = Agent(
        role="editor",
        goal="Write what the researcher found, and publish it.",
        backstory="You write short, true sentences.",
        llm=llm,
        tools=[publish],
    )
    research = Task(
        description="Find one fact about {topic}.",
        expected_output="The fact, and the address of its source.",
        agent=researcher,
        guardrail=names_a_source,
    )
    writing = Task(
        description="Write and publish a newsletter of one sentence.",
        expected_output="The sentence.",
        agent=editor,
        context=[research],
    )
    return Crew(agents=[researcher, editor], tasks=[research, writing])
