"""What SDKs find in the environment when they are loaded: keys that open nothing, and no word to anybody."""

from __future__ import annotations

from certificates import ONE_CERTIFICATE

SURROUNDINGS = {
    "AWS_ACCESS_KEY_ID": "AKIAUNITAI",
    "AWS_SECRET_ACCESS_KEY": "none",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
    "LANGSMITH_TRACING": "false",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    **ONE_CERTIFICATE,
    # A server on this machine is not asked through a proxy.
    "NO_PROXY": "*",
    "no_proxy": "*",
}
