"""Contract: what every implementation of an interface keeps, in one suite.

A new store gets a class here that inherits `OrderStoreContract` and says what is
tested. It is held to every test of the contract, and nothing is written twice.
"""

import abc
import sqlite3

import pytest

from unitai.contract import Contract


class OrderStore(abc.ABC):
    """Stands for an interface of yours."""

    @abc.abstractmethod
    def put(self, order_id, status): ...

    @abc.abstractmethod
    def status(self, order_id): ...

    @abc.abstractmethod
    def clear(self): ...


class MemoryStore(OrderStore):
    """Keeps orders as long as the program runs."""

    def __init__(self):
        self.orders = {}

    def put(self, order_id, status):
        self.orders[order_id] = status

    def status(self, order_id):
        return self.orders.get(order_id)

    def clear(self):
        self.orders.clear()


class DatabaseStore(OrderStore):
    """Keeps orders in a database."""

    def __init__(self, connection):
        self.connection = connection

    def put(self, order_id, status):
        self.connection.execute(
            "INSERT OR REPLACE INTO orders VALUES (?, ?)", (order_id, status)
        )

    def status(self, order_id):
        found = self.connection.execute(
            "SELECT status FROM orders WHERE id = ?", (order_id,)
        ).fetchone()
        return None if found is None else found[0]

    def clear(self):
        self.connection.execute("DELETE FROM orders")


class OrderStoreContract(Contract[OrderStore]):
    """What every store keeps."""

    def cleanup(self, subject):
        subject.clear()

    def test_what_is_put_is_found(self, subject):
        subject.put("123", "delivered")
        assert subject.status("123") == "delivered"

    def test_what_is_put_again_is_replaced(self, subject):
        subject.put("123", "shipped")
        subject.put("123", "delivered")
        assert subject.status("123") == "delivered"

    def test_what_was_never_put_has_no_status(self, subject):
        assert subject.status("123") is None


class TestMemoryStore(OrderStoreContract):
    @pytest.fixture
    def subject(self):
        return MemoryStore()


class TestDatabaseStore(OrderStoreContract):
    @pytest.fixture
    def subject(self):
        connection = sqlite3.connect(":memory:")
        connection.execute("CREATE TABLE orders (id TEXT PRIMARY KEY, status TEXT)")
        yield DatabaseStore(connection)
        connection.close()
