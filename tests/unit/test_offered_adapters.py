"""Adapters of other distributions: found by their entry point, and loaded before anything runs."""

from __future__ import annotations

import sys
import textwrap
from zipfile import ZipFile

import pytest

from unitai import MockToolkit, UnmockedToolError, UnsupportedFrameworkError
from unitai.adapters import discovery, registry

pytestmark = pytest.mark.unit

#: A framework: all tools of its agents are called by `use`.
FRAMEWORK = """
class Skill:
    def __init__(self, name, function):
        self.name, self.function = name, function
    def use(self, **args):
        return self.function(**args)

class Butler:
    def __init__(self, *skills):
        self.skills = skills
    def serve(self, order):
        return [skill.use(order=order) for skill in self.skills]
"""
ADAPTER = """
from unitai.adapters import BaseAdapter, Session, ToolCall
from unitai.traffic.door import add_hooks
from unitai.traffic.patches import Patch

def _use(original):
    def use(self, **args):
        session = Session.here()
        if session is None:
            return original(self, **args)
        return session.answer(ToolCall(self.name, args), real=lambda: original(self, **args))
    return use

class ButlerAdapter(BaseAdapter):
    name = "butler"
    handles = frozenset({"butler_framework.Butler"})
    def inject_mocks(self, agent, session): return agent
    def execute(self, wrapped_agent, input, timeout): return wrapped_agent.serve(input)
    def extract_tools(self, agent): return [skill.name for skill in agent.skills]

add_hooks({"butler_framework": lambda module: [Patch(module.Skill, "use", _use)]})
"""


def write(folder, adapter=ADAPTER):
    """Installs the framework and the distribution with its adapter into a folder."""
    metadata = folder / "unitai_butler-1.0.dist-info"
    metadata.mkdir(parents=True)
    (folder / "butler_framework.py").write_text(FRAMEWORK, encoding="utf-8")
    (folder / "butler_adapter.py").write_text(textwrap.dedent(adapter), encoding="utf-8")
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: unitai-butler\nVersion: 1.0\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text(
        "[unitai.adapters]\nbutler = butler_adapter:ButlerAdapter\n", encoding="utf-8"
    )
    return folder


@pytest.fixture
def process(monkeypatch):
    """A process in which nothing has run yet, and no adapter was looked for."""
    monkeypatch.setattr(registry, "_loaded", {})
    monkeypatch.setattr(registry, "_are_offered_loaded", False)
    yield monkeypatch
    for name in ("butler_adapter", "butler_framework"):
        sys.modules.pop(name, None)


def ring(order):
    pytest.fail("a real bell rang")


def serve(order, tools):
    """A plain function with an agent of the framework inside."""
    from butler_framework import Butler, Skill

    return Butler(Skill("ring", ring)).serve(order)


@pytest.mark.parametrize("is_imported", [False, True])
@pytest.mark.parametrize(
    "run", [MockToolkit.run, lambda toolkit, agent, input: toolkit.run_generic(lambda: agent(input, {}))]
)
def test_the_first_run_of_all_has_the_adapter(tmp_path, process, run, is_imported):
    process.syspath_prepend(str(write(tmp_path)))
    if is_imported:
        import butler_framework  # noqa: F401
    toolkit = MockToolkit()
    toolkit.mock("ring", return_value="rung")
    result = run(toolkit, serve, "tea")
    assert result.output == ["rung"]
    assert result.tool_called_with("ring", order="tea")


def test_a_tool_that_is_not_mocked_does_not_run(tmp_path, process):
    process.syspath_prepend(str(write(tmp_path)))
    with pytest.raises(UnmockedToolError, match="ring, which is not mocked"):
        MockToolkit().run(serve, "tea")


def test_an_agent_is_run_by_it(tmp_path, process):
    process.syspath_prepend(str(write(tmp_path)))
    from butler_framework import Butler, Skill

    for adapter in (None, "butler"):
        toolkit = MockToolkit()
        toolkit.mock("ring", return_value="rung")
        assert toolkit.run(Butler(Skill("ring", ring)), "tea", adapter=adapter).output == ["rung"]


def test_one_that_cannot_be_loaded_refuses_every_run(tmp_path, process):
    process.syspath_prepend(str(write(tmp_path, adapter="import a_framework_that_is_not_installed")))
    for _ in range(2):
        with pytest.raises(UnsupportedFrameworkError, match="butler = butler_adapter:ButlerAdapter cannot be loaded"):
            MockToolkit().run(lambda order, tools: order, "tea")


def test_what_is_no_adapter_is_refused(tmp_path, process):
    process.syspath_prepend(str(write(tmp_path, adapter="ButlerAdapter = 7")))
    with pytest.raises(TypeError, match="is no BaseAdapter, but 7"):
        MockToolkit().run(lambda order, tools: order, "tea")


class TestLookingForThem:
    """`importlib.metadata` is asked only where an answer may be expected: it takes long."""

    def asked(self, process):
        asked = []
        process.setattr("importlib.metadata.entry_points", lambda **group: asked.append(group) or [])
        MockToolkit().run(lambda order, tools: order, "tea")
        MockToolkit().run(lambda order, tools: order, "tea")
        return asked

    def test_not_where_no_distribution_names_the_entry_point(self, tmp_path, process):
        other = tmp_path / "other-1.0.dist-info"
        other.mkdir()
        (other / "entry_points.txt").write_text("[console_scripts]\nother = other:main\n", encoding="utf-8")
        process.setattr(sys, "path", [str(tmp_path), str(tmp_path / "missing"), ""])
        process.setattr(sys, "meta_path", [finder for finder in sys.meta_path if finder is discovery.PathFinder])
        assert self.asked(process) == []

    def test_once_where_one_does(self, tmp_path, process):
        process.setattr(sys, "path", [str(write(tmp_path))])
        assert self.asked(process) == [{"group": "unitai.adapters"}]

    def test_where_distributions_are_in_an_archive(self, tmp_path, process):
        with ZipFile(tmp_path / "bundle.zip", "w") as archive:
            archive.writestr("unitai_butler-1.0.dist-info/entry_points.txt", "[unitai.adapters]\n")
        process.setattr(sys, "path", [*sys.path, str(tmp_path / "bundle.zip")])
        assert len(self.asked(process)) == 1

    def test_where_somebody_finds_distributions_in_another_way(self, process):
        class Finder:
            def find_spec(self, *args):
                return None

            def find_distributions(self, context=None):
                return []

        process.setattr(sys, "path", [])
        process.setattr(sys, "meta_path", [*sys.meta_path, Finder()])
        assert len(self.asked(process)) == 1
