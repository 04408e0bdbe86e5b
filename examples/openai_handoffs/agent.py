"""A help desk of three agents of the OpenAI Agents SDK: the first finds out what it is about, and hands over."""

from agents import Agent, function_tool

MODEL = "gpt-4o-mini"
#: A refund of more dollars than this waits until a person has approved it.
LIMIT = 100.0


@function_tool
def find_customer(email: str) -> dict:
    """Number and plan of a customer."""
    raise NotImplementedError("ask your customer database here")


async def needs_a_person(context, arguments: dict, call_id: str) -> bool:
    return arguments["amount"] > LIMIT


@function_tool(needs_approval=needs_a_person)
def refund(customer: str, amount: float) -> dict:
    """Pay money back."""
    raise NotImplementedError("ask your bank here")


@function_tool
def restart_device(customer: str) -> dict:
    """Restart a customer's device from afar."""
    raise NotImplementedError("ask your devices here")


billing = Agent(
    name="billing",
    handoff_description="Knows about invoices and refunds.",
    instructions="You settle questions about money. Find the customer, then refund what is owed.",
    model=MODEL,
    tools=[find_customer, refund],
)
support = Agent(
    name="support",
    handoff_description="Knows about devices that do not work.",
    instructions="You help with devices. Find the customer, then restart the device.",
    model=MODEL,
    tools=[find_customer, restart_device],
)
triage = Agent(
    name="triage",
    instructions="Find out what it is about, and hand over. Settle nothing yourself.",
    model=MODEL,
    handoffs=[billing, support],
)
