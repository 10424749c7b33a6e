// Keys, choosing many, news of new memories, and the sign-in by a link. Pages work without it, but for that sign-in.
"use strict";

const entries = () => [...document.querySelectorAll("[data-entry]")];
let at = -1;

function go(step) {
  const all = entries();
  if (!all.length) return;
  if (all[at]) all[at].classList.remove("at");
  at = Math.max(0, Math.min(all.length - 1, at + step));
  all[at].classList.add("at");
  const target = all[at].querySelector("a, summary");
  if (target) target.focus();
  all[at].scrollIntoView({ block: "nearest" });
}

function edit() {
  const form = document.querySelector("[data-edit]");
  if (!form) return;
  form.open = true;
  form.querySelector("textarea").focus();
}

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select, dialog");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const does = {
    "/": () => document.querySelector("[data-search]")?.focus(),
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
