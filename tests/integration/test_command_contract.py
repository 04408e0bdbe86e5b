"""`unitai contract list`: what it finds in a project, how it tells it, and its exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter, OrderedDict, UserDict, UserList, defaultdict, deque
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

COMMAND = Path(sys.executable).parent / "unitai"

STORES = """
from abc import ABC, abstractmethod


class BaseStore(ABC):
    @abstractmethod
    def put(self, key, value): ...


class MemoryStore(BaseStore):
    def put(self, key, value):
        pass


class FileStore(BaseStore):
    def put(self, key, value):
        pass
"""

CONTRACT = """
import pytest
from shop.stores import BaseStore, MemoryStore
from unitai.contract import Contract


class StoreContract(Contract[BaseStore]):
    def test_put(self, subject):
        assert subject.put("a", 1) is None


class TestMemoryStore(StoreContract):
    @pytest.fixture
    def subject(self):
        return MemoryStore()
"""

ANOTHER = """

class TestFileStore(StoreContract):
    @pytest.fixture
    def subject(self):
        return FileStore()
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    files = {
        "pyproject.toml": "",
        "src/shop/__init__.py": "",
        "src/shop/stores.py": STORES,
        "tests/contract/test_stores.py": CONTRACT,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def unitai(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([COMMAND, *args], capture_output=True, text=True, check=False, cwd=folder, timeout=60)


def cover_all(project: Path) -> None:
    contract = CONTRACT.replace("MemoryStore\n", "FileStore, MemoryStore\n", 1)
    (project / "tests/contract/test_stores.py").write_text(contract + ANOTHER, encoding="utf-8")


def test_the_list_shows_who_is_covered_by_what(project):
    done = unitai(project, "contract", "list")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "BaseStore      src/shop/stores.py  StoreContract",
        "  MemoryStore  tests/contract/test_stores.py::TestMemoryStore",
        "  FileStore    not covered",
        "1 interface, 2 implementations, 1 not covered",
    ]


@pytest.mark.parametrize(
    "container", [dict, list, set, frozenset, OrderedDict, defaultdict, Counter, deque, UserDict, UserList]
)
def test_what_a_container_of_python_brings_is_implemented(project, container):
    held = {"__contains__", "__delitem__", "__getitem__", "__iter__", "__len__", "__reversed__", "__setitem__"}
    methods = [name for name in dir(container) if callable(getattr(container, name)) and name[0] != "_"]
    methods += sorted(held & set(dir(container)))
    asked = "".join(f"    @abstractmethod\n    def {name}(self): ...\n" for name in methods)
    name = container.__name__
    made = f"import {container.__module__}\n\n\nclass Made({container.__module__}.{name}, BaseStore): ...\n"
    behind = f"class Behind(BaseStore, {container.__module__}.{name}): ...\n"
    text = f"from abc import ABC, abstractmethod\n\n\nclass BaseStore(ABC):\n{asked}\n\n{made}\n\n{behind}"
    (project / "src/shop/stores.py").write_text(text, encoding="utf-8")
    assert unitai(project, "contract", "list").stdout.splitlines()[1:] == [
        "  Made     not covered",
        "1 interface, 1 implementation, 1 not covered",
    ]


def test_it_is_the_same_from_a_folder_further_down(project):
    assert unitai(project / "src", "contract", "list").stdout == unitai(project, "contract", "list").stdout


def test_check_fails_until_all_are_covered(project):
    assert unitai(project, "contract", "list", "--check").returncode == 1
    cover_all(project)
    done = unitai(project, "contract", "list", "--check")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "1 interface, 2 implementations, all covered")


def test_programs_get_json(project):
    told = json.loads(unitai(project, "contract", "list", "--format", "json").stdout)
    assert (told["version"], told["uncovered"]) == (1, 1)
    (interface,) = told["interfaces"]
    assert interface["name"] == "BaseStore"
    assert interface["path"] == "src/shop/stores.py"
    assert interface["contracts"] == ["StoreContract"]
    memory, file = interface["implementations"]
    cover = {"path": "tests/contract/test_stores.py", "class": "TestMemoryStore", "contract": "StoreContract"}
    assert (memory["name"], memory["covers"]) == ("MemoryStore", [cover])
    assert (file["name"], file["covers"], file["not_collected"]) == ("FileStore", [], [])


#: Each with a store of its own, in every way that a class may be run or passed over.
FORMS = """
import pytest
from shop.stores import *
from unitai.contract import Contract


class StoreContract(Contract[BaseStore]):
    def test_put(self, subject):
        assert subject.put("a", 1) is None


class DefaultContract(Contract[BaseStore]):
    @pytest.fixture
    def subject(self, made):
        return made

    def test_put(self, subject):
        assert subject.put("a", 1) is None


class WithStore4:
    @pytest.fixture
    def subject(self):
        return Store4()


@pytest.fixture
def subject():
    return Store1()


class Holds1(StoreContract):
    def test_put_again(self, subject):
        assert subject.put("a", 2) is None


class Holds2(StoreContract):
    @pytest.fixture
    def subject(self):
        return Store2()


class Holds3(Contract[BaseStore]):
    @pytest.fixture
    def subject(self):
        return Store3()

    def test_put(self, subject):
        assert subject.put("a", 1) is None


class Holds4(WithStore4, StoreContract):
    pass


class Test5(Contract[BaseStore]):
    @pytest.fixture
    def subject(self):
        return Store5()

    def test_put(self, subject):
        assert subject.put("a", 1) is None


class Holds6(Test5):
    @pytest.fixture
    def made(self):
        return Store6()


class Holds7(DefaultContract):
    @pytest.fixture
    def made(self):
        return Store7()


class Test8(DefaultContract):
    @pytest.fixture
    def made(self):
        return Store8()


class Test9(StoreContract):
    __test__ = False

    @pytest.fixture
    def subject(self):
        return Store9()


class Holds10(Holds2):
    @pytest.fixture
    def made(self):
        return Store10()
"""


