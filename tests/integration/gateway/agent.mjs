// An agent on the official client of OpenAI. It knows nothing of any test: the client reads OPENAI_BASE_URL.
import OpenAI from "openai";

const client = new OpenAI();
const model = "gpt-5";
const tools = [
  { type: "function", function: { name: "lookup", parameters: { type: "object", properties: { order: {} } } } },
];
const messages = [{ role: "user", content: process.argv[3] ?? "Where is order 7?" }];
const isStreamed = process.argv[2] === "streamed";
const seen = [];

for (;;) {
  let message;
  if (isStreamed) {
    const stream = client.chat.completions.stream({ model, messages, tools });
    stream.on("chunk", (chunk) => seen.push(chunk));
    message = (await stream.finalChatCompletion()).choices[0].message;
  } else {
    const completion = await client.chat.completions.create({ model, messages, tools });
    seen.push(completion);
    message = completion.choices[0].message;
  }
  if (!message.tool_calls?.length) {
    console.log(JSON.stringify({ text: message.content, seen }));
    break;
  }
  const calls = message.tool_calls.map(({ id, type, function: { name, arguments: args } }) => ({
    id,
    type,
    function: { name, arguments: args },
  }));
  messages.push({ role: "assistant", content: message.content, tool_calls: calls });
  for (const call of calls) {
    const { order } = JSON.parse(call.function.arguments);
    messages.push({ role: "tool", tool_call_id: call.id, content: `order ${order} is on its way` });
  }
}
