"""`unitai.gateway`: a gateway for a block of Python code."""

from __future__ import annotations

import json
import os
import threading
import urllib.error
import urllib.request

import pytest

import unitai
from unitai._engine import Tally

pytestmark = pytest.mark.integration


def ask(base: str, question: str = "Where is order 7?", **more):
    body = {"model": "gpt-5", "messages": [{"role": "user", "content": question}], **more}
    headers = {"content-type": "application/json", "authorization": "Bearer sk-test"}
    request = urllib.request.Request(f"{base}/v1/chat/completions", json.dumps(body).encode(), headers)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=20) as answer:
            return answer.read()
    except urllib.error.HTTPError as error:
        error.close()
        raise


def test_what_was_recorded_is_replayed_and_the_trajectory_is_known(tmp_path, provider):
    with unitai.gateway("record", tmp_path, upstreams={"openai": provider.url}) as here:
        live = [ask(here.base_urls["openai"]), ask(here.base_urls["openai"], stream=True)]
        with pytest.raises(unitai.MisuseError):
            _ = here.trajectory
    assert [step.step_type for step in here.trajectory.steps] == ["llm_call", "tool_call", "llm_call", "tool_call"]
    assert here.trajectory.total_tokens == 240
    provider.__exit__()
    with unitai.gateway("replay", tmp_path, upstreams={"openai": provider.url}) as again:
        assert again.environment["OPENAI_BASE_URL"] == again.base_urls["openai"] + "/v1"
        replayed = [ask(again.base_urls["openai"]), ask(again.base_urls["openai"], stream=True)]
    assert replayed == live
    assert again.trajectory.steps[0].tool_name is None
    assert [step.tool_args for step in again.trajectory.steps if step.tool_name] == [{"order": 7}, {"order": 7}]
    with pytest.raises(unitai.MisuseError):
        _ = again.environment


def test_what_goes_through_a_gateway_is_counted_for_the_reports(tmp_path, provider):
    tally = Tally()
    with unitai.gateway("record", tmp_path, upstreams={"openai": provider.url}) as here:
        ask(here.base_urls["openai"])
    spent = json.loads(tally.take() or "null")
    assert (spent["live"]["calls"], spent["live"]["tokens"]) == (1, 120)
    with unitai.gateway("replay", tmp_path) as here:
        ask(here.base_urls["openai"])
    spent = json.loads(tally.take() or "null")
    assert (spent["live"]["calls"], spent["replayed"]["calls"]) == (0, 1)
    assert tally.take() is None


def test_a_miss_is_raised_when_the_block_ends(tmp_path, provider):
    with unitai.gateway("record", tmp_path, upstreams={"openai": provider.url}) as here:
        ask(here.base_urls["openai"])
    with (
        pytest.raises(unitai.CacheMissError, match="no recording answers"),
        unitai.gateway("replay", tmp_path) as here,
        pytest.raises(urllib.error.HTTPError),
    ):
        ask(here.base_urls["openai"], "Where is order 8?")
    # What the client makes of it gives way; what the test says of it does not.
    with pytest.raises(unitai.CacheMissError), unitai.gateway("replay", tmp_path) as here:
        ask(here.base_urls["openai"], "Where is order 8?")
    with pytest.raises(AssertionError, match="mine"), unitai.gateway("replay", tmp_path) as here:
        try:
            ask(here.base_urls["openai"], "Where is order 8?")
        except urllib.error.HTTPError:
            raise AssertionError("mine") from None


def test_the_interpreter_is_free_while_the_gateway_works(tmp_path, provider):
    with unitai.gateway("auto", tmp_path, upstreams={"openai": provider.url}) as here:
        base = here.base_urls["openai"]
        threads = [threading.Thread(target=ask, args=(base, f"Where is order {n}?")) for n in range(32)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert here.trajectory.llm_calls == 32
    assert len(provider.requests) == 32


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_neither_hangs_nor_closes_its_parents_gateway(tmp_path, provider):
    with unitai.gateway("off", tmp_path, upstreams={"openai": provider.url}) as here:
        base = here.base_urls["openai"]
        child = os.fork()
        if child == 0:
            code = 1
            try:
                here.__exit__(None, None, None)
                with unitai.gateway("off", upstreams={"openai": provider.url}) as own:
                    ask(own.base_urls["openai"])
                code = 0
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        ask(base)
    assert here.trajectory.llm_calls == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"upstreams": {"openai": "nonsense"}},
        {"upstreams": {"Open AI": "https://x"}},
        {"mode": "sometimes"},
        {"budget": 0},
    ],
)
def test_what_cannot_be_meant_is_refused(wrong):
    with pytest.raises(unitai.InvalidArgumentError), unitai.gateway(**{"mode": "off", **wrong}):
        pass


class TestBudgets:
    #: A million tokens of the answer cost ten dollars; a call with this limit can cost a tenth of a cent.
    PRICES = {"gpt-5": {"input": 0.000001, "output": 10.0}}
    CAP = {"max_completion_tokens": 100}
    ONE = 100 * 10.0 / 1e6

    @pytest.mark.parametrize(
        ("own", "around", "whose", "remedy"),
        [(0.5, 9, "the gateway", "budget= of gateway()"), (9, 0.5, "this test", "max_cost=")],
    )
    def test_its_own_and_what_stands_around_hold_at_once(self, provider, own, around, whose, remedy):
        mine, test = unitai.Budget(own * self.ONE), unitai.Budget(around * self.ONE, name="this test")
        gateway = unitai.gateway("off", upstreams={"openai": provider.url}, budget=mine, prices=self.PRICES)
        with pytest.raises(unitai.CostLimitExceeded, match=f"the budget of {whose} does not allow") as caught:
            with unitai.spending(test), gateway as here, pytest.raises(urllib.error.HTTPError):
                ask(here.base_urls["openai"], **self.CAP)
        assert remedy in str(caught.value)
        assert (mine.spent, test.spent) == (0, 0)

    def test_both_are_paid(self, provider):
        mine = unitai.Budget(9.0)
        with unitai.spending(9.0) as around:
            with unitai.gateway("off", upstreams={"openai": provider.url}, budget=mine, prices=self.PRICES) as here:
                ask(here.base_urls["openai"], **self.CAP)
        assert mine.spent == around.spent == pytest.approx(here.trajectory.total_cost)
        assert mine.spent > 0

    def test_a_model_without_a_price_is_not_called(self):
        with pytest.raises(unitai.UnpricedModelError, match="prices= of gateway.*drop the budget"):
            with unitai.spending(9.0), unitai.gateway("off") as here, pytest.raises(urllib.error.HTTPError):
                ask(here.base_urls["openai"], model="my-own-model")
