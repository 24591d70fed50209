// The tests of the client, on the installed package: `node clients.mjs AGENT [ERRORS]` from a folder that has it, with the example agent and
// docs/errors.md. The last line is `N passed, N failed`.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { deflateSync } from "node:zlib";
import { BinaryNotFound, CallTimeout, Lancet, LancetError, ProtocolError, Refused, ServerDied } from "lancet-mcp";

const [agent, errors] = process.argv.slice(2);
const declarations = path.join(path.dirname(createRequire(import.meta.url).resolve("lancet-mcp")), "index.d.mts");
const types = readFileSync(declarations, "utf8");
const sleep = (time) => new Promise((resolve) => setTimeout(resolve, time));
const tests = [];
const test = (name, work) => tests.push([name, work]);

// A folder with one file, and clients on it; the settings and the history of whoever runs the tests are left alone.
class Place {
  constructor() {
    this.base = realpathSync(mkdtempSync(path.join(tmpdir(), "lancet-client-")));
    this.root = path.join(this.base, "root");
    mkdirSync(this.root);
    const { PATH, LANCET_BIN } = process.env;
    this.env = { HOME: this.base, PATH, LANCET_BIN };
    this.clients = [];
    this.write("notes.txt", "one\ntwo\nthree\n");
  }
  open(options = {}) {
    const lancet = new Lancet(this.root, { env: this.env, ...options });
    this.clients.push(lancet);
    return lancet;
  }
  path(name) {
    return path.join(this.root, name);
  }
  write(name, text) {
    writeFileSync(this.path(name), text);
  }
  text(name) {
    return readFileSync(this.path(name), "utf8");
  }
  async end() {
    await Promise.all(this.clients.map((client) => client.close()));
    rmSync(this.base, { recursive: true });
  }
}

async function refusal(work) {
  const error = await work.then(() => undefined, (error) => error);
  assert(error instanceof Refused, `${error}`);
  return error;
}

// A PNG of two by two pixels.
function picture() {
  const crc = (bytes) => {
    let sum = ~0;
    for (const byte of bytes) {
      sum ^= byte;
      for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (0xedb88320 & -(sum & 1));
    }
    return ~sum >>> 0;
  };
  const word = (number) => Buffer.from([number >>> 24, (number >>> 16) & 255, (number >>> 8) & 255, number & 255]);
  const chunk = (kind, data) => {
    const body = Buffer.concat([Buffer.from(kind), data]);
    return Buffer.concat([word(data.length), body, word(crc(body))]);
  };
  const header = Buffer.concat([word(2), word(2), Buffer.from([8, 2, 0, 0, 0])]);
  const pixels = deflateSync(Buffer.from([0, 255, 0, 0, 255, 0, 0, 0, 255, 0, 0, 255, 0, 0]));
  const start = Buffer.from("89504e470d0a1a0a", "hex");
  return Buffer.concat([start, chunk("IHDR", header), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))]);
}

test("read, edit, and what the answers tell", async (place) => {
  const session = place.open().session();
  const read = await session.read("notes.txt", { offset: 2, limit: 1 });
  assert(read.text.includes("2\u2192two"));
  assert.equal(read.data.totalLines, 3);
  const edit = await session.edit(place.path("notes.txt"), "two", "zwei \u{1f600}");
  assert.equal(place.text("notes.txt"), "one\nzwei \u{1f600}\nthree\n");
  assert(edit.diff.includes("-two\n+zwei \u{1f600}\n"));
  assert.match(edit.revision, /^[0-9a-f]{16}$/);
  assert(edit.operation);
});

