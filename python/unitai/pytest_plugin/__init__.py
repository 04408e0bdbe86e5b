"""UnitAI in pytest: fixtures, options, and a report of what the agent did when a test fails.

The plugin stays out of the way: the engine is loaded by the first test that uses it, and a test that does
not is never looked at. What pytest loads is this one module, because every start of pytest pays for each.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    import warnings
    from collections.abc import Callable, Generator, Iterable, Iterator
    from pathlib import Path
    from typing import Any

    from unitai.config import UnitAIConfig
    from unitai.mock.toolkit import MockToolkit
    from unitai.snapshot import Snapshot
    from unitai.traffic.cassette import Recordings
    from unitai.traffic.scripted import ScriptedModel


def __dir__() -> list[str]:
    # pytest looks at every name of a plugin, at each start. There are only these to find.
    return [
        "pytest_load_initial_conftests",
        "pytest_configure",
        "pytest_sessionstart",
        "pytest_ignore_collect",
        "pytest_collection_modifyitems",
        "pytest_runtest_makereport",
        "pytest_report_teststatus",
        "pytest_exception_interact",
        "pytest_warning_recorded",
        "pytest_keyboard_interrupt",
        "pytest_sessionfinish",
        "pytest_testnodedown",
        "pytest_terminal_summary",
        "mock_toolkit",
        "unitai_config",
        "scripted_model",
        "cassette",
        "block_network",
        "unitai_snapshot",
    ]


_MODEL = "the model that agents use instead of their own"
_BASELINE = "compare repeated tests with this baseline; one that regressed fails the run"
_SAVE_BASELINE = "save how repeated tests did as this baseline: a name, or a path that ends in .json"
_CACHE = "where answers of models come from, in every test: record, replay, auto or off"
_UNITAI = "report on the run: its cost at the end, JUnit and events for `unitai results` and `unitai report`"
_EVENTS = "write the events of the run to this file"
_LIVE = "which tests may call models live: allow (all), marked (those marked unitai_live, and repeated ones) or never"
_BUDGET = "what the model calls of all tests may cost together, in US dollars"
_LAYER = "run only tests of these layers, with commas between them: unit, contract, integration, behavioral, regression"
_SNAPSHOT = "keep what `snapshot.assert_match` is given, in the place of what was kept before"
_LLM = "collect YAML tests: files in folders named `llm`, and those named here"
_LLM_VERBOSE = "show the steps of YAML tests while they run"
_LLM_TIMEOUT = "the time limit of every YAML test, in the place of its own"
_LLM_MODE = (
    "how YAML tests are run: engine (the engine calls tools, a judge answers), agentic (a model calls the tools), "
    "record and agentic-record (the same, and keep it), replay (what was kept) or dry (plan them, and run none)"
)
_LLM_PROVIDER = "who judges YAML tests, and drives them in the agentic mode, as in claude-code, openai or none"
_LLM_MODEL = "the model of whoever judges and drives; with --llm-provider alone its own, not that of the settings"
_LLM_JUDGE = "where the judge's answers come from: auto (kept ones, else ask), cached (kept ones alone), live or off"
_LLM_UNCLEAR = "what a YAML test is that nobody could decide: skip (the default) or fail"


#: The layers of tests, and what their markers mean. The engine knows them, too; this is what is told without it.
LAYERS = {
    "unit": "pure logic: no network, no key, no mock, under a second",
    "contract": "what every implementation of one interface keeps, one suite for all of them",
    "integration": "real parts put together: services, databases, processes; no mock",
    "behavioral": "what an agent decides, judged by its answer and its tool calls",
    "regression": "deterministic output that changes on purpose only",
}
#: How a folder of a layer stands in a path.
_FOLDERS = tuple(f"{os.sep}{name}{os.sep}" for name in LAYERS)


#: What keeps frameworks from speaking to their makers. They ask when they are imported, so it is said before any
#: conftest can do that; who says something else is heard.
_QUIET = {
    "CREWAI_DISABLE_TELEMETRY": "true",
    "CREWAI_DISABLE_VERSION_CHECK": "true",
    "CREWAI_TESTING": "true",
    "CREWAI_TRACING_ENABLED": "false",
}
#: Where a framework keeps what it writes down, unless somebody says another place: not among the user's own.
_STORE = "CREWAI_STORAGE_DIR"


def _quieten(config: pytest.Config) -> None:
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    if _STORE not in os.environ:
        # Made now, and closed: another user could guess a name and be first to take it.
        folder = tempfile.mkdtemp(prefix="unitai-store-")
        os.environ[_STORE] = folder
        config.add_cleanup(lambda: _clear(folder))


def _clear(folder: str) -> None:
    if os.environ.get(_STORE) == folder:
        del os.environ[_STORE]
    shutil.rmtree(folder, ignore_errors=True)


class Hooks:
    """What a conftest may add."""

    @staticmethod
    @pytest.hookspec(firstresult=True)
    def pytest_unitai_judge(item: pytest.Item) -> object:
        """The judge of a YAML test (see `unitai.llm.engine.Judge`); with `None` another one is asked."""


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(early_config: pytest.Config, parser: pytest.Parser) -> Generator[None, None, None]:
    """`--unitai-model`, another model for every run of every test; and `--model`, for short, unless a conftest
    has an option of that name already.
    """
    _quieten(early_config)
    early_config.pluginmanager.add_hookspecs(Hooks)
    # Before conftests, whose hooks are then called first: the markers that they set are by hand.
    early_config.pluginmanager.register(ByFolder, "unitai-by-folder")
    speaks = early_config.stash[SPEAKS] = _somebody_speaks(early_config.rootpath)
    if speaks:
        from unitai.pytest_plugin.starting import give_variables

        # Before any conftest, which may read them.
        give_variables(early_config)
    try:
        yield
    except Exception as error:
        from unitai.pytest_plugin.hints import beside_conftest

        # Where a conftest could not be imported, this is why.
        beside_conftest(getattr(error, "cause", None))
        raise
    group = parser.getgroup("unitai")
    early_config.stash[SNAPSHOT_OPTION] = _add_snapshot_option(group)
    try:
        group.addoption(
            "--unitai-layer", "--layer", dest="unitai_layer", metavar="LAYERS", action="append", help=_LAYER
        )
    except Exception:
        group.addoption("--unitai-layer", metavar="LAYERS", action="append", help=_LAYER)
    try:
        group.addoption("--unitai-model", "--model", dest="unitai_model", metavar="NAME", help=_MODEL)
    except Exception:
        group.addoption("--unitai-model", metavar="NAME", help=_MODEL)
    try:
        group.addoption("--unitai", action="store_true", help=_UNITAI)
        group.addoption("--unitai-events", metavar="FILE", help=_EVENTS)
        group.addoption("--unitai-cache", metavar="MODE", help=_CACHE)
        group.addoption("--unitai-budget", metavar="DOLLARS", help=_BUDGET)
        group.addoption("--live-models", dest="unitai_live_models", metavar="WHICH", help=_LIVE)
        group.addoption("--unitai-baseline", metavar="NAME", help=_BASELINE)
        group.addoption("--unitai-save-baseline", metavar="NAME", help=_SAVE_BASELINE)
    # Which error says that a name is taken depends on pytest's version.
    except Exception as error:
        raise pytest.UsageError(
            f"a conftest or another plugin has an option of UnitAI's: {error}\n"
            "  to do:    give that option another name, or switch UnitAI off with `-p no:unitai`"
        ) from None
    try:
        group.addoption("--llm", action="store_true", dest="unitai_llm", help=_LLM)
        group.addoption("--llm-verbose", action="store_true", dest="unitai_llm_verbose", help=_LLM_VERBOSE)
        group.addoption("--llm-timeout", type=int, dest="unitai_llm_timeout", metavar="SECONDS", help=_LLM_TIMEOUT)
        modes = ("engine", "agentic", "record", "agentic-record", "replay", "dry")
        group.addoption("--llm-mode", choices=modes, dest="unitai_llm_mode", default="engine", help=_LLM_MODE)
        group.addoption("--llm-provider", dest="unitai_llm_provider", metavar="NAME", help=_LLM_PROVIDER)
        group.addoption("--llm-model", dest="unitai_llm_model", metavar="NAME", help=_LLM_MODEL)
        group.addoption("--llm-judge", dest="unitai_llm_judge", metavar="MODE", help=_LLM_JUDGE)
        choices = ("skip", "fail")
        group.addoption("--llm-unclear", choices=choices, dest="unitai_llm_unclear", default="skip", help=_LLM_UNCLEAR)
    except Exception:
        # Another plugin is asked for YAML tests by these names, and runs them.
        pass


def _add_snapshot_option(group: pytest.OptionGroup) -> str:
    """The option that updates snapshots: `--snapshot-update`, unless another plugin for snapshots has it."""
    option, always = "--snapshot-update", "--unitai-snapshot-update"
    group.addoption(always, action="store_true", dest="unitai_snapshot_update", help=_SNAPSHOT)
    try:
        group.addoption(option, action="store_true", dest="unitai_snapshot_update", help=_SNAPSHOT)
    except Exception:
        return always
    return option


#: The shortest option that updates our snapshots.
SNAPSHOT_OPTION = pytest.StashKey[str]()
#: Whether the environment or a project's file, here or above, may say something.
SPEAKS = pytest.StashKey[bool]()
#: Whether the engine was loaded when the session began: then it may have counted what is not of this session.
WAS_LOADED = pytest.StashKey[bool]()

#: The folder that pytest works in, while it does.
root: str | None = None
#: What the environment said about UnitAI when pytest began: a test may change it, and toolkits obey this.
variables: dict[str, str] = {}
#: The settings that are options of the command line: the option, the setting, and its text.
options: list[tuple[str, str, str]] = []


def pytest_configure(config: pytest.Config) -> None:
    """Hands the options of the command line to the engine."""
    # Taken back: a test may run pytest in its own process.
    config.add_cleanup(_begin(config))
    config.stash[WAS_LOADED] = "unitai._engine" in sys.modules
    config.addinivalue_line("markers", "unitai_cassette(mode, directory, ...): recordings for the test's model")
    config.addinivalue_line("markers", "unitai_statistical(n, threshold, ...): the test is repeated and judged as one")
    config.addinivalue_line(
        "markers", "unitai_skip_if_no_api_key(env_var, model): the test needs the key of a provider"
    )
    config.addinivalue_line("markers", "unitai_budget(max_cost, prices=None): what the test's model calls may cost")
    config.addinivalue_line("markers", "unitai_live: the test may call models live where `live_models` is `marked`")
    for name, meaning in LAYERS.items():
        config.addinivalue_line("markers", f"{name}: {meaning}")
    config.addinivalue_line("markers", "slow: takes more than ten seconds")
    # Where pytest-xdist's processes run the tests, this one has the last word.
    is_spread = config.getoption("dist", "no") != "no"
    if is_spread or config.getoption("unitai_layer", None) is not None:
        from unitai.pytest_plugin import layers

        layers.start(config)
    if is_spread or config.getoption("unitai_snapshot_update", False):
        from unitai.pytest_plugin import snapshots

        snapshots.start(config)
    # A conftest may have said something meanwhile.
    speaks = bool(config.stash[SPEAKS] or variables)
    names = ("unitai", "unitai_budget", "unitai_baseline", "unitai_save_baseline")
    is_asked = any(config.getoption(name, None) not in (None, False) for name in names)
    if speaks or options or is_asked or "unitai_ledger" in getattr(config, "workerinput", ()):
        from unitai.pytest_plugin.starting import start

        start(config, speaks)
    if options:
        # What was wrong with one has been told by now, in the words of the command line.
        config.add_cleanup(_export(options))
    if config.getoption("unitai_llm", False):
        from unitai.pytest_plugin import yaml_tests

        yaml_tests.start(config)
    elif any(arg.endswith((".yaml", ".yml")) for arg in config.args):
        from unitai.pytest_plugin import yaml_hint

        yaml_hint.start(config)


class Short:
    """The short name of our fixture."""

    def __dir__(self) -> list[str]:
        # For pytest, as above.
        return ["snapshot"]

    @pytest.fixture
    def snapshot(self, unitai_snapshot: Snapshot) -> Snapshot:
        """What was kept of the test's values: `snapshot.assert_match(value, "prompt.txt")`."""
        return unitai_snapshot


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """The fixture `snapshot`, unless another plugin or the conftest of the project has it, or the option that goes
    with it: else the order in which they are loaded would say which one wins.
    """
    # Before 8.1 pytest wants the name of the node.
    node: Any = session if pytest.version_tuple >= (8, 1) else ""
    is_taken = bool(session._fixturemanager.getfixturedefs("snapshot", node))
    if not is_taken and session.config.stash[SNAPSHOT_OPTION] == "--snapshot-update":
        session.config.pluginmanager.register(Short(), "unitai-snapshot-fixture")


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """What tests have kept is no test, whatever its name."""
    # Every suite pays for this look at each file; the engine knows the rule.
    if "snapshots" not in str(collection_path) or collection_path.parent.parent.name != "snapshots":
        return None
    from unitai._engine import holds_snapshots

    return holds_snapshots(collection_path) or None


