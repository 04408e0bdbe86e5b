"""What a suite and its tests may spend in pytest, also in several processes, and when one of them is killed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from projects import clean_environment

pytestmark = pytest.mark.integration

#: What one call can cost: a hundred tokens of the answer. The server's answers take 20, and the prompt costs nothing
#: to speak of.
ONE = 100 * 10.0 / 1e6
ANSWER = 20 * 10.0 / 1e6

AGENT = """
import os, threading
import pytest, urllib3
from unitai import Budget, CostLimitExceeded, MockToolkit, UnpricedModelError, scripted_model
from unitai.script import say, when
from unitai.traffic.purse import spending, standing_budgets

PRICES = {"gpt-4o-mini": {"input": 0.000001, "output": 10.0}}
ONE = 100 * 10.0 / 1e6

def ask(host=os.environ.get("SERVER", "https://api.openai.com"), **more):
    body = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 100, **more}
    with urllib3.PoolManager(retries=False) as pool:
        answer = pool.request("POST", host + "/v1/chat/completions", json=body)
    assert answer.status == 200, answer.data
    return answer.json()["choices"][0]["message"]["content"]

def run(calls=1):
    return MockToolkit(prices=PRICES).run(lambda input, tools: [ask() for _ in range(calls)], "x")
"""

#: Says exactly what the ledger says, since the summary rounds.
CONFTEST = """
import json, os
def pytest_terminal_summary(config):
    budgets = config.pluginmanager.get_plugin("unitai_budgets")
    if budgets is not None and budgets.suite is not None:
        with open(os.environ["LEDGER_SAYS"], "w") as file:
            json.dump([budgets.suite.spent, budgets.suite.reserved, budgets.suite.path], file)
"""


class Project:
    def __init__(self, folder, server):
        self.folder, self.server = folder, server
        self.says = folder / "says.json"
        (folder / "agent.py").write_text(AGENT, encoding="utf-8")
        (folder / "conftest.py").write_text(CONFTEST, encoding="utf-8")
        (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")

    def test(self, *args, **environment):
        """Runs the suite; gives what it printed."""
        paths = {"PYTHONPATH": str(self.folder), "LEDGER_SAYS": str(self.says), "SERVER": self.server.url}
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rA", "--tb=short", *args]
        done = subprocess.run(
            command,
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            env=clean_environment(**paths, **environment),
        )
        return done.stdout + done.stderr

    def write(self, text, name="test_a.py"):
        (self.folder / name).write_text("from agent import *\n" + textwrap.dedent(text), encoding="utf-8")

    @property
    def ledger(self):
        """What was spent and what is set aside, as the ledger said at the end, which is gone by now."""
        spent, reserved, path = json.loads(self.says.read_text())
        assert not os.path.exists(os.path.dirname(path))
        return spent, reserved


@pytest.fixture
def project(tmp_path, server):
    return Project(tmp_path, server)


FOUR = "-n4"
#: Both kinds of calls, and tests that would spend four times what there is.
MANY = """
    @pytest.mark.parametrize("n", range(20))
    def test_runs(n):
        result = run(calls=4)
        assert result.error is None

    @pytest.mark.parametrize("n", range(20))
    @pytest.mark.unitai_budget(9.0, prices=PRICES)
    def test_bare_calls(n):
        for _ in range(4):
            ask()
