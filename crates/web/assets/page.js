// What the page does beyond links and forms: it sends the code of a link, stays up to date, and obeys keys.
//
// Markup that it looks for:
//   data-item           an entry of a list, reached with j and k; has an id
//   data-open           in an entry: the link that Enter follows
//   data-key="a"        a button (pressed), link (followed), checkbox (ticked) or field (focused) that the key activates, in the current entry or
//                       else outside of all entries; a <details> is opened and its first field focused
//   data-live           an element with an id that is replaced when something has happened; its entries are data-item
//   data-submit         a select or checkbox whose form is sent when it changes
//   data-comment="ID"   a table of a diff whose line numbers open a field for a comment: the content of the <template> with that id, put below
//                       the line. In it data-line-value gets the number (of a removed line with a minus sign), data-line-text the same in
//                       words, and data-remove takes the field away again
//   data-check          the form of a question: whether a box is ticked and how long the words are is looked at before it is sent
//   data-keeps          a form whose words are lost when the page is left
//   data-keys-switch    a checkbox that switches the keys on and off
//   data-part           a link to the next part of a diff, in a paragraph after the diff's table: its rows are put into the table
"use strict";

const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const first = (selector, within = document) => within.querySelector(selector);

// A link's code is after the # so that it reaches no log; it is sent once and taken out of the address.
const enter = document.getElementById("enter");
function sendCode() {
  if (location.hash.length < 2) return;
  enter.elements.code.value = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  enter.requestSubmit();
}
if (enter) {
  sendCode();
  addEventListener("hashchange", sendCode);
}

// Keys

const items = () => all("[data-item]").filter((item) => item.offsetParent !== null);
const current = () => first("[data-item][data-current]");

function choose(item) {
  for (const other of all("[data-current]")) delete other.dataset.current;
  if (!item) return;
  item.dataset.current = "";
  if (!item.hasAttribute("tabindex")) item.tabIndex = -1;
  item.focus({ preventScroll: true });
  item.scrollIntoView({ block: "nearest", behavior: "instant" });
}

function step(by) {
  const list = items();
  if (!list.length) return;
  const at = list.indexOf(current());
  choose(at < 0 ? list[by > 0 ? 0 : list.length - 1] : list[Math.min(Math.max(at + by, 0), list.length - 1)]);
}

const isOnlyOne = () => items().filter((item) => !item.parentElement.closest("[data-item]")).length === 1;

function press(key) {
  const selector = `[data-key="${CSS.escape(key)}"]`;
  const place = current();
  // A key means the current entry, the entry around it, or what is outside of all entries; never an entry that was not chosen.
  let found = null;
  for (let around = place; around && !found; around = around.parentElement.closest("[data-item]")) found = first(selector, around);
  found ||= all(selector).find((other) => !other.closest("[data-item]")) || (isOnlyOne() && first(selector));
  if (!found) return false;
  if (found.matches("details")) {
    found.open = true;
    (first("textarea, input:not([type=hidden]), .pop button", found) || found).focus();
  } else if (found.matches("textarea, select, input:not([type=checkbox])")) found.focus();
  else found.click();
  return true;
}

// Keys can be switched off, for those whose speech or hand presses some by mistake. A browser may forbid to remember that.
const KEYS_OFF = "lancet-keys-off";
let areKeysOff = false;
try {
  areKeysOff = localStorage.getItem(KEYS_OFF) !== null;
} catch {}
const keysSwitch = first("[data-keys-switch]");
if (keysSwitch) {
  keysSwitch.checked = !areKeysOff;
  keysSwitch.addEventListener("change", () => {
    areKeysOff = !keysSwitch.checked;
    try {
      areKeysOff ? localStorage.setItem(KEYS_OFF, "1") : localStorage.removeItem(KEYS_OFF);
    } catch {}
  });
}
for (const button of all("[data-keys-open]")) {
  button.hidden = false;
  button.addEventListener("click", () => document.getElementById("keys")?.showModal());
}

let going = false;
document.addEventListener("keydown", (event) => {
  if (areKeysOff && event.key !== "Escape" && event.key !== "Enter") return;
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const typing = event.target.matches("input:not([type=checkbox]):not([type=radio]), textarea, select");
  if (event.key === "Escape" && typing) return event.target.blur();
  if (typing || first("dialog[open]")) return;
  const key = event.key;
  let done = true;
  if (going) {
    going = false;
    const entry = first(`[data-go="${CSS.escape(key)}"]`);
    if (entry) entry.click();
    else done = false;
  } else if (key === "g") {
    going = true;
    setTimeout(() => (going = false), 1500);
  } else if (key === "j") step(1);
  else if (key === "k") step(-1);
  else if (key === "?") document.getElementById("keys")?.showModal();
  else if (key === "Enter" && event.target.matches("[data-item]")) first("[data-open]", event.target)?.click();
  else done = key.length === 1 && press(key);
  if (done) event.preventDefault();
});
document.addEventListener("focusin", (event) => {
  const item = event.target.closest("[data-item]");
  if (item && !item.hasAttribute("data-current")) {
    for (const other of all("[data-current]")) delete other.dataset.current;
    item.dataset.current = "";
  }
});
document.addEventListener("change", (event) => {
  if (event.target.matches("[data-submit]")) event.target.form.requestSubmit();
});

