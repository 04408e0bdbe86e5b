"""Whom a model call belongs to: its own run, from whatever thread or task it comes, and nothing is lost or doubled."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from loopback import Answered
from provider_bodies import as_provider
from wire import CHAT, Anywhere, ask, chat

from unitai import AmbiguousRunError, MockToolkit, scripted_model
from unitai.script import say, when

pytestmark = pytest.mark.integration

WORKERS, CALLS = 64, 5


def echoing(asked):
    """An answer that repeats the question, and takes as many tokens as its number says."""
    question = asked.json["messages"][-1]["content"]
    answer = as_provider(asked.path, asked.body, text=f"re: {question}")
    tokens = str(int(question.split()[1])).encode()
    return Answered(**{**answer, "body": answer["body"].replace(b'"prompt_tokens":100', b'"prompt_tokens":' + tokens)})


def number(worker, n):
    return 1000 + worker * 10 + n


def canary(worker, n):
    return f"canary {number(worker, n)}"


def check(worker, result):
    """Each call of the worker is in its own record, once and in order."""
    assert result.error is None, result.error
    assert result.output == [f"re: {canary(worker, n)}" for n in range(CALLS)]
    tokens = [step.prompt_tokens for step in result.trajectory.steps]
    assert tokens == [number(worker, n) for n in range(CALLS)]


def in_threads(work):
    """Runs `work(n)` in all workers at once; raises what one of them raised."""
    start = threading.Barrier(WORKERS)

    def body(worker):
        start.wait()
        return work(worker)

    with ThreadPoolExecutor(WORKERS) as pool:
        for done in [pool.submit(body, worker) for worker in range(WORKERS)]:
            done.result()


def test_64_threads_with_runs_of_their_own_do_not_mix(server):
    server.respond = echoing

    def work(worker):
        def agent(input, tools):
            return [ask(server, canary(worker, n)) for n in range(CALLS)]

        check(worker, MockToolkit().run(agent, "x"))

    in_threads(work)
    asked = sorted(request.json["messages"][-1]["content"] for request in server.requests)
    assert asked == sorted(canary(worker, n) for worker in range(WORKERS) for n in range(CALLS))


def test_64_tasks_with_runs_of_their_own_do_not_mix(server):
    server.respond = echoing

    async def work(worker):
        async def agent(input, tools):
            said = []
            for n in range(CALLS):
                said.append(await asyncio.to_thread(ask, server, canary(worker, n)))
                await asyncio.sleep(0)
            return said

        check(worker, await MockToolkit().arun(agent, "x"))

    async def main():
        await asyncio.gather(*(work(worker) for worker in range(WORKERS)))

    asyncio.run(main())
    assert len(server.requests) == WORKERS * CALLS


@pytest.mark.parametrize("library", ["httpx", "httpx2", "aiohttp"])
def test_64_tasks_of_one_run_are_all_its_own(library, server):
    module = pytest.importorskip(library)
    server.respond = echoing

    async def agent(input, tools):
        async def work(worker, post):
            return [await post(canary(worker, n)) for n in range(CALLS)]

        if library == "aiohttp":
            async with module.ClientSession() as client:

                async def post(text):
                    async with client.post(server.url + CHAT, json=chat(text)) as answer:
                        return (await answer.json())["choices"][0]["message"]["content"]

                return await asyncio.gather(*(work(worker, post) for worker in range(WORKERS)))
        async with module.AsyncClient(trust_env=False, timeout=30) as client:

            async def post(text):
                answer = await client.post(server.url + CHAT, json=chat(text))
                return answer.json()["choices"][0]["message"]["content"]

            return await asyncio.gather(*(work(worker, post) for worker in range(WORKERS)))

    result = MockToolkit().run(agent, "x")
    assert result.error is None
    assert [said for mine in result.output for said in mine] == [
        f"re: {canary(worker, n)}" for worker in range(WORKERS) for n in range(CALLS)
    ]
    tokens = sorted(step.prompt_tokens for step in result.trajectory.steps)
    assert tokens == sorted(number(worker, n) for worker in range(WORKERS) for n in range(CALLS))


def repeating():
    """A script that repeats the question of any of the workers."""
    return [
        when(canary(worker, n), turn=n + 1).always(say(f"re: {canary(worker, n)}").using(number(worker, n), 7))
        for worker in range(WORKERS)
        for n in range(CALLS)
    ]


def test_64_scripted_threads_with_runs_of_their_own_do_not_mix():
    def work(worker):
        def agent(input, tools):
            return [ask(Anywhere, canary(worker, n)) for n in range(CALLS)]

        check(worker, MockToolkit().run(agent, "x"))

    with scripted_model(repeating(), block_network=True) as model:
        in_threads(work)
    assert len(model.requests) == WORKERS * CALLS


def test_64_scripts_in_threads_with_contexts_of_their_own_do_not_mix():
    def work(worker):
        steps = [say(f"re: {canary(worker, n)}").using(number(worker, n), 7) for n in range(CALLS)]

        def agent(input, tools):
            return [ask(Anywhere, canary(worker, n)) for n in range(CALLS)]

        with scripted_model(steps, block_network=True) as model:
            result = MockToolkit().run(agent, "x")
        check(worker, result)
        assert [request.last_message for request in model.requests] == [canary(worker, n) for n in range(CALLS)]

    in_threads(work)


def test_64_scripted_tasks_with_runs_of_their_own_do_not_mix():
    async def work(worker):
        steps = [say(f"re: {canary(worker, n)}").using(number(worker, n), 7) for n in range(CALLS)]

        async def agent(input, tools):
            said = []
            for n in range(CALLS):
                said.append(ask(Anywhere, canary(worker, n)))
                await asyncio.sleep(0)
            return said

        async with scripted_model(steps, block_network=True):
            result = await MockToolkit().arun(agent, "x")
        check(worker, result)

    async def main():
        await asyncio.gather(*(work(worker) for worker in range(WORKERS)))

    asyncio.run(main())


def in_a_thread(work):
    """Runs `work` in a thread that knows no context."""
    found = []

    def body():
        try:
            found.append(work())
        except BaseException as error:
            found.append(error)

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    return found[0]


def test_a_thread_without_context_belongs_to_the_only_run(server):
    result = MockToolkit().run(lambda input, tools: in_a_thread(lambda: ask(server)), "x")
    assert result.output == "Hello world"
    assert len(result.trajectory.steps) == 1


def test_a_scripted_thread_without_context_belongs_to_the_only_run(server):
    with scripted_model([say("Scripted.")]):
        result = MockToolkit().run(lambda input, tools: in_a_thread(lambda: ask(server)), "x")
    assert result.output == "Scripted."
    assert len(result.trajectory.steps) == 1
    assert server.requests == []


def test_a_thread_without_context_between_two_runs_is_refused_and_ends_both(server):
    both, done = threading.Barrier(2), threading.Event()
    refused = []

    def asking(input, tools):
        both.wait(5)
        said = in_a_thread(lambda: ask(server))
        done.set()
        return said

    def waiting(input, tools):
        both.wait(5)
        done.wait(5)

    def run(agent):
        # Even though the agent swallowed it: one of the records lacks a call.
        with pytest.raises(AmbiguousRunError) as caught:
            MockToolkit().run(agent, "x")
        refused.append(caught.value)

    threads = [threading.Thread(target=run, args=(agent,)) for agent in (asking, waiting)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert server.requests == []
    assert len(refused) == 2


def test_a_thread_with_a_copied_context_belongs_to_its_own_run(server):
    server.respond = echoing
    both = threading.Barrier(2)
    results = {}

    def agent_of(worker):
        def agent(input, tools):
            both.wait(5)
            context = contextvars.copy_context()
            said = in_a_thread(lambda: context.run(ask, server, canary(worker, 0)))
            both.wait(5)
            return said

        return agent

    def run(worker):
        results[worker] = MockToolkit().run(agent_of(worker), "x")

    threads = [threading.Thread(target=run, args=(worker,)) for worker in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for worker, result in results.items():
        assert result.output == f"re: {canary(worker, 0)}"
        assert [step.prompt_tokens for step in result.trajectory.steps] == [number(worker, 0)]
