// Calls that outlast their client's patience, with the TypeScript MCP SDK: a person approves two of three hunks later, from
// another process, and the call sent again writes exactly that, once.
//
//     node waiting.mjs BINARY [--long]
//
// The short form shortens both times; `--long` takes lancet's 45 seconds and the SDK's 60 as they are. Exit status 0 when
// all holds; the last line is `N passed, N failed`. Needs `npm ci`.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

let passed = 0;
let failed = 0;

function check(holds, words) {
  if (!holds) throw new Error(words);
  passed += 1;
}

const text = (result) => result.content.map((block) => block.text).join("\n");
const data = (result) => result._meta?.["lancet/result"] ?? {};
const lines = () => Array.from({ length: 40 }, (_, at) => `line ${at + 1}.\n`).join("");
const meant = lines().replace("line 5.", "LINE 5.").replace("line 35.", "LINE 35.");

/** A project with a state folder and settings, and how to talk to lancet on it. */
function place(binary, patience) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "lancet-waiting-")));
  const root = join(base, "root");
  const state = join(base, "state");
  const path = join(root, "notes.txt");
  mkdirSync(root);
  mkdirSync(state, { mode: 0o700 });
  mkdirSync(join(base, ".config/lancet"), { recursive: true });
  writeFileSync(path, lines());
  writeFileSync(join(base, ".config/lancet/lancet.toml"), patience ? `[ask]\npatience = "${patience}"\n` : "");
  // Whoever has the person's token may decide without a terminal.
  const token = "t".repeat(43);
  writeFileSync(join(state, "person-token"), token, { mode: 0o600 });
  const env = { PATH: process.env.PATH, HOME: base, LANCET_TOKEN: token };
  const run = (...args) => execFileSync(binary, [...args, "--root", root, "--state-dir", state], { env, cwd: root, encoding: "utf8" });
  const edit = (line) => ({ old_string: `line ${line}.\n`, new_string: `LINE ${line}.\n` });
  return {
    base,
    path,
    call: { name: "MultiEdit", arguments: { file_path: path, edits: [edit(5), edit(20), edit(35)] } },
    content: () => readFileSync(path, "utf8"),
    async connect() {
      const transport = new StdioClientTransport({
        command: binary,
        args: ["mcp", "--root", root, "--state-dir", state, "--mode", "ask", "--ask", "page", "--data", "full"],
        env,
      });
      const client = new Client({ name: "typescript-client", version: "1" });
      await client.connect(transport);
      return client;
    },
    /** Approves the first and the third hunk of the one open question. */
    approve() {
      const open = run("pending", "--json").trim().split("\n").map((line) => JSON.parse(line));
      const questions = open.filter((line) => line.question ?? line.id);
      check(questions.length === 1, `${questions.length} questions are open`);
      run("pending", "approve", questions[0].question ?? questions[0].id, "--hunk", "1", "--hunk", "3");
    },
    changes: () => run("log", "--json").trim().split("\n").map((line) => JSON.parse(line)).filter((line) => line.operation ?? line.id).length,
    end: () => rmSync(base, { recursive: true, force: true }),
  };
}

/** The call is answered as waiting before the client gives up. */
async function answered(binary, patience) {
  const there = place(binary, patience);
  try {
    const client = await there.connect();
    await client.callTool({ name: "Read", arguments: { file_path: there.path } });
    const waiting = await client.callTool(there.call);
    check(waiting.isError && data(waiting).error?.name === "waiting" && data(waiting).error?.code === 34, `waiting: ${text(waiting)}`);
    check(there.content() === lines(), "something was written");
    there.approve();
    check(there.content() === lines(), "something was written before the call was sent again");
    const done = await client.callTool(there.call);
    check(!done.isError && there.content() === meant, `sent again: ${text(done)}`);
    check(there.changes() === 1, "it was written more than once");
    await client.close();
  } finally {
    there.end();
  }
}

/** The client gives the call up first. */
async function cut(binary, patience, options) {
  const there = place(binary, patience);
  try {
    const client = await there.connect();
    await client.callTool({ name: "Read", arguments: { file_path: there.path } });
    let error;
    await client.callTool(there.call, undefined, options).catch((thrown) => (error = thrown));
    check(error?.code === -32001, `the client did not give up: ${error}`);
    there.approve();
    const done = await client.callTool(there.call);
    check(!done.isError && there.content() === meant, `sent again: ${text(done)}`);
    check(there.changes() === 1, "it was written more than once");
    await client.close();
  } finally {
    there.end();
  }
}

/** The server is started anew between question and decision, and there is no session id to go by. */
async function restarted(binary) {
  const there = place(binary, "0s");
  try {
    const first = await there.connect();
    await first.callTool({ name: "Read", arguments: { file_path: there.path } });
    const waiting = await first.callTool(there.call);
    check(data(waiting).error?.name === "waiting", `waiting: ${text(waiting)}`);
    await first.close();
    there.approve();
    const second = await there.connect();
    const done = await second.callTool(there.call);
    check(!done.isError && there.content() === meant, `sent again: ${text(done)}`);
    check(there.changes() === 1, "it was written more than once");
    await second.close();
  } finally {
    there.end();
  }
}

const binary = resolve(process.argv[2] ?? "target/release/lancet");
const long = process.argv.includes("--long");
const cases = [
  ["answered as waiting", () => answered(binary, long ? undefined : "1s")],
  ["given up by the client", () => cut(binary, "120s", long ? undefined : { timeout: 1500 })],
  ["started anew", () => restarted(binary)],
];
await Promise.all(
  cases.map(async ([name, run]) => {
    try {
      await run();
    } catch (error) {
      failed += 1;
      console.log(`FAILED ${name}: ${error.message}`);
    }
  }),
);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
