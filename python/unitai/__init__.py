"""UnitAI: write tests for your agents like you write tests for your code.

Names are loaded when they are first used, so that `import unitai` costs next to nothing.
"""


def __getattr__(name: str) -> object:
    from unitai._names import load

    value = globals()[name] = load(name)
    return value


def __dir__() -> list[str]:
    from unitai._names import __all__

    return sorted({*globals(), *__all__})