test("every method", async (place) => {
  const session = place.open().session();
  await session.write("new/a.py", "a = 1\nb = 2\n", { mode: "create" });
  const edits = [
    { oldString: "a = 1", newString: "a = 10" },
    { filePath: "new/a.py", oldString: "b", newString: "c" },
  ];
  await session.multiEdit(edits, { filePath: "new/a.py" });
  assert.equal(place.text("new/a.py"), "a = 10\nc = 2\n");
  assert.deepEqual((await session.glob("*.py")).files, ["new/a.py"]);
  assert.deepEqual((await session.grep("A = ", { ignoreCase: true, path: "new" })).files, ["new/a.py"]);
  assert((await session.grep("a = 10", { outputMode: "content", after: 1 })).text.includes("c = 2"));
  place.write("n.ipynb", '{"cells":[],"metadata":{},"nbformat":4,"nbformat_minor":5}');
  await session.read("n.ipynb");
  await session.notebookEdit("n.ipynb", "x = 1", { cellType: "code", editMode: "insert" });
  assert(place.text("n.ipynb").includes("x = 1"));
});

test("the declared options are the arguments of the tools", async (place) => {
  const given = { Read: ["file_path"], Edit: ["file_path", "old_string", "new_string"], MultiEdit: ["edits"], Glob: ["pattern"],
    Write: ["file_path", "content"], NotebookEdit: ["notebook_path", "new_source"], Grep: ["pattern"] };
  const flags = { after: "-A", before: "-B", context: "-C", line_numbers: "-n", ignore_case: "-i" };
  const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const tools = await place.open().tools("anthropic");
  assert.deepEqual(tools.map((tool) => tool.name).sort(), Object.keys(given).sort());
  for (const tool of tools) {
    const [, body] = types.match(new RegExp(`interface ${tool.name}Options \\{([^}]*)\\}`));
    const names = [...body.matchAll(/^ {2}(\w+)\?:/gm)].map(([, name]) => snake(name));
    const declared = names.map((name) => (tool.name === "Grep" && flags[name]) || name);
    assert.deepEqual([...given[tool.name], ...declared].sort(), Object.keys(tool.input_schema.properties).sort(), tool.name);
  }
});

test("refusals have name, code and the next step", async (place) => {
  const session = place.open().session();
  for (const [name, code, call] of [
    ["not_read", 6, () => session.edit("notes.txt", "one", "1")],
    ["missing", 4, () => session.read("nots.txt")],
    ["outside", 21, () => session.read("/etc/passwd")],
    ["declined", 25, () => session.write(".git/config", "x")],
  ]) {
    const refused = await refusal(call());
    assert.deepEqual([refused.refusal, refused.code, refused.name], [name, code, "Refused"]);
    assert.equal(refused.message, refused.answer.text);
  }
  assert.match((await refusal(session.read("nots.txt"))).message, /Did you mean .*notes.txt/);
  assert.equal(place.text("notes.txt"), "one\ntwo\nthree\n");
});

test("the names of refusals are those of the documentation", async () => {
  if (!errors) return;
  const named = [...readFileSync(errors, "utf8").matchAll(/^\| \d* *\| \d* *\| `(\w+)`/gm)].map(([, name]) => name);
  const [, declared] = types.match(/type RefusalName =([^;]*);/);
  assert.deepEqual([...declared.matchAll(/"(\w+)"/g)].map(([, name]) => name), named);
});

test("what the host showed counts as read, and a shortened conversation is shown again", async (place) => {
  const session = place.open().session();
  session.seen("notes.txt", place.text("notes.txt"));
  await session.edit("notes.txt", "one", "1");
  assert((await session.read("notes.txt", { force: true })).text.includes("1\u21921"));
  session.shortened();
  assert((await session.read("notes.txt")).text.includes("1\u21921"));
});

test("sessions are apart and go on by name", async (place) => {
  const lancet = place.open();
  await lancet.session("first").read("notes.txt");
  assert.equal((await refusal(lancet.session("second").edit("notes.txt", "one", "1"))).refusal, "not_read");
  await lancet.close();
  await place.open().session("first").edit("notes.txt", "one", "1");
  assert.equal(place.text("notes.txt"), "1\ntwo\nthree\n");
});

