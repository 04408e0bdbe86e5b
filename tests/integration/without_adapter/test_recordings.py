"""Agents of frameworks without an adapter, against a provider like the real ones: recorded, and replayed with it gone."""

from __future__ import annotations

import pytest
from provider import COOKIE
from upstream import Upstream

from unitai import MockToolkit, cassette
from unitai.script import call

pytestmark = [
    pytest.mark.integration,
    # What the frameworks warn of is theirs.
    pytest.mark.filterwarnings("ignore"),
]


def run(shop, monkeypatch):
    """The run of an agent that is made for it: its client asks where the environment says."""
    monkeypatch.setattr(shop, "AGENT", shop.make())
    toolkit = MockToolkit()
    toolkit.patch(f"{shop.__name__}.refund", return_value="refunded")
    result = toolkit.run_generic(lambda: shop.ask("Refund order 7."))
    assert result.error is None, result.error
    return result


def test_two_calls_are_replayed_with_the_provider_gone(shop, tmp_path, monkeypatch):
    with Upstream(shop.steps(call("refund", order_id="7", amount=2.5))) as server:
        for name in ("OPENAI_BASE_URL", "OPENAI_API_BASE"):
            monkeypatch.setenv(name, f"{server.url}/v1")
        with cassette("record", tmp_path) as tape:
            recorded = run(shop, monkeypatch)
        assert (tape.recorded, tape.redacted) == (len(server.requests), 0) == (2, 0)
    assert recorded.output == "Done."
    assert recorded.call_order() == ["refund"]
    stored = "".join(path.read_text(encoding="utf-8") for path in tmp_path.glob("*.json"))
    assert COOKIE not in stored
    with cassette("replay", tmp_path) as tape:
        replayed = run(shop, monkeypatch)
    assert tape.replayed == 2
    assert replayed.output == recorded.output
    assert replayed.get_call("refund").args == recorded.get_call("refund").args == {"order_id": "7", "amount": 2.5}
    assert [step.source for step in replayed.trajectory.steps if step.step_type == "llm_call"] == ["replay"] * 2
    assert shop.RAN == []
