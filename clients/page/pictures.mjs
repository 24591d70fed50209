// Takes the pictures of the page in the README, with content as a day's work leaves it.
//
//     node pictures.mjs BINARY FOLDER
//
// Writes page-light.png, page-dark.png and page-phone.png. Look at them before they are committed.
import { join, resolve } from "node:path";

import { chromium } from "playwright-core";

import { Stage } from "./stage.mjs";

const OLD = `//! Sessions of signed-in users.

use std::time::{Duration, Instant};

use crate::store::Store;

/// How long a session lasts without being used.
const IDLE: Duration = Duration::from_secs(3600);

/// A signed-in user.
pub struct Session {
    pub user: UserId,
    began: Instant,
}

impl Session {
    pub fn new(user: UserId) -> Session {
        Session { user, began: Instant::now() }
    }

    pub fn is_valid(&self) -> bool {
        self.began.elapsed() < IDLE
    }
}

/// Finds the session that a cookie names.
pub fn find(store: &Store, cookie: &str) -> Option<Session> {
    let id = cookie.split('=').nth(1)?;
    store.get(id)
}

/// Ends a session.
pub fn end(store: &mut Store, id: &str) {
    store.remove(id);
}
`;
const EDITS = [
  ["    began: Instant,\n}", "    began: Instant,\n    used: Instant,\n}"],
  ["        Session { user, began: Instant::now() }", "        let now = Instant::now();\n        Session { user, began: now, used: now }"],
  ["        self.began.elapsed() < IDLE", "        self.used.elapsed() < IDLE && self.began.elapsed() < LONGEST"],
  ["const IDLE: Duration = Duration::from_secs(3600);", "const IDLE: Duration = Duration::from_secs(30 * 60);\n/// How long a session lasts at all.\nconst LONGEST: Duration = Duration::from_secs(12 * 3600);"],
  ["    let id = cookie.split('=').nth(1)?;", "    let (_, id) = cookie.split_once('=')?;"],
];

const browser = await chromium.launch({ executablePath: process.env.LANCET_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"] });
const stage = new Stage(resolve(process.argv[2]), browser);
const folder = resolve(process.argv[3] ?? ".");
try {
  stage.settings('[ask]\npatience = "0s"\n\n[permissions]\nallow = ["Edit(docs/**)", "Edit(tests/**)"]\n');
  stage.write("src/session.rs", OLD);
  stage.write("docs/sessions.md", "# Sessions\n\nA session lasts an hour.\n");
  await stage.serve();
  const [claude, codex] = [await stage.agent("claude-code"), await stage.agent("codex")];
  await claude.read("docs/sessions.md");
  await claude.edit("docs/sessions.md", "A session lasts an hour.", "A session ends after 30 minutes without use, and after 12 hours in any case.");
  await codex.write("tests/session.rs", "use api::session::Session;\n\n#[test]\nfn a_new_session_is_valid() {\n    assert!(Session::new(UserId(1)).is_valid());\n}\n");
  await codex.write("Cargo.toml", '[package]\nname = "api"\nversion = "0.4.0"\nedition = "2024"\n');
  await claude.read("src/session.rs");
  await claude.call("MultiEdit", { file_path: stage.path("src/session.rs"), edits: EDITS.map(([old_string, new_string]) => ({ old_string, new_string })) });
  for (const [file, kind] of [["page-light.png", {}], ["page-dark.png", { dark: true }], ["page-phone.png", { phone: true, size: { viewport: { width: 390, height: 760 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true } }]]) {
    const page = await stage.browser(kind);
    const at = await page.locator("a[data-open]", { hasText: "session.rs" }).first().evaluate((link) => link.href);
    await page.goto(at);
    await page.screenshot({ path: join(folder, file) });
    await page.context().close();
  }
} finally {
  await stage.end().catch((error) => console.log(error.message));
  await browser.close();
}
