// What the tests of the extension share: a project, a home of its own, and an agent that speaks MCP.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const SECONDS = 20;
export const LINES = Array.from({ length: 40 }, (_, at) => `line ${at + 1}.\n`).join("");
export const changed = (...numbers) => numbers.reduce((text, number) => text.replace(`line ${number}.`, `LINE ${number}.`), LINES);

/** Looks until something is the case, and gives it. */
export async function eventually(what, look) {
  for (const end = Date.now() + SECONDS * 1_000; Date.now() < end; ) {
    const found = await look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.fail(`not within ${SECONDS} s: ${what}`);
}

/** A project, a home of its own, and what runs in them. */
export class Stage {
  constructor(binary) {
    this.binary = binary;
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), "lancet-vscode-")));
    this.home = join(this.folder, "home");
    this.project = join(this.folder, "project");
    mkdirSync(join(this.project, ".git"), { recursive: true });
    mkdirSync(this.home);
    this.environment = { PATH: process.env.PATH, HOME: this.home, USER: "tester" };
    this.place = { program: binary, folder: this.project, environment: this.environment };
    this.unsaved = join(this.home, ".local/state/lancet/unsaved");
    this.ends = [];
  }

  /** Ends what runs, and removes the folders. */
  end() {
    for (const end of this.ends) end();
    // A program that was just ended may still write into its state folder.
    for (let tries = 50; ; tries--) {
      try {
        rmSync(this.folder, { recursive: true, force: true });
        return;
      } catch (error) {
        if (error.code !== "ENOTEMPTY" || tries === 0) throw error;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
      }
    }
  }

  file(name, text) {
    const path = join(this.project, name);
    writeFileSync(path, text);
    return path;
  }

  /** An agent over MCP; `call` gives the answer, whenever it comes. */
  async agent(...words) {
    const child = spawn(this.binary, ["mcp", ...words], { cwd: this.project, env: this.environment, stdio: ["pipe", "pipe", "ignore"] });
    this.ends.push(() => child.kill("SIGKILL"));
    const waiting = new Map();
    createInterface({ input: child.stdout }).on("line", (line) => {
      const message = JSON.parse(line);
      waiting.get(message.id)?.(message.result);
    });
    let number = 0;
    const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const request = (method, params) => {
      number += 1;
      send({ id: number, method, params });
      return new Promise((resolve) => waiting.set(number, resolve));
    };
    await request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "some-agent", version: "1" } });
    send({ method: "notifications/initialized" });
    return async (tool, args) => {
      const result = await request("tools/call", { name: tool, arguments: args });
      return { failed: result.isError === true, text: result.content.map((part) => part.text).join("\n") };
    };
  }
}

export async function threeEdits(call, file) {
  await call("Read", { file_path: file });
  const edits = [5, 20, 35].map((line) => ({ old_string: `line ${line}.\n`, new_string: `LINE ${line}.\n` }));
  return call("MultiEdit", { file_path: file, edits });
}
