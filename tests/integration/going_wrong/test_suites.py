"""Suites that go wrong: what tests, conftests and other plugins can do to a run. Each run says so, and none is 0."""

from __future__ import annotations

import pytest
from projects import Project
from ways import PASSING, Way, assert_trouble

pytestmark = pytest.mark.integration

HEAD = "import os, pathlib, pytest, shutil, sys, time\nfrom model import ask\n"
BLOCK = "=== UnitAI Results ==="


def suite(name: str, tests: str, code: int, *said: str, words: tuple[str, ...] = (), **more) -> Way:
    files = {"test_it.py": HEAD + tests, **more.pop("files", {})}
    return Way(name, ("test", *words), code, said, files, **more)


def conftest(name: str, text: str, code: int, *said: str, tests: str = PASSING) -> Way:
    return suite(f"conftest: {name}", tests, code, *said, files={"conftest.py": text})


def hook(call: str, code: int, *said: str) -> Way:
    return conftest(call, f"def {call}:\n    raise ValueError('of theirs')\n", code, "of theirs", *said)


TESTS = [
    suite("exits with 0", "def test_a():\n    pytest.exit('enough', returncode=0)\ndef test_b(): pass\n", 2,
          BLOCK, "The run was interrupted (enough); 1 of 2 tests were not run."),
    suite("ends with 0", "def test_a():\n    sys.exit(0)\n", 1, "SystemExit: 0", "1 failed"),
    suite("a fixture ends with 0", "@pytest.fixture\ndef f():\n    sys.exit(0)\ndef test_a(f): pass\n", 1, "1 error"),
    suite("the module ends with 0", "sys.exit(0)\n", 2, "The run broke off", "SystemExit: 0"),
    suite("the module exits with 0", "pytest.exit('enough', returncode=0)\n", 2, "The run broke off", "1 error"),
    suite("raises no Exception", "class Odd(BaseException): pass\ndef test_a():\n    raise Odd\n", 1, "1 failed"),
    suite("interrupts itself", "def test_a():\n    raise KeyboardInterrupt\n", 2, "The run was interrupted"),
    suite("closes the output's files", "def test_a():\n    os.close(1)\n    os.close(2)\ndef test_b():\n    assert 0\n", 1,
          "1 passed, 1 failed"),
    suite("goes elsewhere", "def test_a(tmp_path):\n    os.chdir(tmp_path)\ndef test_b():\n    assert 0\n", 1,
          "1 passed, 1 failed"),
    suite("deletes the events", "def test_a():\n    shutil.rmtree('.unitai')\n", 2, "1 passed",
          "the events of the run cannot be read", "to do:    let tests leave .unitai alone"),
    suite("deletes the folder", "def test_a():\n    shutil.rmtree(os.getcwd())\n", 2,
          "what was tested is not known", "a test that deletes files of the project"),
    suite("puts a file where JUnit goes", "def test_a():\n    pathlib.Path('test-results').touch()\n", 2,
          "the JUnit file could not be written", "the setting `junit_xml` names another"),
    suite("takes the clock and the environment", "def test_a():\n    time.time = lambda: 'x'\n    os.environ.clear()\n"
          "def test_b():\n    assert 0\n", 1, "1 passed, 1 failed"),
    suite("a fixture that is not there", "def test_a(mock_toolkti): pass\n", 1, "fixture 'mock_toolkti' not found"),
    suite("a marker that is not there", "@pytest.mark.unitai_statistcal(n=3)\ndef test_a(): pass\n", 1,
          "the marker unitai_statistcal of test_it.py::test_a is not known", "unitai_statistical", "to do:"),
    suite("a marker that is no budget", "@pytest.mark.unitai_budget('x')\ndef test_a(): pass\n", 1,
          "the marker of test_it.py::test_a is no budget", "as in unitai_budget(max_cost=0.50)"),
    suite("a marker that names no key", "@pytest.mark.unitai_skip_if_no_api_key(env_var=3)\ndef test_a(): pass\n", 1,
          'env_var="MISTRAL_API_KEY"'),
    suite("nothing was recorded", "def test_a():\n    ask('Hi')\n", 1, "no recordings at all",
          "record first, with `unitai test --record`", words=("--replay",)),
    suite("recordings cannot be kept", "def test_a():\n    pathlib.Path('ran').touch()\n", 2,
          "is a file, where a folder should be", "`cache_directory`", words=("--record",), files={".unitai/cache": ""}),
    suite("recordings cannot be read", "def test_a():\n    ask('Hi')\n", 1, "cannot read",
          "See to the folder that the message names", words=("--replay",), files={".unitai/cache": ""}),
    suite("workers die one after the other", "@pytest.mark.parametrize('n', range(6))\ndef test_a(n):\n"
          "    os.kill(os.getpid(), 9)\n", 1, "crashed while running", "The run broke off", "of 6 tests were not run",
          words=("--keep-going", "-n", "1", "--max-worker-restart=0")),
]  # fmt: skip

