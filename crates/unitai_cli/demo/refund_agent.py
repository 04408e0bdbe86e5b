"""A small agent that handles refunds. A real one would ask a model what to do next; this one decides
by itself, so that its tests need no key.
"""

import re


def refund_agent(message, tools):
    """Looks the order up, and refunds it if it was delivered."""
    order_id = re.search(r"#(\d+)", message).group(1)
    order = tools["lookup_order"](order_id=order_id)
    if order["status"] != "delivered":
        return f"Order {order_id} was not delivered yet, so there is nothing to refund."
    tools["process_refund"](order_id=order_id, amount=order["amount"])
    return f"Your refund of ${order['amount']} has been processed."


def hasty_refund_agent(message, tools):
    """The same with a bug: it refunds first and looks the order up afterwards."""
    order_id = re.search(r"#(\d+)", message).group(1)
    tools["process_refund"](order_id=order_id, amount=49.99)
    order = tools["lookup_order"](order_id=order_id)
    return f"Your refund of ${order['amount']} has been processed."
