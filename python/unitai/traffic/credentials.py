"""Credentials for clients of models that are answered from memory: without any, those of Bedrock and Vertex AI fail
before they ask anybody.

Both SDKs look in one place after the other, and ask the machine's metadata server last. While a script or recordings
answer, that question is put off: the client gets credentials that stand for it. These open nothing while models are
answered from memory. Anywhere else they are what the metadata server says, or the SDK's own error: a client that
outlives the script is as good as one that was made after it, and no request that leaves carries anything made up.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unitai._engine import keeps_models_in
from unitai.traffic.patches import Patch

__all__ = ["botocore_credentials", "botocore_signers", "google_default"]

#: What stands where a key would. It is no secret, and nobody accepts it.
_NONE = "none"

_aws_class: Any = None


def botocore_credentials(module: Any) -> list[Patch]:
    """What to replace in `botocore.credentials`: the last provider of the chain."""
    global _aws_class  # noqa: PLW0603
    provider = getattr(module, "InstanceMetadataProvider", None)
    if not hasattr(provider, "load") or not hasattr(module, "Credentials"):
        return []
    _aws_class = _make_aws_class(module)

    def putting_off(original: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def load(provider: Any) -> Any:
            return _aws_class(lambda: original(provider)) if keeps_models_in() else original(provider)

        return load

    return [Patch(provider, "load", putting_off)]


def botocore_signers(module: Any) -> list[Patch]:
    """What to replace in `botocore.signers`: a client that was made before the script has no credentials at all."""
    signer = getattr(module, "RequestSigner", None)
    if not hasattr(signer, "get_auth_instance"):
        return []

    def signing(original: Callable[..., Any]) -> Callable[..., Any]:
        def get_auth_instance(signer: Any, *args: Any, **options: Any) -> Any:
            held = getattr(signer, "_credentials", None)
            if _aws_class is not None and (held is None or isinstance(held, _aws_class)) and keeps_models_in():
                is_model = str(getattr(signer, "_service_id", "")) == "Bedrock Runtime"
                # Every start of a test would load it.
                from copy import copy

                signer = copy(signer)
                # What a tool asks of another service does leave, so that it takes real ones or none.
                signer._credentials = (held or _aws_class(lambda: None)) if is_model else held and held.real()
            return original(signer, *args, **options)

        return get_auth_instance

    return [Patch(signer, "get_auth_instance", signing)]


def _make_aws_class(module: Any) -> Any:
    from botocore.exceptions import NoCredentialsError  # type: ignore[import-not-found, unused-ignore]

    class PutOffCredentials(module.Credentials):  # type: ignore[misc]
        """Inert while models are answered from memory; the machine's own, or none, anywhere else."""

        method = "unitai"

        def __init__(self, find: Callable[[], Any]) -> None:
            self._find = find
            self._real: Any = None

        def real(self) -> Any:
            """Those of the machine; `None` where it has none."""
            self._real = self._real or self._find()
            return self._real

        def _read(self, name: str, inert: str | None) -> Any:
            if keeps_models_in():
                return inert
            real = self.real()
            if real is None:
                raise NoCredentialsError
            return getattr(real.get_frozen_credentials(), name, None)

        @property
        def access_key(self) -> Any:
            return self._read("access_key", _NONE)

        @property
        def secret_key(self) -> Any:
            return self._read("secret_key", _NONE)

        @property
        def token(self) -> Any:
            return self._read("token", None)

        @property
        def account_id(self) -> Any:
            return self._read("account_id", None)

    return PutOffCredentials


def google_default(module: Any) -> list[Patch]:
    """What to replace in `google.auth._default`: the last place where `google.auth.default` looks."""
    if not hasattr(module, "_get_gce_credentials"):
        return []
    google_class = _make_google_class(module)

    def putting_off(original: Callable[..., Any]) -> Callable[..., Any]:
        def _get_gce_credentials(*args: Any, **options: Any) -> Any:
            if not keeps_models_in():
                return original(*args, **options)
            return google_class(lambda: original(*args, **options)[0]), None

        return _get_gce_credentials

    return [Patch(module, "_get_gce_credentials", putting_off)]


def _make_google_class(module: Any) -> Any:
    from google.auth import exceptions  # type: ignore[import-not-found, unused-ignore]
    from google.auth.credentials import Credentials  # type: ignore[import-not-found, unused-ignore]

    missing = getattr(module, "_CLOUD_SDK_MISSING_CREDENTIALS", "no credentials were found")

    class PutOffCredentials(Credentials):  # type: ignore[misc, unused-ignore]
        """Inert while models are answered from memory; the machine's own, or none, anywhere else."""

        def __init__(self, find: Callable[[], Any]) -> None:
            self._find = find
            self._real: Any = None
            super().__init__()

        def real(self) -> Any:
            self._real = self._real or self._find()
            if self._real is None:
                raise exceptions.DefaultCredentialsError(missing)
            return self._real

        @property
        def token(self) -> Any:
            return _NONE if keeps_models_in() else getattr(self._real, "token", None)

        @token.setter
        def token(self, _: Any) -> None:
            """The base class begins with none."""

        @property
        def expiry(self) -> Any:
            return None if keeps_models_in() else getattr(self._real, "expiry", None)

        @expiry.setter
        def expiry(self, _: Any) -> None:
            """The base class begins with none."""

        def refresh(self, request: Any) -> None:
            if not keeps_models_in():
                self.real().refresh(request)

        def before_request(self, request: Any, method: str, url: str, headers: Any) -> None:
            # What a tool asks of another service does leave, so that it takes real ones or fails.
            if keeps_models_in(url):
                super().before_request(request, method, url, headers)
            else:
                self.real().before_request(request, method, url, headers)

    return PutOffCredentials
