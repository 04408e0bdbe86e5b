"""Files become plugin classes. One that is broken is a trouble, and costs the others nothing."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from unitai.llm.host.values import headline, trace
from unitai.llm.plugin_base import LLMPlugin

#: The package that plugin files are loaded into. Never under their bare names: a plugin called json.py must not stand
#: in for the real one.
PACKAGE = "_unitai_plugins"
#: Where plugins are, from the root of a project.
FOLDER = Path("tests", "llm", "plugins")


class Loaded(NamedTuple):
    """What came of the files."""

    #: The plugin classes, by file and then as they are written there.
    classes: list[type[LLMPlugin]]
    #: What could not be loaded, and why.
    troubles: list[str]


def load(root: Path) -> Loaded:
    """Loads the plugins of a project."""
    folder = root / FOLDER
    files = sorted(path for path in folder.glob("*.py") if not path.name.startswith("_"))
    classes: list[type[LLMPlugin]] = []
    troubles: list[str] = []
    if not files:
        return Loaded(classes, troubles)
    make_importable(root, folder)
    add_aliases()
    init = folder / "__init__.py"
    _attempt(init if init.is_file() else folder, root, troubles, lambda: _load_package(folder, init))
    for path in files:
        module = _attempt(path, root, troubles, lambda path=path: _load_file(path))
        classes += [] if module is None else plugin_classes(module)
    return Loaded(classes, troubles)


def plugin_classes(module: ModuleType) -> list[type[LLMPlugin]]:
    """The plugin classes that a module defines itself; a base that it imports, one whose name is private, and one that
    is abstract are none of them.
    """
    return [
        value
        for name, value in vars(module).items()
        if isinstance(value, type)
        and issubclass(value, LLMPlugin)
        and value.__module__ == module.__name__
        and not name.startswith("_")
        and not inspect.isabstract(value)
    ]


def home_of(plugin: type[LLMPlugin], root: Path) -> str:
    """Where a class is written, for people."""
    file = getattr(sys.modules.get(plugin.__module__), "__file__", None)
    return f"{plugin.__name__} in {_shown(Path(file), root)}" if file else plugin.__name__


def file_of(plugin: type[LLMPlugin]) -> str:
    """The name of the file in which a class is written."""
    return Path(getattr(sys.modules.get(plugin.__module__), "__file__", None) or "").name


def make_importable(root: Path, folder: Path) -> None:
    """Lets plugins import what the project has: from its root before what is installed, from their own folder after all
    else. The standard library comes first in any case.
    """
    beside = {"", os.getcwd(), str(root), str(folder)}
    # `-m` puts the working folder first, where a file called queue.py would break us.
    kept = [path for n, path in enumerate(sys.path) if not (n == 0 and path in beside)]
    at = next((n for n, path in enumerate(kept) if path.endswith(("site-packages", "dist-packages"))), len(kept))
    sys.path[:] = [*kept[:at], str(root), *kept[at:], str(folder)]


def add_aliases() -> None:
    """Answers for the package that plugins may have been written for, where it is not installed."""
    if "llm_pytest" in sys.modules or importlib.util.find_spec("llm_pytest") is not None:
        return
    package = ModuleType("llm_pytest", "Stands for the package of this name, which is not installed.")
    package.__path__ = []
    package.LLMPlugin = LLMPlugin  # type: ignore[attr-defined]
    sys.modules["llm_pytest"] = package
    for name in ("plugin_base", "plugin"):
        module = ModuleType(f"llm_pytest.{name}", package.__doc__)
        module.LLMPlugin = LLMPlugin  # type: ignore[attr-defined]
        setattr(package, name, module)
        sys.modules[module.__name__] = module


def _load_package(folder: Path, init: Path) -> ModuleType:
    """The package around the files, which makes `from . import helper` work."""
    package = ModuleType(PACKAGE)
    package.__path__ = [str(folder)]
    sys.modules[PACKAGE] = package
    if init.is_file():
        package.__file__ = str(init)
        exec(compile(init.read_bytes(), str(init), "exec"), package.__dict__)
    return package


def _load_file(path: Path) -> ModuleType:
    name = f"{PACKAGE}.{path.stem}"
    if "." not in path.stem:
        # As another plugin would import it, so that each is loaded once.
        return importlib.import_module(name)
    spec = importlib.util.spec_from_file_location(name.replace(".", "_"), path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path.name} is no Python file")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _attempt(path: Path, root: Path, troubles: list[str], load: Any) -> ModuleType | None:
    try:
        module: ModuleType = load()
    except BaseException as error:
        # Also an exit: a script among the plugins must not end the process.
        if isinstance(error, KeyboardInterrupt):
            raise
        troubles.append(f"{_shown(path, root)} could not be loaded: {headline(error)}\n{trace(error)}")
        return None
    return module


def _shown(path: Path, root: Path) -> str:
    try:
        return path.relative_to(root).as_posix()
    except ValueError:
        return str(path)
