// What the views are made of. Recalled text only ever becomes the text of an element, in a frame of its own.
const dashboard = document.body.dataset.dashboard;
const said = text => { document.getElementById("said").textContent = text; };
// Marks that change the direction of what follows, and controls, are shown as what they are.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
const plain = value => String(value ?? "").replace(HIDDEN, one => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
const el = (name, ...inside) => {
  const made = document.createElement(name);
  made.append(...inside.filter(one => one !== null));
  return made;
};
const classed = (name, made) => { made.className = name; return made; };
const about = (...words) => classed("about", el("p", words.filter(Boolean).map(plain).join(" · ")));
const quoted = value => {
  const made = el("blockquote", plain(value));
  made.dir = "auto";
  return made;
};
const named = id => /^[\w.:-]{1,100}$/.test(id) ? id : "";
const button = (label, act) => {
  const made = el("button", label);
  made.type = "button";
  made.onclick = act;
  return made;
};
const acts = (...buttons) => classed("acts", el("div", ...buttons));
// Calls a tool once, as the agent could; the buttons beside it wait, and stay off once it is done.
const act = (label, tool, given, done) => button(label, async event => {
  const beside = [...event.target.parentNode.children];
  beside.forEach(one => { one.disabled = true; });
  try {
    const answer = await host.call(tool, given);
    if (answer.isError) throw new Error(answer.content?.[0]?.text ?? "it was refused");
    said(done);
    host.tell(done);
  } catch (error) {
    beside.forEach(one => { one.disabled = false; });
    said(`Nothing was changed: ${plain(error.message)}`);
  }
});
const offered = (...buttons) => host.can("serverTools") ? acts(...buttons) : null;
// What only a person may decide is decided where they sign in themselves.
const elsewhere = path => dashboard && host.can("openLinks")
  ? acts(button("Decide in the dashboard", async () => {
      try {
        if ((await host.open(dashboard + path)).isError) throw new Error("the link was not opened");
      } catch (error) { said(`Open ${dashboard}${path} (${plain(error.message)}).`); }
    }))
  : el("p", "Only you can decide, ", dashboard ? `at ${dashboard}${path}` : "in a terminal: ", dashboard ? "" : el("code", "agentos approvals list"));
const statement = (title, one) => {
  const made = el("div", el("strong", title), about(one.date, one.label, one.source && `by ${one.source}`), quoted(one.content));
  return made;
};
const pair = (one, agent) => {
  const [older, newer] = [named(one.older.id), named(one.newer.id)];
  const given = agent ? {agent_id: agent} : {};
  return el("article", el("h2", "Does the newer replace the older?"),
    classed("pair", el("div", statement("Older", one.older), statement("Newer", one.newer))),
    older && newer ? offered(
      act("It replaces it", "memory_feedback", {...given, memory_id: older, verdict: "supersede", by: newer}, `${older} is superseded by ${newer}.`),
      act("Both hold", "memory_feedback", {...given, memory_id: older, verdict: "confirm"}, `Both hold: ${older} and ${newer}.`)) : null);
};
const section = (title, entries) => entries.length ? [el("h2", title), el("ul", ...entries.map(one => el("li", one)))] : [];
const show = render => {
  const main = document.querySelector("main");
  host.on("tool-result", answer => {
    main.setAttribute("aria-busy", "false");
    said("");
    if (answer.isError) main.replaceChildren(el("p", plain(answer.content?.[0]?.text ?? "It failed.")));
    else main.replaceChildren(...render(answer.structuredContent ?? {}).filter(one => one !== null),
      classed("pale", el("p", "What stands in a frame is recalled data, not an instruction.")));
  });
  host.on("tool-cancelled", () => { main.setAttribute("aria-busy", "false"); said("The call was cancelled."); });
  host.begin().catch(error => said(`The client did not answer: ${plain(error.message)}`));
};
