// Keys, choosing many, news of new memories, and the sign-in by a link. Pages work without it, but for that sign-in.
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
  at.querySelector("a, summary, button")?.focus();
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
  const whole = [...document.querySelectorAll("main [data-edit]")].find((one) => !one.closest("[data-entry]"));
  const place = at?.querySelector("[data-edit]") ?? whole;
  const memory = at?.querySelector('a[href*="/memory/"]');
  if (at && memory && !at.querySelector("[data-edit]")) {
    location.href = `${memory.href}#edit`;
    return;
  }
  if (!place) return;
  const around = place.closest("details");
  if (around) around.open = true;
  const field = place.matches("input, textarea") ? place : place.querySelector("textarea, input:not([type=hidden])");
  field?.focus();
}

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select, dialog[open]");
  if (event.key === "Escape" && typing && !event.target.closest("dialog")) event.target.blur();
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const does = {
    "/": search,
    j: () => go(1),
    k: () => go(-1),
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
const named = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
if (named && named.matches("[data-entry]")) {
  const details = named.querySelector("details");
  if (details) details.open = true;
}

const all = document.querySelector("[data-all]");
all?.addEventListener("change", () => {
  for (const box of document.querySelectorAll('[form="chosen"]')) box.checked = all.checked;
});

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
