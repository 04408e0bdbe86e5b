"""Clients of Bedrock and Vertex AI where nobody has credentials: they fail without any before they ask anybody. While the
model is scripted or replayed they have some that open nothing; anywhere else, what the machine has, or their own error.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from table import is_here

from unitai import MockToolkit, UnexpectedModelCallError, scripted_model
from unitai.script import say

pytestmark = [
    pytest.mark.integration,
    # What the SDKs warn of is theirs.
    pytest.mark.filterwarnings("ignore"),
]

REAL = "AKIAREALONE"
#: What the metadata server of a machine at Amazon, and at Google, says.
METADATA = {
    "/latest/api/token": "a-session",
    "/latest/meta-data/iam/security-credentials/": "role",
    "/latest/meta-data/iam/security-credentials/role": json.dumps(
        {
            "Code": "Success",
            "AccessKeyId": REAL,
            "SecretAccessKey": "real",
            "Token": "real",
            "Expiration": "2099-01-01T00:00:00Z",
        }
    ),
    "/computeMetadata/v1/instance/service-accounts/default/token": json.dumps(
        {"access_token": "a-real-token", "expires_in": 3600, "token_type": "Bearer"}
    ),
    "/computeMetadata/v1/universe/universe-domain": "googleapis.com",
    "/computeMetadata/v1/universe/universe_domain": "googleapis.com",
    "/computeMetadata/v1/project/project-id": "a-project",
    "/computeMetadata/v1/instance/service-accounts/default/": json.dumps(
        {"email": "default", "scopes": [], "aliases": ["default"]}
    ),
}


@pytest.fixture(autouse=True)
def nobody_s_credentials(monkeypatch, tmp_path):
    """A machine on which no credentials are to be found, and whose metadata server does not answer."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "GOOGLE_APPLICATION_CREDENTIALS"):
        monkeypatch.delenv(name, raising=False)
    for name in ("GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT", "AWS_EC2_METADATA_DISABLED"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "CLOUDSDK_CONFIG", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    lead_to(monkeypatch, "127.0.0.1:9")


def lead_to(monkeypatch, address):
    """The metadata server is there."""
    monkeypatch.setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", f"http://{address}")
    monkeypatch.setenv("GCE_METADATA_IP", address)
    if is_here("google.auth"):
        from google.auth.compute_engine import _metadata

        # Read from the environment when the module is loaded.
        monkeypatch.setattr(_metadata, "_GCE_METADATA_HOST", address)
        # It asks three times, with pauses between.
        monkeypatch.setattr(_metadata.ping, "__defaults__", (1, 1))


@pytest.fixture
def metadata(monkeypatch):
    """The metadata server of this machine; gives the list of what it was asked."""
    asked = []

    class Metadata(BaseHTTPRequestHandler):
        def do_GET(self):
            path = self.path.partition("?")[0]
            asked.append(path)
            body = METADATA.get(path, "").encode()
            self.send_response(200)
            self.send_header("Metadata-Flavor", "Google")
            self.send_header("Content-Type", "application/json" if body[:1] == b"{" else "text/plain")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_PUT = do_GET  # noqa: N815

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Metadata)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    lead_to(monkeypatch, f"127.0.0.1:{server.server_port}")
    yield asked
    server.shutdown()
    server.server_close()


def answered(ask):
    with scripted_model([say("Hello!")]):
        result = MockToolkit().run_generic(ask)
    assert result.error is None, result.error
    assert result.llm_calls == 1
    return result.output


