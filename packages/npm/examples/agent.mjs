// A whole coding agent: `ANTHROPIC_API_KEY=… node agent.mjs "Rename the function foo to bar"` in the folder of a project.

import { createInterface } from "node:readline/promises";
import { fileURLToPath } from "node:url";
import { Lancet } from "lancet-mcp";

// Shows a change with its diff, and lets the person decide; anything but y goes to the model.
async function ask(question) {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const words = await terminal.question(`${question.text}\ny, or what the model should do instead: `);
  terminal.close();
  return words === "y" ? "yes" : { no: words };
}

// Lets a model work until it has no more tool calls; its last words.
export async function agent(client, prompt, folder, approve = ask) {
  const lancet = new Lancet(folder, { approve });
  try {
    const session = lancet.session();
    const [tools, system] = await Promise.all([lancet.tools("anthropic"), lancet.instructions()]);
    session.beginTurn();
    const messages = [{ role: "user", content: prompt }];
    for (;;) {
      const request = { model: "claude-sonnet-4-5", max_tokens: 8192, system, tools, messages };
      const response = await client.messages.create(request);
      messages.push({ role: "assistant", content: response.content });
      const results = await session.dispatch("anthropic", response.content);
      if (results.length === 0) return response.content.map((block) => block.text ?? "").join("");
      messages.push({ role: "user", content: results });
    }
  } finally {
    await lancet.close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { default: Anthropic } = await import("@anthropic-ai/sdk");
  console.log(await agent(new Anthropic(), process.argv[2], "."));
}
