// Keys, choosing many, what happens meanwhile, drafts, how far an act is, and the sign-in by a link. Pages work without
// it, but for that sign-in.
"use strict";

// How the pages look: a choice is sent at once; the browser's zone is told in a cookie, and a page of another one is
// fetched anew, unless cookies are refused.

const look = document.querySelector("[data-look]");
look?.addEventListener("change", () => look.submit());
look?.elements.zone?.addEventListener("focus", () => { // the names of all zones are known to the browser
  const names = document.querySelector("[data-zones]");
  if (!names.children.length) names.append(...Intl.supportedValuesOf("timeZone").map((name) => new Option(name)));
});

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (zone && !("zoneChosen" in document.body.dataset) && document.body.dataset.zone !== zone) {
  const [base, secure] = [document.body.dataset.base, location.protocol === "https:" ? "; secure" : ""];
  const tell = (name) => (document.cookie = `agentos_zone=${encodeURIComponent(name)}; path=${base}; max-age=31536000; samesite=strict${secure}`);
  const told = document.cookie;
  tell(zone);
  if (document.cookie !== told && document.querySelector("[data-live]") && !document.querySelector("[data-toast]")) location.reload();
}

document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" }); // of a narrow screen

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
  const field = document.querySelector("main [data-search]");
  if (field) field.focus();
  else finder?.open();
}

// A link to a form of this page leads to its first field.
function arrive() {
  const form = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
  if (!form || !form.matches("main form")) return;
  form.closest("details")?.setAttribute("open", "");
  form.querySelector("textarea, input:not([type=hidden])")?.focus();
}
addEventListener("hashchange", arrive);
document.addEventListener("click", (event) => {
  const link = event.target.closest('a[href*="#"]');
  if (link?.href === location.href) arrive(); // the hash stays the same
});

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
    z: () => follow('[data-act] button[value="undo"], [data-toast]:not([hidden]) button'),
    n: () => follow("[data-later]"),
    p: () => follow("[data-earlier]"),
    e: edit,
    o: peek,
    "?": () => document.querySelector("#help")?.showModal(),
  }[event.key];
  if (does) {
    event.preventDefault();
    does();
  }
});

// Another page, or a part of it.
async function fetched(address, options = {}) {
  const answer = await fetch(address, { redirect: "error", ...options }).catch(() => null);
  if (!answer?.ok) return null;
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

const adopted = (nodes) => [...nodes].map((node) => document.importNode(node, true));

// The sheet: a page to choose from, over this one. Without it the same link leads to that page.

const sheet = document.querySelector("#sheet");

document.addEventListener("click", async (event) => {
  const link = event.target.closest("[data-sheet-open]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const found = (await fetched(link.href))?.querySelector("[data-sheet-body]");
  if (!found) {
    location.href = link.href;
    return;
  }
  sheet.querySelector("[data-sheet]").replaceChildren(...adopted(found.childNodes));
  sheet.showModal();
});

// The filters with their counts come when they are looked at: to count takes longer than to list.

const facets = document.querySelector("[data-facets]");

async function countFacets() {
  if (!facets.open || facets.dataset.counted) return;
  facets.dataset.counted = "true";
  const found = (await fetched(facets.dataset.facets))?.querySelector("[data-chips]");
  if (found) facets.querySelector("[data-chips]").replaceWith(...adopted([found]));
}

if (facets) {
  if (matchMedia("(min-width: 60rem)").matches) facets.open = true;
  facets.addEventListener("toggle", countFacets);
  countFacets();
}

// Saved filters are kept in this browser, for whoever signs in as the same.

const saves = document.querySelector("[data-saved]");
const SAVED = `agentos-views:${saves?.dataset.saved}`;

const words = () => [new URLSearchParams(location.search).get("q"), ...[...document.querySelectorAll(".chips bdi")].map((one) => one.textContent)].filter(Boolean);

function showSaved(views) {
  const here = new URL(location.href);
  saves.hidden = !views.length && !words().length;
  saves.querySelector("[data-save]").hidden = !words().length || views.some((one) => one.search === here.search);
  saves.querySelector("[data-saved-views]").replaceChildren(...views.map((one) => {
    const link = Object.assign(document.createElement("a"), { href: here.pathname + one.search, textContent: one.name, dir: "auto" });
    const remove = Object.assign(document.createElement("button"), { type: "button", className: "plain small", textContent: "×" });
    const rename = Object.assign(document.createElement("button"), { type: "button", className: "plain small", textContent: "✎" });
    rename.setAttribute("aria-label", saves.dataset.rename.replace("{name}", () => one.name));
    rename.addEventListener("click", () => nameSaved(views, one, link));
    const both = document.createElement("span");
    if (one.search === here.search) link.setAttribute("aria-current", "true");
    remove.setAttribute("aria-label", saves.dataset.remove.replace("{name}", () => one.name));
    remove.addEventListener("click", () => keepSaved(views.filter((other) => other !== one)));
    both.className = "tag";
    both.append(link, " ", rename, " ", remove);
    return both;
  }));
}

function nameSaved(views, one, link) {
  const field = Object.assign(document.createElement("input"), { value: one.name, maxLength: 100, size: 16, dir: "auto" });
  field.setAttribute("aria-label", saves.dataset.rename.replace("{name}", () => one.name));
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") field.blur();
    if (event.key === "Escape") field.value = one.name;
  });
  field.addEventListener("blur", () => keepSaved(views.map((other) => (other === one ? { ...one, name: field.value.trim() || one.name } : other))));
  link.replaceWith(field);
  field.select();
}

