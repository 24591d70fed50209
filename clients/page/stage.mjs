// The stage of a case: a project and a state folder of its own, a server on them, agents that call its tools, and browsers
// that were let into its page. Everything ends with the case.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 3, isMobile: true, hasTouch: true };
const DESK = { viewport: { width: 1280, height: 900 } };
const run = promisify(execFile);

/** How long a server may take to end. */
const END_SECONDS = 20;
/** How long it is waited for a page or an agent to be closed. */
const CLOSE_SECONDS = 5;

/** Fails a case. */
export class Failed extends Error {}

/** What a promise gives; fails where that takes longer. */
export async function within(seconds, promise, words = "the case") {
  let timer;
  const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Failed(`${words} took longer than ${seconds} s`)), seconds * 1000)));
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

export class Stage {
  #ends = [];
  #watched = [];
  checks = 0;

  constructor(binary, browser) {
    this.binary = binary;
    this.chromium = browser;
    this.base = realpathSync(mkdtempSync(join(tmpdir(), "lancet-page-")));
    this.root = join(this.base, "project");
    this.state = join(this.base, "state");
    mkdirSync(this.root);
    this.env = { PATH: process.env.PATH, HOME: this.base, LANG: "C.UTF-8" };
  }

  /** Fails the case unless this holds. */
  check(holds, words) {
    if (!holds) throw new Failed(words);
    this.checks += 1;
  }

  /** Fails the case unless both are the same text or JSON. */
  same(found, wanted, words = "") {
    const [one, other] = [found, wanted].map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
    this.check(one === other, `${words}: is ${one}, and not ${other}`);
  }

  /** Waits until this gives something; fails the case where that takes longer than 30 seconds. */
  async until(what, words) {
    const end = Date.now() + 30_000;
    for (;;) {
      const found = await what();
      if (found) return this.check(true, words), found;
      if (Date.now() > end) throw new Failed(`waited in vain: ${words}`);
      await new Promise((done) => setTimeout(done, 50));
    }
  }

  // Files of the project

  path(name) {
    return join(this.root, name);
  }

