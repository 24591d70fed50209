// How every view looks: on a phone, and to people who cannot see it or not well. Views are found by following links.

/** A project with something on every view. */
async function lived(stage) {
  stage.settings('[ask]\npatience = "0s"\n\n[permissions]\nallow = ["Edit(done/**)"]\n');
  stage.write("src/main.rs", Array.from({ length: 60 }, (_, at) => `fn function_${at}() -> usize { ${at} } // a comment that goes on for quite a while, as comments do\n`).join(""));
  await stage.serve();
  const [first, second] = [await stage.agent("claude-code"), await stage.agent("codex")];
  await first.write("done/notes.md", "# Notes\n\nOne line.\n");
  await first.call("Edit", { file_path: stage.path("done/notes.md"), old_string: "One line.", new_string: "Another line." });
  await second.write("done/a-very-long-name-of-a-folder/and-a-very-long-name-of-a-file-in-it-that-does-not-fit-a-phone.txt", `${"wide ".repeat(60)}\n`);
  await first.read("src/main.rs");
  const edits = [3, 30, 55].map((at) => ({ old_string: `function_${at}()`, new_string: `renamed_${at}()` }));
  stage.same((await first.call("MultiEdit", { file_path: stage.path("src/main.rs"), edits })).error, "waiting", "three hunks");
  stage.same((await second.write("new.txt", "new\n")).error, "waiting", "a new file");
}

// Each theme and each size once; `cargo xtask torture` asks for every pair.
const pairs = [
  ["light, at a desk", {}],
  ["dark, on a phone", { phone: true, dark: true }],
];
if (process.env.LANCET_EVERY_LOOK) pairs.push(["dark, at a desk", { dark: true }], ["light, on a phone", { phone: true }]);

export default Object.fromEntries(
  pairs.map(([name, kind]) => [
    `every view is accessible and fits: ${name}`,
    async (stage) => {
      await lived(stage);
      const page = await stage.browser(kind);
      await stage.crawl(page, async () => {
        await stage.axe(page);
        if (kind.phone) await stage.fitsPhone(page);
      });
    },
  ]),
);
