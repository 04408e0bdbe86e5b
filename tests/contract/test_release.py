"""What a release needs: crates that can be published, one version everywhere, and a workflow in which nobody can publish who
should not.
"""

from __future__ import annotations

import json
import re
import runpy
import shutil
import subprocess
from importlib.metadata import metadata
from pathlib import Path

import pytest
import yaml

pytestmark = pytest.mark.contract

ROOT = Path(__file__).parent.parent.parent
WORKFLOW = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8"))
JOBS = WORKFLOW["jobs"]
#: Crates that nobody outside needs.
OURS = {"unitai_dev", "unitai_fuzz", "unitai_python"}


@pytest.fixture(scope="module")
def crates():
    if shutil.which("cargo") is None:
        pytest.skip("cargo is not here")
    command = ["cargo", "metadata", "--no-deps", "--offline", "--format-version", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return {crate["name"]: crate for crate in json.loads(done.stdout)["packages"]}


def test_crates_can_be_published_but_for_our_own(crates):
    assert {name for name, crate in crates.items() if crate["publish"] == []} == OURS
    for name in crates.keys() - OURS:
        for key in ("description", "license", "repository", "readme", "keywords", "categories", "rust_version"):
            assert crates[name][key], f"{name} has no {key}"


def test_a_published_crate_needs_published_ones_by_version(crates):
    for name in crates.keys() - OURS:
        ours = [it for it in crates[name]["dependencies"] if it["name"].startswith("unitai_")]
        assert not {it["name"] for it in ours} & OURS, name
        assert {it["req"] for it in ours} <= {f"^{crates[name]['version']}"}, name


def test_crates_hold_all_that_they_include(crates):
    """A file that is included from outside of a crate is not in its package."""
    for name in crates.keys() - OURS:
        folder = Path(crates[name]["manifest_path"]).parent
        for source in (folder / "src").rglob("*.rs"):
            for path in re.findall(r'include_(?:str|bytes)!\("([^"]+)"\)', source.read_text(encoding="utf-8")):
                assert (source.parent / path).resolve().is_relative_to(folder), f"{source}: {path}"


def test_there_is_one_version(crates):
    (version,) = {crate["version"] for crate in crates.values()}
    assert metadata("unitai")["version"] == version
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["version"] == version


def test_the_readme_of_the_release_leads_to_files_that_are_there():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    script = runpy.run_path(str(ROOT / "scripts/pypi_readme.py"))
    files, raw = script["FILES"], script["RAW"]
    shown = script["absolute"](text, "v9")
    fenced = re.compile(r"^```.*?^```$", re.M | re.S)
    assert fenced.findall(shown) == fenced.findall(text)
    assert re.findall(r"\]\((?!https?:)[^)]*\)", fenced.sub("", shown)) == []
    linked = re.findall(rf"\]\((?:{files}|{raw})/v9/([^)#]+)", shown)
    assert len(linked) > 50
    assert [path for path in linked if not (ROOT / path).exists()] == []
    assert f"({raw}/v9/docs/_static/failure.svg)" in shown
    for job in ("wheels", "source"):
        commands = "".join(step.get("run", "") for step in JOBS[job]["steps"])
        assert re.search(r"pypi_readme\.py[\s\S]*maturin (build|sdist)", commands), job


def test_the_distribution_says_what_it_is():
    about = metadata("unitai")
    urls = dict(url.split(", ") for url in about.get_all("Project-URL"))
    assert urls.keys() >= {"Documentation", "Changelog", "Issues", "Repository", "Security"}
    extras = {
        "langgraph",
        "langraph",
        "crewai",
        "openai",
        "semantic-kernel",
        "agent-framework",
        "pydantic-ai",
        "dask",
        "all",
    }
    assert extras <= set(about.get_all("Provides-Extra"))
    assert all("extra ==" in it for it in about.get_all("Requires-Dist")), "the core needs nothing"
    assert about["License-Expression"] == "MIT"


def test_every_system_has_its_wheel():
    names = {row["name"] for row in JOBS["wheels"]["strategy"]["matrix"]["include"]}
    assert names == {"linux-x86_64", "linux-aarch64", "macos-x86_64", "macos-arm64", "windows-x86_64"}


def test_only_the_last_job_may_publish_and_it_runs_no_code_of_the_project():
    assert WORKFLOW["permissions"] == {}
    rights = {name: job["permissions"] for name, job in JOBS.items()}
    assert rights.pop("publish") == {"id-token": "write", "attestations": "write"}
    assert set(map(str, rights.values())) == {"{'contents': 'read'}"}
    publish = JOBS["publish"]
    assert set(publish["needs"]) == JOBS.keys() - {"publish"}
    assert "refs/tags/v" in publish["if"]
    assert publish["environment"]["name"] == "pypi"
    assert not [step for step in publish["steps"] if "checkout" in step.get("uses", "")]


def test_nothing_of_another_run_gets_in():
    steps = [step for job in JOBS.values() for step in job.get("steps", [])]
    assert not [step for step in steps if "cache" in str(step)]
    # An expression inside of a command could be a part of it.
    assert not [step for step in steps if "${{" in step.get("run", "")]
    assert {it["with"]["persist-credentials"] for it in steps if "checkout" in it.get("uses", "")} == {False}


def test_ci_runs_every_target_of_make_test_and_one_job_depends_on_all():
    ci = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))["jobs"]
    (tested,) = re.findall(r"^TESTED := (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    jobs = [target for job in ci.values() for target in job.get("strategy", {}).get("matrix", {}).get("target", [])]
    missing = set(tested.split()) ^ set(jobs)
    assert not missing, (
        f"{', '.join(sorted(missing))}: in TESTED of the Makefile or in a job of ci.yml, but not in both"
    )
    assert set(ci["required"]["needs"]) == ci.keys() - {"required"}
    assert JOBS["tests"]["with"] == {"all": True}


@pytest.mark.parametrize("tool", WORKFLOW["env"].values())
def test_tools_are_named_with_their_version(tool):
    assert re.fullmatch(r"([a-z]+==)?\d+\.\d+\.\d+", tool)


@pytest.mark.parametrize("name", ["LICENSE", "SECURITY.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "CITATION.cff"])
def test_what_a_visitor_looks_for_is_there(name):
    assert (ROOT / name).stat().st_size > 300


def test_templates_are_forms_that_github_can_read():
    forms = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("[!c]*.yml"))
    assert len(forms) == 2
    for form in forms:
        about = yaml.safe_load(form.read_text(encoding="utf-8"))
        assert about.keys() >= {"name", "description", "body"}
        assert all({"type", "id", "attributes"} <= field.keys() for field in about["body"])
        assert any(field["validations"]["required"] for field in about["body"] if "validations" in field)
