"""What the tests of this layer share.

Things that are expensive to open are opened once a session, and every fixture that
leaves something behind takes it away again.

Keys of providers go into the environment, or into a file `.env.test` beside the
project's settings that is not committed. Say in the settings which ones these tests
need, and they are skipped where those are missing:

    [layers]  # in unitai.toml; [tool.unitai.layers] in pyproject.toml
    integration_keys = ["OPENAI_API_KEY"]
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
