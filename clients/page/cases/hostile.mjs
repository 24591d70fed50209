// Text stays text: hostile strings in everything that an agent can have on the page, and every view visited.
import { HOSTILE, NAMES, foreign } from "../hostile.mjs";

/** A project in which hostile strings are everywhere: written, waiting, rejected. */
async function poisoned(stage) {
  stage.settings('[ask]\npatience = "0s"\n\n[permissions]\nallow = ["Edit(done/**)"]\n');
  await stage.serve();
  for (const [at, text] of HOSTILE.entries()) {
    const agent = await stage.agent(text.replaceAll("\u0000", "") || "x");
    // The name of a session has no such characters, and is refused with them.
    const session = { "lancet/session": `session-${at}` };
    const written = await agent.call("Write", { file_path: stage.path(`done/${at}${NAMES[at]}`), content: `${text}\nsecond\n${text}\n` }, session);
    stage.check(!written.error, `not written: ${written.text}`);
    await agent.call("Edit", { file_path: stage.path(`done/${at}${NAMES[at]}`), old_string: "second", new_string: `${text} 2` }, session);
    const asked = await agent.call("Write", { file_path: stage.path(`ask/${at}${NAMES[at]}`), content: `${text}\n` }, session);
    stage.same(asked.error, "waiting", `asked about ${NAMES[at]}`);
    await agent.client.close();
  }
}

const visited = (stage, seen) => async (page) => {
  const found = await page.evaluate(foreign, stage.url);
  stage.check(found.length === 0, `${page.url()} has what text became: ${found.slice(0, 5).join(" ")}`);
  seen.push(await page.evaluate(() => document.body.textContent));
};

export default {
  "hostile strings are shown as text in every view": async (stage) => {
    await poisoned(stage);
    const page = await stage.browser();
    const seen = [];
    const kinds = await stage.crawl(page, visited(stage, seen), 40);
    stage.check(kinds.length >= 2, `visited only ${kinds}`);
    const all = seen.join("\n");
    // Those with characters that are not shown as they are stand there in another form.
    for (const text of HOSTILE.filter((text) => /^[\x20-\x7e]+$/.test(text))) stage.check(all.includes(text), `${text} is not shown`);
  },

  "hostile strings as words of a rejection": async (stage) => {
    stage.settings('[ask]\npatience = "0s"\n');
    stage.write("a.txt", "one\n");
    await stage.serve();
    const agent = await stage.agent();
    await agent.read("a.txt");
    for (const text of HOSTILE.slice(0, 8)) {
      stage.same((await agent.edit("a.txt", "one", text)).error, "waiting", "the edit");
      const [open] = (await stage.lancet("pending", "--json")).trim().split("\n").map((line) => JSON.parse(line));
      await stage.lancet("pending", "reject", open.question ?? open.id, text);
    }
    const page = await stage.browser();
    await stage.crawl(page, visited(stage, []));
  },
};
