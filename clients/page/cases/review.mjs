// Review: what an agent wrote without asking is looked at afterwards; lines are taken back and commented on, and the agent is told.

const lines = (count) => Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join("");
const changed = (...at) => at.reduce((text, line) => text.replace(`line ${line}\n`, `LINE ${line}\n`), lines(60));

/** An id as a selector takes it. */
const CSS = (id) => id.replaceAll(".", "\\.");

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

  "what was marked as seen is shown again": async (stage) => {
    const { page } = await written(stage);
    await page.click("button:has-text('Mark as seen')");
    await page.waitForSelector("text=You have seen everything");
    await page.click("#marks button:has-text('Show again')");
    await page.waitForSelector(".told >> text=to be reviewed again");
    stage.same(await page.locator("tbody.hunk").count(), 3, "hunks that are shown again");
    stage.same(await page.textContent("[data-count='/review']"), "1", "the badge");
  },

  "after a form the view is where it was": async (stage) => {
    stage.settings('[permissions]\nallow = ["Write(**)"]\n');
    await stage.serve();
    const agent = await stage.agent("claude-code");
    for (const name of ["a.txt", "b.txt", "c.txt", "d.txt"]) await agent.write(name, lines(60));
    const page = await stage.browser();
    await page.goto(`${stage.url}/review`);
    const files = page.locator("section.diff[data-item]");
    const [last, before] = [await files.nth(3).getAttribute("id"), await files.nth(2).getAttribute("id")];
    await page.locator(`#${CSS(last)} button:has-text('Mark as seen')`).click();
    await page.waitForSelector(".told >> text=One file is marked as seen");
    stage.check((await page.evaluate(() => scrollY)) > 500, "the page is at its top");
    stage.same(await page.evaluate(() => document.activeElement.id), before, "the entry that has the focus");
    stage.check(await page.isVisible(".told"), "the message is not seen");
    const top = await page.locator(".messages").evaluate((element) => element.getBoundingClientRect().top);
    stage.check(top >= 0 && top < 300, `the message is ${top} pixels below the top`);
  },

  "text that cannot be seen is named and written out": async (stage) => {
    stage.settings('[permissions]\nallow = ["Write(**)"]\n');
    await stage.serve();
    const agent = await stage.agent("claude-code");
    const tags = [..."obey me"].map((character) => String.fromCodePoint(0xe0000 + character.codePointAt(0))).join("");
    await agent.write("a.txt", `one${tags}\nzero\u200bwidth and a soft\u00adhyphen\n`);
    const page = await stage.browser();
    await page.goto(`${stage.url}/review`);
    const warning = await page.textContent(".warning");
    stage.check(warning.includes("cannot be seen") && warning.includes('"obey me"') && warning.includes("line 1"), warning);
    const text = await page.textContent("table.diff-lines");
    for (const part of ["<U+E006F>", "zero<U+200B>width", "soft<U+00AD>hyphen"]) stage.check(text.includes(part), `${part} is not written out`);
  },

  "the view is asked for once": async (stage) => {
    const { agent, page } = await written(stage);
    const asked = [];
    page.on("request", (request) => {
      if (new URL(request.url()).pathname === "/review") asked.push(request.headers()["lancet-looks-again"] ?? "load");
    });
    await page.addInitScript(() => {
      globalThis.heard = 0;
      const Source = EventSource;
      globalThis.EventSource = function (address) {
        const source = new Source(address);
        source.addEventListener("message", () => globalThis.heard++);
        return source;
      };
      globalThis.EventSource.CLOSED = Source.CLOSED;
    });
    await page.reload();
    await page.waitForFunction(() => globalThis.heard > 0);
    // The page is asked for again while the message is handled; a round trip later its request would be known.
    await page.evaluate(() => fetch("/assets/icon.svg").then(() => {}));
    stage.same(asked.slice(asked.indexOf("load")), ["load"], "requests for the view");
    stage.same((await agent.edit("a.txt", "LINE 5\n", "Line 5\n")).error, null, "the second edit");
    await page.waitForSelector("[data-gone]");
    stage.check(asked.at(-1) === "1", "a change is not looked at");
  },

  "who wrote which line can be read": async (stage) => {
    const { page } = await written(stage);
    await page.goto(`${stage.url}/history/lines?path=${encodeURIComponent(stage.path("a.txt"))}`);
    const width = (selector) => page.locator(selector).first().evaluate((element) => element.getBoundingClientRect().width);
    const [table, number, text] = [await width(".blame"), await width(".blame td.number"), await width(".blame td.text")];
    stage.check(text > table / 2, `the text has ${text} of ${table} pixels`);
    stage.check(number < 100, `the numbers have ${number} pixels`);
  },
};
