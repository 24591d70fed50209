// Drives the page of `lancet serve` in a headless Chromium, with agents on the TypeScript MCP SDK: the cases of the folder `cases`.
//
//     node run.mjs BINARY [PART-OF-A-NAME]
//
// Exit status 0 when all holds; the last line is `N passed, N failed`. Needs `npm ci` and Debian's package `chromium`
// (or the path of a Chromium in LANCET_CHROMIUM).
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";

import { chromium } from "playwright-core";

import { Stage } from "./stage.mjs";

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

const folder = join(import.meta.dirname, "cases");
const cases = [];
for (const file of readdirSync(folder).filter((name) => name.endsWith(".mjs")).sort()) {
  const { default: all } = await import(join(folder, file));
  for (const [name, play] of Object.entries(all)) cases.push({ name: `${file.replace(".mjs", "")}: ${name}`, play });
}
const chosen = cases.filter(({ name }) => name.includes(part));

const browser = await chromium.launch({
  executablePath: process.env.LANCET_CHROMIUM ?? "/usr/bin/chromium",
  // Containers run it as root and have little shared memory.
  args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
});

let passed = 0;
let failed = 0;
async function play({ name, play }) {
  const began = Date.now();
  const stage = new Stage(binary, browser);
  let timer;
  const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error(`longer than ${SECONDS} s`)), SECONDS * 1000)));
  let trouble;
  try {
    await Promise.race([play(stage), late]);
  } catch (error) {
    trouble = error;
  }
  clearTimeout(timer);
  try {
    await stage.end();
  } catch (error) {
    // What went wrong in the browser may be why.
    if (trouble) trouble.message += `\n  ${error.message}`;
    else trouble = error;
  }
  const took = `${((Date.now() - began) / 1000).toFixed(1)} s`;
  if (trouble) {
    failed += 1;
    console.log(`FAIL ${name} (${took}): ${trouble.message.split("\n").slice(0, 12).join("\n  ")}`);
  } else {
    passed += stage.checks;
    if (part) console.log(`ok ${name} (${took}, ${stage.checks} checks)`);
  }
}
const left = [...chosen];
await Promise.all(Array.from({ length: AT_ONCE }, async () => {
  for (let next = left.shift(); next; next = left.shift()) await play(next);
}));
await browser.close();
if (chosen.length === 0) {
  failed += 1;
  console.log(`FAIL there is no case ${part}`);
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
