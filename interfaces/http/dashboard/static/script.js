// Keys, choosing many, news of new memories, how far an act is, and the sign-in by a link. Pages work without it, but
// for that sign-in.
"use strict";

const entries = () => [...document.querySelectorAll("[data-entry]")].filter((one) => one.checkVisibility());
let at = null;

function go(step) {
  const all = entries();
  if (!all.length) return;
  const here = all.indexOf(at);
  at?.classList.remove("at");
  at = all[here < 0 ? 0 : Math.max(0, Math.min(all.length - 1, here + step))];
  at.classList.add("at");
  const target = at.querySelector("a, summary, button") ?? at;
  if (target === at) at.tabIndex = -1;
  target.focus({ preventScroll: true });
  at.scrollIntoView({ block: "nearest" });
}

function search() {
  const field = document.querySelector("[data-search]");
  if (field) field.focus();
  else open("/memories", "#search");
}

function open(path, hash) {
  const namespace = new URLSearchParams(location.search).get("ns");
  location.href = `${document.body.dataset.base}${path}${namespace ? `?ns=${encodeURIComponent(namespace)}` : ""}${hash}`;
}

function edit() {
  const ofPage = [...document.querySelectorAll("main [data-edit]")].find((one) => !one.closest("[data-entry]"));
  const place = at?.querySelector("[data-edit]") ?? ofPage;
  const own = at?.querySelector('a[href*="/memory/"], a[href*="/goals/"]');
  if (at && own && !at.querySelector("[data-edit]")) {
    location.href = `${own.href}#edit`;
    return;
  }
  if (!place) return;
  const around = place.closest("details");
  if (around) around.open = true;
  const field = place.matches("input, textarea") ? place : place.querySelector("textarea, input:not([type=hidden])");
  field?.focus();
}

// Choosing many.

const boxes = () => [...document.querySelectorAll('input[name="id"][form="chosen"]')];
const bulk = document.querySelector("[data-bulk]");
const page = document.querySelector("[data-all]");
const every = document.querySelector("[data-every]");
let last = -1;

function count() {
  if (!bulk) return;
  const chosen = boxes().filter((box) => box.checked).length;
  page.checked = chosen > 0 && chosen === boxes().length;
  page.indeterminate = chosen > 0 && !page.checked;
  bulk.querySelector("[data-count]").textContent = every?.checked ? every.dataset.total : chosen;
  for (const button of bulk.querySelectorAll("button")) button.disabled = !chosen && !every?.checked;
}

function choose(index, extend) {
  const all = boxes();
  if (!all[index]) return;
  if (extend && last >= 0) {
    const [from, to] = [Math.min(last, index), Math.max(last, index)];
    for (const box of all.slice(from, to + 1)) box.checked = all[last].checked;
  }
  last = index;
  count();
}

function toggle(extend) {
  const box = at?.querySelector('input[form="chosen"]');
  if (!box) return;
  box.checked = !box.checked;
  if (every && !box.checked) every.checked = false;
  choose(boxes().indexOf(box), extend);
}

page?.addEventListener("change", () => {
  for (const box of boxes()) box.checked = page.checked;
  if (every && !page.checked) every.checked = false;
  count();
});
every?.addEventListener("change", () => {
  for (const box of boxes()) box.checked = every.checked;
  count();
});
for (const others of document.querySelectorAll("[data-others]")) {
  others.addEventListener("change", () => {
    for (const box of others.closest("[data-group]").querySelectorAll('input[name="id"]')) box.checked = others.checked;
    count();
  });
}
document.addEventListener("click", (event) => {
  if (!event.target.matches('input[form="chosen"]')) return;
  if (every && !event.target.checked) every.checked = false;
  choose(boxes().indexOf(event.target), event.shiftKey);
});
addEventListener("pageshow", count); // a browser that goes back fills in what was chosen

const press = (what) => bulk?.querySelector(`button[value="${what}"]`)?.click();
const follow = (where) => document.querySelector(where)?.click();

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input:not([type=checkbox]), textarea, select, dialog[open]");
  if (event.key === "Escape" && typing && !event.target.closest("dialog")) event.target.blur();
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const does = {
    "/": search,
    j: () => go(1),
    k: () => go(-1),
    x: () => toggle(false),
    X: () => toggle(true),
    a: () => page?.click(),
    "#": () => press("archive"),
    z: () => follow('[data-act] button[value="undo"]'),
    n: () => follow("[data-later]"),
    p: () => follow("[data-earlier]"),
    e: edit,
    "?": () => document.querySelector("#help")?.showModal(),
  }[event.key];
  if (does) {
    event.preventDefault();
    does();
  }
});

if (location.hash === "#search") search();
if (location.hash === "#edit") edit();

if (document.querySelector("[data-running]")) setTimeout(() => location.reload(), 1500);

const enter = document.querySelector("[data-enter]");
if (enter && location.hash.length > 1) {
  enter.elements.link.value = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  enter.submit();
}

const news = document.querySelector("[data-news]");
if (news) {
  const namespace = new URLSearchParams(location.search).get("ns");
  const query = namespace ? `?ns=${encodeURIComponent(namespace)}` : "";
  const source = new EventSource(`${document.body.dataset.base}/events${query}`);
  source.addEventListener("memory.store", () => {
    news.hidden = false;
  });
  addEventListener("pagehide", () => source.close());
}
