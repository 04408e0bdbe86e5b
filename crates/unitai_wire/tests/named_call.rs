//! What calls a tool in a text, and what only mentions it.

use unitai_wire::names_call;

/// Texts that call `refund`.
const CALLS: &[&str] = &[
    // Generated code.
    "```py\nrefund('1')\n```",
    "```python\nf = refund\nf('1')\n```",
    "```py\nprint(list(map(refund, ['1'])))\n```",
    "```py\ntools.refund('1')\n```",
    "```py\nprint(f\"said: {refund('1')}\")\n```",
    "```py\nprint(f'said: {refund(\"1\")} and {{braces}}')\n```",
    "```py\nresult = tools['refund']('1')\n```",
    "```py\nrun = getattr(tools, \"refund\")\nrun('1')\n```",
    "```py\nfrom tools import refund as pay\npay('1')\n```",
    "```py\nwith ThreadPoolExecutor() as pool:\n    pool.submit(refund, '1')\n```",
    "```js\nconst said = await refund({order: 1}); // pays back\n```",
    "```js\nconsole.log(`said: ${refund('1')}`)\n```",
    "```bash\nrefund --order 1\n```",
    "Thought: pay back\n<code>\nanswer = refund(order_id='1')\nfinal_answer(answer)\n</code>",
    "<code>map(refund, [\"1\"])</code>",
    "Thought: pay\nCode:\n```py\nprint(refund('1'))\n```<end_code>",
    "Thought: pay\n<code>\nprint(refund('1'))",
    // A text that is code.
    "refund('1')",
    "f = refund\nf('1')",
    "f = refund; f('1')",
    "list(map(refund, ['1']))",
    "map(refund, [\"1\"])",
    "tools.refund('1')",
    "tools['refund']('1')",
    "[refund(order='1')]",
    "for order in orders: refund(order)",
    "await refund(order=1)",
    "result: dict = refund('1')",
    "pay(\n    refund,\n    '1',\n)",
    "refund(\n    order_id=\"it's 1\",\n)",
    "I will pay it back.\n\nrefund(order_id=\"1\")\n\nDone.",
    "First I call `refund(order_id=\"1\")`.",
    "1. refund(order_id='1')",
    "```\nrefund(order_id='1')\n```",
    // Protocols in text.
    "Thought: money back\nAction: refund\nAction Input: {\"order\": \"1\"}",
    "Action: refund[1]",
    "Action 1: refund[1]",
    "Action: refund(1)",
    "Action:refund",
    "Action: `refund`",
    "**Action:** refund",
    "**Action**: refund",
    "ACTION: REFUND",
    "action = refund",
    "TOOL: refund | order=1",
    "- tool: refund\n  args: {order: 1}",
    "Tool name: refund\nArguments: {}",
    "<tool_call>{\"name\": \"refund\", \"arguments\": {}}</tool_call>",
    "<function=refund>{\"order\": 1}</function>",
    "<invoke name=\"refund\"><parameter name=\"order\">1</parameter></invoke>",
    "<tool_name>refund</tool_name>",
    "<tool_call><name>refund</name><arguments>{}</arguments></tool_call>",
    "<refund><order>1</order></refund>",
    "<Refund>\n1\n</Refund>",
    "<refund order=\"1\"/>",
    "[TOOL_CALLS]refund{\"order\": 1}",
    "<|start|>assistant to=functions.refund<|message|>{}",
    "<|python_tag|>refund(order='1')",
    // Calls as JSON.
    "```json\n{\"tool\": \"refund\", \"input\": {}}\n```",
    "{\"action\": \"refund\", \"action_input\": \"1\"}",
    "{\n  \"arguments\": {\"order\": \"{1}\"},\n  \"name\": \"refund\"\n}",
    "{'name': 'refund', 'args': {'order': 1}}",
    "I pay it back: {\"tool_calls\": [{\"function\": {\"name\": \"refund\", \"arguments\": \"{}\"}}]}",
    "{\"name\": \"refund\", \"arguments\": {\"properties\": {\"order\": 1}}}",
    "{\"name\": \"refund\", \"parameters\": {\"order\": ",
];

