// History: a person takes an operation back after a preview, and restores a version of a file.

/** An agent that may write has changed a file twice. */
async function written(stage) {
  stage.settings('[permissions]\nallow = ["Edit(**)"]\n');
  stage.write("a.txt", "one\ntwo\n");
  await stage.serve();
  const agent = await stage.agent("claude-code");
  await agent.read("a.txt");
  stage.same((await agent.edit("a.txt", "two", "TWO")).error, null, "the first edit");
  const page = await stage.browser();
  await page.goto(`${stage.url}/history`);
  return { agent, page };
}

export default {
  "an operation is undone after its preview": async (stage) => {
    const { page } = await written(stage);
    await page.click("[data-item] [data-open]");
    await page.click("text=Undo…");
    await page.waitForSelector(".diff .added >> text=two");
    stage.same(stage.read("a.txt"), "one\nTWO\n", "nothing is written yet");
    await page.click("button:has-text('Undo')");
    await page.waitForSelector(".told >> text=The change is undone");
    stage.same(stage.read("a.txt"), "one\ntwo\n", "the file");
  },

  "a version is restored, and not where the file has changed since the preview": async (stage) => {
    const { agent, page } = await written(stage);
    await page.click("[data-item] [data-open]");
    await page.click("text=Restore the one before");
    await page.waitForSelector("button:has-text('Restore')");
    stage.same((await agent.edit("a.txt", "one", "ONE")).error, null, "the second edit");
    await page.click("button:has-text('Restore')");
    await page.waitForSelector(".told >> text=have changed since you looked");
    stage.same(stage.read("a.txt"), "ONE\nTWO\n", "the file before the second look");
    await page.click("button:has-text('Restore')");
    await page.waitForSelector(".told >> text=The file is restored");
    stage.same(stage.read("a.txt"), "one\ntwo\n", "the file");
  },

  "a preview shows every line of a long change": async (stage) => {
    stage.settings('[permissions]\nallow = ["Edit(**)"]\n');
    await stage.serve();
    const agent = await stage.agent();
    await agent.write("long.txt", Array.from({ length: 900 }, (_, at) => `line ${at + 1}\n`).join(""));
    const page = await stage.browser();
    await page.goto(`${stage.url}/history`);
    await page.click("[data-item] [data-open]");
    await page.click("text=Undo…");
    await page.waitForSelector("button:has-text('Undo')");
    stage.same(await page.locator("tr.removed").count(), 900, "removed lines");
    stage.same(await page.locator("a[data-part]").count(), 0, "links to further lines");
  },
};