#: The options of the command line that are settings.
_SETTINGS = (
    ("--unitai-model", "unitai_model", "model_override"),
    ("--unitai-budget", "unitai_budget", "cost_budget_per_suite"),
    ("--unitai-cache", "unitai_cache", "cache_mode"),
    ("--live-models", "unitai_live_models", "live_models"),
    ("--llm-provider", "unitai_llm_provider", "judge_provider"),
    ("--llm-model", "unitai_llm_model", "judge_model"),
    ("--llm-judge", "unitai_llm_judge", "judge_answers"),
)


#: The variable of a setting that has two: the one that is asked first.
_ASKED_FIRST = {"cache_mode": "UNITAI_CACHE"}


def _begin(config: pytest.Config) -> Callable[[], None]:
    """Notes where and how pytest began; gives what takes it back."""
    given = [(option, name, config.getoption(dest, None)) for option, dest, name in _SETTINGS]
    said = {name: os.environ[name] for name in os.environ if name.startswith("UNITAI_")}
    before = (root, variables, options)
    _stand(str(config.rootpath), said, [(option, name, text) for option, name, text in given if text])
    return lambda: _stand(*before)


def _export(given: list[tuple[str, str, str]]) -> Callable[[], None]:
    """Says what the command line says in the environment, too, for the processes that tests start; gives what takes it
    back.
    """
    said = {_ASKED_FIRST.get(name, f"UNITAI_{name.upper()}"): text for _, name, text in given}
    before = {name: os.environ.get(name) for name in said}
    os.environ.update(said)

    def take_back() -> None:
        for name, text in before.items():
            if text is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = text

    return take_back


