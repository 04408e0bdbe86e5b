"""What an agent in another language did, seen from outside: its model traffic goes through the gateway, and its shop is
one of our own. Answers of the model were recorded: no key, no network.
"""

import os
import shutil
import subprocess
from pathlib import Path
from threading import Thread

import pytest
from shop import Shop

from unitai import assert_trajectory, gateway

HERE = Path(__file__).parent
NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not on the PATH: this agent needs Node 18 or later")


@pytest.fixture
def shop():
    server = Shop()
    Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def run(here, shop):
    """The agent, to its end; gives what it said."""
    environment = {"OPENAI_API_KEY": "none", **os.environ, **here.environment, "SHOP_URL": shop.url}
    command = [NODE, HERE / "agent.mjs", "I want a refund for order 123."]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False).stdout


def test_the_order_is_looked_up_before_it_is_refunded(shop):
    with gateway("replay", HERE / "recordings", ttl_hours=0) as here:
        said = run(here, shop)

    assert_trajectory(here.trajectory).called("lookup_order").before("process_refund").within(cost=0.01)
    assert "49.99" in said


def test_the_shop_is_asked_for_what_the_model_said(shop):
    with gateway("replay", HERE / "recordings", ttl_hours=0) as here:
        run(here, shop)

    assert shop.refunds == [{"order_id": "123", "amount": 49.99}]


@pytest.mark.unitai_skip_if_no_api_key
def test_the_real_model_looks_first_too(shop):
    with gateway("off", budget=0.05) as here:
        run(here, shop)

    assert_trajectory(here.trajectory).called("lookup_order").before("process_refund")