test("a lone surrogate and a call over the limit are told, and the connection lives", async (place) => {
  const session = place.open().session();
  assert.equal((await refusal(session.write("new.txt", "\ud800"))).refusal, "invalid");
  await assert.rejects(session.write("big.txt", "x".repeat(65 << 20)), ProtocolError);
  assert((await session.read("notes.txt")).text.includes("one"));
});

test("yes, no, words and session", async (place) => {
  const answers = [];
  const questions = [];
  const approve = (question) => {
    questions.push(question);
    return answers.shift();
  };
  const session = place.open({ approve }).session("mine");
  await session.read("notes.txt");
  const edit = async (old_string, new_string, ...given) => {
    answers.push(...given);
    const answer = await session.call("Edit", { file_path: place.path("notes.txt"), old_string, new_string });
    assert.deepEqual(answers, []);
    return answer;
  };
  assert(!(await edit("one", "1", "yes")).isError);
  assert(questions[0].text.includes("-one\n+1\n"));
  const { tool, session: name, protected: guarded, choices } = questions[0];
  assert.deepEqual([tool, name, guarded], ["Edit", "mine", false]);
  assert.deepEqual(choices, ["yes", "no", "session", "always"]);
  assert.equal(questions[0].arguments.old_string, "one");
  for (const no of ["no", undefined, "maybe", true, {}]) {
    const { refused } = await edit("two", "2", no);
    assert.deepEqual([refused.refusal, refused.code], ["declined", 25]);
  }
  assert((await edit("two", "2", { no: "Use tabs." })).text.includes("Use tabs."));
  const byPolicy = (await edit("two", "2", { no: "Not on Fridays.", by: "policy" })).text;
  assert(byPolicy.includes("The program policy declined") && byPolicy.includes("Not on Fridays."), byPolicy);
  assert.equal(place.text("notes.txt"), "1\ntwo\nthree\n");
  assert(!(await edit("two", "2", "session")).isError);
  assert(!(await edit("three", "3")).isError);
  assert.equal(place.text("notes.txt"), "1\n2\n3\n");
});

test("protected names are asked about in every mode", async (place) => {
  const questions = [];
  const session = place.open({ approve: (question) => questions.push(question) && "yes", mode: "accept-edits" }).session();
  await session.write("plain.txt", "x\n");
  assert.equal(questions.length, 0);
  await session.write(".vscode/settings.json", "{}\n");
  assert.deepEqual(questions.map((question) => question.protected), [true]);
  assert(!questions[0].choices.includes("always"));
});

test("what the callback throws reaches the caller and nothing is written", async (place) => {
  const approve = async () => {
    throw new RangeError("closed");
  };
  const session = place.open({ approve }).session();
  await assert.rejects(session.write("new.txt", "x"), RangeError);
  assert(!existsSync(place.path("new.txt")));
  assert((await session.read("notes.txt")).text.includes("one"));
});

test("questions of several sessions are open at once", async (place) => {
  const asked = [];
  const approve = async (question) => {
    asked.push(question.session);
    while (asked.length < 6) await sleep(10);
    return question.session === "s3" ? { no: "Not s3." } : "yes";
  };
  const lancet = place.open({ approve });
  const writes = [0, 1, 2, 3, 4, 5].map((n) => lancet.session(`s${n}`).write(`${n}.txt`, "x\n"));
  const settled = await Promise.allSettled(writes);
  assert.deepEqual(settled.map((one) => one.status === "rejected"), [0, 1, 2, 3, 4, 5].map((n) => n === 3));
  assert(settled[3].reason.message.includes("Not s3."));
  assert.deepEqual(readdirSync(place.root).filter((name) => name.length === 5).sort(), [0, 1, 2, 4, 5].map((n) => `${n}.txt`));
});

