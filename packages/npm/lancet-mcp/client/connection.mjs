// One running `lancet mcp`, and JSON-RPC with it.

import { spawn } from "node:child_process";
import { BinaryNotFound, CallTimeout, ProtocolError, ServerDied } from "./errors.mjs";

// The longest message that the server takes, the longest that is read, and the longest line of the log.
const SENT = 64 * 1024 * 1024;
const MESSAGE = 256 * 1024 * 1024;
const LINE = 64 * 1024;
// How many lines of the log are kept for the message about a server that died.
const KEPT = 50;
// How long the server may take to end by itself: it ends a write that has begun.
const PATIENCE = 15_000;

export class Connection {
  #child;
  #pending = new Map();
  #next = 1;
  #died;
  #log = [];
  #ended;
  #onNotification;
  #closing = false;

  constructor(command, env, onLog, onNotification) {
    this.#onNotification = onNotification;
    // Ctrl-C at the host's terminal is for the host; the server ends when its input does.
    this.#child = spawn(command[0], command.slice(1), { env, stdio: ["pipe", "pipe", "pipe"], detached: true });
    this.#child.stdin.on("error", () => {}); // The server is gone, which the end of its output tells.
    lines(this.#child.stdout, MESSAGE, (line) => this.#receive(line));
    lines(this.#child.stderr, LINE, (line) => {
      this.#log.push(line);
      if (this.#log.length > KEPT) this.#log.shift();
      if (onLog) told(onLog, line);
    });
    this.#ended = new Promise((resolve) => {
      this.#child.on("error", (error) => {
        this.#end(new BinaryNotFound(`${command[0]} cannot be started: ${error.message}`));
        resolve();
      });
      this.#child.on("close", (status, signal) => {
        this.#end(new ServerDied(status, signal, this.#log));
        resolve();
      });
    });
    this.#hold();
  }

  get pid() {
    return this.#child.pid;
  }

  // Sends a request and waits for its result, at most so many milliseconds. What ends the wait cancels the request.
  request(method, params, { timeout, signal } = {}) {
    return new Promise((resolve, reject) => {
      if (this.#died) throw this.#died;
      signal?.throwIfAborted();
      const id = this.#next++;
      const line = `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
      const length = Buffer.byteLength(line);
      if (length > SENT) throw new ProtocolError(-32600, `a call has at most ${SENT} bytes, and this one has ${length}`);
      const giveUp = (reason, words) => {
        if (!this.#settle(id)) return;
        const cancelled = { requestId: id, reason: words };
        this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: cancelled })}\n`);
        reject(reason);
      };
      const aborted = () => giveUp(signal.reason, "the caller was cancelled");
      const timer = timeout === undefined ? undefined : setTimeout(() => giveUp(new CallTimeout(), "it took too long"), timeout);
      signal?.addEventListener("abort", aborted, { once: true });
      const release = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", aborted);
      };
      this.#pending.set(id, { resolve, reject, release });
      this.#hold();
      this.#child.stdin.write(line);
    });
  }

  // Ends the server: it finishes a write that has begun, and is killed only if it does not end.
  async close() {
    this.#closing = true;
    this.#hold();
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), PATIENCE);
    await this.#ended;
    clearTimeout(timer);
  }

  #receive(line) {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      this.#child.kill("SIGKILL");
      return;
    }
    if (message.method) {
      told(this.#onNotification, message.method, message.params ?? {});
      return;
    }
    const call = this.#settle(message.id);
    if (message.error) call?.reject(new ProtocolError(message.error.code, message.error.message));
    else call?.resolve(message.result);
  }

  // Takes a request out of those that are waited for; none where it was cancelled.
  #settle(id) {
    const call = this.#pending.get(id);
    this.#pending.delete(id);
    call?.release();
    this.#hold();
    return call;
  }

  // Tells everybody who waits that the server has ended.
  #end(error) {
    this.#died ??= error;
    for (const id of [...this.#pending.keys()]) this.#settle(id).reject(this.#died);
  }

  // The server keeps this process alive only while an answer, or its end, is waited for.
  #hold() {
    const wanted = this.#closing || this.#pending.size > 0;
    for (const handle of [this.#child, this.#child.stdin, this.#child.stdout, this.#child.stderr]) {
      if (wanted) handle.ref?.();
      else handle.unref?.();
    }
  }
}

// Calls back with each line of a stream. A line over the limit, in bytes, is handed on in pieces.
function lines(stream, limit, callback) {
  let parts = [];
  let length = 0;
  const hand = () => {
    callback(Buffer.concat(parts).toString("utf8"));
    parts = [];
    length = 0;
  };
  stream.on("data", (chunk) => {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      parts.push(chunk.subarray(from, end));
      hand();
      from = end + 1;
    }
    if (from < chunk.length) {
      parts.push(chunk.subarray(from));
      length += chunk.length - from;
      if (length > limit) hand();
    }
  });
  stream.on("end", () => parts.length > 0 && hand());
}

// Calls the host back. What it throws is printed: there is no caller to throw it to, and reading goes on.
function told(callback, ...values) {
  try {
    callback(...values);
  } catch (error) {
    console.error(error);
  }
}