function keepSaved(views) {
  localStorage.setItem(SAVED, JSON.stringify(views));
  showSaved(views);
}

if (saves) {
  const views = () => JSON.parse(localStorage.getItem(SAVED) ?? "[]");
  saves.querySelector("[data-save]").addEventListener("click", () => {
    keepSaved([...views(), { name: words().join(" · "), search: location.search }]);
  });
  showSaved(views());
}

// Beside a list: one of its entries whole, with what can be done to it; the list stays. Forms are sent from there, and
// what they lead to is shown there too.

const side = document.querySelector("#side");
const OF_ONE = /\/memory\/[^/]+$/;

class Side {
  constructor() {
    this.body = side.querySelector("[data-side-body]");
    side.querySelector("[data-side-close]").addEventListener("click", () => this.close());
    document.addEventListener("click", (event) => this.clicked(event));
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !side.hidden && !event.target.closest("input, textarea, select, dialog")) this.close();
    });
    this.body.addEventListener("submit", (event) => this.sent(event));
  }

  static fits() {
    return matchMedia("(min-width: 70rem)").matches;
  }

  // A click beside the text of an entry, not on one of its links, opens it here; so does a link to a memory in here.
  clicked(event) {
    if (!Side.fits() || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const inner = event.target.closest("#side a[href*='/memory/']");
    if (inner?.origin === location.origin) {
      event.preventDefault();
      this.open(inner.href);
      return;
    }
    if (event.target.closest("a, button, input, label, summary, select, textarea, form, #side") || String(getSelection())) return;
    const link = event.target.closest("[data-entry]")?.querySelector("[data-peek]");
    if (link) this.open(link.href, link);
  }

  async open(href, from) {
    if (from) this.from = from;
    this.show(await fetched(href), href);
  }

  show(page, address) {
    const main = page?.querySelector("main");
    if (!main) return;
    main.querySelector("[data-news]")?.remove();
    const heading = main.querySelector("h1");
    if (heading) {
      const link = Object.assign(page.createElement("a"), { href: address, textContent: heading.textContent });
      heading.replaceChildren(link);
    }
    for (const form of main.querySelectorAll('form[method="post"]:not([action])')) form.action = address;
    for (const part of main.querySelectorAll("[data-part], [data-edit], [data-toast]")) {
      for (const name of ["data-part", "data-toast"]) part.removeAttribute(name);
    }
    this.body.replaceChildren(...adopted(main.childNodes));
    side.hidden = false;
    document.body.classList.add("beside-open");
    this.body.scrollTop = 0;
    side.focus({ preventScroll: true });
  }

  async sent(event) {
    const form = event.target;
    if (form.method !== "post" || !OF_ONE.test(new URL(form.action).pathname)) return;
    event.preventDefault();
    const fields = new URLSearchParams(new FormData(form, event.submitter));
    const answer = await fetch(form.action, { method: "POST", body: fields }).catch(() => null);
    const page = answer && new DOMParser().parseFromString(await answer.text(), "text/html");
    if (!answer?.ok && !page?.querySelector("main form")) {
      this.refused(form, page?.querySelector("main [role=alert]")?.textContent ?? live.dataset.reconnecting);
      return;
    }
    const address = new URL(answer.url);
    for (const name of ["done", "undo"]) address.searchParams.delete(name);
    if (OF_ONE.test(address.pathname)) this.show(page, address.href);
    else location.href = answer.url;
  }

  // What was typed stays.
  refused(form, why) {
    form.querySelector("[role=alert]")?.remove();
    const note = Object.assign(document.createElement("p"), { className: "flash bad", role: "alert", textContent: why, dir: "auto" });
    form.prepend(note);
  }

  close() {
    side.hidden = true;
    document.body.classList.remove("beside-open");
    this.from?.focus({ preventScroll: true });
  }
}

