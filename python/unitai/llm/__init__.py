"""YAML tests: the plugins that give them tools, the classes of their files and verdicts, and pytest's items.

    from unitai.llm import LLMPlugin

Names are loaded when they are first used: the host of plugins needs one of them, and starts with every test run.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from unitai.errors import LLMTestError as LLMTestError
    from unitai.errors import LLMTestFailed as LLMTestFailed
    from unitai.llm.items import LLMTestFile as LLMTestFile
    from unitai.llm.items import LLMTestItem as LLMTestItem
    from unitai.llm.models import Step as Step
    from unitai.llm.models import StepResult as StepResult
    from unitai.llm.models import TestMeta as TestMeta
    from unitai.llm.models import TestSpec as TestSpec
    from unitai.llm.models import Verdict as Verdict
    from unitai.llm.models import VerdictSpec as VerdictSpec
    from unitai.llm.plugin_base import LLMPlugin as LLMPlugin
    from unitai.llm.running import run_llm_test as run_llm_test

_HOME_OF = {
    "LLMPlugin": "llm.plugin_base",
    "LLMTestError": "errors",
    "LLMTestFailed": "errors",
    "LLMTestFile": "llm.items",
    "LLMTestItem": "llm.items",
    "Step": "llm.models",
    "StepResult": "llm.models",
    "TestMeta": "llm.models",
    "TestSpec": "llm.models",
    "Verdict": "llm.models",
    "VerdictSpec": "llm.models",
    "run_llm_test": "llm.running",
}

__all__ = list(_HOME_OF)


def __getattr__(name: str) -> object:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(f"unitai.{home}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
