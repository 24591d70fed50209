// Measures the page with a long history and many questions; the figures of benches/RESULTS.md.
//
//     node speed.mjs BINARY [PAST] [WAITING]
//
// It makes 10,000 changes and 300 questions through agents, and a question of 20,000 lines. For each view: the time until the answer has come
// (median of 21, without a browser), its bytes, DOMContentLoaded in Chromium (median of 7). For the long diff: how long a frame takes
// while it is scrolled.
import { request, Agent } from "node:http";
import { resolve } from "node:path";

import { chromium } from "playwright-core";

import { Stage } from "./stage.mjs";

const binary = resolve(process.argv[2]);
const PAST = Number(process.argv[3] ?? 10_000);
const WAITING = Number(process.argv[4] ?? 300);
const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];

const browser = await chromium.launch({ executablePath: process.env.LANCET_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"] });
const stage = new Stage(binary, browser);
try {
  stage.settings('[ask]\npatience = "0s"\n\n[permissions]\nallow = ["Edit(done/**)"]\n');
  await stage.serve();
  const agents = await Promise.all(["claude-code", "codex", "gemini-cli", "opencode"].map((name) => stage.agent(name)));
  const began = Date.now();
  const share = PAST / agents.length;
  await Promise.all(agents.map(async (agent, who) => {
    for (let at = 0; at < share; at += 1) {
      const lines = Array.from({ length: 30 }, (_, line) => `line ${line} of ${who}, state ${line === at % 30 ? at : 0}\n`);
      const { error, text } = await agent.write(`done/${who}/${Math.floor(at / 25) % 40}.txt`, lines.join(""));
      if (error) throw new Error(text);
    }
    for (let at = 0; at < WAITING / agents.length; at += 1) {
      const { error, text } = await agent.write(`ask/${who}-${at}.txt`, Array.from({ length: 40 }, (_, line) => `line ${line}\n`).join(""));
      if (error !== "waiting") throw new Error(text);
    }
  }));
  const last = await stage.agent("last");
  await last.write("long.txt", Array.from({ length: 20_000 }, (_, line) => `let value_${line} = compute(${line}, "text of line ${line}");\n`).join(""));
  console.log(`${PAST} changes and ${WAITING + 1} questions in ${Math.round((Date.now() - began) / 1000)} s`);

  const page = await stage.browser({ trouble: [""] });
  const [{ name, value }] = await page.context().cookies();
  const keep = new Agent({ keepAlive: true });
  const ask = (path) => new Promise((done, failed) => {
    const start = process.hrtime.bigint();
    request({ host: "127.0.0.1", port: stage.port, path, agent: keep, headers: { Cookie: `${name}=${value}` } }, (answer) => {
      let bytes = 0;
      answer.on("data", (data) => (bytes += data.length));
      answer.on("end", () => done({ status: answer.statusCode, bytes, took: Number(process.hrtime.bigint() - start) / 1e6 }));
    }).on("error", failed).end();
  });
  await page.goto(`${stage.url}/`);
  const long = await page.locator("a[data-open]").first().evaluate((link) => new URL(link.href).pathname);
  console.log("view, status, server ms (median), bytes, DOMContentLoaded ms (median)");
  const paths = ["/", long, "/review", "/history", "/sessions", "/settings", "/devices"];
  for (const path of paths) {
    const answers = [];
    for (let at = 0; at < 21; at += 1) answers.push(await ask(path));
    const loaded = [];
    for (let at = 0; at < 7; at += 1) {
      await page.goto(`${stage.url}${path}`, { waitUntil: "domcontentloaded" });
      loaded.push(await page.evaluate(() => performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd));
    }
    console.log(`${path === long ? "a question of 20,000 lines" : path}, ${answers[0].status}, ${median(answers.map(({ took }) => took)).toFixed(1)}, ${answers[0].bytes}, ${median(loaded).toFixed(0)}`);
  }

  await page.goto(`${stage.url}${long}`);
  const whole = page.locator(".more a:not([data-part])");
  if (await whole.count()) await Promise.all([page.waitForNavigation(), whole.first().click()]);
  // All parts of the long diff, as a person loads them.
  for (let part = 0; part < 100 && (await page.locator("a[data-part]").count()); part += 1) {
    const rows = await page.locator(".diff-lines tr").count();
    await page.locator("a[data-part]").first().click();
    await page.waitForFunction((before) => document.querySelectorAll(".diff-lines tr").length > before, rows).catch(() => {});
  }
  const rows = await page.locator(".diff-lines tr").count();
  const frames = await page.evaluate(async () => {
    const took = [];
    let before = performance.now();
    const next = () => new Promise((done) => requestAnimationFrame(done));
    for (let at = 0; at < 120; at += 1) {
      scrollBy(0, 900);
      await next();
      took.push(performance.now() - before);
      before = performance.now();
    }
    return took;
  });
  console.log(`scrolling ${rows} rows: a frame takes ${median([...frames]).toFixed(0)} ms (median), at most ${Math.max(...frames).toFixed(0)} ms`);
} finally {
  await stage.end().catch((error) => console.log(error.message));
  await browser.close();
}