test("tools and instructions", async (place) => {
  const lancet = place.open({ tools: "Read,Edit" });
  const names = {
    anthropic: (tools) => tools.map((tool) => tool.name),
    openai: (tools) => tools.map((tool) => tool.function.name),
    responses: (tools) => tools.map((tool) => tool.name),
    gemini: ([{ functionDeclarations }]) => functionDeclarations.map((tool) => tool.name),
  };
  for (const [format, of] of Object.entries(names)) {
    for (const strict of [false, true]) assert.deepEqual(of(await lancet.tools(format, { strict })), ["Read", "Edit"]);
  }
  assert.equal((await lancet.tools("responses", { strict: true }))[0].strict, true);
  await assert.rejects(lancet.tools("cobol"), TypeError);
  await assert.rejects(lancet.session().dispatch("cobol", []), TypeError);
  assert((await lancet.instructions()).includes(place.root));
});

test("calls of every format are answered", async (place) => {
  place.write("dot.png", picture());
  const session = place.open().session();
  const [read, gone, dot] = ["notes.txt", "gone.txt", "dot.png"].map((name) => ({ file_path: place.path(name), force: true }));
  const shows = (data) => assert.deepEqual(Buffer.from(data, "base64"), picture());

  const anthropic = (id, input) => ({ type: "tool_use", id, name: "Read", input });
  const message = [{ type: "text", text: "Let me look." }, anthropic("a", read), anthropic("b", gone), anthropic("c", dot)];
  const [first, second, third] = await session.dispatch("anthropic", message);
  assert.deepEqual([first.type, first.tool_use_id, first.is_error], ["tool_result", "a", false]);
  assert(first.content[0].text.includes("1\u2192one"));
  assert.deepEqual([second.tool_use_id, second.is_error], ["b", true]);
  assert.equal(third.content[1].source.media_type, "image/png");
  shows(third.content[1].source.data);

  const openai = (id, text) => ({ id, type: "function", function: { name: "Read", arguments: text } });
  const chat = [openai("a", JSON.stringify(read)), openai("b", "{broken"), openai("c", JSON.stringify(dot))];
  const told = await session.dispatch("openai", chat);
  assert.deepEqual(told.map((one) => one.tool_call_id), ["a", "b", "c", undefined]);
  assert(told[0].content.includes("1\u2192one"));
  assert(told[1].content.includes("JSON"));
  shows(told[3].content[1].image_url.url.split(",")[1]);
  assert.deepEqual(await session.dispatch("openai", undefined), []);

  const responses = (id, given) => ({ type: "function_call", call_id: id, name: "Read", arguments: JSON.stringify(given) });
  const items = await session.dispatch("responses", [{ type: "reasoning" }, responses("a", read), responses("c", dot)]);
  assert.deepEqual(items.map((item) => [item.type, item.call_id]), [["function_call_output", "a"], ["function_call_output", "c"]]);
  assert(items[0].output.includes("1\u2192one"));
  assert.deepEqual(items[1].output.map((part) => part.type), ["input_text", "input_image"]);

  const gemini = (args) => ({ functionCall: { name: "Read", args } });
  const parts = await session.dispatch("gemini", [{ text: "So." }, gemini(read), gemini(gone), gemini(dot)]);
  assert(parts[0].functionResponse.response.output.includes("1\u2192one"));
  assert(parts[1].functionResponse.response.error.includes("is not there"));
  shows(parts[3].inlineData.data);

  const [unknown] = await session.dispatch("anthropic", [{ type: "tool_use", id: "a", name: "Bash", input: {} }]);
  assert(unknown.is_error && unknown.content[0].text.includes("Read"));
});

test("a prefix, and the nulls of a strict model", async (place) => {
  const lancet = place.open({ prefix: "files_", tools: "Read,Edit" });
  assert.deepEqual((await lancet.tools("anthropic")).map((tool) => tool.name), ["files_Read", "files_Edit"]);
  const session = lancet.session();
  const input = { file_path: place.path("notes.txt"), offset: null, limit: null };
  const [result] = await session.dispatch("anthropic", [{ type: "tool_use", id: "a", name: "files_Read", input }]);
  assert(result.content[0].text.includes("1\u2192one"));
  await session.edit("notes.txt", "one", "1");
});