def test_what_is_counted_is_what_pytest_collects(project):
    stores = STORES + "".join(f"class Store{at}(MemoryStore): ...\n" for at in range(1, 11))
    (project / "src/shop/stores.py").write_text(stores, encoding="utf-8")
    (project / "tests/contract/test_stores.py").write_text(FORMS, encoding="utf-8")
    (project / "pytest.ini").write_text("[pytest]\npythonpath = src\n", encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    told = subprocess.run(command, capture_output=True, text=True, check=False, cwd=project, timeout=60).stdout
    collected = {line.split("::")[1] for line in told.splitlines() if "::" in line}
    assert collected == {"Holds2", "Holds4", "Test5", "Holds6", "Test8", "Holds10"}
    listed = json.loads(unitai(project, "contract", "list", "--format", "json").stdout)
    stores = [it for it in listed["interfaces"][0]["implementations"] if it["name"].startswith("Store")]
    assert {cover["class"] for store in stores for cover in store["covers"]} == collected
    passed_over = {cover["class"] for store in stores for cover in store["not_collected"]}
    assert passed_over == {"Holds1", "Holds3", "Holds7", "Test9"}


def test_a_class_that_is_never_run_is_told(project):
    contract = CONTRACT.replace("class TestMemoryStore", "class MemoryStoreTests").replace(
        "subject(self):", "made(self):"
    )
    (project / "tests/contract/test_stores.py").write_text(contract, encoding="utf-8")
    done = unitai(project, "contract", "list", "--check")
    told = "not covered: pytest does not collect tests/contract/test_stores.py::MemoryStoreTests"
    assert (done.returncode, told in done.stdout) == (1, True)
    linted = unitai(project, "lint", "--no-cache").stdout
    assert "pytest does not collect `MemoryStoreTests`, which looks at it" in linted


def test_the_names_of_classes_are_those_of_pytest(project):
    plain = CONTRACT.replace("(Contract[BaseStore])", "").replace("class TestMemoryStore", "class MemoryStoreSuite")
    (project / "tests/contract/test_stores.py").write_text(plain, encoding="utf-8")
    assert "2 not covered" in unitai(project, "contract", "list").stdout
    (project / "pytest.ini").write_text("[pytest]\npython_classes = *Suite\n", encoding="utf-8")
    assert "test_stores.py::MemoryStoreSuite" in unitai(project, "contract", "list").stdout
    assert "1 not covered" in unitai(project, "contract", "list").stdout


def test_a_project_without_interfaces_says_so(tmp_path):
    (tmp_path / "pyproject.toml").write_text("", encoding="utf-8")
    done = unitai(tmp_path, "contract", "list", "--check")
    assert (done.returncode, done.stdout) == (0, "this project has no class with abstract methods\n")


def test_what_is_excluded_is_not_read(project):
    (project / "pyproject.toml").write_text("[tool.unitai.lint]\nexclude = ['src']\n", encoding="utf-8")
    assert unitai(project, "contract", "list").stdout == "this project has no class with abstract methods\n"


def test_the_linter_finds_the_same(project):
    done = unitai(project, "lint", "--no-cache", "tests")
    assert done.returncode == 0
    assert "`FileStore` implements `BaseStore`, and no contract test covers it" in done.stdout
    assert "write a test class that inherits `StoreContract`, and give it a `FileStore`" in done.stdout
    cover_all(project)
    assert "nothing was found" in unitai(project, "lint", "--no-cache").stdout


def test_a_part_of_the_tests_is_judged_by_all_of_them(project):
    cover_all(project)
    (project / "tests/contract/more").mkdir()
    (project / "tests/contract/more/test_more.py").write_text(CONTRACT, encoding="utf-8")
    done = unitai(project, "lint", "--no-cache", "tests/contract/more")
    assert (done.returncode, "1 file looked at" in done.stdout) == (0, True)


def test_outside_of_a_project_only_what_is_named_is_read(project):
    (project / "pyproject.toml").unlink()
    (project / "other/tests").mkdir(parents=True)
    (project / "other/tests/test_it.py").write_text("def test_it():\n    assert answer() == 42\n", encoding="utf-8")
    assert "nothing was found" in unitai(project, "lint", "--no-cache", "other").stdout
    assert "no contract test covers it" in unitai(project, "lint", "--no-cache", ".").stdout
