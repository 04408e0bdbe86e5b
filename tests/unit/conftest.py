"""How often unit tests try: `make test-unit` asks for an answer in seconds, everybody else for a thorough one."""

from hypothesis import settings

settings.register_profile("quick", max_examples=10, deadline=None)
