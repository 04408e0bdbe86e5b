"""Imports go one way: a module may use what lies below it, and nothing above."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import unitai

pytestmark = pytest.mark.contract

PACKAGE = Path(unitai.__file__).parent

# From the bottom up. A module may import from its own layer and from those before it.
LAYERS = [
    ["unitai._engine"],
    ["unitai.errors", "unitai.attempt"],
    [
        "unitai.frames",
        "unitai.match",
        "unitai.script",
        "unitai.faults",
        "unitai.config",
        "unitai.snapshot",
        "unitai.contract",
    ],
    ["unitai.traffic"],
    ["unitai.adapters.ports"],
    ["unitai.runner"],
    ["unitai.mock.strategies", "unitai.mock.awaiting", "unitai.mock.wiring", "unitai.mock.tool"],
    ["unitai.mock.registration"],
    ["unitai.adapters"],
    [
        "unitai.mock.swapping",
        "unitai.mock.tool_objects",
        "unitai.mock.holders",
        "unitai.mock.patch_target",
        "unitai.mock.patching",
        "unitai.mock.agent_tools",
    ],
    ["unitai.core.trajectory", "unitai.core.result", "unitai.core.assertions"],
    ["unitai.mock"],
    ["unitai.core"],
    ["unitai.trials", "unitai.runner.statistical"],
    ["unitai.llm"],
    ["unitai.cli", "unitai.pytest_plugin"],
    ["unitai._names"],
    ["unitai"],
]


def layer_of(module: str) -> int:
    """The layer with the longest prefix of the module's name."""
    fits = [
        (len(prefix), n)
        for n, layer in enumerate(LAYERS)
        for prefix in layer
        if module == prefix or module.startswith(prefix + ".")
    ]
    if not fits:
        pytest.fail(f"{module} is in no layer: add it to LAYERS in tests/contract/test_layers.py", pytrace=False)
    return max(fits)[1]


def modules() -> dict[str, Path]:
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(path: Path) -> set[str]:
    """Every module of ours that a file imports, in functions too; imports for type checkers are none."""
    found = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for_types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in for_types:
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "unitai":
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {name if name in modules() else node.module for name in inner}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.split(".")[0] == "unitai"}
    return found


@pytest.mark.parametrize(("module", "path"), modules().items(), ids=list(modules()))
def test_a_module_imports_nothing_from_above(module, path):
    upward = [used for used in imports(path) if layer_of(used) > layer_of(module)]
    assert upward == []


def test_adapters_never_see_the_toolkit():
    for module, path in modules().items():
        if module.startswith("unitai.adapters"):
            assert not any(used.startswith("unitai.mock") for used in imports(path)), module
