// Decisions from several browsers, without JavaScript, and across a restart of the server.

const TEXT = "alpha\nbeta\ngamma\n";

/** A server and an agent that has read a file. */
async function begun(stage, patience = "45s") {
  stage.settings(`[ask]\npatience = "${patience}"\n`);
  stage.write("a.txt", TEXT);
  await stage.serve();
  const agent = await stage.agent();
  await agent.read("a.txt");
  return agent;
}

/** The address of the question that waits; how many there are is said by the badge of the navigation. */
async function question(stage, page) {
  await page.goto(`${stage.url}/`);
  await page.waitForSelector("a[data-open]");
  return page.locator("a[data-open]").first().evaluate((link) => link.href);
}

export default {
  "of two browsers the first decides, and the second is told": async (stage) => {
    const agent = await begun(stage);
    const call = agent.edit("a.txt", "beta", "BETA");
    // Without JavaScript it does not see that the question is decided meanwhile.
    const [first, second] = [await stage.browser(), await stage.browser({ script: false })];
    await stage.until(async () => (await first.reload()) && (await first.locator("a[data-open]").count()) === 1, "the question is shown");
    const at = await question(stage, first);
    await first.goto(at);
    await second.goto(at);
    await first.click("button[name=do][value=yes]");
    await first.waitForSelector(".told >> text=Approved");
    const answer = await call;
    stage.check(!answer.error, `the agent got ${answer.text}`);
    stage.same(stage.read("a.txt"), "alpha\nBETA\ngamma\n", "the file");
    await second.locator("details.reject summary").click();
    await second.fill("textarea[name=words]", "No, leave it.");
    await second.click("button[name=do][value=no]");
    stage.check((await second.textContent(".told")).includes("Too late"), "the second is not told");
    stage.same(stage.read("a.txt"), "alpha\nBETA\ngamma\n", "the file after the second");
    stage.same((await stage.lancet("log", "--oneline")).trim().split("\n").filter((line) => line.includes("a.txt")).length, 1, "operations");
  },

  "a decision reaches a browser that shows the question": async (stage) => {
    const agent = await begun(stage);
    const [first, second] = [await stage.browser(), await stage.browser()];
    const call = agent.edit("a.txt", "beta", "BETA");
    // Both show an empty list, and get the question without being asked to load anything.
    for (const page of [first, second]) await page.waitForSelector("a[data-open]");
    const at = await first.locator("a[data-open]").evaluate((link) => link.href);
    await second.goto(at);
    await first.click("button[name=do][value=yes]");
    stage.check(!(await call).error, "the edit was refused");
    await second.waitForSelector("#standing >> text=approved");
    await second.waitForSelector("button[name=do][value=yes]", { state: "detached" });
    stage.same(stage.read("a.txt"), "alpha\nBETA\ngamma\n", "the file");
  },

  "without JavaScript a person approves and rejects": async (stage) => {
    const agent = await begun(stage);
    const page = await stage.browser({ script: false });
    const no = agent.edit("a.txt", "alpha", "ALPHA");
    await stage.until(async () => (await page.reload()) && (await page.locator("a[data-open]").count()) === 1, "the question is shown");
    await page.goto(await question(stage, page));
    await page.locator("details.reject summary").click();
    await page.fill("textarea[name=words]", "Keep the first line <as it is>.");
    await page.click("button[name=do][value=no]");
    const refused = await no;
    stage.same(refused.error, "declined", "the agent's answer");
    stage.check(refused.text.includes("Keep the first line <as it is>."), `the words did not arrive: ${refused.text}`);
    stage.same(stage.read("a.txt"), TEXT, "the file");
    const yes = agent.edit("a.txt", "gamma", "GAMMA");
    await stage.until(async () => (await page.goto(`${stage.url}/`)) && (await page.locator("a[data-open]").count()) === 1, "the second question is shown");
    await page.goto(await question(stage, page));
    await page.click("button[name=do][value=yes]");
    const answer = await yes;
    stage.check(!answer.error, `the agent got ${answer.text}`);
    stage.same(stage.read("a.txt"), "alpha\nbeta\nGAMMA\n", "the file");
  },

  "the server is killed while something waits, and the answer still counts": async (stage) => {
    const agent = await begun(stage, "0s");
    stage.same((await agent.edit("a.txt", "beta", "BETA")).error, "waiting", "the first call");
    const page = await stage.browser({ trouble: ["ERR_"] });
    await page.goto(await question(stage, page));
    await stage.stop("SIGKILL");
    await page.waitForSelector(".live:visible");
    await stage.serve();
    await page.waitForSelector(".live", { state: "hidden" });
    // The form is the one from before the restart.
    await page.click("button[name=do][value=yes]");
    await page.waitForSelector(".told >> text=Approved");
    stage.same(stage.read("a.txt"), TEXT, "the file before the call is sent again");
    const again = await (await stage.agent()).edit("a.txt", "beta", "BETA");
    stage.check(!again.error, `the agent got ${again.text}`);
    stage.same(stage.read("a.txt"), "alpha\nBETA\ngamma\n", "the file");
  },
};
