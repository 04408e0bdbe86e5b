"""Redaction leaves ordinary text alone: prose, code, numbers, ids and base64 of third parties, whatever secrets are known."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from tests.support.canaries import canaries
from unitai._engine import clean

pytestmark = pytest.mark.contract

CORPUS = os.environ.get("UNITAI_CORPUS", "")

#: What environments hold beside keys. None of it may cost a text a byte.
ORDINARY = {
    "SESSION_TOKEN": "1794970227",
    "BUILD_KEY": "2026-11-18T10:00:00Z",
    "MODEL_KEY": "gpt-4o-mini-2024-07-18",
    "GRANT_SECRET": "client_credentials",
    "CACHE_TOKEN": "assistant",
    "DB_PASSWORD": "consistent",
    "APP_SECRET": "development",
    "KEY_FILE_TOKEN": "/run/secrets/openai",
    "REQUEST_TOKEN": "chatcmpl-9xYzAbCdEfGhIjKlMnOpQrStUvWx",
    "OPENAI_KEY": "sk-test-1234567890",
    "SESSION_COOKIE": "o4-mini-2025-04-16",
    "HOSTED_MODEL_KEY": "meta-llama/Llama-3.3-70B-Instruct",
    "REGION_TOKEN": "us-central1-a",
    "FINGERPRINT_TOKEN": "fp_44709d6fcb",
    "UPLOAD_TOKEN": "file-abc123DEF456ghi789JKL012",
    "FILE_KEY": "src/app/main2.py",
    "EXPIRES_AT_TOKEN": "Thu, 18 Nov 2026 10:00:00 GMT",
    "FEW_WORDS_SECRET": "three prompts",
    "OTHER_API_KEY": "your-api-key-here",
}
#: Passphrases and keys that are made of what texts are made of.
WORDY = {
    "WIFI_PASSPHRASE": "consistent three prompts assistant",
    "JWT_SECRET": "the-quick-brown-fox-content-role",
    "SIGNING_SECRET": "tool_calls-function-arguments-2024",
}
#: Real secrets that begin with what texts hold: a word, a person, the name of a tool, of a service, of a model.
NAMED = {
    "REFUND_API_TOKEN": "refund-service-3f9a8b7c6d",
    "AZURE_KEY": "gpt-4o-mini-prod-8f7e6d5c",
    "AGENT_TOKEN": "customer_support_agent:9f8e7d6c5b4a",
    "TOOL_SECRET": "lookup_order9Zk",
    "FLIGHTS_TOKEN": "search_flights_v2_9f8e7d",
    "MAIL_PASSWORD": "alice.miller@example.com-9X8y7Z",
    "ORDER_KEY": "order_123456_abcdef9",
    "PROMPT_SECRET": "assistant_7c6d5e4f3a2b",
}


def load(monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = {name: canary.value for name, canary in canaries(77).items()}
    for name, value in {**secrets, **ORDINARY, **WORDY, **NAMED}.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize(
    "text",
    [
        '{"id":"chatcmpl-1","created":1794970227,"model":"gpt-4o-mini-2024-07-18","choices":[]}',
        "consistent results: the assistant used three prompts in development, at 2026-11-18T10:00:00Z",
        'data: {"delta":{"content":"consist"}}\n\ndata: {"delta":{"content":"ent"}}\n\n',
        '{"role":"assistant","content":"The quick brown fox","tool_calls":[{"function":{"arguments":"{}"}}]}',
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
        '{"model":"gpt-4o-mini","tools":[{"name":"refund-service"},{"name":"lookup_order"},{"name":"search_flights_v2"}]}',
        '{"name":"customer_support_agent","to":"alice.miller@example.com","id":"order_123456"}',
        "calling lookup_order",
        "calling refund-service... then search_flights\u2026 as customer_support_agent, with gpt-4o-mini...",
        "'assistant', \"search_flights\": 'order_123456'\nlookup_order",
        '{"model":"meta-llama/Llama-3.3-70B-Instruct","system_fingerprint":"fp_44709d6fcb","region":"us-central1-a"}',
        "src/app/main2.py, file-abc123DEF456ghi789JKL012, until Thu, 18 Nov 2026 10:00:00 GMT: three prompts",
        "def password(self): return self._password  # password=None, api_key=api_key, token=next_token",
        "DATABASE_URL: postgres://$DB_USER:$DB_PASSWORD@db:5432/shop, https://${ACTOR}:${GITHUB_TOKEN}@github.com/o/r.git",
        "RegEnumKey = win32api.RegEnumKey; aws_access_key_id=AKIAIOSFODNN7EXAMPLE; nextToken=Bk4wR9yXm3KnS8uZ",
        "Donaudampfschifffahrtselektrizitätenhauptbetriebswerk, sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d",
        "trace 4bf92f3577b34da6a3ce929d0e0e4736, order_id=3f2504e0-4f89-41d3-9a0c-0305e82c3301, commit 7d696354a1b2c3d4e5f607",
    ],
)
def test_ordinary_text_is_left_alone(monkeypatch, text):
    load(monkeypatch)
    assert clean(text) == text


@pytest.mark.skipif(not CORPUS, reason="UNITAI_CORPUS names no folder with data of third parties")
def test_data_of_third_parties_is_left_alone(monkeypatch, counted):
    load(monkeypatch)
    changed, length = [], 0
    for path in sorted(Path(CORPUS).rglob("*.*")):
        if not path.is_file():
            continue
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode(errors="replace")
        length += len(text)
        if clean(text) != text:
            changed.append(path.name)
    assert length > 1_000_000
    assert changed == []
    counted("characters of third parties, 0 changed by redaction", length)
