"""The layers of tests, in real sessions of pytest."""

from __future__ import annotations

import json
import re

import pytest
from projects import Project

from unitai import _engine
from unitai.pytest_plugin import LAYERS

pytestmark = pytest.mark.integration

PASSES = "def test_it():\n    pass\n"


@pytest.fixture
def project(tmp_path):
    made = Project(tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\n", encoding="utf-8")
    return made


def summary(done) -> dict[str, str]:
    """What is told of each layer, without the seconds."""
    _, _, told = done.stdout.partition(" layers ")
    lines = [line.rsplit(maxsplit=1)[0] for line in told.splitlines() if re.match(r"(\w+|no layer)  .*\dm?s$", line)]
    return {name: what.strip() for name, what in (re.split(r"  +", line, maxsplit=1) for line in lines)}


class TestMarkers:
    def test_the_plugin_says_what_the_engine_says(self):
        assert list(LAYERS.items()) == _engine.layers()

    def test_all_of_them_are_known(self, project):
        marks = "\n".join(f"@pytest.mark.{name}\ndef test_{name}(): pass" for name in [*LAYERS, "slow"])
        project.write(test_it=f"import pytest\n{marks}\n")
        done = project.pytest("-m", "not slow")
        assert (done.returncode, summary(done)) == (0, dict.fromkeys(LAYERS, "1 passed"))
        told = project.pytest("--markers").stdout
        for name, meaning in LAYERS.items():
            assert f"@pytest.mark.{name}: {meaning}" in told

    def test_a_folder_is_a_layer_and_what_is_said_by_hand_comes_first(self, project):
        project.lay(
            tests__unit__test_a="import pytest\ndef test_a(): pass\n@pytest.mark.integration\ndef test_b(): pass\n",
            tests__shop__contract__test_c="import pytest\npytestmark = pytest.mark.regression\ndef test_c(): pass\n",
            tests__test_d=PASSES,
            src__unit__test_e=PASSES,
        )
        done = project.pytest()
        layers = {"unit": "1 passed", "integration": "1 passed", "regression": "1 passed", "no layer": "2 passed"}
        assert summary(done) == layers
        assert "1 passed, 4 deselected" in project.pytest("-m", "unit").stdout
        assert "1 passed, 4 deselected" in project.pytest("-m", "integration").stdout

    def test_markers_that_a_conftest_sets_are_by_hand(self, project):
        project.lay(
            tests__unit__test_a=PASSES,
            conftest="import pytest\ndef pytest_collection_modifyitems(items):\n"
            "    for item in items: item.add_marker(pytest.mark.behavioral)\n",
        )
        assert summary(project.pytest()) == {"behavioral": "1 passed"}

    @pytest.mark.parametrize("where", [".", "tests", "tests/unit"])
    def test_it_does_not_matter_where_pytest_is_started(self, project, where):
        project.lay(tests__unit__test_a=PASSES)
        started = Project(project.folder / where)
        assert summary(started.pytest("-c", project.folder / "pytest.ini")) == {"unit": "1 passed"}

    def test_a_file_is_of_its_layer_where_nothing_says_what_the_root_is(self, tmp_path):
        bare = Project(tmp_path)
        bare.lay(tests__unit__test_a=PASSES)
        assert summary(bare.pytest("tests/unit/test_a.py")) == {"unit": "1 passed"}

    def test_a_project_without_layers_hears_nothing_and_loads_nothing(self, project):
        project.lay(
            tests__test_it="import sys\ndef test_lean():\n    assert 'unitai._engine' not in sys.modules\n"
            "    assert 'unitai.pytest_plugin.layers' not in sys.modules\n"
        )
        done = project.pytest()
        assert (done.returncode, " layers " in done.stdout) == (0, False)


class TestSelection:
    @pytest.fixture(autouse=True)
    def layers(self, project):
        project.lay(**{f"tests__{name}__test_{name}": PASSES for name in LAYERS}, tests__test_none=PASSES)

    @pytest.mark.parametrize("option", ["--layer", "--unitai-layer"])
    def test_by_name(self, project, option):
        done = project.pytest(option, "unit,contract")
        assert summary(done) == {"unit": "1 passed", "contract": "1 passed"}
        assert "2 passed, 4 deselected" in done.stdout

    def test_by_name_more_than_once(self, project):
        done = project.pytest("--layer", "unit", "--layer", "contract,regression")
        assert summary(done) == dict.fromkeys(("unit", "contract", "regression"), "1 passed")

    def test_by_the_command(self, project):
        done = project.unitai("test", "tests", "--layer", "unit,contract", "--layer", "regression")
        assert (done.returncode, done.stderr) == (0, "")
        told = re.findall(r"^(\w+) +1 passed +[\d.]+m?s$", done.stdout, re.M)
        assert told == ["unit", "contract", "regression"]

    def test_with_other_options_and_several_processes(self, project):
        done = project.pytest("--layer", "unit,integration", "-m", "not integration", "-n", "2")
        assert summary(done) == {"unit": "1 passed"}

    def test_a_layer_that_there_is_not(self, project):
        done = project.pytest("--layer", "unit,fast")
        assert done.returncode == pytest.ExitCode.USAGE_ERROR
        assert "there is no layer 'fast'" in done.stderr and "unit, contract, integration" in done.stderr
        done = project.unitai("test", "--layer", "units")
        assert (done.returncode, "perhaps unit" in done.stderr) == (2, True)

    def test_nothing_of_it_is_nothing_that_ran(self, project):
        assert project.unitai("test", "tests/unit", "--layer", "regression").returncode == 5

    def test_an_option_of_a_conftest_keeps_its_name(self, project):
        project.lay(conftest="def pytest_addoption(parser): parser.addoption('--layer')\n")
        assert "6 passed" in project.pytest("--layer", "of-their-own").stdout
        assert summary(project.pytest("--unitai-layer", "unit")) == {"unit": "1 passed"}


class TestKeys:
    @pytest.fixture(autouse=True)
    def layers(self, project):
        project.lay(**{f"tests__{name}__test_{name}": PASSES for name in LAYERS})

    def settings(self, project, text: str) -> None:
        (project.folder / "unitai.toml").write_text(f"[layers]\n{text}\n", encoding="utf-8")

    def test_nobody_is_skipped_unless_somebody_says_so(self, project):
        assert "5 passed" in project.pytest(OPENAI_API_KEY="").stdout

    def test_tests_of_real_parts_are_skipped_without_their_keys(self, project):
        self.settings(project, 'keys = ["A_KEY", "B_KEY|C_KEY"]')
        done = project.pytest("-rs")
        assert summary(done) == {
            **dict.fromkeys(LAYERS, "1 passed"),
            "integration": "1 skipped",
            "behavioral": "1 skipped",
        }
        assert "A_KEY and B_KEY or C_KEY not set: integration tests need a provider to answer" in done.stdout
        assert "5 passed" in project.pytest(A_KEY="x", C_KEY="y").stdout
        assert "3 passed, 2 skipped" in project.pytest(A_KEY=" ", C_KEY="y").stdout

    def test_each_layer_has_its_own(self, project):
        self.settings(project, 'integration_keys = ["A_KEY"]\nbehavioral_keys = ["B_KEY"]')
        skipped = summary(project.pytest(B_KEY="x"))
        assert (skipped["integration"], skipped["behavioral"]) == ("1 skipped", "1 passed")

    def test_tests_that_nobody_answers_for_money_are_run(self, project):
        self.settings(project, 'keys = ["A_KEY"]')
        project.lay(
            tests__integration__test_more="import pytest\n"
            "def test_scripted(scripted_model): pass\ndef test_offline(block_network): pass\n"
            "@pytest.mark.unitai_skip_if_no_api_key('B_KEY')\ndef test_of_its_own(): pass\n"
            "def test_plain(): pass\n"
        )
        done = project.pytest("tests/integration/test_more.py", "-rs", B_KEY="x")
        assert "3 passed, 1 skipped" in done.stdout
        assert "4 passed" in project.pytest("tests/integration/test_more.py", "--unitai-cache=replay", B_KEY="x").stdout

    def test_a_setting_that_names_no_variable(self, project):
        self.settings(project, 'keys = ["OPENAI API KEY"]')
        done = project.pytest()
        assert done.returncode == pytest.ExitCode.USAGE_ERROR
        assert "unitai.toml:2" in done.stderr and "a list of variables" in done.stderr


class TestEnvFile:
    SHOWS = (
        "import os\nAT_IMPORT = os.environ['SHOP_TOKEN']\n"
        "def test_it():\n    assert AT_IMPORT == os.environ['SHOP_TOKEN']\n    assert False, 'it is ' + AT_IMPORT\n"
    )
    SECRET = "Zk3vQ8xWn2LmR7tY"

    def env(self, project, text: str, name: str = ".env.test") -> None:
        (project.folder / "unitai.toml").touch()
        (project.folder / name).write_text(text, encoding="utf-8")

    def test_tests_see_it_and_reports_do_not(self, project):
        self.env(project, f"export SHOP_TOKEN='{self.SECRET}' # mine\n")
        project.lay(tests__unit__test_it=self.SHOWS, conftest="import os\nassert os.environ['SHOP_TOKEN']\n")
        done = project.unitai("test")
        assert (done.returncode, project.finished("test_it")["outcome"]) == (1, "failed")
        assert self.SECRET not in json.dumps(project.events)
        assert "it is [redacted]" in json.dumps(project.events)
        assert self.SECRET not in project.junit.read_text(encoding="utf-8")

    def test_the_environment_comes_first(self, project):
        self.env(project, "SHOP_TOKEN=of-the-file\n")
        project.lay(tests__test_it="import os\ndef test_it(): assert os.environ['SHOP_TOKEN'] == 'mine'\n")
        assert project.pytest(SHOP_TOKEN="mine").returncode == 0

    def test_it_gives_keys_to_layers_and_to_every_process(self, project):
        self.env(project, "A_KEY=x\n")
        (project.folder / "unitai.toml").write_text('layers_keys = ["A_KEY"]\n', encoding="utf-8")
        project.lay(tests__integration__test_it=PASSES)
        assert "1 passed" in project.pytest("-n", "2").stdout

    def test_another_file_by_setting(self, project):
        self.env(project, "SHOP_TOKEN=1\n", "keys.env")
        project.lay(tests__test_it="import os\ndef test_it(): assert os.environ['SHOP_TOKEN'] == '1'\n")
        assert project.pytest(UNITAI_LAYERS_ENV_FILE="keys.env").returncode == 0

    def test_it_is_not_read_in_a_project_that_does_not_speak_of_unitai(self, project):
        (project.folder / ".env.test").write_text("SHOP_TOKEN=1\n", encoding="utf-8")
        project.lay(tests__test_it="import os\ndef test_it(): assert 'SHOP_TOKEN' not in os.environ\n")
        assert project.pytest().returncode == 0

    def test_a_line_that_cannot_be_read_is_told_without_its_text(self, project):
        self.env(project, f"A=1\nthe token is {self.SECRET}\n")
        project.lay(tests__test_it=PASSES)
        done = project.pytest()
        assert done.returncode == pytest.ExitCode.USAGE_ERROR
        assert ".env.test:2: this line sets no variable" in done.stderr
        assert self.SECRET not in done.stderr + done.stdout


class TestReports:
    SLOW = "import time\ndef test_slow(): time.sleep(0.25)\ndef test_fast(): pass\n"

    @pytest.mark.parametrize("options", [(), ("-n", "1"), ("-W", "error")], ids=["plain", "spread", "strict"])
    def test_a_unit_test_that_takes_long_is_told_and_passes(self, project, options):
        project.lay(tests__unit__test_it=self.SLOW, tests__integration__test_other=self.SLOW)
        done = project.pytest(*options, UNITAI_LAYERS_UNIT_SECONDS="0.2")
        assert (done.returncode, "4 passed, 1 warning" in done.stdout) == (0, True), done.stdout
        assert "tests/unit/test_it.py::test_slow" in done.stdout
        assert re.search(
            r"LayerWarning: a unit test that takes 0\.\d\d s: unit tests take less than 0\.2 s", done.stdout
        )

    def test_the_layer_is_in_every_report(self, project):
        project.lay(tests__unit__test_a=PASSES, tests__test_b=PASSES)
        assert project.unitai("test").returncode == 0
        assert project.finished("test_a.py::test_it")["layer"] == "unit"
        assert "layer" not in project.finished("test_b.py::test_it")
        results = json.loads(project.unitai("results", "--json").stdout)
        assert [test["layer"] for test in results["tests"]] == [None, "unit"]
        assert 'name="unitai.layer" value="unit"' in project.junit.read_text(encoding="utf-8")

    def test_several_processes_come_to_the_same(self, project):
        files = {f"tests__{name}__test_{name}": "def test_a(): pass\ndef test_b(): assert 0\n" for name in LAYERS}
        project.lay(**files)
        alone, spread = project.pytest(), project.pytest("-n", "2")
        assert summary(alone) == summary(spread) == dict.fromkeys(LAYERS, "1 passed, 1 failed")
        done = project.unitai("test", "-n", "2", "--keep-going")
        assert len(re.findall(r"^\w+ +1 passed, 1 failed +[\d.]+m?s$", done.stdout, re.M)) == len(LAYERS)

    def test_who_wants_to_read_little_reads_little(self, project):
        project.lay(tests__unit__test_a=PASSES)
        assert " layers " not in project.pytest("-q").stdout