def _stand(folder: str | None, said: dict[str, str], given: list[tuple[str, str, str]]) -> None:
    global root, variables, options
    root, variables, options = folder, said, given
    engine = sys.modules.get("unitai._engine")
    if engine is not None:
        engine.forget_settings()


def _somebody_speaks(root: Path) -> bool:
    """Whether the environment or a project's file, here or above, may say something."""
    if any(name.startswith("UNITAI_") for name in os.environ):
        return True
    folder, above = "", str(root)
    # By plain texts: every start of pytest pays for this look, and paths are slow to make.
    while folder != above:
        folder, above = above, os.path.dirname(above)
        try:
            with open(os.path.join(folder, "pyproject.toml"), "rb") as file:
                if b"unitai" in file.read():
                    return True
        except OSError:
            pass
        if os.path.isfile(os.path.join(folder, "unitai.toml")):
            return True
    return False


class ByFolder:
    """Gives tests the layers of their folders, before pytest looks at `-m`."""

    @staticmethod
    def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
        """Most suites have no such folder, and pay for this look at each file."""
        asked = config.getoption("unitai_layer", None)
        if asked is None:
            parent = None
            for item in items:
                if item.parent is not parent:
                    parent = item.parent
                    path = str(item.path)
                    if any(folder in path for folder in _FOLDERS):
                        break
            else:
                return
        from unitai.pytest_plugin import layers

        layers.mark(config, items)
        if asked is not None:
            layers.select(config, items)


