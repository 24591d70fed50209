// What fff (npm @ff-labs/fff-node) misses of what was just written, and the memory it takes: beside lancet's figures of the same.
//
//     node benches/fff_freshness.mjs MODULES TREE [WRITES]
//
// MODULES is the folder in which the package is installed. TREE is written into: give it a copy.

import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, tree, writes = "25"] = process.argv.slice(2);
const require = createRequire(join(resolve(modules), "package.json"));
let entry;
try {
  entry = require.resolve("@ff-labs/fff-node");
} catch {
  const folder = join(resolve(modules), "node_modules/@ff-labs/fff-node");
  const declared = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  entry = join(folder, declared.exports?.["."]?.import ?? declared.main);
}
const { FileFinder } = await import(pathToFileURL(entry));
const created = FileFinder.create({ basePath: resolve(tree), aiMode: true });
if (!created.ok) throw new Error(created.error);
const finder = created.value;
await finder.waitForScan(120_000);
const later = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
// The content index is built after the scan.
await later(5_000);

const finds = (token) => {
  const found = finder.grep(token, { mode: "plain", pageSize: 20 });
  if (!found.ok) throw new Error(found.error);
  return found.value.items.length > 0;
};
const globbed = finder.glob("**/*.c", { pageSize: 100 });
if (!globbed.ok || globbed.value.items.length === 0) throw new Error("the tree has no sources");
const files = globbed.value.items.map((item) => join(resolve(tree), item.relativePath));

const ways = {
  "appended to a file": (token, number) => appendFileSync(files[number % files.length], `\n/* ${token} */\n`),
  "a new file": (token, number) => writeFileSync(join(resolve(tree), `fff-new-${number}.c`), `/* ${token} */\n`),
  "a file replaced by a rename": (token, number) => {
    const file = files[number % files.length];
    writeFileSync(`${file}.tmp`, `${readFileSync(file, "utf8")}\n/* ${token} */\n`);
    renameSync(`${file}.tmp`, file);
  },
};
const total = Number(writes);
for (const [name, write] of Object.entries(ways)) {
  const missed = { "at once": 0, "after 100 ms": 0, "after 2 s": 0 };
  for (let number = 0; number < total; number += 1) {
    const token = `fresh${process.hrtime.bigint()}x`;
    write(token, number);
    if (finds(token)) continue;
    missed["at once"] += 1;
    await later(100);
    if (finds(token)) continue;
    missed["after 100 ms"] += 1;
    await later(1_900);
    if (!finds(token)) missed["after 2 s"] += 1;
  }
  const words = Object.entries(missed).map(([when, number]) => `${number} ${when}`);
  console.log(`fff, ${name}: missed of ${total}: ${words.join(", ")}`);
}
for (let number = 0; number < total; number += 1) rmSync(join(resolve(tree), `fff-new-${number}.c`), { force: true });
const status = readFileSync("/proc/self/status", "utf8");
const kibibytes = (field) => Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0);
console.log(`fff, memory: ${Math.round(kibibytes("VmRSS") / 1024)} MiB resident, ${Math.round(kibibytes("RssAnon") / 1024)} MiB anonymous, at most ${Math.round(kibibytes("VmHWM") / 1024)} MiB`);
finder.destroy();
process.exit(0);