  write(name, content) {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), content);
    return this.path(name);
  }

  read(name) {
    return readFileSync(this.path(name), "utf8");
  }

  /** The user's settings, as TOML; before the server is started. */
  settings(toml) {
    mkdirSync(join(this.base, ".config/lancet"), { recursive: true });
    writeFileSync(join(this.base, ".config/lancet/lancet.toml"), toml);
  }

  // The server

  /** Starts the server; a second time on the same port. Its address is then `this.url`. */
  async serve(...args) {
    const listen = ["--listen", `127.0.0.1:${this.port ?? 0}`];
    const place = ["--root", this.root, "--state-dir", this.state];
    this.server = spawn(this.binary, ["serve", ...listen, ...place, ...args], { env: this.env, cwd: this.root, stdio: ["ignore", "ignore", "pipe"] });
    this.said = this.said ?? "";
    const lines = createInterface({ input: this.server.stderr });
    lines.on("line", (line) => (this.said += `${line}\n`));
    const [first] = await Promise.race([once(lines, "line"), once(this.server, "exit").then(() => [this.said])]);
    if (!first.startsWith("lancet serves")) throw new Failed(`the server does not start: ${first}`);
    this.port = Number(new URL(first.split(" ").at(-1)).port);
    this.url = `http://lancet.localhost:${this.port}`;
    this.token = readFileSync(join(this.state, "serve-token"), "utf8").trim();
    this.personToken = readFileSync(join(this.state, "person-token"), "utf8").trim();
    return this;
  }

  /** Ends the server by a signal. */
  async stop(signal = "SIGTERM") {
    const { server } = this;
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, "exit");
    server.kill(signal);
    const [code] = await within(END_SECONDS, ended, "the end of the server");
    if (signal === "SIGTERM") this.check(code === 0, `the server ended with ${code}: ${this.said}`);
  }

  /** Runs `lancet` as a program that has the person's token. */
  async lancet(...args) {
    const env = { ...this.env, LANCET_TOKEN: this.personToken };
    const { stdout } = await run(this.binary, [...args, "--root", this.root, "--state-dir", this.state], { env, cwd: this.root });
    return stdout;
  }

  /** Runs a script in the project, recorded by `lancet run`; gives its exit code. */
  async record(script) {
    const child = spawn(this.binary, ["run", "--quiet", "--root", this.root, "--state-dir", this.state, "--", "sh", "-c", script], { env: this.env, cwd: this.root, stdio: "ignore" });
    const [code] = await once(child, "exit");
    return code;
  }

  /** Sends an event to the hook of Claude Code. */
  async hook(name, members = {}) {
    const words = ["hook", "claude", "--within", "60000", "--root", this.root, "--state-dir", this.state];
    const child = spawn(this.binary, words, { env: this.env, cwd: this.root, stdio: ["pipe", "ignore", "ignore"] });
    child.stdin.end(JSON.stringify({ session_id: "s1", cwd: this.root, hook_event_name: name, ...members }));
    const [code] = await once(child, "exit");
    this.check(code === 0, `the hook ended with ${code}`);
  }

  /** Changes the project as a call of the agent's own shell does, between its two events. */
  async shell(id, script) {
    const call = { tool_name: "Bash", tool_use_id: id, tool_input: { command: script } };
    await this.hook("PreToolUse", call);
    await run("sh", ["-c", script], { cwd: this.root, env: this.env });
    await this.hook("PostToolUse", { ...call, tool_response: { stdout: "" } });
  }

  /** A fresh link into the page. */
  async link() {
    const link = (await this.lancet("serve", "--link")).trim();
    this.check(link.startsWith(`${this.url}/enter#`), `no link: ${link}`);
    return link;
  }

  // Agents

  /** An agent that is connected to the server. */
  async agent(name = "page-test-agent") {
    const client = new Client({ name, version: "1" });
    const headers = { Authorization: `Bearer ${this.token}` };
    await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${this.port}/mcp`), { requestInit: { headers } }));
    this.#ends.push(() => client.close());
    const send = async (tool, args, meta) => {
      const result = await client.callTool({ name: tool, arguments: args, _meta: { "lancet/data": "full", ...meta } });
      const data = result._meta?.["lancet/result"] ?? {};
      return { text: result.content.map((block) => block.text ?? "").join("\n"), data, error: data.error?.name ?? (result.isError ? "error" : null) };
    };
    // A case that fails before it awaits an answer fails by its own words.
    const call = (...asked) => {
      const answer = send(...asked);
      answer.catch(() => {});
      return answer;
    };
    return {
      client,
      call,
      read: (name) => call("Read", { file_path: this.path(name) }),
      edit: (name, old_string, new_string) => call("Edit", { file_path: this.path(name), old_string, new_string }),
      write: (name, content) => call("Write", { file_path: this.path(name), content }),
    };
  }

  // Browsers

  /** A browser that was let into the page, on its first view. `phone`, `dark` and `script: false` say what kind; `enter: false` leaves it outside. */
  async browser({ phone = false, dark = false, script = true, enter = true, trouble = [], size = phone ? PHONE : DESK } = {}) {
    const colorScheme = dark ? "dark" : "light";
    const context = await this.chromium.newContext({ ...size, colorScheme, javaScriptEnabled: script, reducedMotion: "reduce" });
    context.setDefaultTimeout(30_000);
    this.#ends.push(() => context.close());
    const page = await context.newPage();
    this.watch(page, trouble);
    if (enter) await this.enter(page, script);
    return page;
  }

  /** Lets a browser in by a fresh link. */
  async enter(page, script = true) {
    const link = await this.link();
    await page.goto(link);
    if (!script) {
      await page.fill("#code", link.split("#")[1]);
      await page.click("button");
    }
    await page.waitForURL((url) => url.pathname !== "/enter");
  }

  /** Notes what must not happen in a page: dialogs, errors of scripts and of the console, which has violations of the content security policy, too. */
  watch(page, expected = []) {
    const note = (kind, words) => {
      if (!expected.some((part) => words.includes(part))) this.#watched.push(`${kind}: ${words}`);
    };
    page.on("dialog", (dialog) => {
      if (dialog.type() !== "beforeunload") note("dialog", dialog.message());
      dialog.dismiss().catch(() => {});
    });
    page.on("pageerror", (error) => note("script error", error.message));
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) note("console", message.text());
    });
  }

  /** Fails the case where axe finds something serious on the view. */
  async axe(page) {
    await page.evaluate(AXE);
    const violations = await page.evaluate(async () => (await globalThis.axe.run(document, { resultTypes: ["violations"] })).violations);
    const serious = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
    const told = serious.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html.slice(0, 160)).slice(0, 3).join(" | ")}`);
    this.check(told.length === 0, `axe on ${new URL(page.url()).pathname}: ${told.join("; ")}`);
  }

  /** Fails the case where a phone would scroll sideways, or has to hit small buttons. */
  async fitsPhone(page) {
    const found = await page.evaluate(() => {
      const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
      const isSmall = (element) => element.offsetParent !== null && element.getBoundingClientRect().height < 35.5;
      const small = [...document.querySelectorAll("button, .button")].filter(isSmall);
      const low = [...document.querySelectorAll("button, .button:not(.button-small)")].filter((element) => !element.matches(".button-small") && element.offsetParent !== null && element.getBoundingClientRect().height < 39.5);
      return { wide, small: [...small, ...low].map((element) => element.outerHTML.slice(0, 120)) };
    });
    const path = new URL(page.url()).pathname;
    this.check(found.wide <= 0, `${path} is ${found.wide} pixels too wide for a phone`);
    this.check(found.small.length === 0, `${path} has small buttons: ${found.small}`);
  }

  /** Visits every view that links lead to from the one that is shown: two of each kind, where a kind is the path without ids. */
  async crawl(page, visit, most = 40) {
    const kinds = new Map();
    const kind = ({ pathname, searchParams }) =>
      pathname.split("/").map((part) => (/\d|%|.{20}/.test(part) ? "*" : part)).join("/") + "?" + [...searchParams.keys()].sort().join("&");
    const left = [page.url()];
    const seen = new Set();
    while (left.length && seen.size < most) {
      const at = left.shift();
      const key = kind(new URL(at));
      if (seen.has(at) || (kinds.get(key) ?? 0) >= 2) continue;
      seen.add(at);
      kinds.set(key, (kinds.get(key) ?? 0) + 1);
      if (page.url() !== at) await page.goto(at);
      await visit(page);
      const links = await page.$$eval("a[href]", (all) => all.map((link) => link.href));
      left.push(...links.map((link) => link.split("#")[0]).filter((link) => link.startsWith(`${this.url}/`)));
    }
    return [...kinds.keys()];
  }

  /** Ends everything; fails the case where a page had trouble. */
  async end() {
    // Chromium sometimes never closes a page that is just being left (seen in one of three hundred cases), which says
    // nothing of the page: it ends with the browser.
    for (const end of this.#ends.reverse()) await within(CLOSE_SECONDS, end()).catch(() => {});
    try {
      await this.stop();
      this.check(this.#watched.length === 0, `in the browser: ${this.#watched.join("; ")}`);
    } finally {
      this.server?.kill("SIGKILL");
      rmSync(this.base, { recursive: true, force: true });
    }
  }
}