#: How the names of markers begin that ask for something to be done.
_MARKERS = "unitai_"


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A test that is marked gets what it asks for."""
    parent, inherited = None, False
    marked = []
    # Most suites have no such test, and pay for this look at each.
    for item in items:
        if item.parent is not parent:
            parent = item.parent
            inherited = parent is not None and _is_ours(parent.iter_markers())
        if inherited or (item.own_markers and _is_ours(item.own_markers)):
            marked.append(item)
    if marked:
        from unitai.pytest_plugin.marking import provide

        provide(config, marked)


def _is_ours(marks: Iterable[pytest.Mark]) -> bool:
    return any(mark.name.startswith(_MARKERS) or mark.name in LAYERS for mark in marks)


#: How long a test has taken so far.
SECONDS = pytest.StashKey[float]()
#: Of a test that did not pass: it failed, as expected or not, or was skipped.
_RAISED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Adds what the agent did to the report of a failed test, and what it cost to that of every test."""
    if "unitai._engine" not in sys.modules:
        return (yield)
    # What a test of unittest raised, pytest brings over inside of this hook.
    raised = call.excinfo or next(iter(getattr(item, "_excinfo", None) or ()), None)
    if raised is None:
        report = yield
        item.stash[SECONDS] = item.stash.get(SECONDS, 0.0) + report.duration
        if call.when != "teardown":
            return report
    else:
        from unitai.pytest_plugin.tracing import abridged, escape_control_characters

        item.stash[_RAISED] = True
        with abridged(raised, item.config):
            report = yield
        item.stash[SECONDS] = item.stash.get(SECONDS, 0.0) + report.duration
    from unitai.pytest_plugin.session import look

    look(item, call, report)
    if raised is not None:
        escape_control_characters(report)
    return report


