// Review: what an agent wrote without asking is looked at afterwards; lines are taken back and commented on, and the agent is told.

const lines = (count) => Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join("");
const changed = (...at) => at.reduce((text, line) => text.replace(`line ${line}\n`, `LINE ${line}\n`), lines(60));

/** An agent that may write has changed three lines of sixty, and a person looks at them. */
async function written(stage, kind) {
  stage.settings('[permissions]\nallow = ["Edit(**)"]\n');
  stage.write("a.txt", lines(60));
  await stage.serve();
  const agent = await stage.agent("claude-code");
  await agent.read("a.txt");
  const edits = [5, 30, 55].map((at) => ({ old_string: `line ${at}\n`, new_string: `LINE ${at}\n` }));
  const answer = await agent.call("MultiEdit", { file_path: stage.path("a.txt"), edits });
  stage.same(answer.error, null, `the edit: ${answer.text}`);
  const page = await stage.browser(kind);
  await page.goto(`${stage.url}/review`);
  return { agent, page };
}

export default {
  "one hunk of three is taken back, and the agent is told": async (stage) => {
    const { agent, page } = await written(stage);
    const hunk = page.locator("tbody.hunk").nth(1);
    await hunk.locator("summary:has-text('Take back')").click();
    await hunk.locator("button:has-text('Take back this hunk')").click();
    await page.waitForSelector(".told >> text=The hunk was undone");
    stage.same(stage.read("a.txt"), changed(5, 55), "the file");
    const { text } = await agent.read("a.txt");
    stage.check(text.includes("a person took back some of what this session changed"), `the agent is not told: ${text.slice(-400)}`);
    const again = await agent.read("a.txt");
    stage.check(!again.text.includes("took back"), "the agent is told twice");
  },

  "a comment reaches the agent, and the page says so": async (stage) => {
    const { agent, page } = await written(stage);
    await page.click("td.number[data-line='30']");
    await page.locator(".comment-row textarea").fill("Why capitals?");
    await page.click(".comment-row button:has-text('Send')");
    await page.waitForSelector(".comments >> text=waiting for the session");
    const { text } = await agent.read("a.txt");
    stage.check(text.includes("on `LINE 30`: Why capitals?"), `the words do not arrive: ${text.slice(-400)}`);
    await page.waitForSelector(".comments >> text=delivered with an answer");
    stage.same(stage.read("a.txt"), changed(5, 30, 55), "the file");
  },

  "words that are not sent are not lost when the file changes": async (stage) => {
    const { agent, page } = await written(stage);
    await page.click("td.number[data-line='30']");
    await page.locator(".comment-row textarea").fill("Why capitals?");
    stage.same((await agent.edit("a.txt", "LINE 5\n", "Line 5\n")).error, null, "the second edit");
    await page.waitForSelector("[data-gone]");
    stage.check(await page.isDisabled("button:has-text('Mark as seen')"), "what is gone can be marked as seen");
    await page.click(".comment-row button:has-text('Send')");
    await page.waitForSelector(".comments >> text=Why capitals?");
    const { text } = await agent.read("a.txt");
    stage.check(text.includes("Why capitals?"), `the words do not arrive: ${text.slice(-400)}`);
  },

  "side by side, then seen, without script": async (stage) => {
    const { page } = await written(stage, { script: false });
    await page.click("[data-open]");
    await page.click("text=Side by side");
    stage.same(await page.locator("table.split").count(), 1, "tables side by side");
    await page.click("button:has-text('Mark as seen')");
    stage.check((await page.textContent("main")).includes("You have seen everything"), "the file is still there");
    stage.check(await page.locator("[data-count='/review']").isHidden(), "the badge is still there");
    stage.same(stage.read("a.txt"), changed(5, 30, 55), "the file");
  },
};