test("the example agent", async (place) => {
  const example = await import(pathToFileURL(agent));
  const file_path = place.path("notes.txt");
  const script = [
    ["Read", { file_path }],
    ["Edit", { file_path, old_string: "two", new_string: "2" }],
    ["Edit", { file_path, old_string: "two", new_string: "zwei" }],
  ];
  const requests = [];
  const create = async (request) => {
    requests.push(structuredClone(request));
    const [name, input] = script[requests.length - 1] ?? [];
    return { content: [name ? { type: "tool_use", id: `t${requests.length}`, name, input } : { type: "text", text: "Done." }] };
  };
  const approve = (question) => (question.text.includes("+zwei") ? "yes" : { no: "In German, please." });
  const home = process.env.HOME;
  process.env.HOME = place.base;
  const words = await example.agent({ messages: { create } }, "Translate it.", place.root, approve);
  process.env.HOME = home;
  assert.equal(words, "Done.");
  assert.equal(place.text("notes.txt"), "one\nzwei\nthree\n");
  const [refused] = requests.at(-1).messages[4].content;
  assert(refused.is_error && refused.content[0].text.includes("In German, please."));
});

test("undo by turn, session and operation", async (place) => {
  const lancet = place.open();
  const [session, other] = [lancet.session(), lancet.session()];
  assert.deepEqual(await session.changes(), []);
  assert.equal((await refusal(session.undo())).code, 8);
  const first = session.beginTurn();
  await session.read("notes.txt");
  const edit = { file_path: place.path("notes.txt"), old_string: "one", new_string: "1" };
  await session.call("Edit", edit, { call: "toolu_1" });
  const second = session.beginTurn();
  await session.write("new.txt", "x\n");
  await other.write("other.txt", "y\n");
  assert.deepEqual((await session.changes()).map((change) => change.turn), [second, first]);
  const [change] = await session.changes(first);
  assert.deepEqual([change.call, change.files], ["toolu_1", [place.path("notes.txt")]]);
  assert((await session.undo(second, { dryRun: true })).text.includes("-x"));
  assert(existsSync(place.path("new.txt")));
  await session.undo(second);
  assert(!existsSync(place.path("new.txt")));
  assert.equal(place.text("notes.txt"), "1\ntwo\nthree\n");
  await session.undo();
  assert.equal(place.text("notes.txt"), "one\ntwo\nthree\n");
  await lancet.undo((await other.changes())[0].operation);
  assert(!existsSync(place.path("other.txt")));
  assert.equal((await refusal(session.undo())).refusal, "not_found");
});

test("what was changed since is left alone by an undo", async (place) => {
  const session = place.open().session();
  await session.read("notes.txt");
  await session.edit("notes.txt", "one", "1");
  place.write("notes.txt", "1\ntwo\nthree\nfour\n");
  assert.equal((await refusal(session.undo())).refusal, "conflict");
  await session.undo(undefined, { merge: true });
  assert.equal(place.text("notes.txt"), "one\ntwo\nthree\nfour\n");
});

test("many calls at once", async (place) => {
  const lancet = place.open();
  const writes = Array.from({ length: 50 }, (_, number) => lancet.session().write(`file${number}.txt`, "x\n"));
  const answers = await Promise.all(writes);
  assert.equal(new Set(answers.map((answer) => answer.operation)).size, 50);
});

test("an aborted call is cancelled, also while its question is open", async (place) => {
  const controller = new AbortController();
  const approve = () => {
    controller.abort(new RangeError("stopped"));
    return new Promise(() => {});
  };
  const session = place.open({ approve }).session();
  await assert.rejects(session.write("new.txt", "x", { signal: controller.signal }), RangeError);
  await assert.rejects(session.read("notes.txt", { signal: controller.signal }), RangeError);
  assert(!existsSync(place.path("new.txt")));
  assert((await session.read("notes.txt")).text.includes("one"));
});