// A question's form that would be refused is not sent: the words and ticks stay where they are.
const LONGEST_WORDS = 4000;
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("[data-check]")) return;
  const wanted = event.submitter?.value;
  // Enter in a field or on a box: nothing is meant by it.
  if (wanted === "nothing") return event.preventDefault();
  const length = all("textarea", form).reduce((sum, field) => sum + field.value.trim().length, 0);
  let trouble = "";
  if (wanted === "picked" && !all("[name=pick]:checked", form).length) trouble = "No box is ticked, so nothing would be written. Tick what is to be written, or reject the change.";
  else if (length > LONGEST_WORDS) trouble = `The words have ${length} characters together; ${LONGEST_WORDS} reach the model. Shorten them.`;
  else if (length && ["session", "always"].includes(wanted)) trouble = "An approval that lasts takes no words or comments: they go with a rejection, or with an approval of this change alone.";
  const place = first("[data-trouble]", form);
  if (place) {
    place.textContent = trouble;
    place.hidden = !trouble;
  }
  if (trouble) event.preventDefault();
});

// Words that were typed and not sent are asked about before they are lost: when the page is left, or another form is sent.
let isSending = null;
const hasWords = (form) => form !== isSending && all("textarea", form).some((field) => field.value.trim() && field.value !== field.defaultValue);
document.addEventListener("submit", (event) => {
  if (!event.defaultPrevented) isSending = event.target;
});
addEventListener("beforeunload", (event) => {
  if (all("form[data-keeps]").some(hasWords)) event.preventDefault();
  isSending = null;
});

// Comments on lines of a diff: a click on a number opens a field below the line.
document.addEventListener("click", (event) => {
  event.target.closest("[data-remove]")?.closest("tr")?.remove();
  const number = event.target.closest("td.number[data-line]");
  const table = number?.closest("table[data-comment]");
  const fields = table && document.getElementById(table.dataset.comment);
  if (!fields) return;
  const line = number.dataset.line;
  const row = number.closest("tr");
  const open = row.nextElementSibling;
  if (open?.dataset.commentOn === line) return first("textarea", open).focus();
  const below = document.createElement("tr");
  below.className = "comment-row";
  below.dataset.commentOn = line;
  const cell = below.insertCell();
  cell.colSpan = table.classList.contains("split") ? 6 : 4;
  cell.append(fields.content.cloneNode(true));
  for (const field of all("[data-line-value]", cell)) field.value = line;
  for (const words of all("[data-line-text]", cell)) words.textContent = line.startsWith("-") ? `${line.slice(1)} (removed)` : line;
  row.after(below);
  first("textarea", cell)?.focus();
});

// Times are written in UTC; here they are as the person reads them: today's as a time of the day.
function localise(within) {
  for (const time of all("time[datetime]", within)) {
    const moment = new Date(time.dateTime);
    const isToday = moment.toDateString() === new Date().toDateString();
    time.title = moment.toLocaleString(undefined, { dateStyle: "full", timeStyle: "medium" });
    time.textContent = isToday
      ? moment.toLocaleTimeString(undefined, { timeStyle: "short" })
      : moment.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  }
}

