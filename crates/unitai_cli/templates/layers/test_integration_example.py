"""Integration: real parts put together. No mock.

This one speaks to a real database, so it needs no key. Put your own services in its
place: a store of vectors, a queue, the API of a provider.
"""

import sqlite3

import pytest


def deliver(connection, order_id):
    """Stands for a pipeline of yours: what it does outlives it."""
    with connection:
        connection.execute(
            "UPDATE orders SET status = 'delivered' WHERE id = ?", [order_id]
        )


@pytest.fixture
def order(database):
    """An order that is on its way, and is gone after the test."""
    with database:
        database.execute("INSERT INTO orders VALUES ('123', 'shipped')")
    yield "123"
    with database:
        database.execute("DELETE FROM orders")


def test_a_delivery_is_seen_by_everybody_who_asks(database, order):
    deliver(database, order)

    (file,) = [row[2] for row in database.execute("PRAGMA database_list")]
    other = sqlite3.connect(file)
    try:
        (status,) = other.execute(
            "SELECT status FROM orders WHERE id = ?", [order]
        ).fetchone()
    finally:
        other.close()
    assert status == "delivered"
