// Drives a built lancet with the TypeScript MCP SDK, which opens with the handshake: list, read, edit, refusals, a
// person's answers, the client's roots; over standard input and output, and over HTTP (`lancet serve`).
//
//     node client.mjs BINARY
//
// Exit status 0 when all holds; the last line is `N passed, N failed`. Needs `npm ci`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const NAMES = ["Read", "Edit", "MultiEdit", "Write", "NotebookEdit", "Glob", "Grep"];

let passed = 0;
let failed = 0;

function check(holds, words) {
  if (!holds) throw new Error(words);
  passed += 1;
}

const text = (result) => result.content.map((block) => block.text).join("\n");
const data = (result) => result._meta?.["lancet/result"] ?? {};

/** A server on `root`, over standard input and output or over HTTP: the transport to it, and what ends it. */
async function reach(way, binary, base, root, extra) {
  const args = ["--root", root, "--state-dir", join(base, "state"), "--data", "full", ...extra];
  const env = { ...process.env, HOME: base };
  if (way === "stdio") {
    return { transport: new StdioClientTransport({ command: binary, args: ["mcp", ...args], env }), end: async () => {} };
  }
  const server = spawn(binary, ["serve", "--listen", "127.0.0.1:0", ...args], { env, stdio: ["ignore", "ignore", "pipe"] });
  const [first] = await once(createInterface({ input: server.stderr }), "line");
  const url = new URL(first.split(" ").at(-1));
  const token = readFileSync(join(base, "state", "serve-token"), "utf8").trim();
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers: { Authorization: `Bearer ${token}` } } });
  const end = async () => {
    server.kill("SIGTERM");
    const [code] = await once(server, "exit");
    check(code === 0, `the server ended with ${code}`);
  };
  return { transport, end };
}

/** One conversation; `extra` are further arguments of the server. */
async function converse(way, binary, extra) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "lancet-client-")));
  const root = join(base, "root");
  mkdirSync(root);
  const path = join(root, "notes.txt");
  writeFileSync(path, "alpha\nbeta é😀\ngamma\n");
  const { transport, end } = await reach(way, binary, base, root, ["--mode", "accept-edits", ...extra]);
  const client = new Client({ name: "typescript-client", version: "1" });
  try {
    await client.connect(transport);
    check(client.getServerVersion()?.name === "lancet", `the server calls itself ${client.getServerVersion()?.name}`);
    check(client.getInstructions(), "the server gives no instructions");

    // The SDK compiles every output schema here and holds structured content against it below.
    const { tools } = await client.listTools();
    const names = tools.map((tool) => tool.name);
    check(JSON.stringify(names) === JSON.stringify(NAMES), `lists ${names}`);
    for (const { name, annotations, title } of tools) {
      check(title, `${name} has no title`);
      check(annotations.readOnlyHint === ["Read", "Glob", "Grep"].includes(name) && annotations.openWorldHint === false, `${name}: annotations`);
    }

    const read = await client.callTool({ name: "Read", arguments: { file_path: path } });
    check(!read.isError && text(read).includes("2→beta é😀"), `Read: ${text(read)}`);
    check(data(read).totalLines === 3, `Read's data are ${JSON.stringify(data(read))}`);
    check(read.structuredContent === undefined, "Read has structured content");

    const edit = await client.callTool({ name: "Edit", arguments: { file_path: path, old_string: "beta", new_string: "BETA" } });
    check(!edit.isError && data(edit).matched === "exact", `Edit: ${text(edit)}`);
    check(readFileSync(path, "utf8") === "alpha\nBETA é😀\ngamma\n", "the file is not what was asked for");
    check((edit.structuredContent !== undefined) === extra.includes("--structured"), "structured content where it was not asked for, or none");

    const refused = await client.callTool({ name: "Edit", arguments: { file_path: path, old_string: "delta", new_string: "x" } });
    check(refused.isError && data(refused).error?.code === 8 && data(refused).error?.name === "not_found", `not found: ${text(refused)}`);

    const outside = await client.callTool({ name: "Read", arguments: { file_path: "/etc/passwd" } });
    check(outside.isError && data(outside).error?.name === "outside", `outside: ${text(outside)}`);
  } finally {
    await client.close();
    await end();
    rmSync(base, { recursive: true, force: true });
  }
}

