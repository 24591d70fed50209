// Drives the page of `lancet serve` in a headless Chromium, with agents on the TypeScript MCP SDK: the cases of the folder `cases`.
//
//     node run.mjs BINARY [PART-OF-A-NAME]
//
// Exit status 0 when all holds; the last line is `N passed, N failed`. Needs `npm ci` and Debian's package `chromium`
// (or the path of a Chromium in LANCET_CHROMIUM).
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";

import { chromium } from "playwright-core";

import { Stage, within } from "./stage.mjs";

if (process.argv.length < 3) {
  console.log("usage: node run.mjs BINARY [PART-OF-A-NAME]");
  process.exit(2);
}
const binary = resolve(process.argv[2]);
const part = process.argv[3] ?? "";
/** How many cases run at once: each has a server, and shares the browser. */
const AT_ONCE = 3;
/** A case that takes longer has failed. */
const SECONDS = 120;
/** A browser that does not show an empty page within this time hangs, and is replaced. */
const ANSWER_SECONDS = 30;
/** How often a case is played again because the browser hung, which says nothing of the page. */
const REPLAYS = 2;
/** Cases that are not begun by then fail, so that a machine on which nothing moves is told of. */
const ALL_SECONDS = 480;

const folder = join(import.meta.dirname, "cases");
const cases = [];
for (const file of readdirSync(folder).filter((name) => name.endsWith(".mjs")).sort()) {
  const { default: all } = await import(join(folder, file));
  for (const [name, play] of Object.entries(all)) cases.push({ name: `${file.replace(".mjs", "")}: ${name}`, play });
}
const chosen = cases.filter(({ name }) => name.includes(part));

/** Starts a browser, and gives it once it shows a page. */
async function launch() {
  const browser = await chromium.launch({
    executablePath: process.env.LANCET_CHROMIUM ?? "/usr/bin/chromium",
    // Containers run it as root and have little shared memory.
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
    timeout: 60_000,
  });
  if (!(await answers(browser))) throw new Error("the browser that was just started shows no page");
  return browser;
}

/** Whether a browser still opens pages. */
async function answers(browser) {
  const look = async () => {
    const page = await browser.newPage();
    await page.goto("about:blank");
    await page.close();
  };
  return within(ANSWER_SECONDS, look()).then(() => true, () => false);
}

/** The browser of all cases, as a promise, because several cases may find at once that it hangs. */
let browser = launch();
async function replaced(hung) {
  if ((await browser) !== hung) return;
  browser = launch();
  hung.close().catch(() => {});
  await browser;
}

let passed = 0;
let failed = 0;
async function play(chosenCase, replays = REPLAYS) {
  const { name } = chosenCase;
  const began = Date.now();
  const used = await browser;
  const stage = new Stage(binary, used);
  let trouble;
  try {
    await within(SECONDS, chosenCase.play(stage));
  } catch (error) {
    trouble = error;
  }
  try {
    await stage.end();
  } catch (error) {
    // What went wrong in the browser may be why.
    if (trouble) trouble.message += `\n  ${error.message}`;
    else trouble = error;
  }
  const took = `${((Date.now() - began) / 1000).toFixed(1)} s`;
  const said = () => trouble.message.split("\n").slice(0, 12).join("\n  ");
  if (!trouble) {
    passed += stage.checks;
    console.log(`ok ${name} (${took}, ${stage.checks} checks)`);
  } else if (replays > 0 && !(await answers(used))) {
    console.log(`the browser hangs in ${name} (${took}), which is played again in a new one: ${said()}`);
    await replaced(used);
    await play(chosenCase, replays - 1);
  } else {
    failed += 1;
    console.log(`FAIL ${name} (${took}): ${said()}`);
  }
}
const left = [...chosen];
const end = Date.now() + ALL_SECONDS * 1000;
await Promise.all(Array.from({ length: AT_ONCE }, async () => {
  for (let next = left.shift(); next; next = left.shift()) {
    if (Date.now() < end) await play(next);
    else {
      failed += 1;
      console.log(`FAIL ${next.name}: not begun within ${ALL_SECONDS} s`);
    }
  }
}));
// A browser that does not close ends with this process.
await within(ANSWER_SECONDS, browser.then((last) => last.close())).catch(() => {});
if (chosen.length === 0) {
  failed += 1;
  console.log(`FAIL there is no case ${part}`);
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
