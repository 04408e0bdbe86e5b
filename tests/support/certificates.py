"""What clients in tests trust: one certificate.

Each client that is made reads everything that the system trusts, which takes longer than a request (19 ms). No test here
speaks TLS with anything.
"""

from __future__ import annotations

from pathlib import Path

_TRUSTED = str(Path(__file__).with_name("trusted.pem"))

#: Variables that httpx, requests and botocore read.
ONE_CERTIFICATE = {"SSL_CERT_FILE": _TRUSTED, "REQUESTS_CA_BUNDLE": _TRUSTED, "AWS_CA_BUNDLE": _TRUSTED}
