// What other programs changed, as every view shows it: links, folders, permissions, and secrets without their text.
import { existsSync, statSync } from "node:fs";

const SCRIPT = "sed -i s/one/two/ src/a.txt; rm -r old; ln -s src/a.txt link; chmod 755 tool.sh; mkdir made; echo KEY=hidden-words >> .env; exit 3";

/** A project that a command has changed. */
async function changed(stage) {
  stage.write("src/a.txt", "one\n");
  stage.write("old/b.txt", "b\n");
  stage.write("tool.sh", "#!/bin/sh\n");
  stage.write(".env", "KEY=hidden-before\n");
  await stage.serve();
  stage.same(await stage.record(SCRIPT), 3, "the exit code of the command");
  return await stage.browser();
}

export default {
  "a recorded command is shown with what it changed and what an undo would do": async (stage) => {
    const page = await changed(stage);
    await page.goto(`${stage.url}/history`);
    stage.check((await page.textContent("[data-item] .call")).includes("sed -i s/one/two/"), "the list shows the command");
    await page.click("[data-item] [data-open]");
    await page.waitForSelector(".facts >> text=Exit code");
    const shown = await page.textContent("main");
    for (const words of ["new link", "It leads to src/a.txt.", "Permission bits: 644, now 755.", "new folder", "removed", ".env"]) {
      stage.check(shown.includes(words), `the operation shows ${words}: ${shown}`);
    }
    stage.check(!/hidden-(words|before)/.test(await page.content()), "the text of a secret file is not shown");
    await stage.axe(page);
    await page.click("text=Undo…");
    await page.waitForSelector("button:has-text('Undo')");
    stage.check(!/hidden-(words|before)/.test(await page.content()), "the preview does not show it either");
    stage.check(existsSync(stage.path("link")), "nothing is written yet");
  },

  "the review and the sessions show what an agent's own shell changed": async (stage) => {
    stage.write("a.txt", "one\n");
    stage.write("tool.sh", "#!/bin/sh\n");
    await stage.serve();
    await stage.hook("UserPromptSubmit", { prompt: "Put this in order." });
    await stage.shell("toolu_1", "sed -i s/one/two/ a.txt; ln -s a.txt link; chmod 755 tool.sh; mkdir made");
    const page = await stage.browser();
    await page.goto(`${stage.url}/review`);
    const shown = await page.textContent("main");
    for (const words of ["Put this in order.", "new link", "no link before, a.txt now", "Permission bits: 644, now 755.", "new folder"]) {
      stage.check(shown.includes(words), `the review shows ${words}: ${shown}`);
    }
    await page.goto(`${stage.url}/sessions`);
    await page.waitForSelector("[data-item] >> text=claude-code.s1");
    await page.goto(`${stage.url}/history/lines?path=a.txt`);
    await page.waitForSelector("td.author >> text=claude-code");
    await page.goto(`${stage.url}/history`);
    await page.click("[data-item] [data-open]");
    await page.click("text=Undo…");
    await page.click("button:has-text('Undo')");
    await page.waitForSelector(".told >> text=The change is undone");
    stage.same(stage.read("a.txt"), "one\n", "the file");
    stage.check(!existsSync(stage.path("link")) && !existsSync(stage.path("made")), "the link and the folder are gone");
    stage.same(statSync(stage.path("tool.sh")).mode & 0o777, 0o644, "the permission bits");
  },
};
