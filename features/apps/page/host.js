"use strict";
// The protocol between a page and the client that shows it: JSON-RPC in messages of the window above, nobody else's.
const host = (() => {
  const WITHIN_MS = 30000;
  const waiting = new Map();
  const hears = {};
  let last = 0, able = {};
  const post = message => parent.postMessage({jsonrpc: "2.0", ...message}, "*");
  const ask = (method, params) => new Promise((done, failed) => {
    const id = ++last;
    const timer = setTimeout(() => settle(id, one => one.failed(new Error("no answer"))), WITHIN_MS);
    waiting.set(id, {done, failed, timer});
    post({id, method, params});
  });
  const settle = (id, how) => {
    const one = waiting.get(id);
    if (!one) return;
    waiting.delete(id);
    clearTimeout(one.timer);
    how(one);
  };
  const look = context => {
    if (!context || typeof context !== "object") return;
    const root = document.documentElement;
    if (context.theme === "light" || context.theme === "dark") root.style.colorScheme = context.theme;
    for (const [name, value] of Object.entries(context.styles?.variables ?? {}))
      if (/^--(color|font|border|shadow)-[\w-]{1,60}$/.test(name) && typeof value === "string" && !/url\(/i.test(value))
        root.style.setProperty(name, value);
  };
  addEventListener("message", event => {
    const message = event.data;
    if (event.source !== parent || !message || message.jsonrpc !== "2.0") return;
    if (message.method === undefined) {
      settle(message.id, one => message.error ? one.failed(new Error(message.error.message)) : one.done(message.result));
    } else if (message.id !== undefined) {
      const known = message.method === "ping" || message.method === "ui/resource-teardown";
      post({id: message.id, ...(known ? {result: {}} : {error: {code: -32601, message: "Method not found"}})});
    } else if (message.method === "ui/notifications/host-context-changed") {
      look(message.params);
    } else {
      hears[message.method]?.(message.params ?? {});
    }
  });
  const grown = () => post({method: "ui/notifications/size-changed",
    params: {width: document.documentElement.scrollWidth, height: Math.ceil(document.body.getBoundingClientRect().height)}});
  return {
    on: (name, act) => { hears[`ui/notifications/${name}`] = act; },
    can: name => able[name] != null,
    call: (name, given) => ask("tools/call", {name, arguments: given}),
    open: url => ask("ui/open-link", {url}),
    tell: text => able.updateModelContext && ask("ui/update-model-context", {content: [{type: "text", text}]}).catch(() => {}),
    async begin() {
      const appInfo = {name: "agentos", version: "1"};
      const found = await ask("ui/initialize", {appInfo, appCapabilities: {}, protocolVersion: "2026-01-26"});
      able = found.hostCapabilities ?? {};
      look(found.hostContext);
      post({method: "ui/notifications/initialized"});
      new ResizeObserver(grown).observe(document.body);
    },
  };
})();
