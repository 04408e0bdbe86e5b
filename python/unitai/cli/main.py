"""The entry point of the `unitai` command. The command itself is in the engine."""

from __future__ import annotations

import contextlib
import signal
import sys
from importlib.util import find_spec

from unitai._engine import run_command
from unitai.errors import MissingDependencyError, UnitAIError, explained

__all__ = ["main", "require"]


def main(argv: list[str] | None = None) -> int:
    """Runs the command and gives its exit code."""
    args = sys.argv[1:] if argv is None else argv
    try:
        if args[:1] in (["demo"], ["test"]) and not {"-h", "--help"} & set(args):
            require("pytest")
        if args[:1] in (["judge"], ["mcp"], ["serve"], ["test"], ["yaml"]):
            # The engine hands signals on to what it starts; Python's handler would raise when the engine is done.
            with contextlib.suppress(ValueError):
                signal.signal(signal.SIGINT, signal.SIG_DFL)
        return run_command(args, sys.executable)
    except UnitAIError as error:
        print(f"error: {explained(error)}", file=sys.stderr)
        return 2


def require(package: str) -> None:
    """Makes sure that a package is installed."""
    if find_spec(package) is None:
        raise MissingDependencyError(f"{package} is not installed", remedy=f"pip install {package}")


if __name__ == "__main__":
    sys.exit(main())
