// The drawing of the graph on a canvas: this lays it out, a few milliseconds a frame, moves, zooms and filters it and its
// lists, lights what is joined to the entity that is pointed at or chosen, and shows the chosen one beside it.
"use strict";

const canvas = document.querySelector("#graph");
const data = canvas && JSON.parse(document.querySelector("#graph-data").textContent);

if (data) {
  const MOST_LABELS = 80;
  const MOST_TRIED = 300;
  const EDGES_A_STROKE = 100;
  const pen = canvas.getContext("2d");
  const view = { x: 0, y: 0, scale: 1 };
  const degree = data.nodes.map(() => 0);
  for (const [source, target] of data.edges) {
    degree[source] += 1;
    degree[target] += 1;
  }
  const byDegree = data.nodes.map((_, number) => number).sort((a, b) => degree[b] - degree[a]);
  const boxes = [...document.querySelectorAll("[data-kind]")];
  const colour = new Map(boxes.map((box) => [box.dataset.kind, `--kind${box.dataset.colour}`]));
  const dot = () => window.devicePixelRatio || 1;
  const rounds = 150;
  let round = 0;
  let wanted = "";
  let hidden = new Set();
  let asked = false;
  let chosen = -1;
  let hovered = -1;
  const joined = data.nodes.map(() => new Set());
  for (const [source, target] of data.edges) {
    joined[source].add(target);
    joined[target].add(source);
  }
  const lit = (number) => {
    const at = hovered < 0 ? chosen : hovered;
    return at < 0 || at === number || joined[at].has(number);
  };

  let reach = [1, 1];

  // The whole fills the canvas, whatever its shape.
  const place = ([, , x, y]) => [
    canvas.width / 2 + view.x + (x / reach[0]) * canvas.width * 0.42 * view.scale,
    canvas.height / 2 + view.y + (y / reach[1]) * canvas.height * 0.44 * view.scale,
  ];
  const isShown = (node) => !hidden.has(node[1]);
  const matches = (text) => !wanted || text.toLowerCase().includes(wanted);
  const size = (number) => (3.5 + Math.min(7, Math.sqrt(degree[number]) * 1.4)) * dot();

  // Nodes begin on a spiral, each near what it was reached from, the most joined in the middle.
  function begin() {
    const beside = data.nodes.map(() => []);
    for (const [source, target] of data.edges) {
      beside[source].push(target);
      beside[target].push(source);
    }
    const order = [];
    const seen = new Set();
    for (const first of data.nodes.map((_, at) => at).sort((one, other) => degree[other] - degree[one])) {
      const waiting = seen.has(first) ? [] : [first];
      seen.add(first);
      for (let at = 0; at < waiting.length; at += 1) {
        order.push(waiting[at]);
        for (const next of beside[waiting[at]]) {
          if (!seen.has(next)) {
            seen.add(next);
            waiting.push(next);
          }
        }
      }
    }
    order.forEach((node, at) => {
      const far = Math.sqrt((at + 0.5) / order.length);
      data.nodes[node][2] = far * Math.cos(at * 2.4);
      data.nodes[node][3] = far * Math.sin(at * 2.4);
    });
  }

  // One round of forces: what is joined draws together, what is near keeps apart; only near cells are looked at.
  function settle() {
    const { nodes, edges } = data;
    const apart = 1.1 / Math.sqrt(nodes.length);
    const most = 0.12 * (1 - round / rounds) + 0.002;
    const size = 2 * apart;
    const cells = new Map();
    const key = (x, y) => x * 65536 + y;
    const moves = nodes.map(() => [0, 0]);
    nodes.forEach((node, at) => {
      const cell = key(Math.floor(node[2] / size), Math.floor(node[3] / size));
      if (!cells.has(cell)) cells.set(cell, []);
      cells.get(cell).push(at);
    });
    nodes.forEach((node, at) => {
      const [x, y] = [Math.floor(node[2] / size), Math.floor(node[3] / size)];
      for (let i = -1; i <= 1; i += 1) {
        for (let j = -1; j <= 1; j += 1) {
          const near = cells.get(key(x + i, y + j)) || [];
          for (const other of near.length > 40 ? near.slice(at % 7, (at % 7) + 40) : near) {
            if (other === at) continue;
            const [u, v] = [node[2] - nodes[other][2], node[3] - nodes[other][3]];
            const gap = Math.hypot(u, v);
            if (gap > size) continue;
            const push = (apart / (gap + 1e-3)) ** 2 * (1 - gap / size);
            moves[at][0] += u * push;
            moves[at][1] += v * push;
          }
        }
      }
      moves[at][0] -= node[2] * 0.05;
      moves[at][1] -= node[3] * 0.05;
    });
    for (const [source, target] of edges) {
      const [u, v] = [nodes[target][2] - nodes[source][2], nodes[target][3] - nodes[source][3]];
      const pull = Math.min(1, Math.hypot(u, v) / apart) / (2 + Math.min(degree[source], degree[target]));
      for (const [end, sign] of [[source, 1], [target, -1]]) {
        moves[end][0] += sign * u * pull;
        moves[end][1] += sign * v * pull;
      }
    }
    nodes.forEach((node, at) => {
      const length = Math.hypot(...moves[at]) || 1;
      const step = Math.min(length, most) / length;
      node[2] = Math.max(-1, Math.min(1, node[2] + moves[at][0] * step));
      node[3] = Math.max(-1, Math.min(1, node[3] + moves[at][1] * step));
    });
    round += 1;
  }

  function draw() {
    asked = false;
    const until = performance.now() + 8;
    while (round < rounds && performance.now() < until) settle();
    reach = [2, 3].map((side) => data.nodes.reduce((most, node) => Math.max(most, Math.abs(node[side])), 0.05));
    const style = getComputedStyle(document.body);
    const read = (name) => style.getPropertyValue(name);
    const [ink, line, quiet] = ["--ink", "--line", "--edge"].map(read);
    const places = data.nodes.map(place);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.strokeStyle = quiet;
    pen.globalAlpha = data.edges.length > 400 ? 0.35 : 0.8;
    pen.lineWidth = dot();
    const shown = data.edges.filter(([source, target]) => isShown(data.nodes[source]) && isShown(data.nodes[target]));
    for (let first = 0; first < shown.length; first += EDGES_A_STROKE) {
      pen.beginPath(); // long paths take far more than their share
      for (const [source, target] of shown.slice(first, first + EDGES_A_STROKE)) {
        pen.moveTo(...places[source]);
        pen.lineTo(...places[target]);
      }
      pen.stroke();
    }
    const at = hovered < 0 ? chosen : hovered;
    const own = at < 0 ? [] : shown.filter(([source, target]) => source === at || target === at);
    pen.globalAlpha = 1;
    pen.strokeStyle = read("--accent");
    pen.lineWidth = 2 * dot();
    pen.beginPath();
    for (const [source, target] of own) {
      pen.moveTo(...places[source]);
      pen.lineTo(...places[target]);
    }
    pen.stroke();
    const inks = new Map([...colour].map(([kind, name]) => [kind, read(name)]));
    data.nodes.forEach((node, number) => {
      const [x, y] = places[number];
      if (!isShown(node) || x < 0 || y < 0 || x > canvas.width || y > canvas.height) return;
      pen.globalAlpha = lit(number) ? 1 : 0.2;
      pen.fillStyle = matches(node[0]) ? inks.get(node[1]) || ink : line;
      pen.beginPath();
      pen.arc(x, y, size(number), 0, 7);
      pen.fill();
    });
    pen.globalAlpha = 1;
    const taken = label(places, ink, read("--panel"));
    for (const [source, target, kind] of own.slice(0, MOST_LABELS)) {
      const [x, y] = [0, 1].map((side) => (places[source][side] + places[target][side]) / 2);
      const width = pen.measureText(kind).width;
      write(kind, x - width / 2, y, width, taken);
    }
  }

  // A text with its ground around it; not where another one is.
  function write(text, left, y, width, taken) {
    const high = 13 * dot();
    const box = [left, y - high / 2, left + width, y + high / 2];
    if (taken.some((one) => one[0] < box[2] && box[0] < one[2] && one[1] < box[3] && box[1] < one[3])) return;
    taken.push(box);
    pen.strokeText(text, left, y + 4 * dot());
    pen.fillText(text, left, y + 4 * dot());
  }

  // Names, the best joined first; one that would lie on another is left out until there is room.
  function label(places, ink, ground) {
    const taken = [];
    pen.font = `${12 * dot()}px system-ui, sans-serif`;
    pen.lineWidth = 3 * dot();
    pen.strokeStyle = ground;
    pen.fillStyle = ink;
    let tried = 0;
    for (const number of byDegree) {
      if (taken.length === MOST_LABELS || tried === MOST_TRIED) break;
      const node = data.nodes[number];
      const [x, y] = places[number];
      if (!isShown(node) || !matches(node[0]) || !lit(number) || x < 0 || y < 0 || x > canvas.width || y > canvas.height) continue;
      tried += 1;
      const name = node[0].slice(0, 40);
      const gap = size(number) + 3 * dot();
      const width = pen.measureText(name).width;
      const left = x + gap + width > canvas.width ? x - gap - width : x + gap;
      write(name, left, y, width, taken);
    }
    return taken;
  }

  function live() {
    draw();
    if (round < rounds) requestAnimationFrame(live);
    else canvas.dataset.settled = "true";
  }

  function redraw() {
    if (!asked && round >= rounds) { // until then each frame is drawn anyway
      asked = true;
      requestAnimationFrame(draw);
    }
  }

  function fit() {
    canvas.width = canvas.clientWidth * dot();
    canvas.height = canvas.clientHeight * dot();
    redraw();
  }

  // What is under the cursor, or in the middle, stays where it is.
  function zoom(factor, x = canvas.width / 2, y = canvas.height / 2) {
    const scale = Math.max(0.2, Math.min(40, view.scale * factor));
    const [u, v] = [x - canvas.width / 2, y - canvas.height / 2];
    view.x = u - (u - view.x) * (scale / view.scale);
    view.y = v - (v - view.y) * (scale / view.scale);
    view.scale = scale;
    redraw();
  }

  function filter() {
    hidden = new Set(boxes.filter((box) => !box.checked).map((box) => box.dataset.kind));
    for (const row of document.querySelectorAll("[data-names]")) row.hidden = !matches(row.dataset.names);
    redraw();
  }

  const aside = document.querySelector("[data-aside]");
  const beside = aside?.querySelector("[data-aside-body]");

  // The chosen entity is shown beside the drawing; where it is not drawn, only there.
  async function choose(id, focus, href = data.pages[data.ids.indexOf(id)]) {
    chosen = data.ids.indexOf(id);
    redraw();
    const answer = await fetch(href, { redirect: "error" }).catch(() => null);
    const page = new DOMParser().parseFromString(answer ? await answer.text() : "", "text/html");
    const found = page.querySelector("[data-node]") ?? page.querySelector("main");
    if (!found) return;
    beside.replaceChildren(...[...found.childNodes].map((node) => document.importNode(node, true)));
    aside.hidden = false;
    fit();
    if (focus) aside.focus();
  }

  aside?.querySelector("[data-aside-close]").addEventListener("click", () => {
    aside.hidden = true;
    chosen = -1;
    fit();
    canvas.focus();
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-node-id]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || !aside) return;
    event.preventDefault();
    canvas.scrollIntoView({ block: "nearest" });
    choose(link.dataset.nodeId, true, link.href);
  });

  const spot = (event) => {
    const edge = canvas.getBoundingClientRect();
    return [(event.clientX - edge.left) * dot(), (event.clientY - edge.top) * dot()];
  };
  const under = (event) => {
    const [x, y] = spot(event);
    return data.nodes.findIndex((node, number) => {
      const [u, v] = place(node);
      return isShown(node) && Math.hypot(u - x, v - y) < size(number) + 5 * dot();
    });
  };

  const fingers = new Map();
  let moved = 0;
  canvas.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, event);
    canvas.setPointerCapture(event.pointerId);
    moved = 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) {
      const now = under(event);
      if (now !== hovered) {
        hovered = now;
        canvas.classList.toggle("pointing", now >= 0);
        redraw();
      }
      return;
    }
    moved += Math.abs(event.clientX - before.clientX) + Math.abs(event.clientY - before.clientY);
    if (fingers.size === 2) {
      const [other] = [...fingers.values()].filter((one) => one.pointerId !== event.pointerId);
      const gap = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) || 1;
      const [x, y] = spot(event);
      const [u, v] = spot(other);
      zoom(gap(event) / gap(before), (x + u) / 2, (y + v) / 2);
      view.x += ((event.clientX - before.clientX) / 2) * dot();
      view.y += ((event.clientY - before.clientY) / 2) * dot();
      redraw();
    } else {
      view.x += (event.clientX - before.clientX) * dot();
      view.y += (event.clientY - before.clientY) * dot();
      redraw();
    }
    fingers.set(event.pointerId, event);
  });
  canvas.addEventListener("pointerup", (event) => {
    const clicked = fingers.size === 1 && moved < 4;
    fingers.delete(event.pointerId);
    if (!clicked) return;
    const near = under(event);
    if (near >= 0) choose(data.ids[near], event.pointerType === "mouse");
  });
  canvas.addEventListener("pointercancel", (event) => fingers.delete(event.pointerId));
  canvas.addEventListener("pointerleave", () => {
    hovered = -1;
    redraw();
  });
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return; // the page scrolls
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, ...spot(event));
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const step = { "+": 1.2, "-": 1 / 1.2 }[event.key];
    const way = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (step) zoom(step);
    if (!way) return;
    event.preventDefault();
    view.x += way[0] * 40 * dot();
    view.y += way[1] * 40 * dot();
    redraw();
  });
  for (const button of document.querySelectorAll("[data-zoom]")) {
    button.addEventListener("click", () => {
      const factor = Number(button.dataset.zoom);
      if (!factor) Object.assign(view, { x: 0, y: 0, scale: 1 });
      zoom(factor || 1);
    });
  }
  document.querySelector("[data-filter]")?.addEventListener("input", (event) => {
    wanted = event.target.value.trim().toLowerCase();
    filter();
  });
  for (const box of boxes) box.addEventListener("change", filter);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  addEventListener("resize", fit);
  begin();
  fit();
  live();
}
