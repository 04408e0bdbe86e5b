"""What is said beside a failure, for somebody who meets it for the first time: what it means here, and what to do."""

from __future__ import annotations

import os
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator

import pytest

from unitai._engine import Trajectory
from unitai.errors import UnitAIError, explained
from unitai.pytest_plugin.failures import TITLE
from unitai.trials.warning import tell_unseen

_KEY = re.compile(r"\b[A-Z][A-Z0-9_]*_API_KEY\b")

#: What says that a cloud's credentials are missing, and what will do where nobody looks at them.
_CREDENTIALS = {
    "Unable to locate credentials": "set AWS_ACCESS_KEY_ID=none and AWS_SECRET_ACCESS_KEY=none",
    "resolve AWS credentials": "set AWS_ACCESS_KEY_ID=none and AWS_SECRET_ACCESS_KEY=none",
    "default credentials were not found": 'give it credentials=google.oauth2.credentials.Credentials("none")',
}

#: What says that another setting of a client is missing: what it is, and what will do.
_SETTINGS = {
    "You must specify a region": ("a region", "set AWS_DEFAULT_REGION=us-east-1"),
    "Could not resolve project": ("a project", "set GOOGLE_CLOUD_PROJECT=none"),
    "Unable to find your project": ("a project", "set GOOGLE_CLOUD_PROJECT=none"),
    "No API key was provided": ("a key", 'set GOOGLE_API_KEY=none, or give the client api_key="none"'),
}

_LIVE = (
    "Hint: no script and no recording had an answer, so the model was asked itself. scripted_model([...]) says what\n"
    "it answers; `unitai test --record` keeps what it says, and `--replay` shows how a request differs from that."
)


def beside(error: BaseException, runs: Iterable[Trajectory]) -> str:
    """What there is to say beside what a test raised and what its runs were; nothing, mostly."""
    of_runs = [text for run in runs for text in _of_run(run, error)]
    texts = of_runs or [*_of_module(error), *_of_key(error)]
    return "\n".join(textwrap.indent(text, "  ") for text in texts)


def unseen(item: pytest.Item, errors: list[str]) -> None:
    """Warns of a test that may have passed because nobody asked how the agent ended."""
    place = (str(item.path), (item.location[1] or 0) + 1)
    for error in dict.fromkeys(errors):
        tell_unseen(error, "", place)


def rest(error: BaseException) -> str:
    """What an error of ours says after its first line: what was expected, what was found, and what to do."""
    return explained(error).partition("\n")[2] if isinstance(error, UnitAIError) else ""


def beside_collection(path: os.PathLike[str] | str, error: BaseException, report: pytest.CollectReport) -> None:
    """The same for a file that could not be imported, if it is one of ours."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:
        # A folder cannot be collected either, and has its own error.
        return
    if not re.search(r"\bunitai\b|\bmock_toolkit\b", text):
        return
    # pytest gives the error of the import as the cause of its own.
    for hint in [*_of_module(error.__cause__ or error), *_of_key(error)]:
        report.sections.append((TITLE, textwrap.indent(hint, "  ")))


def beside_conftest(error: BaseException | None) -> None:
    """The same at the end of what pytest shows of a conftest that could not be imported."""
    if error is not None:
        error.__notes__ = [*getattr(error, "__notes__", []), *_of_module(error)]  # type: ignore[attr-defined]


def _of_module(error: BaseException) -> Iterator[str]:
    """What to do about a module of the project that `unitai test` finds, and plain `pytest` does not."""
    if not isinstance(error, ModuleNotFoundError) or not error.name:
        return
    name, here = error.name.partition(".")[0], os.getcwd()
    is_here = any(os.path.exists(os.path.join(here, file)) for file in (name, f"{name}.py"))
    if is_here and not {"", here} & set(sys.path):
        yield (
            f"Hint: `{name}` is in this folder, from which plain `pytest` imports nothing. `unitai test` does, and\n"
            "so do `python -m pytest` and, with these lines in pyproject.toml, `pytest`:\n\n"
            "  [tool.pytest.ini_options]\n"
            '  pythonpath = ["."]'
        )


def _of_run(run: Trajectory, error: BaseException) -> Iterator[str]:
    raised = run.error
    if isinstance(raised, UnitAIError) and str(raised) == str(error):
        # The test raised the same, and shows it.
        return
    if isinstance(raised, UnitAIError):
        # The trajectory has its first line; what was expected, and what to do, is the rest of it.
        yield explained(raised)
    elif raised is not None:
        asked = [step for step in run.steps if step.source is not None]
        if asked and all(step.source == "live" and step.llm_error is not None for step in asked):
            yield _LIVE
        else:
            yield from _of_key(raised)


def _of_key(error: BaseException) -> Iterator[str]:
    """What to do about a client that wants a key although nobody would see it."""
    if isinstance(error, (UnitAIError, AssertionError)):
        # These say what they mean themselves, and may speak of a key that they compare.
        return
    try:
        text = str(error)
    except Exception:
        return
    lacking = [name for name in dict.fromkeys(_KEY.findall(text)) if not os.environ.get(name)]
    if lacking:
        yield (
            "Hint: clients want a key before they ask anybody. Where a script or recordings answer, any text will do:\n"
            f'set {lacking[0]}=none in the environment, in .env.test and in CI, or give the client api_key="none".'
        )
        return
    for told, (what, remedy) in _SETTINGS.items():
        if told in text:
            yield (
                f"Hint: clients want {what} before they ask anybody. "
                f"Where a script or recordings answer, any will do:\n{remedy}."
            )
            return
    for told, remedy in _CREDENTIALS.items():
        if told in text:
            yield (
                "Hint: clients want credentials before they ask anybody. Where a script or recordings answer, one\n"
                f"that is made in the run needs none. For one that is made before: {remedy}."
            )
            return