// The next part of a large diff is fetched into the table that it goes on with. Without that, the link shows it alone.
document.addEventListener("click", async (event) => {
  const link = event.target.closest("a[data-part]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (link.ariaBusy === "true") return;
  link.ariaBusy = "true";
  const place = link.closest(".more");
  const table = place.parentElement.querySelector("table.diff-lines");
  const answer = await fetch(link.href, { headers: { "lancet-looks-again": "1" } }).catch(() => null);
  const found = answer?.ok && new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("table.diff-lines");
  if (!found || !table) return location.assign(link.href);
  const next = found.closest(".diff")?.querySelector(".more");
  table.append(...all("tbody", found));
  next ? place.replaceWith(next) : place.remove();
});

// Live: the server says that something has happened; the page is asked for again and compared. Nothing that a person looks
// at moves: what is new is offered by a button, what is gone is marked in place.

const live = () => all("[data-live][id]");
// What the server sent for each of them: only another text replaces what a person may have opened.
const sent = new Map(live().map((element) => [element.id, element.outerHTML]));
function replace(element, fresh) {
  const text = fresh.outerHTML;
  if (sent.get(element.id) === text) return;
  sent.set(element.id, text);
  localise(fresh);
  element.replaceWith(fresh);
}
localise(document);
let shownTitle = document.title;

function count(path, number) {
  for (const badge of all(`[data-count="${path}"]`)) {
    badge.textContent = number;
    badge.hidden = number === 0;
  }
}

function offer(number) {
  let news = first(".news");
  if (number === 0) return news?.remove();
  if (!news) {
    news = document.createElement("div");
    news.className = "news";
    news.setAttribute("role", "status");
    const button = document.createElement("button");
    button.className = "button button-main";
    button.type = "button";
    button.addEventListener("click", () => location.reload());
    news.append(button);
    live()[0].before(news);
  }
  first("button", news).textContent = `${number} new: show`;
}

const isBusy = (element) =>
  element.contains(document.activeElement) && document.activeElement.matches("input, textarea, select") ||
  all("textarea, input[type=text], input[type=checkbox]", element).some((field) => field.value !== field.defaultValue || field.checked !== field.defaultChecked);

let looking = false;
let lookAgain = false;
async function look() {
  if (!live().length) return;
  if (looking) {
    lookAgain = true;
    return;
  }
  looking = true;
  try {
    const answer = await fetch(location.href, { headers: { "lancet-looks-again": "1" } }).catch(() => null);
    if (!answer) return;
    if (answer.redirected && new URL(answer.url).pathname === "/enter") return location.reload();
    if (!answer.ok) return;
    const now = new DOMParser().parseFromString(await answer.text(), "text/html");
    let added = 0;
    for (const element of live()) {
      const fresh = now.getElementById(element.id);
      const shown = all("[data-item][id]", element);
      if (!fresh) continue;
      if (!shown.length && !isBusy(element) && !all("[data-item]", fresh).length) {
        replace(element, fresh);
        continue;
      }
      const known = new Set(shown.map((item) => item.id));
      const remaining = new Set(all("[data-item][id]", fresh).map((item) => item.id));
      if (!shown.length && remaining.size) {
        // The empty state explains itself only while it is true.
        replace(element, fresh);
        continue;
      }
      added += [...remaining].filter((id) => !known.has(id)).length;
      for (const item of shown) {
        item.toggleAttribute("data-gone", !remaining.has(item.id));
        // A comment is about lines that the person saw, and can be sent although the file has moved on.
        const buttons = all("button:not([hidden])", item).filter((button) => !button.closest("form[data-keeps]"));
        for (const button of buttons) button.disabled = !remaining.has(item.id);
      }
    }
    offer(added);
  } finally {
    looking = false;
    if (lookAgain) {
      lookAgain = false;
      look();
    }
  }
}

// One tab listens and tells the others, where the browser lets tabs agree on that (on this machine, or encrypted): it
// opens few connections to one server, and each tab that listens holds one of them.
if (!enter && "EventSource" in window) {
  // The number of the newest event when the page was made.
  let newest = Number(document.body.dataset.seq);
  const state = first(".live");
  const others = "BroadcastChannel" in window ? new BroadcastChannel("lancet-live") : null;
  const heard = (told) => {
    if (state) state.hidden = told.connected;
    document.dispatchEvent(new CustomEvent("lancet-connection", { detail: told.connected }));
    if (!told.connected) return;
    count("/", told.waiting);
    count("/review", told.review);
    document.title = told.waiting ? `(${told.waiting}) ${shownTitle}` : shownTitle;
    // Something may have happened since the page was made.
    if (told.seq !== newest) look();
    newest = told.seq;
  };
  const say = (told) => {
    heard(told);
    others?.postMessage(told);
  };
  let source = null;
  const listen = () => {
    source = new EventSource("/live");
    source.addEventListener("message", (event) => say({ ...JSON.parse(event.data), connected: true }));
    source.addEventListener("error", () => {
      say({ connected: false });
      if (source.readyState !== EventSource.CLOSED) return;
      // The server refused: this device may have been forgotten, which the page itself tells.
      setTimeout(async () => {
        await look();
        if (source) listen();
      }, 3000);
    });
  };
  if (others && navigator.locks) {
    others.addEventListener("message", (event) => heard(event.data));
    navigator.locks.request("lancet-live", () => new Promise(listen));
  } else {
    // Each tab holds a connection here, so only the one that is looked at does.
    const follow = () => {
      if (document.hidden) {
        source?.close();
        source = null;
      } else if (!source) listen();
    };
    document.addEventListener("visibilitychange", follow);
    follow();
  }
  addEventListener("pagehide", () => source?.close());
}
