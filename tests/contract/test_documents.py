"""Every Python block of the documents is run: as one file per document, by pytest, as a reader would. Blocks that
begin with "```python openai" need that client, and are run where it is installed.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = pytest.mark.contract

ROOT = Path(__file__).parent.parent.parent
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
#: Their links are followed. What the examples say is tried by tests/integration/test_examples.py.
OTHERS = sorted({*ROOT.glob("*.md"), *(ROOT / "examples").rglob("*.md")} - set(DOCUMENTS))


#: Tests that are skipped without a key are documented, too. Nobody is asked with these.
KEYS = dict.fromkeys(
    ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "MISTRAL_API_KEY", "SHOP_TOKEN"), "nobody-is-asked-with-it"
)
HAS_OPENAI = find_spec("openai") is not None


def blocks_of(path: Path) -> list[tuple[str, str]]:
    """The Python blocks of a document, each with what it needs."""
    return re.findall(r"^```python(| openai)\n(.*?)^```", path.read_text(encoding="utf-8"), re.M | re.S)


# Those of the errors are run by the catalogue's test, those of the checks by the documents that they are made of.
# The quickstart is a project of several files: tests/integration/test_quickstart.py follows it.
WITH_CODE = [
    path
    for path in DOCUMENTS
    if blocks_of(path) and path.parent.name not in ("errors", "checks") and path.name != "quickstart.md"
]
WITH_OPENAI = [path for path in WITH_CODE if any(need for need, _ in blocks_of(path))]


def count_of_tests(source: str) -> int:
    """How many tests pytest finds: also those that a class inherits."""
    tree = ast.parse(source)
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}

    def names(body: list[ast.stmt]) -> set[str]:
        functions = [node for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        return {node.name for node in functions if node.name.startswith("test_")}

    def of_class(node: ast.ClassDef) -> set[str]:
        bases = [classes[base.id] for base in node.bases if isinstance(base, ast.Name) and base.id in classes]
        return names(node.body).union(*map(of_class, bases))

    return len(names(tree.body)) + sum(len(of_class(node)) for name, node in classes.items() if name.startswith("Test"))


def source_of(path: Path) -> str:
    """The blocks of a document that can run here, as one test file."""
    source = "\n\n".join(block for need, block in blocks_of(path) if HAS_OPENAI or not need)
    has_tests = re.search(r"^(def|class) [tT]est", source, re.M)
    return source if has_tests else source + "\n\ndef test_the_module_runs():\n    pass\n"


def file_of(path: Path) -> str:
    return f"test_{re.sub(r'[^a-z]+', '_', str(path.relative_to(ROOT)).lower())}.py"


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """One run of pytest over all documents, a file for each: how often what came out, by file, and its text."""
    folder = tmp_path_factory.mktemp("documents")
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    for path in WITH_CODE:
        (folder / file_of(path)).write_text(source_of(path), encoding="utf-8")
    kept = [file_of(path) for path in WITH_CODE if "snapshot.assert_match" in source_of(path)]
    # As a reader would: what is kept the first time is compared ever after.
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--snapshot-update", *kept],
        cwd=folder,
        capture_output=True,
        check=True,
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider", "-W", "error"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **KEYS},
    )
    told = re.findall(r"^(PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS) (\w+\.py)", done.stdout, re.M)
    return Counter((file, outcome) for outcome, file in told), done.stdout


@pytest.mark.parametrize("path", WITH_CODE, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_code_of_a_document_works(path, outcomes):
    counts, text = outcomes
    file, tests = file_of(path), count_of_tests(source_of(path))
    assert {outcome: count for (found, outcome), count in counts.items() if found == file} == {"PASSED": tests}, text


@pytest.mark.parametrize("path", WITH_OPENAI, ids=lambda path: str(path.relative_to(ROOT)))
def test_blocks_that_need_openai_can_be_read_without_it(path):
    compile("\n\n".join(block for _, block in blocks_of(path)), str(path), "exec")


def test_every_target_of_make_exists():
    there = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    pages = (path.read_text(encoding="utf-8") for path in (*DOCUMENTS, *OTHERS))
    named = {
        word
        for page in pages
        for line in re.findall(r"(?:^\$ |`)make ((?:[a-z-]+ ?)+)", page, re.M)
        for word in line.split()
    }
    assert len(named) > 5
    assert named - there == set()


def test_every_bench_exists():
    there = {path.stem for path in (ROOT / "benches").glob("*.py")}
    pages = (path.read_text(encoding="utf-8") for path in (*DOCUMENTS, ROOT / "benches" / "README.md"))
    named = {name for page in pages for name in re.findall(r"benches/run\.py.*?--only (\w+)", page)}
    assert len(named) > 5
    assert named - there == set()


@pytest.fixture(scope="module")
def known_options(tmp_path_factory):
    """Options of pytest with our plugin, and those that `unitai test` adds to them."""
    folder = tmp_path_factory.mktemp("help")
    commands = [sys.executable, "-m", "pytest", "--help"], [Path(sys.executable).parent / "unitai", "test", "--help"]
    told = (subprocess.run(it, cwd=folder, capture_output=True, text=True, check=True).stdout for it in commands)
    return set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", "".join(told)))


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_option_of_pytest_exists(path, known_options):
    """Options of `unitai` itself are read by clap, in crates/unitai_dev/tests/documents.rs."""
    said = re.findall(r"(?<![\w-])(?:pytest|unitai test)((?: +[^\s`'\"|&>#]+)+)", path.read_text(encoding="utf-8"))
    named = {word.partition("=")[0] for line in said for word in line.partition(" -- ")[0].split()}
    assert {word for word in named if re.fullmatch(r"--[a-z][\w-]*", word)} - known_options == set()


def test_no_plan_that_is_shown_is_too_small_for_its_threshold(tmp_path):
    """Also those in a sentence, in a table, in a docstring and in what `unitai init` writes, which no other test runs."""
    about_it = ROOT / "docs" / "reference" / "lint" / "too-few-runs.md"
    made = [
        path for folder in ("python", "examples", "crates/unitai_cli/templates") for path in (ROOT / folder).rglob("*")
    ]
    pages = {*DOCUMENTS, *OTHERS, *(path for path in made if path.suffix in (".py", ".md"))} - {about_it}
    shown = [
        (path, plan)
        for path in sorted(pages)
        for plan in re.findall(r"@(?:pytest\.mark\.unitai_)?statistical\([^)]*\)", path.read_text(encoding="utf-8"))
    ]
    assert len(shown) > 15
    tests = (f"# {path.relative_to(ROOT)}\n{plan}\ndef test_{n}(): ..." for n, (path, plan) in enumerate(shown))
    (tmp_path / "test_plans.py").write_text(
        "\n\n".join(["import pytest\nfrom unitai import statistical", *tests]), encoding="utf-8"
    )
    done = subprocess.run(
        [Path(sys.executable).parent / "unitai", "lint", "--strict", "--select", "too-few-runs", "test_plans.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


TEMPLATES = ROOT / "crates" / "unitai_cli" / "templates"
FIRST = [
    ROOT / "README.md",
    ROOT / "docs" / "quickstart.md",
    TEMPLATES / "SKILL.md",
    *sorted(TEMPLATES.glob("test_*.py")),
]


@pytest.mark.parametrize("path", FIRST, ids=lambda path: path.name)
def test_the_first_tests_that_are_shown_notice_an_agent_that_crashed(path):
    """They are what people copy."""
    after = re.findall(r"^    result = \w+\.run\(.*\)\n\n(.*)\n", path.read_text(encoding="utf-8"), re.M)
    assert after
    assert set(after) == {"    assert result.succeeded"}


@pytest.mark.parametrize("path", [*DOCUMENTS, *OTHERS], ids=lambda path: str(path.relative_to(ROOT)))
def test_links_within_the_project_lead_somewhere(path):
    prose = re.sub(r"^```.*?^```|`[^`\n]*`", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", prose)
    broken = [link for link in links if "://" not in link and not (path.parent / link).exists()]
    assert broken == []