/// Texts that only mention it.
const MENTIONS: &[&str] = &[
    "I will ask for a refund first.",
    "You are not eligible for a refund (see our policy).",
    "Your refund (order 123) is on its way.",
    "To refund (order 1), contact us.",
    "refund (order 1)",
    "I'd call refund() but you are not eligible.",
    "Our function refund(order) is documented.",
    "refund(order) is documented.",
    "refund(order) if needed",
    "refund(order_id): pays an order back",
    "- refund(order_id) - pays an order back",
    "Refund (partial) is possible.",
    "refund(s)",
    "- refund(s) for order 1",
    "We do not refund(able).",
    "The refund('s) fee.",
    "Don't refund(it), and don't ask.",
    "Please use the `refund` tool.",
    "Use <code>refund</code> for that.",
    "Action: escalate\nReason: refund",
    "Action: refund the customer",
    "Action: refund requested, waiting for approval.",
    "Action: refund (full amount)",
    "Action: refund_later",
    "The recommended action: refund",
    "The tool refund is not available.",
    "Refund: 49.99",
    "refund: 49.99",
    "refund = 49.99",
    "Total = 5, refund = 3",
    "The amount of your refund=49.99.",
    "| refund(order) | pays it back |",
    "# refund(order)",
    "See https://shop.example/refund(1)",
    "<refunds>1</refunds>",
    "<refund> is a tag that is never closed",
    "{\"name\": \"refund\", \"status\": \"denied\"}",
    "{\"topic\": \"refund\"}",
    "{\"category\": \"refund\", \"input\": \"where is my money\"}",
    "{\"name\": \"lookup\", \"arguments\": {\"reason\": \"refund\"}}",
    "{\"name\": \"refund\", \"parameters\": {\"type\": \"object\", \"properties\": {\"order\": {}}}}",
    "[{\"name\": \"refund\"}, {\"name\": \"lookup\", \"arguments\": {}}]",
    "```py\nprint('no refund(1) today')\n```",
    "```py\n# refund('1') is not needed\nprint('done')\n```",
    "```py\nprint(f'no refund today, {name}')\n```",
    "```py\n\"\"\"Never\nrefund('1').\n\"\"\"\nprint('done')\n```",
    "```py\nanswer(refund=True)\n```",
    "```py\nrefund = order['refund']\nprint(refund)\n```",
    "```py\nfor refund in refunds:\n    total += refund.amount\n```",
    "```py\ntotal = order.refund + order['refund'] + refunds(1)\n```",
    "```py\nprocess_refund('1')\n```",
    "```py\ndef refund(order):\n    return 1\n```",
    "```js\n// refund('1') is not needed\nconsole.log('done')\n```",
    "```js\nlog({refund: 1})\n```",
    "<code>\nprint('no refund today')\n</code>",
    "```json\n{\"refund\": 1}\n```",
    "```\nYour refund (order 1) is pending.\n```",
    "```text\nrefund is pending\n```",
    "<code>\nlookup('1')\nThat is all. A refund (order 1) is not possible.",
];

#[test]
fn a_text_that_calls_a_tool_is_known() {
    let missed: Vec<_> = CALLS.iter().filter(|text| !names_call(text, "refund")).collect();
    assert!(missed.is_empty(), "not known as calls: {missed:#?}");
}

#[test]
fn a_text_that_only_mentions_a_tool_is_left_alone() {
    let alarms: Vec<_> = MENTIONS.iter().filter(|text| names_call(text, "refund")).collect();
    assert!(alarms.is_empty(), "taken for calls: {alarms:#?}");
}

#[test]
fn a_text_that_calls_one_tool_calls_no_other() {
    let alarms: Vec<_> = CALLS
        .iter()
        .filter(|text| ["refund_all", "fund", "ref", "Refunds"].iter().any(|other| names_call(text, other)))
        .collect();
    assert!(alarms.is_empty(), "taken for calls of others: {alarms:#?}");
}

#[test]
fn an_answer_after_code_is_read_for_itself() {
    for mention in MENTIONS.iter().filter(|text| !text.starts_with("<code>\nlookup")) {
        let text = format!("```py\nlookup('1')\n```\n{mention}\nDone.");
        assert!(!names_call(&text, "refund"), "{text}");
    }
    for call in CALLS.iter().filter(|call| !call.ends_with("\": ")) {
        let text = format!("Let me see.\n{call}\nDone.");
        assert!(names_call(&text, "refund"), "{text}");
    }
}