const beside = side && new Side();

function peek() {
  const link = at?.querySelector("[data-peek]");
  if (link && Side.fits()) beside.open(link.href, link);
  else if (link) link.click();
}

// The palette: pages at once, and what the letters name a moment later. Without it the same link leads to a page.

const palette = document.querySelector("#palette");
const TYPED_MS = 150; // letters that are typed together are asked about together

class Palette {
  constructor() {
    this.field = palette.querySelector("input");
    this.pages = [...palette.querySelectorAll("[data-pages] li")];
    this.found = palette.querySelector("[role=status]");
    this.field.addEventListener("input", () => this.typed());
    this.field.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.chosen = !this.links().length; // before anything is found: the first of what will be
      this.links()[0]?.click();
    });
    palette.addEventListener("keydown", (event) => this.moved(event));
    document.querySelector("[data-palette-open]").addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.open();
    });
    addEventListener("keydown", (event) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      this.open();
    });
  }

  open() {
    if (palette.open) return;
    palette.showModal();
    this.field.select();
    this.typed();
  }

  links() {
    return [...palette.querySelectorAll("a")].filter((link) => link.checkVisibility());
  }

  moved(event) {
    if (event.key === "Escape") palette.close(); // which a search field would only empty itself at
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const all = this.links();
    const at = all.indexOf(document.activeElement) + step;
    (at < 0 ? this.field : all[Math.min(at, all.length - 1)])?.focus();
  }

  typed() {
    const text = this.field.value.trim().toLowerCase();
    this.chosen = false;
    for (const page of this.pages) page.hidden = !page.textContent.toLowerCase().includes(text);
    clearTimeout(this.soon);
    if (text) this.soon = setTimeout(() => this.ask(text), TYPED_MS);
    else this.found.replaceChildren();
  }

  async ask(text) {
    this.asked?.abort();
    this.asked = new AbortController();
    const address = new URL(palette.dataset.address, location.href);
    address.searchParams.set("q", text);
    const answer = await fetch(address, { redirect: "error", signal: this.asked.signal }).catch(() => null);
    if (!answer?.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-found]");
    const parts = [...fresh.querySelectorAll("section")];
    if (parts.length) this.found.replaceChildren(...parts.map((part) => document.importNode(part, true)));
    else this.found.textContent = this.links().length ? "" : this.found.dataset.nothing;
    if (this.chosen) this.links()[0]?.click();
  }
}

const finder = palette && new Palette();

if (location.hash === "#edit") edit();
else arrive();

// How far an act on many is, without loading the page anew; once it is done, what it changed shows.

const ACT_MS = 1500;

async function followAct() {
  const act = document.querySelector("[data-act][data-running]");
  const now = act && (await fetched(location.href))?.querySelector("[data-act]");
  if (now && !act.contains(document.activeElement)) act.replaceWith(...adopted([now]));
  if (document.querySelector("[data-act][data-running]")) setTimeout(followAct, ACT_MS);
  else if (act) watching?.changed();
}

if (document.querySelector("[data-running]")) setTimeout(followAct, ACT_MS);

const enter = document.querySelector("[data-enter]");
if (enter && location.hash.length > 1) {
  enter.elements.link.value = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  enter.submit();
}

// Who signs in by a link does so in another tab: this one then goes on where it was.

