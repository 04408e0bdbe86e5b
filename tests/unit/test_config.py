"""`UnitAIConfig`: the settings of a project, typed, each with its source."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

from unitai import ConfigError, InvalidArgumentError, UnitAIConfig
from unitai.config import current_config, load_config

pytestmark = pytest.mark.unit


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    """Whoever runs the tests may have settings."""
    import os

    for name in os.environ:
        if name.startswith("UNITAI_"):
            monkeypatch.delenv(name)


def test_nobody_says_anything(tmp_path):
    config = UnitAIConfig.load(tmp_path)
    assert (config.default_n, config.default_threshold, config.strict_mocks) == (10, 0.95, True)
    assert (config.adapter, config.model_override, config.cost_budget_per_suite) == (None, None, None)
    assert config.cache_directory == tmp_path / ".unitai" / "cache"
    assert config.path is None
    assert config.source("default_n") == ("default", None)
    assert str(config.source("default_n")) == "default"
    assert config == load_config(str(tmp_path))


def test_the_file_the_environment_and_arguments(tmp_path, monkeypatch):
    (tmp_path / "unitai.toml").write_text(
        'default_n = 20\njunit_xml = "out/a.xml"\n[prices.m]\ninput = 1\noutput = 2\n', encoding="utf-8"
    )
    monkeypatch.setenv("UNITAI_CACHE_VOLATILE", "uuid,time")
    config = UnitAIConfig.load(tmp_path, timeout=5, cache_directory=Path("/tapes"), cost_budget_per_test=None)
    assert config.path == tmp_path / "unitai.toml"
    assert config.default_n == 20
    assert config.junit_xml == tmp_path / "out" / "a.xml"
    assert config.prices == {"m": {"input": 1.0, "output": 2.0}}
    assert config.cache_volatile == ("uuid", "time")
    assert (config.timeout, config.cache_directory, config.cost_budget_per_test) == (5.0, Path("/tapes"), None)
    sources = [str(config.source(name)) for name in ("default_n", "cache_volatile", "timeout", "verbose")]
    assert sources == [f"{tmp_path / 'unitai.toml'}:1:1", "UNITAI_CACHE_VOLATILE", "argument", "default"]
    assert config.source("default_n").kind == "file"


def test_it_cannot_be_changed(tmp_path):
    with pytest.raises(FrozenInstanceError):
        UnitAIConfig.load(tmp_path).default_n = 5


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"default_n": 0}, "default_n: it is 0"),
        ({"default_n": True}, "default_n: it is true"),
        ({"default_n": 10**30}, "default_n: it is inf"),
        ({"default_n": None}, "default_n: it is nothing"),
        ({"timeout": float("nan")}, "timeout: it is NaN"),
        ({"strict_mocks": object()}, "strict_mocks: it is an object of class object"),
        ({"cache_apis": ["https://a", 5]}, r"cache_apis\[1\]: it is 5"),
        ({"prices": {"m": {"input": 1}}}, r'prices\["m"\]: it has no price of output'),
        ({"cache_mode": "repaly"}, "perhaps `replay`"),
        ({"defualt_n": 5}, "perhaps `default_n`"),
    ],
)
def test_what_is_wrong_is_told(tmp_path, given, words):
    with pytest.raises(ConfigError, match=words):
        UnitAIConfig.load(tmp_path, **given)


def test_misuse_is_told(tmp_path):
    with pytest.raises(InvalidArgumentError, match="folder must be a path"):
        UnitAIConfig.load(5)
    with pytest.raises(InvalidArgumentError, match="there is no setting"):
        UnitAIConfig.load(tmp_path).source("unknown")


def test_what_stands_is_what_the_fixture_has(unitai_config):
    assert unitai_config == current_config()


def test_settings_cross_to_another_process_whole(tmp_path):
    from unitai._engine import adopt_settings, renew_settings, surroundings

    prices = '{"m": {"cached_input": 0.25, "input": 1.0, "output": 2.0}}'
    text = f'{{"adapter":"own","junit_xml":"/a/b.xml","max_tool_calls":7,"prices":{prices},"strict_mocks":false}}'
    try:
        adopt_settings(text)
        config = current_config()
        assert (config.adapter, config.max_tool_calls, config.strict_mocks) == ("own", 7, False)
        assert config.prices["m"] == {"input": 1.0, "output": 2.0, "cached_input": 0.25}
        assert surroundings()[2] == text.replace(": ", ":").replace(", ", ",")
        with pytest.raises(InvalidArgumentError):
            adopt_settings("[]")
        assert current_config() == config
    finally:
        renew_settings()
