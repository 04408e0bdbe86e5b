"""Regression: output that changes on purpose only.

When this fails, read the difference. If it is meant, run it with the option that the
message names, and commit the file. What a model says is never the same twice, and has
no place in a snapshot.

`snapshot` is the same as `unitai_snapshot`, for short, unless another plugin has a
fixture of that name.
"""


def system_prompt(name, tools):
    """Stands for a builder of yours: the same input gives the same text."""
    lines = [f"You are {name}, who helps customers with their orders."]
    lines += [f"- {tool}: {purpose}" for tool, purpose in sorted(tools.items())]
    return "\n".join(lines)


def test_the_prompt(unitai_snapshot):
    tools = {"process_refund": "give money back", "lookup_order": "find an order"}

    prompt = system_prompt("Ada", tools)

    unitai_snapshot.assert_match(prompt, "system_prompt.txt")
