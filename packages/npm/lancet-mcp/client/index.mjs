// The client for programs: a running lancet, its sessions, and everything that index.d.mts describes.

import { randomUUID } from "node:crypto";
import { Answer } from "./answer.mjs";
import { Form, Unanswered } from "./approval.mjs";
import { Connection } from "./connection.mjs";
import { checked } from "./formats.mjs";
import { Program } from "./program.mjs";
import { Session } from "./session.mjs";

export { Answer, Session };
export { BinaryNotFound, CallTimeout, LancetError, ProtocolError, Refused, ServerDied } from "./errors.mjs";

const PROTOCOL = "io.modelcontextprotocol/";

export class Lancet {
  #program;
  #connection;
  #meta;
  #options;
  // Those of running calls, by the token of their progress.
  #running = new Map();

  constructor(root, options = {}) {
    this.#options = options;
    this.#program = new Program(root, options);
    this.#meta = {
      [`${PROTOCOL}protocolVersion`]: "2026-07-28",
      [`${PROTOCOL}clientInfo`]: options.client ?? { name: "lancet-mcp", version: "@version@" },
      [`${PROTOCOL}clientCapabilities`]: options.approve ? { elicitation: {} } : {},
      // The data stays in this program, whatever name the builder gives it.
      "lancet/data": "full",
    };
    const { server, env } = this.#program;
    this.#connection = new Connection(server, env, options.onLog, (method, params) => this.#notified(method, params));
  }

  get pid() {
    return this.#connection.pid;
  }

  session(name) {
    const call = (...words) => this.#call(...words);
    return new Session({ call }, this.#program, name);
  }

  async instructions() {
    const told = await this.#connection.request("server/discover", { _meta: this.#meta }, { timeout: this.#options.timeout });
    return told.instructions ?? "";
  }

  async tools(format, { strict } = {}) {
    return this.#program.tools(checked(format), strict);
  }

  changes() {
    return this.#program.changes();
  }

  undo(operation, options) {
    return this.#program.undo([operation], options);
  }

  close() {
    return this.#connection.close();
  }

  [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    return this.close();
  }

  #notified(method, params) {
    const running = this.#running.get(params.progressToken);
    if (method === "notifications/progress" && running) this.#options.onProgress({ ...running, message: params.message ?? "" });
  }

  // Carries a call out: asks `approve` as often as lancet asks, and gives the answer.
  async #call(session, tool, args, meta, { timeout = this.#options.timeout, signal }) {
    const token = this.#options.onProgress ? randomUUID() : undefined;
    if (token) this.#running.set(token, { session, tool });
    let params = { name: tool, arguments: args, _meta: { ...this.#meta, ...meta, progressToken: token } };
    let left = timeout;
    let decision = "no";
    try {
      for (;;) {
        const began = performance.now();
        const result = await this.#connection.request("tools/call", params, { timeout: left, signal });
        if (left !== undefined) left = Math.max(left - (performance.now() - began), 1);
        const form = Form.of(result);
        if (!form) return Answer.ofResult(result);
        const question = form.question(tool, args, session);
        if (question) decision = await this.#decided(question, signal, () => ({ ...params, ...form.filled(new Unanswered()) }));
        params = { ...params, ...form.filled(decision) };
      }
    } finally {
      if (token) this.#running.delete(token);
    }
  }

  // The decision of the host. Where the callback throws, or the call is aborted meanwhile, the call ends unwritten.
  async #decided(question, signal, unanswered) {
    let aborted;
    try {
      signal?.throwIfAborted();
      const given = this.#options.approve ? this.#options.approve(question, signal) : "no";
      if (!signal) return await given;
      const stopped = new Promise((_, reject) => {
        aborted = () => reject(signal.reason);
        if (signal.aborted) aborted();
        else signal.addEventListener("abort", aborted, { once: true });
      });
      return await Promise.race([given, stopped]);
    } catch (error) {
      // The answer to this is not waited for.
      this.#connection.request("tools/call", unanswered()).catch(() => {});
      throw error;
    } finally {
      if (aborted) signal.removeEventListener("abort", aborted);
    }
  }
}
