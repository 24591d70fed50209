// One conversation of one model.

import { randomUUID } from "node:crypto";
import path from "node:path";
import { calls, results } from "./formats.mjs";

// The options of Grep whose names in the tool are ripgrep's flags.
const FLAGS = { after: "-A", before: "-B", context: "-C", lineNumbers: "-n", ignoreCase: "-i" };

const random = (length) => randomUUID().replaceAll("-", "").slice(0, length);
const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export class Session {
  #client;
  #program;
  #turns = 0;
  #told = {};

  constructor(client, program, name) {
    this.#client = client;
    this.#program = program;
    this.name = name ?? `lancet-mcp-${random(16)}`;
    this.turn = undefined;
  }

  beginTurn(turn) {
    this.#turns += 1;
    this.turn = turn ?? `${this.name}.${random(4)}.${this.#turns}`;
    return this.turn;
  }

  seen(filePath, text) {
    (this.#told["lancet/seen"] ??= []).push({ file_path: this.#path(filePath), text });
  }

  shortened() {
    this.#told["lancet/shortened"] = true;
  }

  read(filePath, options) {
    return this.#use("Read", { file_path: this.#path(filePath) }, options);
  }

  edit(filePath, oldString, newString, options) {
    return this.#use("Edit", { file_path: this.#path(filePath), old_string: oldString, new_string: newString }, options);
  }

  multiEdit(edits, options) {
    const placed = edits.map((edit) => this.#placed(edit));
    return this.#use("MultiEdit", { edits: placed }, options);
  }

  write(filePath, content, options) {
    return this.#use("Write", { file_path: this.#path(filePath), content }, options);
  }

  notebookEdit(notebookPath, newSource, options) {
    return this.#use("NotebookEdit", { notebook_path: this.#path(notebookPath), new_source: newSource }, options);
  }

  glob(pattern, options) {
    return this.#use("Glob", { pattern }, options);
  }

  grep(pattern, { after, before, context, lineNumbers, ignoreCase, ...options } = {}) {
    const flags = Object.entries({ after, before, context, lineNumbers, ignoreCase });
    return this.#use("Grep", { pattern, ...Object.fromEntries(flags.map(([name, value]) => [FLAGS[name], value])) }, options);
  }

  call(tool, args, { turn, call, timeout, signal } = {}) {
    const named = { "lancet/session": this.name, "lancet/turn": turn ?? this.turn, "lancet/call": call };
    const meta = { ...this.#told, ...named };
    this.#told = {};
    return this.#client.call(this.name, tool, args, meta, { timeout, signal });
  }

  async dispatch(format, items, { turn, signal } = {}) {
    const answered = [];
    for (const call of calls(format, items)) {
      answered.push([call, await this.call(call.name, call.arguments, { turn, call: call.id, signal })]);
    }
    return results(format, answered);
  }

  changes(turn) {
    return this.#program.changes(this.name, turn);
  }

  undo(turn, options) {
    return this.#program.undo(turn ? ["--turn", turn] : ["--session", this.name], options);
  }

  #path(given) {
    return path.isAbsolute(given) ? given : path.join(this.#program.roots[0], given);
  }

  // Arguments of a tool from options of a method: names in the tool's spelling, paths absolute.
  #placed(options) {
    const entries = Object.entries(options).map(([name, value]) => {
      const isPath = (name === "path" || name === "filePath") && value !== undefined;
      return [snake(name), isPath ? this.#path(value) : value];
    });
    return Object.fromEntries(entries);
  }

  // Calls a tool, and throws where lancet refuses.
  async #use(tool, args, { timeout, signal, ...options } = {}) {
    const answer = await this.call(tool, { ...args, ...this.#placed(options) }, { timeout, signal });
    if (answer.isError) throw answer.refused;
    return answer;
  }
}