CONFTESTS = [
    conftest("no Python", "def broken(:\n", 2, "ImportError while loading conftest", "SyntaxError: invalid syntax"),
    conftest("a module that is missing", "import nothing_of_that_name\n", 2, "No module named 'nothing_of_that_name'"),
    conftest("an option of ours", "def pytest_addoption(parser):\n    parser.addoption('--unitai')\n", 2,
             "has an option of UnitAI's", "give that option another name"),
    conftest("ends at the end", "import sys\ndef pytest_sessionfinish():\n    sys.exit(0)\n", 2, "The run broke off"),
    conftest("says that all is well", "import pytest\n@pytest.hookimpl(trylast=True)\n"
             "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n", 1, "1 failed",
             tests="def test_a():\n    assert 0\n"),
    hook("pytest_configure()", 2),
    hook("pytest_sessionstart()", 2, "before the first test", BLOCK),
    hook("pytest_collection_modifyitems()", 2, "The run broke off", BLOCK),
    hook("pytest_runtest_setup()", 1, "1 error"),
    hook("pytest_runtest_logreport()", 2, "The run broke off", BLOCK),
    hook("pytest_sessionfinish()", 2, "The run broke off", BLOCK),
    hook("pytest_unconfigure()", 1, BLOCK),
]  # fmt: skip


@pytest.mark.parametrize("way", TESTS, ids=str)
def test_what_tests_do(way, tmp_path):
    way.check(tmp_path)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("way", CONFTESTS, ids=str)
def test_what_a_conftest_does(way, tmp_path):
    way.check(tmp_path)


def test_a_run_that_broke_off_is_not_green_later(tmp_path):
    """What `unitai test` called broken, `unitai results` does not call good."""
    project = Project(tmp_path)
    project.write(test_it=PASSING, conftest="def pytest_sessionfinish():\n    raise ValueError('of theirs')\n")
    assert_trouble(project.unitai("test"), 2, "of theirs")
    assert_trouble(project.unitai("results"), 1, "The run broke off", "(ValueError: of theirs)")


def test_plain_pytest_agrees(tmp_path):
    project = Project(tmp_path)
    project.write(test_it="import pytest\ndef test_a():\n    pytest.exit('enough', returncode=0)\n")
    assert_trouble(project.pytest("--unitai"), 2, "The run was interrupted (enough)")


class TestOtherPlugins:
    """What others have, and may."""

    def test_an_option_for_short_stays_theirs(self, tmp_path):
        project = Project(tmp_path)
        project.write(
            conftest="def pytest_addoption(parser):\n    parser.addoption('--model')\n",
            test_it="def test_a(request):\n    assert request.config.getoption('--model') == 'theirs'\n",
        )
        done = project.unitai("test", "--", "--model=theirs")
        assert done.returncode == 0, done.stdout + done.stderr

    def test_a_fixture_stays_theirs(self, tmp_path):
        project = Project(tmp_path)
        project.write(
            test_it="import pytest\n@pytest.fixture\ndef mock_toolkit():\n    return 7\n"
            "def test_a(mock_toolkit):\n    assert mock_toolkit == 7\n"
        )
        assert project.unitai("test").returncode == 0

    @pytest.mark.parametrize(
        "variables", [{"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}, {"PYTEST_ADDOPTS": "-p no:unitai"}], ids=str
    )
    def test_who_asks_for_the_command_gets_the_plugin(self, variables, tmp_path):
        project = Project(tmp_path)
        project.write(test_it="def test_a(mock_toolkit):\n    assert mock_toolkit is not None\n")
        done = project.unitai("test", **variables)
        assert done.returncode == 0, done.stdout + done.stderr
        assert BLOCK in done.stdout and project.junit.exists()

    def test_tests_that_are_all_skipped_are_no_failure(self, tmp_path):
        project = Project(tmp_path)
        project.write(
            test_it="import pytest\n@pytest.mark.unitai_skip_if_no_api_key(env_var='NO_SUCH_KEY')\ndef test_a(): pass\n"
        )
        assert project.unitai("test").returncode == 0
        told = project.unitai("results")
        assert told.returncode == 0
        assert "NO_SUCH_KEY not set" in told.stdout and "Nothing was tested: every test was skipped." in told.stdout
