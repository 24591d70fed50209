// Checks the types of the extension, compiles it, and runs the tests of its protocol code with node's test runner.
//
//     node test/run.mjs BINARY
//
// Exit status 0 when all holds; the last line is `N passed, N failed`. Needs `npm ci`.
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { run } from "node:test";

if (process.argv.length < 3) {
  console.log("usage: node test/run.mjs BINARY");
  process.exit(2);
}
process.env.LANCET_BINARY = resolve(process.argv[2]);
let passed = 0;
let failed = 0;
const folder = resolve(import.meta.dirname, "..");
const compiled = spawnSync("node_modules/.bin/tsc", ["-p", "."], { cwd: folder, encoding: "utf8" });
if (compiled.status !== 0) {
  console.log(`FAILED  the types are right\n${compiled.stdout ?? compiled.error}\n0 passed, 1 failed`);
  process.exit(1);
}
passed += 1;
console.log("ok      the types are right");
const stream = run({ files: [resolve(import.meta.dirname, "protocol.test.mjs")], timeout: 60_000 });
stream.on("test:pass", ({ name, details }) => {
  if (details.type === "suite" || name.endsWith(".mjs")) return;
  passed += 1;
  console.log(`ok      ${name}`);
});
stream.on("test:fail", ({ name, details }) => {
  failed += 1;
  console.log(`FAILED  ${name}\n${details.error?.cause?.stack ?? details.error}`);
});
stream.on("test:stderr", ({ message }) => process.stdout.write(message));
for await (const _ of stream);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
