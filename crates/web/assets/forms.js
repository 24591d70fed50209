// What happens between the press of a form's button and the next view: a form is sent only while the server answers, what was typed
// outlives a server that is away, and the next view is shown where this one was left. Loaded after page.js, whose functions it uses.
//
// Markup that it looks for:
//   form[method=post]   sent once the server answers; its textareas are kept in this tab until then
//   [data-item][id]     an entry: the next view begins at the one whose form was sent, or at the one that took its place
//   .messages           the messages about the form, which float where the view is scrolled back
//   [data-unseen]       the button while parts of a diff are not shown (links with data-part or data-left-out lead to them); [data-seen], hidden,
//                       takes its place once all were shown
"use strict";

// What this tab remembers. A browser may forbid that; then nothing is remembered.
const memory = {
  get: (key) => {
    try {
      return JSON.parse(sessionStorage.getItem(key));
    } catch {
      return null;
    }
  },
  set: (key, value) => {
    try {
      value === null ? sessionStorage.removeItem(key) : sessionStorage.setItem(key, JSON.stringify(value));
    } catch {}
  },
};

const entryOf = (element) => element.closest("[data-item][id]");

// Words that were typed

const textKey = (field) =>
  ["lancet-text", location.pathname, new URL(field.form.action).pathname, entryOf(field)?.id, field.closest("[data-comment-on]")?.dataset.commentOn, field.name].join("|");

function restoreText(field) {
  if (!field.form || field.value.trim()) return;
  const text = memory.get(textKey(field));
  if (!text) return;
  field.value = text;
  for (let around = field.closest("details"); around; around = around.parentElement.closest("details")) around.open = true;
}

document.addEventListener("input", (event) => {
  const field = event.target;
  // The whole text of a file is sent with the form that it was taken from; only words are kept.
  if (field.matches("textarea:not(.code)") && field.form) memory.set(textKey(field), field.value.trim() ? field.value : null);
});
document.addEventListener("focusin", (event) => {
  if (event.target.matches("textarea:not(.code)")) restoreText(event.target);
});
// A view means that the server has had the form that was sent before.
for (const key of memory.get("lancet-sent-texts") ?? []) memory.set(key, null);
memory.set("lancet-sent-texts", null);
for (const field of all("textarea:not(.code)")) restoreText(field);

// Sending

/** How long a form waits for the server, in seconds. */
const PATIENCE = 60;

/** Whether the server answers now. */
const answers = () => fetch("/assets/icon.svg", { cache: "no-store" }).then((answer) => answer.ok, () => false);
const second = () => new Promise((done) => setTimeout(done, 1000));

let isAway = false;
/** Switches the buttons that would send something off while the server is away. */
function showAway(away) {
  isAway = away;
  document.body.toggleAttribute("data-away", away);
  for (const button of all("form[method=post] button:not([type=button])")) {
    if (away && !button.disabled) {
      button.disabled = true;
      button.dataset.away = "";
    } else if (!away && "away" in button.dataset) {
      button.disabled = false;
      delete button.dataset.away;
    }
  }
}

/** page.js says that the stream of events is lost, or is back. */
document.addEventListener("lancet-connection", async (event) => {
  if (event.detail) return showAway(false);
  // The stream alone may be missing: a server takes a limited number of them.
  while (!(await answers())) {
    if (!isAway && !waitingForm) showAway(true);
    await second();
  }
  showAway(false);
});

let waitingForm = null;

/** Waits until the server answers, and says so meanwhile; false if it did not, or the person has cancelled. */
async function serverIsBack(form) {
  if (await answers()) return true;
  const note = document.createElement("p");
  note.className = "told told-refused";
  note.setAttribute("role", "alert");
  note.textContent = "The server does not answer, so nothing is sent yet. It is sent as soon as the server answers; what you typed is kept. ";
  const cancel = document.createElement("button");
  cancel.type = "button";
  cancel.className = "button button-small";
  cancel.textContent = "Do not send";
  let isCancelled = false;
  cancel.addEventListener("click", () => (isCancelled = true));
  note.append(cancel);
  form.prepend(note);
  note.scrollIntoView({ block: "nearest", behavior: "instant" });
  for (let tries = 0; tries < PATIENCE && !isCancelled; tries++) {
    await second();
    if (!isCancelled && (await answers())) {
      note.remove();
      return true;
    }
  }
  cancel.remove();
  note.textContent = isCancelled ? "Nothing was sent. What you typed is kept." : "The server did not answer, and nothing was sent. What you typed is kept; press the button again when the server runs.";
  return false;
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post") return;
  if (waitingForm === form && form.dataset.isReady === "") return remember(form);
  event.preventDefault();
  if (waitingForm) return;
  waitingForm = form;
  const { submitter } = event;
  const isBack = await serverIsBack(form);
  if (isBack) {
    form.dataset.isReady = "";
    form.requestSubmit(submitter);
    delete form.dataset.isReady;
  } else isSending = null;
  waitingForm = null;
});

// Where the next view begins

const PLACE = "lancet-place";
/** A place is good for this time, in milliseconds. */
const PLACE_LASTS = 60_000;

/** The entries of a view that are within others, or those that are not. */
const entries = (areInner) => items().filter((item) => item.id && Boolean(entryOf(item.parentElement)) === areInner);

function place(entry) {
  const isInner = Boolean(entry && entryOf(entry.parentElement));
  return { path: location.pathname, top: scrollY, item: entry?.id, isInner, at: entries(isInner).indexOf(entry), time: Date.now() };
}

/** Notes what the next view needs, in the moment in which a form is sent. */
function remember(form) {
  memory.set("lancet-sent-texts", all("textarea:not(.code)", form).map(textKey));
  memory.set(PLACE, place(entryOf(form) ?? current()));
}

// A question that is opened from the list leads back to its neighbour.
document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-open]");
  if (link && location.pathname === "/") memory.set("lancet-list-place", place(entryOf(link)));
});

function placeToShow() {
  const left = memory.get(PLACE);
  memory.set(PLACE, null);
  if (left?.path === location.pathname && Date.now() - left.time < PLACE_LASTS) return left;
  const isBack = location.pathname === "/" && document.referrer && new URL(document.referrer).pathname.startsWith("/waiting/");
  return isBack ? memory.get("lancet-list-place") : null;
}

function showPlace() {
  const left = placeToShow();
  if (!left) return;
  scrollTo({ top: left.top, behavior: "instant" });
  const list = entries(left.isInner);
  const entry = left.item && (document.getElementById(left.item) ?? list[Math.min(left.at, list.length - 1)]);
  if (entry) choose(entry);
  first(".messages")?.toggleAttribute("data-floating", scrollY > 0);
}
// A form that came back with a reason is shown from its top, where the reason is.
if (!first(".messages .told-refused")) showPlace();
else memory.set(PLACE, null);

// Once all parts of a diff were shown, the button that names what is missing becomes the plain one.
new MutationObserver(() => {
  const unseen = first("[data-unseen]");
  if (!unseen || first("a[data-part], a[data-left-out]")) return;
  const seen = first("[data-seen]");
  seen.hidden = false;
  seen.dataset.key = unseen.dataset.key;
  unseen.remove();
}).observe(document.body, { childList: true, subtree: true });
