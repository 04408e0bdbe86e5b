"""What was promised about settings: the schema and the parser take the same files, the documents are right, and Python has
no name and no default of its own.
"""

from __future__ import annotations

import copy
import dataclasses
import inspect
import json
import pickle
import re
from dataclasses import fields
from pathlib import Path

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unitai import ConfigError, MockToolkit, UnitAIConfig
from unitai._engine import load_settings
from unitai.runner.bounded import PATIENCE

pytestmark = pytest.mark.contract

ROOT = Path(__file__).parent.parent.parent
SCHEMA = json.loads((ROOT / "schemas/config.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
SECTIONS = {name: part for name, part in SCHEMA["properties"].items() if "properties" in part}


def toml(value: object) -> str:
    """A value of JSON as TOML: tables on one line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {toml(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


def accepts(folder: Path, document: dict[str, object]) -> bool:
    text = "".join(f"{json.dumps(key)} = {toml(value)}\n" for key, value in document.items())
    (folder / "unitai.toml").write_text(text, encoding="utf-8")
    try:
        UnitAIConfig.load(folder)
    except ConfigError as error:
        assert re.search(r"unitai\.toml:\d+:\d+: ", str(error)), error
        return False
    return True


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert set(SECTIONS) == {"baseline", "cache", "cost_budget", "default", "judge", "layers", "lint"}


VALUES = [
    0, 1, -1, 5, 2.5, 0.5, 0.0, 10.0, 1e9, 1e10, 1e-13, 999_999_999, 10**9, 10**18, 2**32 - 1, 2**32, 1_000_000, 1_000_001,
    99_999_999.5, 1e8, True, False, "", "x", "auto", "Auto", "off", "codex", "https://a.example/", "a\u0000b", [], ["x"],
    ["https://a.example/", "http://b"], [1], [["x"]], {}, {"x": 1}, {"n": 5}, {"mode": "auto"}, {"enabled": "x"}, {"per_test": 1},
    {"x": "error"}, {"x": "never"}, "marked", "early", {"x": ["y"]}, {"x": [1]}, {"m": {"input": 1, "output": 2}}, {"m": {"input": 1}}, {"m": {"input": -1, "output": 2}}, {"m": {"input": 1, "output": 2, "x": 3}},
    {"m": {"input": 1, "output": 2.5, "cached_input": 0, "cache_write": 1, "cache_write_long": 1e6}}, {"m": 5},
]  # fmt: skip


@pytest.mark.parametrize("name", [*SCHEMA["properties"], "unknown", ""])
def test_the_schema_and_the_parser_take_the_same_values(tmp_path, name):
    for value in VALUES:
        document = {name: value}
        assert accepts(tmp_path, document) == VALIDATOR.is_valid(document), document
    taken = [value for value in VALUES if VALIDATOR.is_valid({name: value})]
    assert bool(taken) == (name in SCHEMA["properties"]), taken


@pytest.mark.parametrize("section", list(SECTIONS))
def test_the_same_in_tables_and_never_both_spellings(tmp_path, section):
    for inner in [*SECTIONS[section]["properties"], "unknown"]:
        for value in VALUES:
            document = {section: {inner: value}}
            assert accepts(tmp_path, document) == VALIDATOR.is_valid(document), document
            both = {section: {inner: value}, f"{section}_{inner}": value}
            assert not VALIDATOR.is_valid(both)
            assert not accepts(tmp_path, both)


NAMES = [*SCHEMA["properties"], "unknown"]
INNER = sorted({name for part in SECTIONS.values() for name in part.get("properties", {})} | {"unknown"})


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(
        st.sampled_from(NAMES),
        st.one_of(
            st.sampled_from(VALUES), st.dictionaries(st.sampled_from(INNER), st.sampled_from(VALUES), max_size=3)
        ),
        max_size=4,
    )
)
def test_the_schema_and_the_parser_take_the_same_files(tmp_path, document):
    assert accepts(tmp_path, document) == VALIDATOR.is_valid(document)


def test_python_has_the_names_of_the_engine_and_no_default_of_its_own(tmp_path):
    _, rows = load_settings(tmp_path, {})
    names = [name for name, *_ in rows]
    assert [field.name for field in fields(UnitAIConfig)] == [*names, "path", "_sources"]
    flat = [name for name in SCHEMA["properties"] if name not in SECTIONS]
    assert sorted(names) == sorted(flat)
    config = UnitAIConfig.load(tmp_path)
    # The one number that a signature shows.
    assert PATIENCE == config.timeout
    assert inspect.signature(MockToolkit.run).parameters["timeout"].default is PATIENCE


def test_the_types_of_python_are_those_of_the_engine(tmp_path):
    config = UnitAIConfig.load(tmp_path)
    names = {"Path": Path, "Mapping": dict, "None": type(None)}
    for field in fields(UnitAIConfig):
        if field.name.startswith("_"):
            continue
        words = re.sub(r"\[.*?\]+", "", str(field.type)).replace("Literal", "str").split(" | ")
        kinds = tuple(
            names.get(word) or {"str": str, "int": int, "float": float, "bool": bool, "tuple": tuple}[word]
            for word in words
        )
        assert isinstance(getattr(config, field.name), kinds), field.name


#: Files of ours; what other programs read says so after its language.
BLOCKS = [
    (path.name, number, block)
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    for number, block in enumerate(re.findall(r"^```toml\n(.*?)^```", path.read_text(encoding="utf-8"), re.M | re.S))
]


@pytest.mark.parametrize(("name", "number", "block"), BLOCKS, ids=[f"{name}-{number}" for name, number, _ in BLOCKS])
def test_every_file_in_the_documents_is_right(tmp_path, name, number, block):
    file = "pyproject.toml" if "tool.unitai" in block else "unitai.toml"
    (tmp_path / file).write_text(block, encoding="utf-8")
    config = UnitAIConfig.load(tmp_path)
    assert config.path == tmp_path / file
    assert any(config.source(field.name).kind == "file" for field in fields(config)[:-2])


def test_the_page_names_every_setting():
    page = (ROOT / "docs/reference/configuration.md").read_text(encoding="utf-8")
    for name in (field.name for field in fields(UnitAIConfig)[:-2]):
        assert f"| `{name}` |" in page
        assert f"`UNITAI_{name.upper()}`" in page


def test_without_arguments_every_setting_is_its_default(monkeypatch):
    monkeypatch.setenv("UNITAI_DEFAULT_N", "77")
    config = UnitAIConfig()
    names = [each.name for each in fields(UnitAIConfig) if each.init]
    assert {str(config.source(name)) for name in names} == {"default"}
    assert (config.default_n, config.default_threshold, config.strict_mocks, config.path) == (10, 0.95, True, None)


def test_with_arguments_the_rest_is_default():
    config = UnitAIConfig(default_n=5)
    assert (config.default_n, str(config.source("default_n")), config.max_workers) == (5, "argument", 5)
    assert dataclasses.replace(config, default_n=6) == UnitAIConfig(default_n=6)
    assert copy.deepcopy(config) == pickle.loads(pickle.dumps(config)) == config
    with pytest.raises(ConfigError, match="perhaps `default_n`"):
        UnitAIConfig(default_m=5)
    with pytest.raises(ConfigError, match="at least 1"):
        UnitAIConfig(default_n=0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.default_n = 1
