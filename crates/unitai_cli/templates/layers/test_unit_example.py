"""Unit: pure logic. No network, no key, no mock, under a second."""

import re

import pytest


def order_ids(message):
    """Stands for a function of yours: the numbers of orders in a message."""
    return re.findall(r"#(\d+)", message)


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("Refund order #123, please", ["123"]),
        ("#1 and #22", ["1", "22"]),
        ("", []),
        ("order # 7", []),
        ("注文 #９", ["９"]),
        ("#5 " * 10_000, ["5"] * 10_000),
    ],
)
def test_the_numbers_of_orders_are_found(message, found):
    assert order_ids(message) == found
