// Sessions: a person stops the writes of an agent, and lets it write again.

export default {
  "a session is stopped and let go on": async (stage) => {
    stage.settings('[permissions]\nallow = ["Edit(**)"]\n');
    stage.write("a.txt", "one\ntwo\n");
    await stage.serve();
    const agent = await stage.agent("claude-code");
    await agent.read("a.txt");
    stage.same((await agent.edit("a.txt", "one", "ONE")).error, null, "the first edit");
    const page = await stage.browser();
    await page.goto(`${stage.url}/sessions`);
    stage.check((await page.textContent("[data-item] h2")).includes("claude-code"), "the heading does not say which program it is");
    await page.click("summary:has-text('Stop its writes')");
    await page.fill("textarea[name=words]", "Wait for me.");
    await page.click("button:has-text('Stop its writes')");
    await page.waitForSelector(".tag-danger >> text=writes stopped");
    const stopped = await agent.edit("a.txt", "two", "TWO");
    stage.same(stopped.error, "declined", `the edit of a stopped session: ${stopped.text}`);
    stage.check(stopped.text.includes("Wait for me."), `the words do not arrive: ${stopped.text}`);
    stage.same(stage.read("a.txt"), "ONE\ntwo\n", "the file while it is stopped");
    await page.click("button:has-text('Let it write again')");
    await page.waitForSelector(".tag-good >> text=connected");
    stage.same((await agent.edit("a.txt", "two", "TWO")).error, null, "the edit after that");
    stage.same(stage.read("a.txt"), "ONE\nTWO\n", "the file");
  },
};
