"""The real tools of the agents in this suite. None of them may ever run, unless a test allows it."""

from __future__ import annotations

from pathlib import Path

#: Where a real tool leaves its mark; set when the tests begin.
LEAKS: Path | None = None
#: The tools that a test has allowed to run; they leave their mark here instead.
ALLOWED: dict[str, list[dict[str, object]]] = {}


def ran(tool: str, **args: object) -> None:
    """A real tool ran."""
    if tool in ALLOWED:
        ALLOWED[tool].append(args)
        return
    assert LEAKS is not None
    with LEAKS.open("a", encoding="utf-8") as file:
        file.write(f"{tool} {args}\n")


def lookup_order(order_id: str) -> dict:
    """Look an order up.

    Args:
        order_id: The order's id.
    """
    ran("lookup_order", order_id=order_id)
    return {"status": "really delivered"}


def refund(order_id: str, amount: float) -> str:
    """Pay money back.

    Args:
        order_id: The order's id.
        amount: How much, in dollars.
    """
    ran("refund", order_id=order_id, amount=amount)
    return "really refunded"


async def send_email(to: str, text: str) -> str:
    """Write to the customer.

    Args:
        to: The customer's address.
        text: What to say.
    """
    ran("send_email", to=to, text=text)
    return "really sent"


#: All of them, in the order in which every agent of the suite has them.
TOOLS = (lookup_order, refund, send_email)
