"""Files that are wrong, through pytest and the command: each is told with its place, none is left out, and none is costly."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from programs import run_program
from yaml_project import YamlProject

pytestmark = pytest.mark.integration

FILES = Path(__file__).parents[3] / "crates" / "unitai_spec" / "tests" / "malformed"


def expected() -> dict[str, list[str]]:
    """For each file, the lines and columns where something is wrong with it."""
    places = {}
    for file in sorted(FILES.glob("*.yaml")):
        text = file.read_bytes().decode("utf-8", "replace")
        places[file.name] = re.findall(r"^# expect: (\d+:\d+) ", text, re.MULTILINE)
    return places


@pytest.fixture
def project(tmp_path):
    made = YamlProject(tmp_path)
    shutil.copytree(FILES, tmp_path / "tests" / "llm", dirs_exist_ok=True)
    return made


def test_there_are_enough_of_them():
    assert len(expected()) >= 60
    assert all(expected().values())


def test_each_is_a_collection_error_at_its_line(project):
    names = [f"tests/llm/{name}" for name in expected()]
    code, out = project.run("pytest", "--color=no", *names, seconds=120)
    assert code == 2
    sections = dict(re.findall(r"^_+ ERROR collecting tests/llm/(\S+) _+\n(.*?)(?=^_+ ERROR|^=+)", out, re.M | re.S))
    assert sorted(sections) == sorted(expected())
    wrong = {
        name: sections[name]
        for name, places in expected().items()
        if not all(f".yaml:{place}: " in sections[name] for place in places)
    }
    assert wrong == {}
    assert "Traceback" not in out


def test_none_that_is_named_like_a_test_is_left_out(project):
    for name in expected():
        file = project.folder / "tests" / "llm" / name
        file.rename(file.with_name(f"test_{name}"))
    code, out = project.run("pytest", "--color=no", "-q", seconds=120)
    assert code == 2
    assert set(re.findall(r"^ERROR tests/llm/test_(\S+)", out, re.M)) == set(expected())


def test_the_command_tells_them_too(project):
    done = project.unitai("yaml", "check", "tests/llm", *(f"tests/llm/{name}" for name in expected()))
    assert done.returncode == 1
    for name, places in expected().items():
        told = re.findall(rf"^tests/llm/\S*{re.escape(name)}:(\d+:\d+): ", done.stdout, re.M)
        assert set(places) <= set(told) or "include" in name, (name, told)
    done = project.unitai("yaml", "run", *(f"tests/llm/{name}" for name in expected()))
    assert done.returncode == 2
    assert "PASS" not in done.stdout


#: Reads texts that stand for much, in a process that is measured: processor seconds, and the growth of its largest size.
BOMBS = """
    import resource, sys, time
    from pathlib import Path
    from unitai.llm import engine

    def laughs(opened, closed, key):
        lines = ["test: {name: a}", "vars:", "  a0: &a0 [x]"]
        for level in range(1, 30):
            inside = ", ".join(key.format(n) + f"*a{level - 1}" for n in range(10))
            lines.append(f"  a{level}: &a{level} {opened}{inside}{closed}")
        return "\\n".join([*lines, "steps: []", "verdict: checks", ""])

    def filled(part):
        return part * (990_000 // len(part))

    bombs = {
        "lists": laughs("[", "]", ""),
        "mappings": laughs("{", "}", "k{}: "),
        "quadratic": f"test: &a {{name: [{'1,' * 4000}]}}\\nsteps: [{'*a, ' * 9000}]\\nverdict: checks\\n",
        "a long text, often": f"test: {{name: &a {'x' * 900_000}}}\\nsteps: [{'*a, ' * 9000}]\\nverdict: checks\\n",
        "nested lists": filled("["),
        "nested mappings": filled("{a: "),
        "documents": filled("--- a\\n"),
        "keys": filled("a: 1\\n"),
        "rows": f"test: {{name: a, description: {'x' * 900_000}}}\\nsteps: []\\nverdict: checks\\ncases:\\n" + "  - {}\\n" * 9000,
    }

    def size():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    def spent():
        used = resource.getrusage(resource.RUSAGE_SELF)
        return used.ru_utime + used.ru_stime

    engine.read_tests("test: {name: a}\\nsteps: [{name: x, check: true}]\\nverdict: checks\\n", Path("a.yaml"))
    for name, text in bombs.items():
        before, began = size(), spent()
        reading = engine.read_tests(text, Path("a.yaml"))
        took, grown = spent() - began, size() - before
        assert reading.errors and not reading.tests, name
        print(f"{name}|{took:.3f}|{grown:.1f}|{len(reading.errors[0])}")
"""

MOST_SECONDS = 0.2
MOST_MEGABYTES = 64


def test_bombs_are_refused_soon_and_cost_little():
    done = run_program(BOMBS)
    assert done.returncode == 0, done.stderr
    costly = []
    for line in done.stdout.splitlines():
        _, seconds, megabytes, _ = line.split("|")
        if float(seconds) > MOST_SECONDS or float(megabytes) > MOST_MEGABYTES:
            costly.append(line)
    assert len(done.stdout.splitlines()) == 9
    assert costly == [], done.stdout


def test_a_bomb_is_a_collection_error(project):
    code, out = project.run("pytest", "tests/llm/billion_laughs.yaml")
    assert code == 2
    assert "billion_laughs.yaml:7:38: this makes more than 10000 nodes" in out
