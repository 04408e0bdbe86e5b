"""gRPC: its connections are opened where no guard on sockets sees them, and its calls cannot be answered from memory. What
may not leave is refused where it is called, by the rules for sockets; what stays on this machine goes on.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from unitai import Budget, MockToolkit, NetworkBlockedError, block_network, scripted_model
from unitai.script import say
from unitai.traffic.purse import spending

grpc = pytest.importorskip("grpc")
grpc_aio = pytest.importorskip("grpc.aio")

pytestmark = pytest.mark.integration

#: As xAI's SDK asks, and as a collector of traces is asked.
CHAT = "/xai_api.Chat/GetCompletion"
EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
#: A name that leads nowhere, for what must not be asked all the same.
MODEL_HOST, OTHER_HOST = "api.x.ai:443", "collector.invalid:4317"
KINDS = ("unary_unary", "unary_stream", "stream_unary", "stream_stream")


@pytest.fixture
def port():
    """A server on this machine that says every request back."""

    class Echo(grpc.GenericRpcHandler):
        def service(self, details):
            return grpc.unary_unary_rpc_method_handler(lambda request, context: request)

    server = grpc.server(ThreadPoolExecutor(max_workers=1))
    server.add_generic_rpc_handlers((Echo(),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield port
    server.stop(None)


def ask(channel, method=CHAT, kind="unary_unary"):
    said = iter([b"hi"]) if kind.startswith("stream") else b"hi"
    answer = getattr(channel, kind)(method)(said, timeout=10)
    return answer if isinstance(answer, bytes) else next(answer)


def ask_aio(target, method=CHAT):
    async def asking():
        async with grpc.aio.insecure_channel(target) as channel:
            return await channel.unary_unary(method)(b"hi", timeout=10)

    return asyncio.run(asking())


def secure(target):
    return grpc.secure_channel(target, grpc.ssl_channel_credentials())


def passing_on(channel):
    class Interceptor(grpc.UnaryUnaryClientInterceptor):
        def intercept_unary_unary(self, going_on, details, request):
            return going_on(details, request)

    return grpc.intercept_channel(channel, Interceptor())


class TestUnderAScript:
    @pytest.mark.parametrize("kind", KINDS)
    def test_a_call_to_a_model_is_refused(self, kind):
        with (
            pytest.raises(NetworkBlockedError, match=r"gRPC call to api\.x\.ai:443 was refused: the model is scripted"),
            scripted_model([]),
        ):
            ask(secure(MODEL_HOST), kind=kind)

    def test_also_through_a_channel_that_was_there_before(self):
        call = secure(MODEL_HOST).unary_unary(CHAT)
        with pytest.raises(NetworkBlockedError) as caught, scripted_model([]):
            call(b"hi")
        assert "test_grpc.py" in str(caught.value)
        assert 'base_url="https://api.x.ai/v1"' in str(caught.value)

    @pytest.mark.parametrize("beginning", ["with_call", "future"])
    def test_however_it_is_called(self, beginning):
        with pytest.raises(NetworkBlockedError), scripted_model([]):
            getattr(secure(MODEL_HOST).unary_unary(CHAT), beginning)(b"hi")

    def test_also_behind_interceptors(self):
        with pytest.raises(NetworkBlockedError), scripted_model([]):
            ask(passing_on(secure(MODEL_HOST)))

    def test_also_behind_a_gateway_of_an_unknown_name(self):
        with pytest.raises(NetworkBlockedError, match="collector"), scripted_model([]):
            ask(grpc.insecure_channel(OTHER_HOST))

    def test_an_agent_that_swallows_it_does_not_hide_it(self):
        def agent():
            try:
                return ask(secure(MODEL_HOST))
            except Exception:
                return "no model today"

        with pytest.raises(NetworkBlockedError), scripted_model([]):
            MockToolkit().run_generic(agent)

    def test_the_connection_alone_is_refused_too(self):
        with pytest.raises(NetworkBlockedError), scripted_model([]):
            grpc.channel_ready_future(secure(MODEL_HOST))

    def test_what_stays_here_goes_on(self, port):
        with scripted_model([]):
            assert ask(grpc.insecure_channel(f"127.0.0.1:{port}")) == b"hi"
            assert ask(passing_on(grpc.insecure_channel(f"localhost:{port}")), EXPORT) == b"hi"
            assert ask_aio(f"dns:///127.0.0.1:{port}") == b"hi"

    def test_what_goes_to_no_model_goes_on(self):
        with scripted_model([]), pytest.raises(grpc.RpcError):
            ask(grpc.insecure_channel(OTHER_HOST), EXPORT)

    def test_a_channel_of_its_time_is_as_before(self, port):
        channel = grpc.insecure_channel(f"127.0.0.1:{port}")
        before = [vars(grpc._channel.Channel).copy(), vars(grpc.aio._channel.Channel).copy()]
        with scripted_model([]):
            assert ask(channel) == b"hi"
        assert [vars(grpc._channel.Channel), vars(grpc.aio._channel.Channel)] == before


class TestAsync:
    def test_a_call_to_a_model_is_refused(self):
        with pytest.raises(NetworkBlockedError, match=r"api\.x\.ai:443"), scripted_model([]):
            ask_aio(MODEL_HOST)

    def test_also_through_a_channel_that_was_there_before(self):
        async def agent():
            channel = grpc.aio.insecure_channel(MODEL_HOST)
            with scripted_model([say("never asked")]):
                await channel.unary_unary(CHAT)(b"hi")

        with pytest.raises(NetworkBlockedError, match="scripted"):
            asyncio.run(agent())

    def test_the_connection_alone_is_refused_too(self):
        async def agent():
            async with grpc.aio.insecure_channel(MODEL_HOST) as channel:
                await channel.channel_ready()

        with pytest.raises(NetworkBlockedError), scripted_model([]):
            asyncio.run(agent())


class TestABlockedNetwork:
    def test_nothing_leaves_this_machine(self, port):
        with block_network():
            assert ask(grpc.insecure_channel(f"127.0.0.1:{port}"), EXPORT) == b"hi"
            assert ask_aio(f"localhost:{port}", EXPORT) == b"hi"
            with pytest.raises(NetworkBlockedError, match=r"collector\.invalid:4317"):
                ask(grpc.insecure_channel(OTHER_HOST), EXPORT)
            with pytest.raises(NetworkBlockedError, match=r"collector\.invalid:4317"):
                ask_aio(OTHER_HOST, EXPORT)

    def test_of_a_toolkit(self):
        def agent():
            return ask(secure(MODEL_HOST))

        result = MockToolkit(block_network=True).run_generic(agent)
        assert isinstance(result.error, NetworkBlockedError)

    def test_a_channel_that_was_there_before(self):
        async def agent():
            channel = grpc.aio.insecure_channel(OTHER_HOST)
            with block_network():
                await channel.unary_unary(EXPORT)(b"hi")

        # Channels of older versions do not tell where they lead.
        with pytest.raises(NetworkBlockedError, match="made before the test|collector"):
            asyncio.run(agent())


class TestUnderABudget:
    def test_what_cannot_be_counted_is_refused(self):
        result = MockToolkit(budget=1.0).run_generic(lambda: ask(secure(MODEL_HOST)))
        assert isinstance(result.error, NetworkBlockedError)
        assert "budget" in str(result.error)

    def test_also_outside_any_run(self):
        def agent():
            try:
                ask(secure(MODEL_HOST))
            except NetworkBlockedError as error:
                raise RuntimeError("the SDK's own error") from error

        with pytest.raises(NetworkBlockedError, match="budget"), spending(Budget(1.0)):
            agent()

    def test_what_stays_here_goes_on(self, port):
        result = MockToolkit(budget=1.0).run_generic(lambda: ask(grpc.insecure_channel(f"127.0.0.1:{port}")))
        assert result.output == b"hi"

    def test_without_one_it_is_as_ever(self):
        result = MockToolkit().run_generic(lambda: ask(grpc.insecure_channel("api.x.ai.invalid:443"), EXPORT))
        assert isinstance(result.error, grpc.RpcError)


class TestXAI:
    """The SDK that knows nothing but gRPC."""

    @pytest.fixture(params=["sync", "async"])
    def client(self, request):
        xai_sdk = pytest.importorskip("xai_sdk")
        if request.param == "sync":
            return xai_sdk.Client(api_key="none")

        async def make():
            return xai_sdk.AsyncClient(api_key="none")

        return asyncio.run(make())

    def test_its_model_is_not_asked(self, client):
        from xai_sdk.chat import user

        async def ask():
            chat = client.chat.create(model="grok-4", messages=[user("hi")])
            answer = chat.sample()
            return await answer if asyncio.iscoroutine(answer) else answer

        with pytest.raises(NetworkBlockedError, match=r"api\.x\.ai"), scripted_model([]):
            MockToolkit().run_generic(ask)


class TestVertex:
    """Google's own SDK, which asks by gRPC unless it is told otherwise."""

    @pytest.fixture
    def predictions(self):
        pytest.importorskip("google.cloud.aiplatform_v1")
        from google.api_core.client_options import ClientOptions
        from google.auth.credentials import AnonymousCredentials
        from google.cloud.aiplatform_v1 import PredictionServiceClient

        options = ClientOptions(api_endpoint="us-central1-aiplatform.googleapis.com")

        def make(transport):
            return PredictionServiceClient(
                credentials=AnonymousCredentials(), client_options=options, transport=transport
            )

        return make

    ASKED = {  # noqa: RUF012
        "model": "projects/p/locations/us-central1/publishers/google/models/gemini-2.5-flash",
        "contents": [{"role": "user", "parts": [{"text": "hi"}]}],
    }

    def test_its_model_is_not_asked(self, predictions):
        with pytest.raises(NetworkBlockedError, match="us-central1-aiplatform"), scripted_model([]):
            MockToolkit().run_generic(lambda: predictions("grpc").generate_content(self.ASKED))

    def test_the_way_out_that_the_refusal_names_leads_out(self, predictions):
        with scripted_model([say("Hello!")]):
            result = MockToolkit().run_generic(lambda: predictions("rest").generate_content(self.ASKED))
        assert result.output.candidates[0].content.parts[0].text == "Hello!"