def pytest_report_teststatus(report: pytest.CollectReport | pytest.TestReport) -> tuple[str, str, str] | None:
    """Has pytest count a repeated test that only raised as an error, which it is in our reports."""
    notes = getattr(report, "unitai", None)
    return ("error", "E", "ERROR") if report.failed and notes and notes.get("raised") else None


def pytest_exception_interact(
    node: pytest.Item | pytest.Collector,
    call: pytest.CallInfo[object],
    report: pytest.CollectReport | pytest.TestReport,
) -> None:
    """Says beside a file that could not be imported what to do about it, where we know."""
    if isinstance(report, pytest.CollectReport) and call.excinfo is not None:
        from unitai.pytest_plugin.hints import beside_collection

        beside_collection(node.path, call.excinfo.value, report)
        if "unitai._engine" in sys.modules:
            from unitai.pytest_plugin.tracing import escape_control_characters

            escape_control_characters(report)


@pytest.hookimpl(tryfirst=True)
def pytest_warning_recorded(warning_message: warnings.WarningMessage) -> None:
    """What an agent warned of, or a thread of it raised, is text in pytest's summary."""
    if "unitai._engine" in sys.modules:
        from unitai.pytest_plugin.tracing import escape_warning

        escape_warning(warning_message)


@pytest.hookimpl(tryfirst=True)
def pytest_keyboard_interrupt(excinfo: pytest.ExceptionInfo[BaseException]) -> None:
    """So is what ended the session."""
    if "unitai._engine" in sys.modules:
        from unitai.pytest_plugin.tracing import escape_interrupt

        escape_interrupt(excinfo.value)


#: How many recordings hold redacted answers, as the processes of pytest-xdist tell.
_REDACTED = pytest.StashKey[int]()
_REDACTED_OUTPUT = "unitai_redacted"


def _redacted_recordings() -> int:
    traffic = sys.modules.get("unitai.traffic.cassette")
    return 0 if traffic is None else traffic.totals[2]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tells the process with the last word what this one recorded."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output[_REDACTED_OUTPUT] = _redacted_recordings()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Adds what a process of pytest-xdist recorded."""
    stash = node.config.stash
    stash[_REDACTED] = stash.get(_REDACTED, 0) + getattr(node, "workeroutput", {}).get(_REDACTED_OUTPUT, 0)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Says once how many answers were redacted before they were stored."""
    count = _redacted_recordings() + config.stash.get(_REDACTED, 0)
    if count:
        from unitai._engine import redacted_note

        terminalreporter.write_line(f"UnitAI: {redacted_note(count)}")


@pytest.fixture
def mock_toolkit(request: pytest.FixtureRequest) -> Iterator[MockToolkit]:
    """A fresh MockToolkit for each test."""
    from unitai.mock.toolkit import MockToolkit

    toolkit = MockToolkit()
    yield toolkit
    unseen = toolkit.unseen_errors()
    if unseen and not request.node.stash.get(_RAISED, False):
        from unitai.pytest_plugin import hints

        hints.unseen(request.node, unseen)
    toolkit.reset()


@pytest.fixture
def unitai_config() -> UnitAIConfig:
    """The settings that the session obeys, each with its source."""
    from unitai.config import current_config

    return current_config()


@pytest.fixture
def scripted_model(request: pytest.FixtureRequest) -> Iterator[Callable[..., ScriptedModel]]:
    """Scripts the model for the rest of the test: `scripted_model([say("Hello!")])`. A step that was not
    played fails the test.
    """
    from unitai.pytest_plugin.voices import opened

    with opened(request) as voices:
        yield voices.script


@pytest.fixture
def cassette(request: pytest.FixtureRequest) -> Iterator[Recordings]:
    """Recordings that speak for the model in the test: recorded the first time, replayed ever after."""
    from unitai.pytest_plugin.voices import of_test, opened

    with opened(request) as voices:
        yield voices.play(of_test(request.node))


@pytest.fixture
def unitai_snapshot(request: pytest.FixtureRequest) -> Snapshot:
    """What was kept of the test's values, where the fixture `snapshot` is another plugin's."""
    from unitai.pytest_plugin.snapshots import opened

    return opened(request)


@pytest.fixture
def block_network() -> Iterator[None]:
    """Refuses every connection to the outside during the test, and names who wanted it."""
    from unitai.traffic.network import block_network

    with block_network():
        yield
