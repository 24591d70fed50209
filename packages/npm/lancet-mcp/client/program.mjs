// How the program is started, and its commands besides the server.

import { execFile } from "node:child_process";
import { accessSync, constants } from "node:fs";
import path from "node:path";
import packaged from "../binary.js";
import { Answer } from "./answer.mjs";
import { BinaryNotFound, LancetError } from "./errors.mjs";

// How long a command of the shell may take, and how much it may print.
const TIME = 120_000;
const OUTPUT = 256 * 1024 * 1024;

export class Program {
  constructor(root, { approve, mode, tools, prefix, stateDir, config, readRoots = [], binary, env, log = "warn" }) {
    this.roots = [root].flat().map((folder) => path.resolve(folder));
    if (this.roots.length === 0) throw new TypeError("lancet needs a folder to work in");
    this.binary = found(binary);
    this.env = env ?? process.env;
    this.shared = [
      ...this.roots.flatMap((folder) => ["--root", folder]),
      ...readRoots.flatMap((folder) => ["--read-root", path.resolve(folder)]),
      ...(stateDir ? ["--state-dir", path.resolve(stateDir)] : []),
      ...(config ? ["--config", path.resolve(config)] : []),
    ];
    const chosen = mode ?? (approve ? "ask" : undefined);
    const offered = { "--mode": chosen, "--tools": tools, "--prefix": prefix };
    this.offered = Object.entries(offered).flatMap(([option, value]) => (value ? [option, value] : []));
    const asked = approve ? ["--ask", "elicit"] : [];
    this.server = [this.binary, "mcp", ...this.shared, ...this.offered, ...asked, "--log", log];
  }

  async tools(format, strict) {
    const { status, out, err } = await this.#run(["tools", "--format", format, ...(strict ? ["--strict"] : []), ...this.offered]);
    if (status !== 0) throw new LancetError(err.trim() || out.trim());
    return JSON.parse(out);
  }

  async changes(session, turn) {
    const which = [...(session ? ["--session", session] : []), ...(turn ? ["--turn", turn] : [])];
    const { status, out, err } = await this.#run(["log", "--json", ...which]);
    const entries = out.split("\n").filter(Boolean).map((line) => JSON.parse(line));
    if (status !== 0 && entries[0]?.error?.name !== "not_found") throw new LancetError(err.trim() || out.trim());
    return entries
      .filter((entry) => "operation" in entry)
      .map(({ operation, time, tool, session, turn, call, files, ...rest }) => ({
        operation,
        time,
        tool,
        session,
        turn: turn ?? undefined,
        call: call ?? undefined,
        files: files.map((file) => file.file_path),
        data: { operation, time, tool, session, turn, call, files, ...rest },
      }));
  }

  async undo(which, { merge, keepGoing, protected: all, dryRun } = {}) {
    const flags = { "--merge": merge, "--keep-going": keepGoing, "--yes-protected": all, "--dry-run": dryRun };
    const chosen = Object.keys(flags).filter((flag) => flags[flag]);
    const { status, out, err } = await this.#run(["undo", ...which, "--json", "--yes", ...chosen]);
    let answer;
    try {
      answer = Answer.ofCommand(JSON.parse(out));
    } catch {
      throw new LancetError(err.trim() || `lancet undo ended with status ${status}`);
    }
    if (answer.data.error?.name === "usage") throw new LancetError(answer.text);
    if (answer.isError) throw answer.refused;
    return answer;
  }

  #run([name, ...rest]) {
    return new Promise((resolve, reject) => {
      const words = [name, ...this.shared, ...rest];
      const child = execFile(this.binary, words, { env: this.env, timeout: TIME, maxBuffer: OUTPUT }, (error, out, err) => {
        if (error && typeof error.code !== "number") reject(new LancetError(`lancet ${name}: ${error.message}`, { cause: error }));
        else resolve({ status: error?.code ?? 0, out, err });
      });
      child.stdin?.end();
    });
  }
}

// The program: the one that is given, else `LANCET_BIN`, else that of the platform's package. `PATH` is not looked at.
function found(given) {
  const named = given ?? (process.env.LANCET_BIN || undefined);
  try {
    const program = named === undefined ? packaged() : path.resolve(named);
    accessSync(program, constants.X_OK);
    return program;
  } catch (error) {
    throw new BinaryNotFound(named === undefined ? error.message : `${named} is not a program that can be started`);
  }
}