"""


@pytest.mark.parametrize("workers", ["-n0", FOUR])
def test_all_processes_together_never_spend_more_than_the_suite_may(project, workers):
    project.write(MANY)
    # Slow enough for calls of all workers to be under way at once.
    quick = project.server.respond
    project.server.respond = lambda asked: (time.sleep(0.01), quick(asked))[1]
    told = project.test(workers, UNITAI_COST_BUDGET_PER_SUITE=str(40 * ANSWER))
    spent, reserved = project.ledger
    calls = len(project.server.requests)
    assert spent <= 40 * ANSWER
    assert reserved == 0
    # Every call that was sent is in the ledger, and nothing else is.
    assert spent == pytest.approx(calls * ANSWER, rel=1e-3)
    # No more is left over than the calls under way could have cost.
    assert calls >= 40 - 4 * (ONE / ANSWER)
    assert "CostLimitExceeded: the budget of the suite does not allow another model call" in told
    assert "raise it with --budget of `unitai test`, --unitai-budget of pytest, cost_budget_per_suite or" in told
    (shown,) = re.findall(r"UnitAI budget: \$(\S+) spent of \$0\.008, ", told)
    assert float(shown) == pytest.approx(spent, rel=0.05)
    assert "passed" in told
    assert "INTERNALERROR" not in told


def test_a_killed_worker_does_not_free_its_money(project):
    project.write("""
        @pytest.mark.unitai_budget(9.0, prices=PRICES)
        def test_killed():
            threading.Thread(target=ask, kwargs={"user": "slow"}, daemon=True).start()
            while not standing_budgets()[0].reserved:
                pass
            os._exit(3)
    """)
    project.write(
        """
        import time

        @pytest.mark.unitai_budget(9.0, prices=PRICES)
        def test_the_others():
            suite = standing_budgets()[0]
            while suite.spent < 0.9 * ONE:
                time.sleep(0.01)
            # What the dead one had set aside is spent, and is all that is missing.
            assert suite.reserved == 0
            ask()
            with pytest.raises(CostLimitExceeded):
                ask(max_tokens=150)
        """,
        "test_b.py",
    )
    quick = project.server.respond
    project.server.respond = lambda asked: (time.sleep(5 if b"slow" in asked.body else 0), quick(asked))[1]
    told = project.test("-n2", UNITAI_COST_BUDGET_PER_SUITE=str(2.5 * ONE))
    assert "crashed while running" in told, told
    spent, reserved = project.ledger
    assert reserved == 0
    assert spent == pytest.approx(ONE + ANSWER, rel=1e-3)


class TestWhoSaysIt:
    TWO = """
        def test_a():
            assert run().error is None

        def test_b():
            assert run().error is None
    """
    #: Enough for one call.
    ENOUGH_FOR_ONE = str(1.1 * ONE)

    @pytest.fixture(autouse=True)
    def suite(self, project):
        project.write(self.TWO)

    def check(self, told, left="UnitAI budget: $0.0002 spent of $0.0011, $0.0009 left"):
        assert "1 failed, 1 passed" in told, told
        assert "the budget of the suite does not allow" in told
        assert left in told

    def test_nobody(self, project):
        told = project.test()
        assert "2 passed" in told
        assert "UnitAI budget" not in told

    def test_the_environment(self, project):
        self.check(project.test(UNITAI_COST_BUDGET_PER_SUITE=self.ENOUGH_FOR_ONE))

    def test_the_command_line_before_the_environment(self, project):
        self.check(project.test("--unitai-budget", self.ENOUGH_FOR_ONE, UNITAI_COST_BUDGET_PER_SUITE="9"))

    @pytest.mark.parametrize("text", ["cost_budget_per_suite = 0.0011", "[cost_budget]\nper_suite = 0.0011"])
    def test_the_projects_file(self, project, text):
        (project.folder / "unitai.toml").write_text(text, encoding="utf-8")
        self.check(project.test())

    def test_the_command(self, project):
        environment = {**os.environ, "PYTHONPATH": str(project.folder), "SERVER": project.server.url}
        environment["LEDGER_SAYS"] = str(project.says)
        unitai = str(Path(sys.executable).parent / "unitai")
        command = [unitai, "test", "--keep-going", "--budget", self.ENOUGH_FOR_ONE, "-rA"]
        done = subprocess.run(
            command, cwd=project.folder, capture_output=True, text=True, check=False, env=environment, timeout=120
        )
        self.check(done.stdout, "Budget remaining: $0.0009 / $0.0011")

    @pytest.mark.parametrize("wrong", ["0", "nan"])
    def test_what_is_no_amount_is_told_before_anything_runs(self, project, wrong):
        told = project.test(f"--unitai-budget={wrong}")
        assert "--unitai-budget is no amount of dollars" in told
        assert "a number of dollars above 0" in told
        told = project.test(UNITAI_COST_BUDGET_PER_SUITE=wrong)
        assert "the environment variable UNITAI_COST_BUDGET_PER_SUITE: it is" in told
        (project.folder / "unitai.toml").write_text(f"cost_budget_per_suit = {wrong}", encoding="utf-8")
        assert "unitai.toml:1" in project.test()
        assert project.server.requests == []

    def test_each_test_by_itself(self, project):
        project.write("""
            def test_a():
                assert run(2).error is None

            def test_b():
                assert run(4).error is None
        """)
        told = project.test(UNITAI_COST_BUDGET_PER_TEST=str(1.5 * ONE))
        assert "1 failed, 1 passed" in told, told
        assert "the budget of this test does not allow" in told
        assert "UnitAI budget" not in told


class TestTheMarker:
    def test_the_nearest_one_counts_and_comes_before_the_settings(self, project):
        project.write("""
            pytestmark = pytest.mark.unitai_budget(0.5 * ONE)

            def test_of_the_module():
                assert run().error is None

            @pytest.mark.unitai_budget(max_cost=1.5 * ONE)
            class TestA:
                def test_of_the_class(self):
                    assert run().error is None

                @pytest.mark.unitai_budget(2.5 * ONE)
                def test_of_its_own(self):
                    assert [budget.limit for budget in standing_budgets()] == [2.5 * ONE]
                    assert run(7).error is None
        """)
        told = project.test(UNITAI_COST_BUDGET_PER_TEST=str(0.1 * ONE))
        assert "1 failed, 2 passed" in told, told
        assert "max_cost= of the marker unitai_budget" in told

    def test_what_is_no_budget_fails_the_test_before_it_runs(self, project):
        wrong = ["", "0", "-1.0", "'5'", "True", "1.0, 2.0", "1.0, max_cost=2.0", "max=3", "None", "1, prices=3"]
        tests = [
            f"@pytest.mark.unitai_budget({marker})\ndef test_{n}():\n    raise SystemExit('it ran')\n"
            for n, marker in enumerate(wrong)
        ]
        project.write("\n".join([*tests, "def test_right():\n    pass\n"]))
        told = project.test("--strict-markers")
        assert "1 passed, 10 errors" in told, told
        for n in range(9):
            assert f"the marker of test_a.py::test_{n} is no budget" in told
        assert "as in unitai_budget(max_cost=0.50)" in told
        assert "prices are a dictionary by model, not 3" in told
        assert "it ran" not in told

    def test_fixtures_are_paid_for_too(self, project):
        project.write("""
            @pytest.fixture
            def greeting():
                yield ask()
                ask()

            @pytest.mark.unitai_budget(9.0, prices=PRICES)
            def test_a(greeting):
                (budget,) = standing_budgets()
                assert budget.spent == pytest.approx(0.2 * ONE, rel=1e-3)

            @pytest.mark.unitai_budget(0.5 * ONE, prices=PRICES)
            def test_b(greeting):
                pass
        """)
        told = project.test()
        assert "1 passed, 1 error" in told, told
        assert len(project.server.requests) == 2

    def test_bare_calls_are_refused_where_they_are_made(self, project):
        project.write("""
            @pytest.mark.unitai_budget(1.1 * ONE, prices=PRICES)
            def test_a():
                ask()
                ask()
        """)
        told = project.test()
        assert "1 failed" in told
        assert "CostLimitExceeded: the budget of this test does not allow" in told
        assert len(project.server.requests) == 1

    def test_a_refusal_fails_the_test_whatever_the_test_makes_of_it(self, project):
        project.write("""
            @pytest.mark.unitai_budget(0.5 * ONE)
            def test_nobody_looks():
                run()

            @pytest.mark.unitai_budget(0.5 * ONE)
            def test_an_assertion():
                assert run().output == ["Hello"]

            @pytest.mark.unitai_budget(0.5 * ONE)
            def test_skipped():
                run()
                pytest.skip("later")
        """)
        told = project.test()
        assert "2 failed, 1 skipped in" in told, told
        assert (
            len(re.findall(r"\n(?:E +)?unitai.errors.CostLimitExceeded: the budget of this test does not", told)) == 2
        )
        assert "E   AssertionError" in told

    def test_a_toolkits_own_budget_fails_no_test_by_itself(self, project):
        project.write("""
            @pytest.mark.unitai_budget(9.0)
            def test_a():
                toolkit = MockToolkit(budget=0.5 * ONE, prices=PRICES)
                assert toolkit.run(lambda input, tools: ask(), "x").error_is(CostLimitExceeded)
        """)
        assert "1 passed" in project.test()

    def test_an_unpriced_model_is_refused_with_the_remedy(self, project):
        project.write("""
            @pytest.mark.unitai_budget(9.0)
            def test_in_a_run():
                MockToolkit().run(lambda input, tools: ask("https://api.openai.com", model="my-own"), "x")

            @pytest.mark.unitai_budget(9.0)
            def test_bare():
                ask("https://api.openai.com", model="my-own")
        """)
        told = project.test()
        assert "2 failed" in told, told
        assert len(re.findall(r"\n(?:E +)?unitai.errors.UnpricedModelError: there is a budget", told)) == 2
        assert "give MockToolkit(prices=" in told
        assert "to the marker unitai_budget" in told
        assert told.count("or drop the budget") == 2

    def test_what_an_agent_reports_aborts_it_too(self, project):
        project.write("""
            @pytest.mark.unitai_budget(max_cost=0.50)
            def test_a(mock_toolkit):
                def agent(input, tools):
                    for _ in range(10):
                        mock_toolkit.record_llm_call("m", 1, 1, cost=0.20)
                result = mock_toolkit.run(agent, "x")
        """)
        told = project.test()
        assert "1 failed" in told
        assert "the budget of this test is overspent" in told

    def test_budgets_in_budgets(self, project):
        project.write("""
            @pytest.mark.unitai_budget(9.0)
            def test_a():
                suite, test = standing_budgets()
                assert (suite.name, test.name) == ("the suite", "this test")
                own = Budget(9.0)
                with spending(Budget(9.0, name="these runs")) as runs:
                    toolkit = MockToolkit(budget=own, prices=PRICES)
                    result = toolkit.run(lambda input, tools: ask(), "x")
                assert result.error is None
                assert suite.spent == test.spent == runs.spent == own.spent == pytest.approx(0.2 * ONE, rel=1e-3)
        """)
        assert "1 passed" in project.test(UNITAI_COST_BUDGET_PER_SUITE="5")


def test_a_suite_without_budgets_loads_nothing_of_them(project):
    project.write("""
        import sys

        def test_a():
            assert "unitai.pytest_plugin.budgets" not in sys.modules
    """)
    (project.folder / "test_b.py").write_text(
        "import sys\ndef test_b():\n    assert 'unitai._engine' not in sys.modules\n", encoding="utf-8"
    )
    assert "1 passed" in project.test("test_a.py")
    assert "1 passed" in project.test("test_b.py")


def test_a_process_of_a_test_can_share_the_suites_money(project):
    project.write("""
        import pickle, subprocess, sys

        def test_a():
            (suite,) = standing_budgets()
            program = (
                "import pickle, sys; from agent import *\\n"
                "budget = pickle.loads(bytes.fromhex(sys.argv[1]))\\n"
                "with spending(budget, prices=PRICES): ask(); ask()"
            )
            subprocess.run([sys.executable, "-c", program, pickle.dumps(suite).hex()], check=True)
            assert suite.spent == pytest.approx(0.4 * ONE, rel=1e-3)
            with pytest.raises(Exception, match="cannot be copied into another"):
                pickle.dumps(Budget(1.0))
    """)
    told = project.test(UNITAI_COST_BUDGET_PER_SUITE="5")
    assert "1 passed" in told, told
