"""Requests that only count tokens are answered where nothing may go out, and are no model calls."""

from __future__ import annotations

import json

import pytest
import urllib3

from unitai import MockToolkit, cassette, scripted_model
from unitai.script import say

pytestmark = pytest.mark.integration

WAYS = {
    "https://api.openai.com/v1/responses/input_tokens": ({"model": "gpt-4o", "input": "Hello, world"}, "input_tokens"),
    "https://api.anthropic.com/v1/messages/count_tokens": (
        {"model": "claude-sonnet-4-5", "messages": [{"role": "user", "content": "Hello, world"}]},
        "input_tokens",
    ),
    "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:countTokens": (
        {"contents": [{"role": "user", "parts": [{"text": "Hello, world"}]}]},
        "totalTokens",
    ),
}


def count(url):
    body, name = WAYS[url]
    answer = urllib3.request("POST", url, json=body, retries=False)
    assert answer.status == 200
    return json.loads(answer.data)[name]


@pytest.mark.parametrize("url", WAYS)
def test_a_script_counts_as_it_counts_its_own_usage(url):
    def agent(input, tools):
        counted = count(url)
        chat = {"model": "gpt-4o", "messages": [{"role": "user", "content": "Hello, world"}]}
        answer = urllib3.request("POST", "https://api.openai.com/v1/chat/completions", json=chat, retries=False)
        return counted, json.loads(answer.data)["usage"]["prompt_tokens"]

    with scripted_model([say("Hi.")]):
        result = MockToolkit().run(agent, "go")
    assert result.output == (7, 7)
    assert result.llm_calls == 1


@pytest.mark.parametrize("mode", ["record", "replay"])
def test_so_do_recordings_while_they_are_made_and_later(mode, tmp_path):
    with cassette(mode, tmp_path):
        result = MockToolkit().run(lambda input, tools: count("https://api.openai.com/v1/responses/input_tokens"), "go")
    assert (result.output, result.llm_calls, list(tmp_path.glob("*.json"))) == (7, 0, [])
