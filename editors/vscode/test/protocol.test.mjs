// The protocol code of the extension with the built program and an agent that speaks MCP; what needs VS Code is type-checked alone.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import program from "../out/program.js";
import projects from "../out/project.js";
import records from "../out/records.js";
import { changed, eventually, LINES, Stage, threeEdits } from "./stage.mjs";

const BINARY = process.env.LANCET_BINARY;

/** A stage that ends with its test. */
function staged(context) {
  const stage = new Stage(BINARY);
  context.after(() => stage.end());
  return stage;
}

/** The project as the extension has it, once its link is there. */
async function begin(stage) {
  const told = { asked: [], failed: [], changed: 0 };
  const project = new projects.Project(stage.place, "VS Code", {
    changed: () => (told.changed += 1),
    asked: (questions) => told.asked.push(...questions),
    failed: (words) => told.failed.push(words),
  });
  stage.ends.push(() => project.dispose());
  await eventually("the link is there", () => told.changed > 0);
  return { project, told };
}

test("lines that come in pieces are put together, also within a character", () => {
  const lines = new program.Lines();
  const bytes = Buffer.from('{"a":"ä"}\n\n{"b":1}\n{"c"');
  const taken = [...bytes].flatMap((byte) => lines.take(Buffer.from([byte])));
  assert.deepEqual(taken, ['{"a":"ä"}', '{"b":1}']);
});

test("hunks of a question have their numbers and first changed lines", () => {
  const diff = "--- a\n+++ b\n@@ -2,3 +2,3 @@\n x\n-y\n+z\n@@ -9 +9 @@\n-q\n+r\n";
  const hunks = records.questionHunks({ pieces: [{ hunks: [4, 5], diff }] });
  assert.deepEqual(hunks.map(({ number, line }) => [number, line]), [[4, 2], [5, 9]]);
  assert.deepEqual(records.changedLine(hunks[0].line, hunks[0].lines), { line: 3, text: "y" });
});

test("a change is listed, shown before and after, and one hunk of it is undone", async (context) => {
  const stage = staged(context);
  const file = stage.file("a.txt", LINES);
  const { project } = await begin(stage);
  const call = await stage.agent("--mode", "accept-edits");
  assert.equal((await threeEdits(call, file)).failed, false);
  const [change] = await eventually("the change is listed", () => project.changes.length === 1 && project.changes);
  assert.equal(change.client, "some-agent");
  assert.equal(await project.content(file, change.operation, "before"), LINES);
  assert.equal(await project.content(file, change.operation, "after"), changed(5, 20, 35));
  const { files } = await project.change(change.operation);
  assert.deepEqual(files[0].hunks.map((hunk) => hunk.number), [1, 2, 3]);
  assert.deepEqual(records.changedLine(files[0].hunks[1].newStart, files[0].hunks[1].lines), { line: 20, text: "line 20." });
  await project.takeHunk(change.operation, 2);
  assert.equal(readFileSync(file, "utf8"), changed(5, 35));
  await eventually("that is listed, too", () => project.changes.length === 2);
  await assert.rejects(project.takeHunk(change.operation, 2), /cannot be undone/);
});

test("what waits is told with its texts, approved by hunk at a terminal, and rejected with words", async (context) => {
  const stage = staged(context);
  const file = stage.file("a.txt", LINES);
  const { project, told } = await begin(stage);
  const call = await stage.agent("--mode", "ask");
  const rejected = threeEdits(call, file);
  const question = await eventually("it is told", () => told.asked[0]);
  const shown = await project.question(question.question);
  assert.equal(shown.files[0].oldText, LINES);
  assert.equal(shown.files[0].newText, changed(5, 20, 35));
  await project.reject(question.question, "-- not like this");
  assert.match((await rejected).text, /-- not like this/);
  await eventually("nothing waits", () => project.waiting.length === 0);

  const approved = threeEdits(call, file);
  const next = await eventually("the call sent again asks anew", () => told.asked[1]);
  const words = project.approval(next.question, [2]);
  // Without a terminal nobody approves, whoever runs the command.
  const options = { cwd: stage.project, env: stage.environment, encoding: "utf8" };
  const alone = spawnSync("setsid", ["--wait", BINARY, ...words], { ...options, input: "y\n" });
  assert.notEqual(alone.status, 0);
  assert.match(alone.stderr, /needs a person/);
  const quoted = [BINARY, ...words].map((word) => `'${word}'`).join(" ");
  const typed = spawnSync("script", ["-qec", quoted, "/dev/null"], { ...options, input: "y\n" });
  assert.match(typed.stdout, /Approve this\?/);
  assert.equal((await approved).failed, false);
  assert.equal(readFileSync(file, "utf8"), changed(20));
});

test("unsaved files are asked about until they are saved or the editor is gone", async (context) => {
  const stage = staged(context);
  const file = stage.file("a.txt", LINES);
  const { project, told } = await begin(stage);
  const call = await stage.agent("--mode", "accept-edits");
  assert.equal(project.setUnsaved([file, file]), 0);
  await eventually("lancet knows of it", () => existsSync(stage.unsaved));
  const asked = threeEdits(call, file);
  const question = await eventually("it is told", () => told.asked[0]);
  assert.match(question.reason, /a\.txt is unsaved in VS Code/);
  await project.reject(question.question, "");
  assert.equal((await asked).failed, true);
  project.setUnsaved([]);
  await eventually("lancet knows that it is saved", () => !existsSync(stage.unsaved));
  assert.equal((await threeEdits(call, file)).failed, false);
  const many = Array.from({ length: 1_003 }, (_, at) => `/f${at}`);
  assert.equal(project.setUnsaved(many), 3);
  await eventually("lancet took them", () => existsSync(stage.unsaved));
  project.dispose();
  await eventually("nothing is left", () => !existsSync(stage.unsaved));
});

test("a program that is missing is told in a sentence", async (context) => {
  const stage = staged(context);
  await assert.rejects(program.run({ ...stage.place, program: join(stage.folder, "none") }, "log"), /is lancet installed/);
});