const signIn = document.querySelector("[data-sign-in]");
if (signIn) addEventListener("focus", () => signIn.elements.key.value || location.reload());

// What happens meanwhile: the parts of a page that tell it are fetched anew, but never under one's hands.

const live = document.querySelector("[data-live]");
const GATHER_MS = 300; // changes that come together are shown together
const CUT_MS = 2000; // a stream that comes back sooner was never away
const REST = 2; // of the time that a look took
const MOST_REST_MS = 1500;
const MOST_RECALLS = 5;

class Live {
  constructor() {
    this.news = document.querySelector("[data-news]");
    this.recalls = document.querySelector("[data-recalls]");
    this.pause = document.querySelector("[data-pause]");
    this.paused = false;
    this.pause.addEventListener("click", () => this.setPaused(!this.paused));
    document.addEventListener("visibilitychange", () => (document.hidden ? this.close() : this.open(true)));
    addEventListener("pagehide", () => this.close());
    addEventListener("pageshow", () => this.open(false));
    this.open(false);
  }

  // A hidden page holds no connection: browsers have few of them. What it missed is fetched when it is seen again.
  open(missed) {
    if (this.source || document.hidden) return;
    const asked = new URLSearchParams();
    const namespace = new URLSearchParams(location.search).get("ns");
    if (namespace) asked.set("ns", namespace);
    if (new URLSearchParams(location.search).has("across")) asked.set("across", "1");
    if (document.querySelector('[data-part="jobs"]')) asked.set("jobs", "1");
    this.source = new EventSource(`${document.body.dataset.base}/events?${asked}`);
    this.source.onopen = () => {
      if (live.dataset.state !== "live" && live.dataset.state) this.changed();
      this.tell("live");
    };
    this.source.onerror = () => {
      if (this.source.readyState === EventSource.CLOSED) this.tell("ended");
      else this.cut ??= setTimeout(() => this.tell("reconnecting"), CUT_MS); // it fails again with each try
    };
    this.source.addEventListener("change", () => this.changed());
    this.source.addEventListener("recall", (event) => this.recalled(JSON.parse(event.data)));
    if (missed) this.changed();
  }

  close() {
    this.settle();
    this.source?.close();
    this.source = null;
  }

  settle() {
    clearTimeout(this.cut);
    this.cut = null;
  }

  tell(state) {
    this.settle();
    live.dataset.state = state;
    const told = live.dataset[state === "live" ? "shown" : state];
    const again = Object.assign(document.createElement("a"), { href: location.href.split("#")[0], textContent: told });
    live.replaceChildren(state === "ended" ? again : told); // this page leads to the sign-in, and back
    this.pause.hidden = state !== "live";
  }

  setPaused(paused) {
    this.paused = paused;
    this.pause.textContent = paused ? this.pause.dataset.resume : this.pause.dataset.pause;
    this.pause.setAttribute("aria-pressed", String(paused));
    if (!paused) this.changed();
  }

  // One look for all that happens until then: a page that takes long to fetch is fetched the more seldom.
  changed() {
    this.soon ??= setTimeout(async () => {
      const began = performance.now();
      this.again = false;
      await this.refresh();
      const rest = Math.min(REST * (performance.now() - began), MOST_REST_MS);
      setTimeout(() => {
        this.soon = null;
        if (this.again) this.changed();
      }, rest);
    }, GATHER_MS);
    this.again = true;
  }

  // Whoever types, chooses, selects text or has a dialog open keeps the page as it is, and is told that there is more.
  busy() {
    const field = document.activeElement?.closest("main [data-part]");
    const chosen = document.querySelector("main [data-part] input:checked, dialog[open]");
    return this.paused || field || chosen || String(getSelection()).length > 0;
  }

