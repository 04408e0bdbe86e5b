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
