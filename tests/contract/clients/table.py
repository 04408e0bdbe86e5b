"""The clients that the suite is for. A new client is a class and one entry here."""

from __future__ import annotations

import importlib
import importlib.util
import os
import warnings
from typing import NamedTuple

import pytest
from model_client import ModelClient


class Entry(NamedTuple):
    """One API of one SDK."""

    name: str
    #: The package to install, the module that it brings, and the class here.
    package: str
    module: str
    home: str
    ways: tuple[str, ...] = ("plain", "stream")
    has_async: bool = True


TABLE = [
    Entry("openai-chat", "openai", "openai", "sdk_openai:Chat", ("plain", "raw", "stream", "helper")),
    Entry("openai-responses", "openai", "openai", "sdk_openai:Responses", ("plain", "stream", "helper")),
    Entry("anthropic", "anthropic", "anthropic", "sdk_anthropic:Messages", ("plain", "stream", "helper")),
    Entry("google-genai", "google-genai", "google.genai", "sdk_gemini:GenerateContent"),
    Entry("langchain-openai", "langchain-openai", "langchain_openai", "sdk_langchain:ChatOpenAI"),
    Entry("langchain-openai-responses", "langchain-openai", "langchain_openai", "sdk_langchain:ChatOpenAIResponses"),
    Entry("langchain-anthropic", "langchain-anthropic", "langchain_anthropic", "sdk_langchain:ChatAnthropic"),
    Entry("litellm-openai", "litellm", "litellm", "sdk_litellm:OpenAI"),
    Entry("litellm-anthropic", "litellm", "litellm", "sdk_litellm:Anthropic"),
    Entry("litellm-gemini", "litellm", "litellm", "sdk_litellm:Gemini"),
    Entry("mistralai", "mistralai", "mistralai.client", "sdk_mistral:Chat"),
    Entry("bedrock", "boto3", "boto3", "sdk_bedrock:Converse", has_async=False),
    Entry("ollama", "ollama", "ollama", "sdk_ollama:Chat"),
    Entry("cohere", "cohere", "cohere", "sdk_cohere:Chat"),
]


#: The packages that are tried, as `TESTS_ONLY_CLIENTS="openai,boto3"`; all that are installed without any.
ONLY = set(filter(None, os.environ.get("TESTS_ONLY_CLIENTS", "").split(",")))


class Variant(NamedTuple):
    """One way to use an API."""

    entry: Entry
    way: str
    is_async: bool

    def __str__(self) -> str:
        return "-".join([self.entry.name, *(["async"] if self.is_async else []), self.way])

    def make(self, base_url: str | None = None, *, has_retries: bool = False) -> ModelClient:
        """A client in this way."""
        home, name = self.entry.home.split(":")
        with warnings.catch_warnings():
            # What an SDK says when it is loaded is no concern of these tests.
            warnings.simplefilter("ignore")
            kind = getattr(importlib.import_module(home), name)
        return kind(self.way, is_async=self.is_async, base_url=base_url, has_retries=has_retries)


def variants() -> list[Variant]:
    """Every way to use every API that is installed. Without any, the module that asks is skipped."""
    found = [
        Variant(entry, way, is_async)
        for entry in TABLE
        if is_here(entry.module) and (not ONLY or entry.package in ONLY)
        for is_async in ((False, True) if entry.has_async else (False,))
        for way in entry.ways
    ]
    if not found:
        pytest.skip("no client of a model is installed", allow_module_level=True)
    return found


def is_here(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False
