// A refund agent in Node, with fetch and nothing else. It knows nothing of any test: where its model and its shop are,
// it reads from the environment, as it does in production.
//
//   SHOP_URL=https://shop.example OPENAI_API_KEY=... node agent.mjs "I want a refund for order 123."

const provider = process.env.OPENAI_BASE_URL ?? "https://api.openai.com/v1";
const shop = process.env.SHOP_URL;

const use = {
  lookup_order: ({ order_id }) => fetchJson(`${shop}/orders/${order_id}`),
  process_refund: ({ order_id, amount }) => fetchJson(`${shop}/refunds`, { order_id, amount }),
};

const tool = (name, description, properties) => ({
  type: "function",
  function: { name, description, parameters: { type: "object", properties, required: Object.keys(properties) } },
});

const tools = [
  tool("lookup_order", "Status and amount of an order.", { order_id: { type: "string" } }),
  tool("process_refund", "Pays an order back.", { order_id: { type: "string" }, amount: { type: "number" } }),
];

async function fetchJson(url, body, headers = {}) {
  const options = body && {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  };
  const response = await fetch(url, options);
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return response.json();
}

async function answer(question) {
  const messages = [
    { role: "system", content: "You handle refunds. Look an order up before you refund it." },
    { role: "user", content: question },
  ];
  for (;;) {
    const headers = { authorization: `Bearer ${process.env.OPENAI_API_KEY}` };
    const completion = await fetchJson(`${provider}/chat/completions`, { model: "gpt-4o", messages, tools }, headers);
    const message = completion.choices[0].message;
    if (!message.tool_calls) return message.content;
    messages.push(message);
    for (const call of message.tool_calls) {
      const result = await use[call.function.name](JSON.parse(call.function.arguments));
      messages.push({ role: "tool", tool_call_id: call.id, content: JSON.stringify(result) });
    }
  }
}

console.log(await answer(process.argv[2]));