  async refresh() {
    const parts = [...document.querySelectorAll("[data-part]")];
    if (!parts.length) return;
    if (this.busy()) {
      this.news.hidden = false;
      return;
    }
    const answer = await fetch(location.href, { redirect: "error" }).catch(() => null);
    if (!answer?.ok || this.busy()) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const part of parts) {
      const now = fresh.querySelector(`[data-part="${part.dataset.part}"]`);
      if (now && now.innerHTML !== part.innerHTML) part.replaceChildren(...document.importNode(now, true).childNodes);
    }
    this.news.hidden = true;
    at = null;
    count();
  }

  recalled(one) {
    if (one.is_new && document.querySelector('[data-part="charts"], [data-part="use"]')) this.changed();
    if (!this.recalls || this.paused) return;
    const known = this.recalls.querySelector(`[data-recall="${one.id}"]`);
    const line = known ?? document.createElement("li");
    const found = this.recalls.dataset[one.used ? "used" : one.hits ? "found" : "nothing"];
    line.dataset.recall = one.id;
    line.textContent = found.replace("{client}", one.client).replace("{hits}", one.hits).replace("{used}", one.used).replace("{query}", () => one.query);
    line.dir = "auto";
    const list = this.recalls.querySelector("ol");
    if (!known) list.prepend(line);
    while (list.children.length > MOST_RECALLS) list.lastElementChild.remove();
    this.recalls.hidden = false;
  }
}

const watching = live && new Live();

// Drafts: what is typed stays in this browser until it is saved, at most a week.

const DRAFT = "agentos-draft:";
const DRAFT_MS = 7 * 24 * 3600 * 1000;
const drafts = () => Object.keys(localStorage).filter((key) => key.startsWith(DRAFT));
const draft = (key) => JSON.parse(localStorage.getItem(key) ?? "null");
const written = () => [...document.querySelectorAll('main form[method="post"] :is(textarea, input:not([type], [autocomplete="off"]))')];
const keyOf = (area) => {
  const namespace = new URLSearchParams(location.search).get("ns") ?? "";
  return `${DRAFT}${location.pathname}?${namespace}#${written().indexOf(area)}.${area.name}`;
};

function saved(key, found) {
  const sent = found.sent && new URLSearchParams(location.search).has("done");
  return sent || Date.now() - found.at > DRAFT_MS;
}

for (const key of drafts()) if (saved(key, draft(key))) localStorage.removeItem(key);

for (const area of written()) {
  const key = keyOf(area);
  const found = draft(key);
  if (found && found.text !== area.defaultValue) {
    area.value = found.text;
    localStorage.setItem(key, JSON.stringify({ ...found, sent: false }));
    if (!area.form.querySelector("[data-kept]")) {
      const note = Object.assign(document.createElement("p"), { className: "quiet", textContent: document.body.dataset.draft });
      note.dataset.kept = "";
      area.closest("label, form").after(note);
    }
    area.closest("details")?.setAttribute("open", "");
  } else localStorage.removeItem(key);
  area.addEventListener("input", () => localStorage.setItem(key, JSON.stringify({ text: area.value, at: Date.now() })));
  area.form.addEventListener("submit", () => {
    const typed = draft(key);
    if (typed) localStorage.setItem(key, JSON.stringify({ ...typed, sent: true }));
  });
}

document.querySelector("[data-sign-out]")?.addEventListener("submit", () => {
  for (const key of drafts()) localStorage.removeItem(key);
});

// While the server is away a form stays where it is, with what is typed in it, instead of the browser's page of an error.

document.querySelector("main")?.addEventListener("submit", async (event) => {
  const { target: form, submitter } = event;
  if (live?.dataset.state !== "reconnecting" || form.method !== "post" || form.dataset.reached) return;
  event.preventDefault();
  try {
    await fetch(`${document.body.dataset.base}/static/icon.svg`, { cache: "no-store" });
  } catch {
    const note = form.querySelector("[role=alert]") ?? document.createElement("p");
    note.className = "flash bad";
    note.setAttribute("role", "alert");
    note.textContent = live.dataset.unsent;
    form.append(note);
    return;
  }
  form.dataset.reached = "1"; // only the stream of changes is away
  form.requestSubmit(submitter);
});

// The notice of what was done is a toast, and leaves the address; what it offers to undo is in the history afterwards.

const toast = document.querySelector("[data-toast]");
const TOAST_MS = 10_000;

function dismiss() {
  if (toast.matches(":hover, :focus-within")) setTimeout(dismiss, 1000);
  else toast.hidden = true;
}

if (toast) {
  toast.classList.add("toast");
  setTimeout(dismiss, TOAST_MS);
  const address = new URL(location.href);
  for (const name of ["done", "count"]) address.searchParams.delete(name);
  history.replaceState(null, "", address);
}
