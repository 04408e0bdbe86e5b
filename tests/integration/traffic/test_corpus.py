"""Recordings that public projects made with real providers are imported and replayed byte for byte."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import zlib
from collections import defaultdict
from pathlib import Path

import pytest

from unitai import cassette

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif("UNITAI_CORPUS" not in os.environ, reason="UNITAI_CORPUS names no folder with such recordings"),
]

COMMAND = Path(sys.executable).parent / "unitai"
HOSTS = ("api.openai.com", "api.anthropic.com", "googleapis.com", "api.groq.com", "api.mistral.ai", "azure.com")
PATHS = ("chat/completions", "/messages", "generateContent", "/responses")


def decoded(body: object, headers: dict) -> bytes:
    text = body.get("string") if isinstance(body, dict) else body
    data = text.encode() if isinstance(text, str) else text or b""
    encoding = {name.lower(): value for name, value in (headers or {}).items()}.get("content-encoding", "")
    for name, decode in (("gzip", gzip.decompress), ("deflate", zlib.decompress)):
        if name in str(encoding):
            try:
                return decode(data)
            except (OSError, zlib.error):
                # The tool that recorded it decoded it, and kept the header.
                return data
    return data


def exchanges(folder: Path):
    """Address, body and answer of every model request that succeeded."""
    yaml = pytest.importorskip("yaml")
    for path in sorted([*folder.rglob("*.yaml"), *folder.rglob("*.yaml.gz")]):
        data = path.read_bytes()
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        try:
            document = yaml.load(gzip.decompress(data) if path.suffix == ".gz" else data, Loader=loader)
        except yaml.YAMLError:
            continue
        if not isinstance(document, dict):
            continue
        pairs = [(it["request"], it["response"]) for it in document.get("interactions", [])]
        pairs += zip(document.get("requests", []), document.get("responses", []), strict=False)
        for request, response in pairs:
            url, status = request["uri"], response.get("status")
            is_model = any(host in url for host in HOSTS) and any(part in url for part in PATHS)
            body = decoded(request.get("body"), {})
            answer = decoded(response.get("body"), response.get("headers"))
            is_good = isinstance(status, dict) and status.get("code") == 200
            if request["method"] == "POST" and is_model and is_good and body and answer:
                yield url, body, answer


@pytest.mark.parametrize("name", ["openinference", "otel-contrib", "langchain"])
def test_real_recordings_come_back_byte_for_byte(tmp_path, name, counted):
    httpx = pytest.importorskip("httpx")
    folder = Path(os.environ["UNITAI_CORPUS"]) / "cassettes" / name
    words = [COMMAND, "cache", "import", "--directory", tmp_path, folder]
    imported = subprocess.run(words, capture_output=True, text=True, check=False)
    assert imported.returncode == 0, imported.stdout[-2000:]
    # A request is the same on whatever host, and in whatever order its members are written; it may have several answers.
    answers: dict[str, set[bytes]] = defaultdict(set)
    requests = set()
    for url, body, answer in exchanges(folder):
        requests.add((url, body))
        answers[json.dumps(json.loads(body), sort_keys=True)].add(answer)
    assert requests
    changed = []
    for url, body in sorted(requests):
        with cassette("replay", tmp_path, ttl_hours=0):
            got = httpx.post(url, content=body, headers={"content-type": "application/json"}).content
        if got not in answers[json.dumps(json.loads(body), sort_keys=True)]:
            changed.append((url, got[:200]))
    assert changed == []
    counted("model requests of public projects, answered byte for byte", len(requests))
