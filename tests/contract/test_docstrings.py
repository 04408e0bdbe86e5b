"""Every public class has an example, and every example in a docstring is true."""

from __future__ import annotations

import doctest
import importlib
import os

import pytest

import unitai
from unitai import _engine

pytestmark = pytest.mark.contract

MODULES = [
    "unitai.adapters.generic",
    "unitai.core.assertions",
    "unitai.core.testcase",
    "unitai.errors",
    "unitai.llm.models",
    "unitai.llm.plugin_base",
    "unitai.llm.schemas",
    "unitai.match",
    "unitai.mock.strategies",
    "unitai.mock.toolkit",
]
#: Classes whose docstring needs no example: each error has one in the catalogue.
ENGINE = [_engine.AgentRunResult, _engine.Finding, _engine.MockTool, _engine.MockToolCall, _engine.StoredRepr,
          _engine.Trajectory, _engine.TrajectoryStep]  # fmt: skip


def run_examples(docstring: str, name: str, names: dict[str, object]) -> int:
    test = doctest.DocTestParser().get_doctest(docstring, {**names, "os": os}, name, None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL, verbose=False)
    output: list[str] = []
    runner.run(test, out=output.append)
    assert runner.failures == 0, "".join(output)
    return len(test.examples)


@pytest.mark.parametrize("module", MODULES)
def test_examples_in_modules_are_true(module):
    loaded = importlib.import_module(module)
    tests = doctest.DocTestFinder(exclude_empty=True).find(loaded)
    assert sum(run_examples(test.docstring, test.name, vars(loaded)) for test in tests) > 0


@pytest.mark.parametrize("engine_class", ENGINE, ids=lambda found: found.__name__)
def test_classes_of_the_engine_have_true_examples(engine_class):
    assert run_examples(engine_class.__doc__, engine_class.__name__, {}) > 0
    for name, member in vars(engine_class).items():
        doc = getattr(member, "__doc__", None) or ""
        if not name.startswith("_"):
            assert doc.strip(), f"{engine_class.__name__}.{name} is not documented"
        if ">>>" in doc:
            run_examples(doc, f"{engine_class.__name__}.{name}", {})


def test_public_functions_and_classes_written_in_python_have_examples():
    named = [unitai.MockToolkit, unitai.AgentTestCase, unitai.assert_trajectory, unitai.UnitAIError]
    assert [found.__name__ for found in named if ">>>" not in (found.__doc__ or "")] == []
