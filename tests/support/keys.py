"""Keys in the formats of twenty providers, made up here, and a search for their pieces."""

from __future__ import annotations

import random
import string

WORD = string.ascii_letters + string.digits
HEX = "0123456789abcdef"

FORMATS = {
    "OPENAI_API_KEY": ("sk-proj-", WORD, 120),
    "OPENAI_OLD_KEY": ("sk-", WORD, 48),
    "OPENAI_SERVICE_KEY": ("sk-svcacct-", WORD, 74),
    "ANTHROPIC_API_KEY": ("sk-ant-api03-", WORD, 95),
    "GOOGLE_API_KEY": ("AIzaSy", WORD, 33),
    "AWS_ACCESS_KEY_ID": ("AKIA", string.ascii_uppercase + "234567", 16),
    "AWS_SECRET_ACCESS_KEY": ("", WORD + "+/", 40),
    "GITHUB_TOKEN": ("ghp_", WORD, 36),
    "GH_FINE_TOKEN": ("github_pat_", WORD, 82),
    "GITLAB_TOKEN": ("glpat-", WORD, 20),
    "SLACK_BOT_TOKEN": ("xoxb-", WORD, 50),
    "STRIPE_API_KEY": ("sk_live_", WORD, 24),
    "HF_TOKEN": ("hf_", string.ascii_letters, 34),
    "GROQ_API_KEY": ("gsk_", WORD, 52),
    "REPLICATE_API_TOKEN": ("r8_", WORD, 37),
    "XAI_API_KEY": ("xai-", WORD, 80),
    "MISTRAL_API_KEY": ("", WORD, 32),
    "AZURE_OPENAI_API_KEY": ("", HEX, 32),
    "NPM_TOKEN": ("npm_", WORD, 36),
    "SHOP_PASSWORD": ("", WORD + "!$&/<>\"'", 24),
}


def made_up(seed: int = 7) -> dict[str, str]:
    """A key for each variable, the same for the same seed."""
    chance = random.Random(seed)
    return {
        name: start + "".join(chance.choice(alphabet) for _ in range(length))
        for name, (start, alphabet, length) in FORMATS.items()
    }


def pieces_in(text: str, keys: dict[str, str]) -> dict[str, str]:
    """The keys of which eight characters in a row are in the text, and the first such piece."""
    found = {}
    for name, key in keys.items():
        pieces = [key[n : n + 8] for n in range(len(key) - 7)]
        for piece in pieces:
            if piece in text:
                found[name] = piece
                break
    return found
