// Waiting: a person answers an agent's question on the page, and the agent's answer and the file's bytes say what became of it.

const lines = (count) => Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join("");

/** A file of sixty lines, and a call that changes three of them and waits. */
async function threeHunks(stage) {
  stage.write("a.txt", lines(60));
  await stage.serve();
  const agent = await stage.agent("claude-code");
  await agent.read("a.txt");
  const edits = [5, 30, 55].map((at) => ({ old_string: `line ${at}\n`, new_string: `LINE ${at}\n` }));
  return { agent, answer: agent.call("MultiEdit", { file_path: stage.path("a.txt"), edits }) };
}

/** The file with these lines changed. */
const changed = (...at) => at.reduce((text, line) => text.replace(`line ${line}\n`, `LINE ${line}\n`), lines(60));

/** Opens the only question that waits. */
async function open(stage, page) {
  await stage.until(async () => (await page.goto(stage.url), (await page.locator("[data-item]").count()) === 1), "the question is listed");
  await page.click("[data-item] [data-open]");
  await page.waitForURL(/\/waiting\//);
}

/** A new file of twenty thousand lines with this at the end of each. */
async function long(stage, end) {
  stage.settings('[ask]\npatience = "0s"\n');
  await stage.serve();
  const agent = await stage.agent();
  const text = Array.from({ length: 20_000 }, (_, at) => `let value_${at} = ${at}; // number ${at}${end}\n`).join("");
  stage.same((await agent.write("long.rs", text)).error, "waiting", "the call");
  const page = await stage.browser();
  await open(stage, page);
  const rows = () => page.locator("table.diff-lines tr.added").count();
  const before = await rows();
  stage.check(before >= 400 && before <= 500, `${before} rows at first`);
  await page.click("a[data-part]");
  await stage.until(async () => (await rows()) > before, "the next part is put below");
  stage.check((await page.textContent(".more")).includes("of 19"), "what is left is not said");
  stage.check(!(await page.textContent("main")).includes("too long to show"), "the page says that it cannot show what it shows");
}

export default {
  "a change is approved in the list, which says what became of it": async (stage) => {
    stage.write("a.txt", "one\ntwo\n");
    await stage.serve();
    const agent = await stage.agent("claude-code");
    const page = await stage.browser();
    await page.waitForSelector("text=Nothing waits for you");
    await agent.read("a.txt");
    const answer = agent.edit("a.txt", "two", "TWO");
    await page.waitForSelector("[data-item] .added");
    stage.check((await page.textContent("[data-item]")).includes("claude-code"), "who asks is not said");
    await page.keyboard.press("j");
    await page.keyboard.press("a");
    stage.check(!(await answer).error, "the edit was refused");
    stage.same(stage.read("a.txt"), "one\nTWO\n", "the file");
    await page.waitForSelector("#lately >> text=written");
  },

  "a change is rejected with words, without script": async (stage) => {
    stage.write("a.txt", "one\ntwo\n");
    await stage.serve();
    const agent = await stage.agent();
    await agent.read("a.txt");
    const answer = agent.edit("a.txt", "two", "TWO");
    const page = await stage.browser({ script: false });
    await open(stage, page);
    await page.click("summary:has-text('reject')");
    await page.fill("#words", "Leave the second line alone.");
    await page.click("button[value=no]");
    const { error, text } = await answer;
    stage.same(error, "declined", "the answer");
    stage.check(text.includes("Leave the second line alone."), `the words do not arrive: ${text}`);
    stage.same(stage.read("a.txt"), "one\ntwo\n", "the file");
    stage.check((await page.textContent("#standing")).includes("rejected"), "the page does not say what became of it");
  },

  "one of three hunks is approved": async (stage) => {
    const { answer } = await threeHunks(stage);
    const page = await stage.browser();
    await open(stage, page);
    await page.getByLabel(/Hunk 2/).check();
    await page.click("button[value=picked]");
    const { error, text } = await answer;
    stage.same(error, null, `the answer is ${text}`);
    stage.same(stage.read("a.txt"), changed(30), "the file");
    await page.waitForSelector("#standing >> text=written");
  },

  "no ticked box decides nothing, and nothing that was typed is lost": async (stage) => {
    const { answer } = await threeHunks(stage);
    const [page, plain] = [await stage.browser(), await stage.browser({ script: false, trouble: ["400"] })];
    for (const one of [page, plain]) {
      await open(stage, one);
      await one.click("summary:has-text('Reject')");
      await one.fill("#words", "Mind the <gap>.");
      await one.click("button[value=picked]");
      stage.check((await one.textContent("main")).includes("No box is ticked"), "the page does not say why");
      stage.same(await one.inputValue("#words"), "Mind the <gap>.", "the words");
    }
    stage.same(stage.read("a.txt"), lines(60), "the file");
    await plain.getByLabel(/Hunk 1/).check();
    await plain.click("button[value=picked]");
    const { error, text } = await answer;
    stage.same(error, null, "the answer");
    stage.check(text.includes("Mind the <gap>."), `the words do not arrive: ${text}`);
    stage.same(stage.read("a.txt"), changed(5), "the file");
  },

  "Enter in a field approves nothing": async (stage) => {
    const { answer } = await threeHunks(stage);
    const pages = [await stage.browser(), await stage.browser({ script: false, trouble: ["400"] })];
    for (const page of pages) {
      await open(stage, page);
      await page.getByLabel(/Hunk 2/).check();
      await page.getByLabel(/Hunk 2/).press("Enter");
      stage.check(await page.getByLabel(/Hunk 2/).isChecked(), "the tick is lost");
      await page.locator("summary:has-text('Comment')").first().click();
      await page.locator("input[name=comment-line]").first().press("Enter");
      stage.check(await page.isVisible("button[value=yes]"), "the question is decided");
    }
    stage.same(stage.read("a.txt"), lines(60), "the file");
    await pages[0].click("button[value=picked]");
    stage.same((await answer).error, null, "the answer");
    stage.same(stage.read("a.txt"), changed(30), "the file");
  },

  "keys can be switched off, and stay so": async (stage) => {
    const { answer } = await threeHunks(stage);
    const page = await stage.browser();
    await open(stage, page);
    await page.keyboard.press("?");
    await page.click("[data-keys-switch]");
    await page.keyboard.press("Escape");
    await page.reload();
    await page.keyboard.press("a");
    await page.keyboard.press("?");
    stage.check(await page.isHidden("#keys"), "a key acts although keys are off");
    await page.click("[data-keys-open]");
    await page.click("[data-keys-switch]");
    await page.keyboard.press("Escape");
    await page.keyboard.press("a");
    await page.waitForSelector(".told >> text=Approved");
    stage.same((await answer).error, null, "the answer");
    stage.same(stage.read("a.txt"), changed(5, 30, 55), "the file");
  },

  "the text is edited, its diff is shown, and exactly it is written": async (stage) => {
    stage.write("a.txt", "\none\ntwo");
    await stage.serve();
    const agent = await stage.agent();
    await agent.read("a.txt");
    const answer = agent.edit("a.txt", "two", "TWO");
    const page = await stage.browser();
    await open(stage, page);
    await page.keyboard.press("e");
    await page.waitForURL(/\/edit/);
    stage.same(await page.inputValue("#text"), "\none\nTWO", "the text in the field");
    await page.fill("#text", "\none\n2 <b>&amp;\nthree");
    await page.click("text=Show what it changes");
    await page.waitForSelector(".diff .added >> text=three");
    stage.same(stage.read("a.txt"), "\none\ntwo", "nothing is written yet");
    await page.click("text=Approve this text");
    stage.same((await answer).error, null, "the answer");
    stage.same(stage.read("a.txt"), "\none\n2 <b>&amp;\nthree", "the file");
  },

  "comments on lines reach the agent in one answer": async (stage) => {
    const { answer } = await threeHunks(stage);
    const page = await stage.browser();
    await open(stage, page);
    await page.click("td.number[data-line='30']");
    await page.locator(".comment-row textarea").fill("Why capitals?");
    await page.click("td.number[data-line='-55']");
    await page.locator(".comment-row textarea").nth(1).fill("This one was right.");
    await page.getByLabel(/Hunk 1/).check();
    await page.click("button[value=picked]");
    const { error, text } = await answer;
    stage.same(error, null, `the answer is ${text}`);
    stage.check(text.includes("a.txt:30 `LINE 30`: Why capitals?"), `the first comment is missing: ${text}`);
    stage.check(text.includes("a.txt:55 (removed) `line 55`: This one was right."), `the second comment is missing: ${text}`);
    stage.same(stage.read("a.txt"), changed(5), "the file");
  },

  "a decision elsewhere is shown, and a second one is too late": async (stage) => {
    stage.write("a.txt", "one\n");
    await stage.serve();
    const agent = await stage.agent();
    await agent.read("a.txt");
    const answer = agent.edit("a.txt", "one", "two");
    const [first, second] = [await stage.browser(), await stage.browser({ script: false })];
    await open(stage, first);
    await open(stage, second);
    await first.click("button[value=yes]");
    stage.same((await answer).error, null, "the answer");
    await second.click("summary:has-text('reject')");
    await second.click("button[value=no]");
    stage.check((await second.textContent("main")).includes("Too late"), "the second browser is not told");
    stage.same(stage.read("a.txt"), "two\n", "the file");
  },

  "a diff of twenty thousand lines comes in parts": (stage) => long(stage, ""),
  // The question itself has no diff of more than a million characters; the page makes it from the texts.
  "a diff that is too long for the question comes in parts, too": (stage) => long(stage, ` ${"and so on ".repeat(5)}`),

  "an approval says what was not shown, and takes a press more": async (stage) => {
    stage.settings('[ask]\npatience = "0s"\n');
    await stage.serve();
    const agent = await stage.agent();
    stage.same((await agent.write("long.txt", lines(900))).error, "waiting", "the call");
    const page = await stage.browser();
    await open(stage, page);
    const short = page.locator("#answer summary", { hasText: "of 900 lines shown" });
    stage.check((await short.textContent()).includes("Approve (4"), "the button does not say how much was shown");
    stage.check(await page.locator("[data-seen]").isHidden(), "there is a plain button beside it");
    await page.keyboard.press("a");
    await page.waitForSelector("text=You have not seen all lines");
    stage.same(await page.locator(".tag-warn").first().textContent(), "open", "the question after one press");
    // Once all parts were loaded the plain button is there.
    while (await page.locator("a[data-part]").count()) {
      const rows = await page.locator("tr.added").count();
      await page.click("a[data-part]");
      await stage.until(async () => (await page.locator("tr.added").count()) > rows, "the next part is put below");
    }
    await page.click("[data-seen]");
    await page.waitForSelector(".told >> text=Approved");
  },

  "what was read and approved need not be reviewed": async (stage) => {
    const { answer } = await threeHunks(stage);
    const page = await stage.browser();
    await open(stage, page);
    await page.keyboard.press("a");
    await page.waitForSelector(".told >> text=Approved");
    stage.check(!(await answer).error, "the edit was refused");
    await page.goto(`${stage.url}/review`);
    stage.check((await page.textContent("main")).includes("You have seen everything"), "it is to be reviewed");
    stage.check(await page.locator("[data-count='/review']").isHidden(), "the badge is there");
  },

  "words outlive a server that is away, and are sent when it is back": async (stage) => {
    stage.settings('[ask]\npatience = "0s"\n');
    stage.write("a.txt", "one\ntwo\n");
    await stage.serve();
    const agent = await stage.agent("claude-code");
    await agent.read("a.txt");
    stage.same((await agent.edit("a.txt", "two", "TWO")).error, "waiting", "the call");
    const page = await stage.browser({ trouble: ["ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_EMPTY_RESPONSE"] });
    await page.click("[data-open]");
    await page.waitForURL(/\/waiting\//);
    await page.keyboard.press("r");
    await page.fill("#words", "Not in this file.");
    await stage.stop("SIGKILL");
    await page.waitForSelector("body[data-away]");
    stage.check(await page.isDisabled("button:has-text('Reject')"), "a button sends while there is no server");
    await stage.serve();
    await page.waitForSelector("body:not([data-away])");
    // The browser would ask whether the page may be left.
    await page.evaluate(() => document.querySelector("[data-keeps]").removeAttribute("data-keeps"));
    await page.reload();
    stage.same(await page.inputValue("#words"), "Not in this file.", "the words after the page was loaded again");
    await stage.stop("SIGKILL");
    // The press comes before the page knows that the server is away.
    await page.evaluate(() => {
      document.querySelector("[name=do][value=no]").disabled = false;
      document.querySelector("[name=do][value=no]").click();
    });
    await page.waitForSelector("text=The server does not answer");
    await stage.serve();
    await page.waitForSelector("#standing >> text=rejected");
    stage.check((await page.textContent("#standing")).includes("Not in this file."), "the words did not arrive");
    stage.same(await page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.startsWith("lancet-text"))), [], "words that are still kept");
  },
};