class TestBedrock:
    @pytest.fixture(autouse=True)
    def boto3(self):
        return pytest.importorskip("boto3")

    def client(self, boto3):
        return boto3.session.Session(region_name="us-east-1").client("bedrock-runtime")

    def ask(self, client):
        said = [{"role": "user", "content": [{"text": "hi"}]}]
        answer = client.converse(modelId="amazon.nova-pro-v1:0", messages=said)
        return answer["output"]["message"]["content"][0]["text"]

    def test_a_client_of_the_run_is_answered(self, boto3):
        assert answered(lambda: self.ask(self.client(boto3))) == "Hello!"

    def test_one_that_was_there_before_is_answered(self, boto3):
        client = self.client(boto3)
        assert answered(lambda: self.ask(client)) == "Hello!"

    def test_anthropic_s_own_client_comes_as_far_as_its_request(self):
        anthropic = pytest.importorskip("anthropic")

        def agent():
            client = anthropic.AnthropicBedrock(aws_region="us-east-1")
            said = [{"role": "user", "content": "hi"}]
            client.messages.create(model="anthropic.claude-v4", max_tokens=9, messages=said)

        # It asks by `InvokeModel`, which no script answers.
        with pytest.raises(UnexpectedModelCallError, match="/invoke"), scripted_model([]):
            MockToolkit().run_generic(agent)

    def test_the_metadata_server_is_not_asked_meanwhile(self, boto3, metadata):
        assert answered(lambda: self.ask(self.client(boto3))) == "Hello!"
        assert metadata == []

    def test_a_client_that_outlives_the_script_has_none(self, boto3):
        clients = []

        def agent():
            clients.append(self.client(boto3))
            return self.ask(clients[0])

        answered(agent)
        with pytest.raises(Exception, match="Unable to locate credentials"):
            self.ask(clients[0])

    def test_or_those_of_its_machine(self, boto3, metadata):
        sessions = []

        def agent():
            sessions.append(boto3.session.Session(region_name="us-east-1"))
            return self.ask(sessions[0].client("bedrock-runtime"))

        answered(agent)
        assert sessions[0].get_credentials().get_frozen_credentials().access_key == REAL

    def test_another_service_fails_as_ever(self, boto3):
        def agent():
            boto3.session.Session(region_name="us-east-1").client("sts").get_caller_identity()

        with scripted_model([]):
            result = MockToolkit().run_generic(agent)
        assert type(result.error).__name__ == "NoCredentialsError"

    def test_another_service_uses_those_of_the_machine(self, boto3, metadata):
        seen = []

        def agent():
            client = boto3.session.Session(region_name="us-east-1").client("sts", endpoint_url="http://127.0.0.1:9")
            client.meta.events.register("before-send.sts", lambda request, **_: seen.append(request.headers))
            client.get_caller_identity()

        with scripted_model([]):
            MockToolkit().run_generic(agent)
        assert REAL in str(seen[0]["Authorization"])

    def test_those_that_there_are_are_used(self, boto3, monkeypatch):
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", REAL)
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "real")
        with scripted_model([]):
            assert boto3.session.Session().get_credentials().access_key == REAL

    def test_without_a_script_it_fails_as_ever(self, boto3):
        result = MockToolkit().run_generic(lambda: self.ask(self.client(boto3)))
        assert type(result.error).__name__ == "NoCredentialsError"


class TestVertex:
    @pytest.fixture(autouse=True)
    def auth(self):
        return pytest.importorskip("google.auth")

    @pytest.fixture
    def genai(self):
        return pytest.importorskip("google.genai")

    def client(self, genai):
        return genai.Client(vertexai=True, project="p", location="us-central1")

    def ask(self, client):
        return client.models.generate_content(model="gemini-2.5-flash", contents="hi").text

    def test_a_client_of_the_run_is_answered(self, genai):
        assert answered(lambda: self.ask(self.client(genai))) == "Hello!"

    def test_one_that_was_there_before_is_answered(self, genai):
        client = self.client(genai)
        assert answered(lambda: self.ask(client)) == "Hello!"

    def test_an_async_one_is_answered(self, genai):
        async def agent():
            answer = self.client(genai).aio.models.generate_content(model="gemini-2.5-flash", contents="hi")
            return (await answer).text

        assert answered(agent) == "Hello!"

    def test_anthropic_s_own_client_is_answered(self):
        anthropic = pytest.importorskip("anthropic")

        def agent():
            client = anthropic.AnthropicVertex(project_id="p", region="us-east5")
            said = [{"role": "user", "content": "hi"}]
            return client.messages.create(model="claude-sonnet-4", max_tokens=9, messages=said).content[0].text

        assert answered(agent) == "Hello!"

    def test_the_metadata_server_is_not_asked_meanwhile(self, genai, metadata):
        assert answered(lambda: self.ask(self.client(genai))) == "Hello!"
        assert metadata == []

    def test_what_outlives_the_script_is_of_no_use(self, auth):
        with scripted_model([]):
            credentials, project = auth.default()
            assert (credentials.token, project) == ("none", None)
        assert credentials.token is None
        with pytest.raises(auth.exceptions.DefaultCredentialsError):
            credentials.refresh(None)

    def test_or_becomes_that_of_its_machine(self, auth, metadata):
        requests = pytest.importorskip("google.auth.transport.requests")
        with scripted_model([]):
            credentials, _ = auth.default()
            credentials.refresh(None)
        credentials.refresh(requests.Request())
        assert credentials.token == "a-real-token"

    def test_another_service_fails_as_ever(self, auth):
        requests = pytest.importorskip("google.auth.transport.requests")

        def agent():
            credentials, _ = auth.default()
            requests.AuthorizedSession(credentials).get("https://storage.googleapis.com/storage/v1/b")

        with scripted_model([]):
            result = MockToolkit().run_generic(agent)
        assert type(result.error).__name__ == "DefaultCredentialsError"

    def test_without_a_script_it_fails_as_ever(self, auth):
        result = MockToolkit().run_generic(auth.default)
        assert type(result.error).__name__ == "DefaultCredentialsError"
