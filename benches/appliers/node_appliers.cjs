// Applies replies with packages from npm, without a model: one JSON object a line in, one a line out. The packages give the
// new text of one file; files are written here, once all of them have one.
const fs = require("fs");
const path = require("path");
const readline = require("readline");

const modules = process.argv[2];
const load = (name) => require(require.resolve(name, { paths: [modules] }));

function write(root, contents) {
  for (const [name, text] of contents) fs.writeFileSync(path.join(root, name), text);
}

const APPLIERS = {
  // jsdiff, with the settings that it has unasked.
  diff(root, reply) {
    const { parsePatch, applyPatch } = load("diff");
    const contents = parsePatch(reply).filter((file) => file.hunks.length).map((file) => {
      const name = (file.newFileName || "").replace(/^b\//, "");
      const text = applyPatch(fs.readFileSync(path.join(root, name), "utf8"), file);
      if (text === false) throw new Error(`${name} does not fit`);
      return [name, text];
    });
    write(root, contents);
  },
  // The patch tool of OpenAI's Agents SDK, whose caller names the file.
  agents(root, reply) {
    const { applyDiff } = load("@openai/agents-core");
    const [, name, diff] = reply.match(/^\*\*\* Begin Patch\n\*\*\* Update File: (.*)\n([\s\S]*)$/);
    const text = applyDiff(fs.readFileSync(path.join(root, name), "utf8"), diff);
    write(root, [[name, text]]);
  },
  fuzzy(root, reply) {
    const { applyPatchToFiles } = load("llm-diff-patcher");
    const done = applyPatchToFiles(reply, { basePath: root, dryRun: false });
    if (done && done.failedHunks) throw new Error("hunks failed");
  },
};

const apply = APPLIERS[process.argv[3]];
const out = (answer) => process.stdout.write(JSON.stringify(answer) + "\n");
console.log = console.warn = console.error = () => {};
readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const asked = JSON.parse(line);
  try {
    apply(asked.root, asked.reply);
    out({ ok: true });
  } catch (error) {
    out({ ok: false, why: String(error).slice(0, 300) });
  }
});
