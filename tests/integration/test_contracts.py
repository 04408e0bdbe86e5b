"""Contracts that implementations inherit, in real sessions of pytest."""

from __future__ import annotations

import json

import pytest
from projects import Project

pytestmark = pytest.mark.integration

CONTRACT = """
import abc, pytest
from unitai.contract import Contract

class Store(abc.ABC):
    @abc.abstractmethod
    def put(self, value): ...

class Memory(Store):
    kept = []
    def put(self, value): self.kept.append(value)

class Other(Memory):
    kept = []

class StoreContract(Contract[Store]):
    def cleanup(self, subject):
        subject.kept.clear()

    def test_it_keeps(self, subject):
        subject.put(1)
        assert subject.kept == [1]

    def test_it_begins_empty(self, subject):
        subject.put(2)
        assert subject.kept == [2]
"""

IMPLEMENTATIONS = """
class TestMemory(StoreContract):
    @pytest.fixture
    def subject(self): return Memory()

class TestOther(StoreContract):
    @pytest.fixture
    def subject(self): return Other()
"""


@pytest.fixture
def project(tmp_path):
    made = Project(tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    return made


def run(project, code: str, *options: str):
    project.lay(tests__contract__test_it=code)
    return project.pytest("-v", *options)


def test_each_implementation_is_held_to_every_test(project):
    done = run(project, CONTRACT + IMPLEMENTATIONS)
    assert "4 passed" in done.stdout
    for name in ("TestMemory::test_it_keeps", "TestOther::test_it_begins_empty"):
        assert f"{name} PASSED" in done.stdout
    assert "StoreContract" not in done.stdout


def test_the_contract_is_never_a_test_whatever_its_name_is(project):
    renamed = (CONTRACT + IMPLEMENTATIONS).replace("StoreContract", "TestStoreContract")
    assert "4 passed" in run(project, renamed).stdout


def test_an_implementation_is_a_test_whatever_its_name_is(project):
    renamed = (CONTRACT + IMPLEMENTATIONS).replace("TestOther", "OtherKeepsIt")
    assert "OtherKeepsIt::test_it_keeps PASSED" in run(project, renamed).stdout


def test_a_class_that_is_contract_and_implementation_in_one_is_run(project):
    code = (
        CONTRACT.replace("StoreContract", "TestMemory")
        + "    @pytest.fixture\n    def subject(self): return Memory()\n"
    )
    done = run(project, code)
    assert ("2 passed" in done.stdout, "TestMemory::test_it_keeps PASSED" in done.stdout) == (True, True)


def test_a_contract_may_have_a_subject_for_all_that_inherit_it(project):
    code = CONTRACT + (
        "    @pytest.fixture\n    def subject(self, made): return made\n"
        "class TestMemory(StoreContract):\n    @pytest.fixture\n    def made(self): return Memory()\n"
    )
    assert "2 passed" in run(project, code).stdout


@pytest.mark.parametrize(("word", "passed"), [("False", 2), ("True", 4)])
def test_a_class_that_says_itself_whether_it_is_a_test_is_heard(project, word, passed):
    assert f"{passed} passed" in run(project, CONTRACT + IMPLEMENTATIONS + f"    __test__ = {word}\n").stdout


def test_cleanup_comes_after_each_test_also_after_one_that_failed(project):
    failing = CONTRACT.replace("assert subject.kept == [1]", "assert False") + IMPLEMENTATIONS
    assert "2 failed, 2 passed" in run(project, failing).stdout


def test_cleanup_comes_before_the_subject_is_taken_down(project):
    code = CONTRACT + (
        "class TestMemory(StoreContract):\n    @pytest.fixture\n    def subject(self):\n"
        "        store = Memory()\n        yield store\n        assert store.kept == []\n"
    )
    assert "2 passed" in run(project, code).stdout


def test_an_async_cleanup_is_awaited_without_any_plugin(project):
    code = CONTRACT.replace("    def cleanup", "    async def cleanup") + IMPLEMENTATIONS
    assert "4 passed" in run(project, code).stdout


@pytest.mark.parametrize(
    ("cleanup", "found"),
    [("return self.later(subject)", "a coroutine"), ("yield subject.kept.clear()", "a generator")],
    ids=["coroutine", "generator"],
)
def test_a_cleanup_that_only_begins_is_an_error(project, cleanup, found):
    code = CONTRACT.replace("subject.kept.clear()", cleanup) + "    async def later(self, subject): pass\n"
    done = run(project, code + IMPLEMENTATIONS, "-W", "error")
    assert "the cleanup of TestMemory was not done [UA215]" in done.stdout
    assert f"a function that gives {found}, which nobody runs" in done.stdout
    assert (done.returncode, "never awaited" in done.stdout) == (1, False)


def test_who_does_not_say_what_is_tested_hears_what_to_do(project):
    done = run(project, CONTRACT + "class TestMine(StoreContract): pass\n", "-p", "no:cacheprovider")
    assert (done.returncode, "2 errors" in done.stdout) == (1, True)
    assert "TestMine does not say what is tested [UA215]" in done.stdout
    assert "a fixture `subject` in TestMine that gives an instance of Store" in done.stdout


def test_a_subject_of_another_class_is_no_implementation(project):
    code = CONTRACT + "class TestMine(StoreContract):\n    @pytest.fixture\n    def subject(self): return []\n"
    done = run(project, code)
    assert "the subject of TestMine is no Store [UA215]" in done.stdout
    assert "2 errors" in done.stdout


FORMS = """
from typing import Generic, Protocol, TypeVar
T = TypeVar("T")

class Holds(abc.ABC, Generic[T]):
    @abc.abstractmethod
    def put(self, value): ...

class Puts(Protocol):
    def put(self, value): ...

class PutsOf(Protocol[T]):
    def put(self, value: T): ...

class Puller:
    def pull(self): ...

class Putter:
    def put(self, value): ...

class Holder(Holds[int]):
    def put(self, value): ...

class Larger(Contract[T]):
    pass

class FormContract({form}):
    def test_it_puts(self, subject): subject.put(1)

class TestGood(FormContract):
    @pytest.fixture
    def subject(self): return {good}()

class TestBad(FormContract):
    @pytest.fixture
    def subject(self): return Puller()
"""


@pytest.mark.parametrize(
    ("form", "good", "name"),
    [
        ("Contract[Holds[int]]", "Holder", "Holds"),
        ("Contract[Puts]", "Putter", "Puts"),
        ("Contract[PutsOf[int]]", "Putter", "PutsOf"),
        ("Contract[Store | Holds[int]]", "Holder", "Store or Holds"),
        ("Larger[Holds]", "Holder", "Holds"),
    ],
)
def test_every_form_of_a_class_is_looked_for_in_the_subject(project, form, good, name):
    done = run(project, CONTRACT + FORMS.format(form=form, good=good))
    assert "1 passed, 1 error" in done.stdout
    assert "the subject of TestBad is no " in done.stdout
    assert name in done.stdout.partition("the subject of TestBad is no ")[2].splitlines()[0]


def test_what_no_subject_can_be_an_instance_of_is_refused(project):
    done = run(project, CONTRACT.replace("Contract[Store]", "Contract['Store']"))
    assert "StoreContract cannot tell whether a subject is of ForwardRef('Store') [UA215]" in done.stdout
    assert "write the class itself into the brackets of Contract" in done.stdout


QUEUE = """
class Queue(abc.ABC):
    @abc.abstractmethod
    def pop(self): ...

class QueueContract(Contract[Queue]):
    def test_it_pops(self, subject):
        subject.put(3)
        assert subject.pop() == 3

class Both(Memory, Queue):
    kept = []
    def pop(self): return self.kept.pop()

class TestBoth(StoreContract, QueueContract):
    @pytest.fixture
    def subject(self): return {subject}()
"""


def test_a_subject_of_two_contracts_is_of_both_classes(project):
    assert "3 passed" in run(project, CONTRACT + QUEUE.format(subject="Both")).stdout
    done = run(project, CONTRACT + QUEUE.format(subject="Memory"))
    assert ("3 errors" in done.stdout, "the subject of TestBoth is no Queue [UA215]" in done.stdout) == (True, True)


def test_reports_say_which_of_two_contracts_a_test_is_of(project):
    project.lay(tests__contract__test_it=CONTRACT + QUEUE.format(subject="Both"))
    assert project.unitai("test").returncode == 0
    stores = {"contract": "StoreContract", "base": "Store", "implementation": "Both"}
    queues = {"contract": "QueueContract", "base": "Queue", "implementation": "Both"}
    assert project.finished("TestBoth::test_it_keeps")["contract"] == stores
    assert project.finished("TestBoth::test_it_pops")["contract"] == queues


def test_two_contracts_that_clean_up_are_refused_until_somebody_says_how(project):
    queue = QUEUE.replace(
        "    def test_it_pops", "    def cleanup(self, subject): subject.popped = []\n    def test_it_pops"
    )
    code = CONTRACT + queue.format(subject="Both")
    done = run(project, code)
    assert "TestBoth inherits two contracts, and only one of them would clean up [UA215]" in done.stdout
    assert "StoreContract.cleanup, which hides QueueContract.cleanup" in done.stdout
    said = "StoreContract.cleanup(self, subject); QueueContract.cleanup(self, subject)"
    assert said in done.stdout
    assert "3 passed" in run(project, f"{code}    def cleanup(self, subject):\n        {said}\n").stdout


def test_fixtures_may_have_any_name(project):
    code = CONTRACT + (
        "    @pytest.fixture\n    def base(self): return 1\n    @pytest.fixture\n    def contract(self, base): return base\n"
        "    def test_names(self, base, contract): assert base == contract == 1\n"
    )
    assert "6 passed" in run(project, code + IMPLEMENTATIONS).stdout


def test_a_larger_contract_inherits_a_smaller_one(project):
    code = CONTRACT + (
        "class SortedContract(StoreContract):\n    def test_it_sorts(self, subject): pass\n"
        "class TestMemory(SortedContract):\n    @pytest.fixture\n    def subject(self): return Memory()\n"
    )
    done = run(project, code)
    assert "3 passed" in done.stdout
    assert "SortedContract::" not in done.stdout


def test_a_contract_for_anything_takes_anything(project):
    code = CONTRACT.replace("Contract[Store]", "Contract").replace("class Memory(Store)", "class Memory")
    assert "4 passed" in run(project, code + IMPLEMENTATIONS).stdout


def test_reports_say_whose_contract_it_is(project):
    project.lay(tests__contract__test_it=CONTRACT + IMPLEMENTATIONS)
    assert project.unitai("test").returncode == 0
    covered = {"contract": "StoreContract", "base": "Store", "implementation": "Memory"}
    assert project.finished("TestMemory::test_it_keeps")["contract"] == covered
    results = json.loads(project.unitai("results", "--json").stdout)
    assert {test["contract"]["implementation"] for test in results["tests"]} == {"Memory", "Other"}
    (project.folder / ".unitai").rename(project.folder / "gone")
    of_junit = json.loads(project.unitai("results", "--json", project.junit).stdout)
    assert [test["contract"] for test in of_junit["tests"]] == [test["contract"] for test in results["tests"]]


def test_a_plain_class_that_others_inherit_works_as_well(project):
    code = """
import pytest

class StoreContractTests:
    @pytest.fixture
    def store(self):
        raise NotImplementedError

    @pytest.fixture(autouse=True)
    def cleanup_after_test(self, store):
        yield
        store.clear()

    def test_it_keeps(self, store):
        store.append(1)
        assert store == [1]

class TestList(StoreContractTests):
    @pytest.fixture
    def store(self): return []
"""
    done = run(project, code)
    assert ("1 passed" in done.stdout, "contract" in done.stdout.partition(" layers ")[2]) == (True, True)
