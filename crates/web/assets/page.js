// What the page does beyond links and forms: it sends the code of a link, stays up to date, and obeys keys.
//
// Markup that it looks for:
//   data-item           an entry of a list, reached with j and k; has an id
//   data-open           in an entry: the link that Enter follows
//   data-key="a"        a button (pressed), link (followed) or field (focused) that the key stands for, in the current entry or else on the page;
//                       a <details> is opened and its first field focused
//   data-live           an element with an id that is replaced when something has happened; its entries are data-item
//   data-submit         a select or checkbox whose form is sent when it changes
"use strict";

const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const first = (selector, within = document) => within.querySelector(selector);

// A link's code stands behind the # so that it reaches no log; it is sent once and taken out of the address.
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

function press(key) {
  const selector = `[data-key="${CSS.escape(key)}"]`;
  const place = current();
  const found = (place && first(selector, place)) || (!place && first(selector));
  if (!found) return false;
  if (found.matches("details")) {
    found.open = true;
    (first("textarea, input:not([type=hidden])", found) || found).focus();
  } else if (found.matches("textarea, input, select")) found.focus();
  else found.click();
  return true;
}

let going = false;
document.addEventListener("keydown", (event) => {
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

// Live: the server says that something has happened; the page is asked for again and compared. Nothing that a person looks
// at moves: what is new is offered by a button, what is gone is marked in place.

const live = () => all("[data-live][id]");
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
        element.replaceWith(fresh);
        continue;
      }
      const known = new Set(shown.map((item) => item.id));
      const remaining = new Set(all("[data-item][id]", fresh).map((item) => item.id));
      if (!shown.length && remaining.size) {
        // The empty state explains itself only while it is true.
        element.replaceWith(fresh);
        continue;
      }
      added += [...remaining].filter((id) => !known.has(id)).length;
      for (const item of shown) {
        item.toggleAttribute("data-gone", !remaining.has(item.id));
        for (const button of all("button", item)) button.disabled = !remaining.has(item.id);
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
  let newest = null;
  const state = first(".live");
  const others = "BroadcastChannel" in window ? new BroadcastChannel("lancet-live") : null;
  const heard = (told) => {
    if (state) state.hidden = told.connected;
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
        listen();
      }, 3000);
    });
  };
  if (others && navigator.locks) {
    others.addEventListener("message", (event) => heard(event.data));
    navigator.locks.request("lancet-live", () => new Promise(listen));
  } else listen();
  addEventListener("pagehide", () => source?.close());
}