/** Writes that need a person's word, asked about in the client's own dialog (elicitation). */
async function ask(way, binary) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "lancet-client-")));
  const root = join(base, "root");
  mkdirSync(root);
  const path = join(root, "notes.txt");
  writeFileSync(path, "one\n");
  const { transport, end } = await reach(way, binary, base, root, ["--mode", "ask", "--ask", "elicit"]);
  const client = new Client({ name: "typescript-client", version: "1" }, { capabilities: { elicitation: {} } });
  const answers = [];
  const asked = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params.message);
    return answers.shift();
  });
  const edit = async (old_string, new_string, ...given) => {
    answers.push(...given);
    const result = await client.callTool({ name: "Edit", arguments: { file_path: path, old_string, new_string } });
    check(answers.length === 0, `a question was not asked: ${text(result)}`);
    return { result, error: data(result).error?.name, content: readFileSync(path, "utf8") };
  };
  try {
    await client.connect(transport);
    await client.callTool({ name: "Read", arguments: { file_path: path } });
    // Words are asked for after a no in the form, and only there.
    const words = { action: "accept", content: { reason: "Not this one." } };
    const no = await edit("one", "two", { action: "accept", content: { decision: "no" } }, words);
    check(no.error === "declined" && no.content === "one\n" && text(no.result).includes("Not this one."), `no: ${text(no.result)}`);
    const first = asked.at(-2);
    check(first.includes("notes.txt") && first.includes("-one") && first.includes("+two"), `asked ${first}`);
    const declined = await edit("one", "two", { action: "decline" });
    check(declined.error === "declined" && declined.content === "one\n", `decline: ${declined.error}`);
    check(text(declined.result).includes("not answered by a person"), `decline: ${text(declined.result)}`);
    const yes = await edit("one", "two", { action: "accept", content: {} });
    check(!yes.error && yes.content === "two\n", `a plain accept: ${yes.error}`);
    const session = await edit("two", "three", { action: "accept", content: { decision: "session" } });
    check(!session.error && session.content === "three\n", `session: ${session.error}`);
    const again = await edit("three", "four");
    check(!again.error && again.content === "four\n", `not asked again: ${again.error}`);
  } finally {
    await client.close();
    await end();
    rmSync(base, { recursive: true, force: true });
  }
}

/** The client's own roots: lancet works in what they and its own have in common. */
async function narrow(way, binary) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "lancet-client-")));
  const root = join(base, "root");
  for (const name of ["app one", "lib"]) {
    mkdirSync(join(root, name), { recursive: true });
    writeFileSync(join(root, name, "a.txt"), `in ${name}\n`);
  }
  const { transport, end } = await reach(way, binary, base, root, []);
  const client = new Client({ name: "typescript-client", version: "1" }, { capabilities: { roots: { listChanged: true } } });
  let roots = ["app one"];
  let asked = 0;
  client.setRequestHandler(ListRootsRequestSchema, () => {
    asked += 1;
    return { roots: roots.map((name) => ({ uri: pathToFileURL(join(root, name)).href, name })) };
  });
  const read = async (name) => {
    const result = await client.callTool({ name: "Read", arguments: { file_path: join(root, name, "a.txt"), force: true } });
    return result.isError ? data(result).error.name : text(result);
  };
  try {
    await client.connect(transport);
    check((await read("lib")) === "outside", "a path beyond the client's roots is read");
    check((await read("app one")).includes("in app one"), "a path below the client's root is not read");
    const found = await client.callTool({ name: "Grep", arguments: { pattern: "in" } });
    check(data(found).numFiles === 1, `a search goes beyond the client's roots: ${text(found)}`);
    check(asked === 1, `asked ${asked} times`);
    roots = ["lib", "gone"];
    await client.sendRootsListChanged();
    check((await read("app one")) === "outside", "a changed list does not count");
    check((await read("lib")).includes("in lib"), "what was narrowed away before stays away");
    roots = ["../elsewhere"];
    await client.sendRootsListChanged();
    check((await read("app one")).includes("in app one"), "roots with nothing in common are not ignored");
    check(asked === 3, `asked ${asked} times`);
  } finally {
    await client.close();
    await end();
    rmSync(base, { recursive: true, force: true });
  }
}

if (process.argv.length !== 3) {
  console.log("usage: node client.mjs BINARY");
  process.exit(2);
}
const binary = resolve(process.argv[2]);
const talks = {
  plain: (way) => converse(way, binary, []),
  structured: (way) => converse(way, binary, ["--structured"]),
  ask: (way) => ask(way, binary),
  narrow: (way) => narrow(way, binary),
};
for (const way of ["stdio", "http"]) {
  for (const [name, talk] of Object.entries(talks)) {
    try {
      await talk(way);
    } catch (error) {
      failed += 1;
      console.log(`FAIL ${name}, ${way}: ${error.message}`);
    }
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
