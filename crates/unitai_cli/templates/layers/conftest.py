"""What all layers share.

The folder of a test says which layer it belongs to: unit, contract, integration,
behavioral or regression. Fixtures for things that are expensive to open are made once a
session, and every fixture that leaves something behind takes it away again.

Keys of providers go into the environment, or into a file `.env.test` beside
pyproject.toml that is not committed. Say in the settings which ones tests of real parts
need, and they are skipped where those are missing:

    [tool.unitai.layers]
    keys = ["OPENAI_API_KEY"]
"""

import sqlite3

import pytest


@pytest.fixture(scope="session")
def database(tmp_path_factory):
    """A real database, opened once; each test leaves it empty."""
    path = tmp_path_factory.mktemp("database") / "orders.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE orders (id TEXT PRIMARY KEY, status TEXT)")
    yield connection
    connection.close()