test("a killed server is told to those who wait and those who come", async (place) => {
  const lancet = place.open();
  process.kill(lancet.pid, "SIGSTOP");
  const waiting = [0, 1, 2].map(() => lancet.session().read("notes.txt"));
  const settled = Promise.allSettled(waiting);
  process.kill(lancet.pid, "SIGKILL");
  for (const { reason } of await settled) {
    assert(reason instanceof ServerDied && reason instanceof LancetError);
    assert.equal(reason.signal, "SIGKILL");
  }
  await assert.rejects(lancet.session().read("notes.txt"), ServerDied);
});

test("a server that cannot start says why", async (place) => {
  const lancet = new Lancet(path.join(place.base, "nowhere"), { env: place.env });
  await assert.rejects(lancet.session().read("a.txt"), (error) => {
    assert(error instanceof ServerDied && error.status === 2 && error.message.includes("nowhere"));
    return true;
  });
  await lancet.close();
  for (const binary of ["/nowhere/lancet", place.path("notes.txt")]) {
    assert.throws(() => new Lancet(place.root, { binary }), BinaryNotFound);
  }
});

test("a stopped server runs into the time limit", async (place) => {
  const lancet = place.open({ timeout: 30_000 });
  const session = lancet.session();
  await session.read("notes.txt");
  process.kill(lancet.pid, "SIGSTOP");
  await assert.rejects(session.glob("*", { timeout: 200 }), CallTimeout);
  process.kill(lancet.pid, "SIGCONT");
  assert.deepEqual((await session.glob("*")).files, ["notes.txt"]);
});

test("the log is passed on", async (place) => {
  const lines = [];
  const lancet = place.open({ onLog: (line) => lines.push(line), log: "debug" });
  await lancet.session().read("notes.txt");
  await lancet.close();
  assert(lines.some((line) => line.includes(`read ${place.path("notes.txt")}`)), lines.join("\n"));
  assert(lines.some((line) => line.includes("the client left")), lines.join("\n"));
});

test("a long call tells its progress", async (place) => {
  const config = path.join(place.base, "slow.toml");
  writeFileSync(config, '[read.converters]\n"*.slow" = ["sh", "-c", "sleep 0.8; echo text"]\n');
  place.write("a.slow", Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)));
  const progress = [];
  const session = place.open({ config, onProgress: (one) => progress.push(one) }).session("mine");
  assert((await session.read("a.slow")).text.includes("text"));
  assert.deepEqual([progress[0].session, progress[0].tool], ["mine", "Read"]);
  assert(progress[0].message.includes("Read"));
});

test("closing ends the process, and twice is harmless", async (place) => {
  const lancet = place.open();
  await lancet.session().read("notes.txt");
  const { pid } = lancet;
  await lancet.close();
  await lancet.close();
  assert.throws(() => process.kill(pid, 0));
  await assert.rejects(lancet.session().read("notes.txt"), ServerDied);
});

test("a client that nobody closed keeps no program alive", async (place) => {
  const script = `import { Lancet } from "lancet-mcp";
    const lancet = new Lancet(${JSON.stringify(place.root)});
    console.log((await lancet.session().glob("*")).files.join());`;
  const options = { env: place.env, cwd: path.dirname(process.argv[1]), timeout: 20_000, encoding: "utf8" };
  assert.equal(execFileSync(process.execPath, ["--input-type=module", "--eval", script], options), "notes.txt\n");
});

let failed = 0;
for (const [name, work] of tests) {
  const place = new Place();
  try {
    await work(place);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${name}: ${error.stack}`);
  }
  await place.end();
}
console.log(`${tests.length - failed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
