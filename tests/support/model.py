"""A model's client that needs nothing but urllib3, so that it is there on every Python we test."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import urllib3

URL = "https://api.openai.com/v1/chat/completions"

#: Without a retry of its own: each request is one.
POOL = urllib3.PoolManager(retries=False)


class ModelError(Exception):
    """The model's provider refused."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status


def chat(
    text: str | list[dict[str, Any]],
    *,
    model: str = "gpt-4o",
    url: str = URL,
    pool: Any = None,
    tools: Iterable[str] = (),
    schema: dict[str, Any] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """One request, which offers these tools with arguments of this schema, else with any; gives the message of the answer."""
    messages = [{"role": "user", "content": text}] if isinstance(text, str) else text
    parameters = schema or {"type": "object"}
    offered = [{"type": "function", "function": {"name": name, "parameters": parameters}} for name in tools]
    if offered:
        more["tools"] = offered
    response = (pool or POOL).request("POST", url, json={"model": model, "messages": messages, **more})
    body = response.json()
    if response.status >= 400:
        raise ModelError(response.status, body["error"]["message"])
    return body["choices"][0]["message"]


def ask(text: str, **more: Any) -> str:
    """One request; gives the text of the answer."""
    return chat(text, **more)["content"]
