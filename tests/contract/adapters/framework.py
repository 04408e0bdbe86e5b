"""What a fixture file says about its framework. A new adapter is tested by one such file."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any, ClassVar, NamedTuple

from unitai import script

#: The module of each framework, by the name of its adapter. Each has a fixture, `framework_<name>.py`.
FRAMEWORKS = {
    "langgraph": "langgraph",
    "openai_agents": "agents",
    "crewai": "crewai",
    "semantic_kernel": "semantic_kernel",
    "agent_framework": "agent_framework",
    "pydantic_ai": "pydantic_ai",
    "google_adk": "google.adk",
}


def _chosen() -> str | None:
    wanted = os.environ.get("TESTS_FRAMEWORK")
    if wanted:
        return wanted

    def is_here(module: str) -> bool:
        try:
            return find_spec(module) is not None
        except ModuleNotFoundError:
            return False

    return next((name for name, module in FRAMEWORKS.items() if is_here(module)), None)


CHOSEN = _chosen()


class Turn(NamedTuple):
    """What a model without traffic answers once."""

    #: What it says; nothing if it calls `lookup_order(order_id="123")`.
    text: str | None
    #: The tokens that it reports, if it does.
    prompt: int | None
    completion: int | None


def turns(reports: bool) -> Iterator[Turn]:
    """All that a model without traffic answers, with the tokens or without."""
    for turn in (Turn(None, 20, 5), Turn("Delivered.", 30, 4)):
        yield turn if reports else Turn(turn.text, None, None)


class Fixture:
    """One framework, and agents that are made with it as its users make them.

    The agents have the tools of `shop.py`: `lookup_order(order_id: str) -> dict`, `refund(order_id: str, amount: float)
    -> str`, and `send_email(to: str, text: str) -> str`, which is async. Their model is `MODEL` of OpenAI, unless the
    framework has one of its own.
    """

    #: The adapter's name, the distribution that is installed, and others that redirected classes come from.
    name: str
    distribution: str
    others: ClassVar[tuple[str, ...]] = ()
    model: ClassVar[str] = "gpt-4o-mini"
    #: A name that `model_override` may be given.
    other_model: ClassVar[str] = "gpt-4o"
    #: Whether an error of a tool ends the run; otherwise the model is told of it.
    tool_errors_end_the_run: ClassVar[bool] = False
    #: Whether a tool that the model made up ends the run.
    made_up_tools_end_the_run: ClassVar[bool] = False
    #: What is redirected: `(module, class or None, attribute)` each.
    chokepoints: ClassVar[tuple[tuple[str, str | None, str], ...]] = ()
    #: What each tool is called in `extract_tools`, where the framework gives it another name.
    tool_names: ClassVar[tuple[str, ...]] = ("lookup_order", "refund", "send_email")

    def spoken(self, name: str) -> str:
        """What the model calls a tool, where that is not the name that tests call it by."""
        return name

    def agent(self, base_url: str | None = None) -> Any:
        """A fresh agent with the three tools. `base_url`: of another server that speaks OpenAI's (or the provider's)
        language.
        """
        raise NotImplementedError

    def in_house(self, reports: bool = True) -> Any:
        """A fresh agent with the three tools, whose model is called `in-house` and sends nothing to anybody: a class that
        the framework's users have written. It answers with `turns`.
        """
        raise NotImplementedError

    def team(self) -> Any:
        """An agent named `triage` without `refund`, that hands over to, or calls, or delegates to another, `billing`,
        which has it. The script of `team_script` plays it.
        """
        raise NotImplementedError

    def team_script(self) -> list[Any]:
        """What the models of the team say: triage hands over, billing calls `refund(order_id="123", amount=10.0)`, and
        in the end somebody says "Refunded."
        """
        raise NotImplementedError

    def state(self, agent: Any) -> Any:
        """Whatever of the agent a run could change, to be compared before and after."""
        raise NotImplementedError

    def run_as_users_do(self, agent: Any, input: str) -> Any:
        """Runs the agent by the framework's own call, sync or async; gives its final text. Nothing of UnitAI's is used."""
        raise NotImplementedError

    async def stream_as_users_do(self, agent: Any, input: str) -> str:
        """Runs the agent by the framework's own streaming call, to its end; gives the final text."""
        raise NotImplementedError


def same(text: Any) -> str:
    """A final output as text, whatever the framework wraps it in."""
    return text if isinstance(text, str) else str(text)


def fixture() -> Any:
    """The fixture of the framework that is tested."""
    with warnings.catch_warnings():
        # What frameworks warn of is theirs.
        warnings.simplefilter("ignore")
        return import_module(f"framework_{CHOSEN}").FIXTURE


def call(tool: str, **args: Any) -> Any:
    """The model calls a tool, by the name that the framework has told it."""
    return script.call(fixture().spoken(tool), **args)
