"""Embeddings from a script, with the clients that ask for them."""

from __future__ import annotations

import math

import pytest

from unitai import MockToolkit, UnexpectedModelCallError, scripted_model
from unitai.script import embed, say

pytestmark = [
    pytest.mark.integration,
    # What the SDKs warn of is theirs.
    pytest.mark.filterwarnings("ignore"),
]

TEXTS = ["Refunds take five days.", "Bees sleep at night."]
QUESTION = "How long do refunds take?"


def nearness(one, other):
    return sum(a * b for a, b in zip(one, other, strict=True))


def openai(texts):
    client = pytest.importorskip("openai").OpenAI(api_key="none")
    answer = client.embeddings.create(model="text-embedding-3-small", input=texts)
    return [each.embedding for each in answer.data]


def langchain_openai(texts):
    # Its own tokenizer would be fetched from the internet.
    made = pytest.importorskip("langchain_openai").OpenAIEmbeddings(api_key="none", check_embedding_ctx_length=False)
    return made.embed_documents(texts)


def google_genai(texts):
    client = pytest.importorskip("google.genai").Client(api_key="none")
    answer = client.models.embed_content(model="gemini-embedding-001", contents=texts)
    return [each.values for each in answer.embeddings]


def cohere(texts):
    client = pytest.importorskip("cohere").ClientV2("none")
    answer = client.embed(
        model="embed-english-v3.0", texts=texts, input_type="search_document", embedding_types=["float"]
    )
    return answer.embeddings.float_


def ollama(texts):
    client = pytest.importorskip("ollama").Client(host="http://localhost:11434")
    return client.embed(model="nomic-embed-text", input=texts).embeddings


CLIENTS = [openai, langchain_openai, google_genai, cohere, ollama]


@pytest.mark.parametrize("ask", CLIENTS)
def test_what_shares_words_is_near(ask):
    with scripted_model([embed()], block_network=True):
        first, other, question = ask([*TEXTS, QUESTION])
        assert ask([*TEXTS, QUESTION])[0] == first
    assert math.isclose(nearness(first, first), 1, abs_tol=1e-3)
    assert nearness(question, first) > nearness(question, other) + 0.2


def test_they_are_no_calls_of_a_model_that_speaks():
    pytest.importorskip("openai")

    def agent():
        openai(TEXTS)
        client = pytest.importorskip("openai").OpenAI(api_key="none")
        said = [{"role": "user", "content": QUESTION}]
        return client.chat.completions.create(model="gpt-4o", messages=said).choices[0].message.content

    with scripted_model([embed(), say("Five days.")]) as model:
        result = MockToolkit().run_generic(agent)
    assert (result.error, result.output, result.llm_calls) == (None, "Five days.", 1)
    assert len(model.requests) == 1


def test_a_script_that_says_nothing_of_them_refuses_them():
    pytest.importorskip("openai")
    with pytest.raises(UnexpectedModelCallError, match=r"embed\(\)"), scripted_model([]):
        MockToolkit().run_generic(lambda: openai(TEXTS))
