// The drawing of the graph on a canvas: the server has laid it out, this moves, zooms and filters it and its lists.
"use strict";

const canvas = document.querySelector("#graph");
const data = canvas && JSON.parse(document.querySelector("#graph-data").textContent);

if (data) {
  const MOST_LABELS = 120;
  const pen = canvas.getContext("2d");
  const view = { x: 0, y: 0, scale: 1 };
  const degree = data.nodes.map(() => 0);
  for (const [source, target] of data.edges) {
    degree[source] += 1;
    degree[target] += 1;
  }
  const byDegree = data.nodes.map((_, number) => number).sort((a, b) => degree[b] - degree[a]);
  const boxes = [...document.querySelectorAll("[data-kind]")];
  const colour = new Map(boxes.map((box, number) => [box.dataset.kind, `--kind${number % 6}`]));
  const dot = () => window.devicePixelRatio || 1;
  let wanted = "";
  let hidden = new Set();
  let asked = false;

  const place = ([, , x, y]) => [
    canvas.width / 2 + view.x + x * canvas.width * 0.42 * view.scale,
    canvas.height / 2 + view.y + y * canvas.height * 0.44 * view.scale,
  ];
  const isShown = (node) => !hidden.has(node[1]);
  const matches = (text) => !wanted || text.toLowerCase().includes(wanted);
  const size = (number) => (3.5 + Math.min(7, Math.sqrt(degree[number]) * 1.4)) * dot();

  function draw() {
    asked = false;
    const style = getComputedStyle(document.body);
    const read = (name) => style.getPropertyValue(name);
    const [ink, line, quiet] = ["--ink", "--line", "--edge"].map(read);
    const places = data.nodes.map(place);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.strokeStyle = quiet;
    pen.globalAlpha = data.edges.length > 400 ? 0.35 : 0.8;
    pen.lineWidth = dot();
    pen.beginPath();
    for (const [source, target] of data.edges) {
      if (!isShown(data.nodes[source]) || !isShown(data.nodes[target])) continue;
      pen.moveTo(...places[source]);
      pen.lineTo(...places[target]);
    }
    pen.stroke();
    pen.globalAlpha = 1;
    const inks = new Map([...colour].map(([kind, name]) => [kind, read(name)]));
    data.nodes.forEach((node, number) => {
      const [x, y] = places[number];
      if (!isShown(node) || x < 0 || y < 0 || x > canvas.width || y > canvas.height) return;
      pen.fillStyle = matches(node[0]) ? inks.get(node[1]) || ink : line;
      pen.beginPath();
      pen.arc(x, y, size(number), 0, 7);
      pen.fill();
    });
    label(places, ink, read("--panel"));
  }

  // Names, the best joined first; one that would lie on another is left out until there is room.
  function label(places, ink, ground) {
    const high = 13 * dot();
    const taken = [];
    pen.font = `${12 * dot()}px system-ui, sans-serif`;
    pen.lineWidth = 3 * dot();
    pen.strokeStyle = ground;
    pen.fillStyle = ink;
    for (const number of byDegree) {
      if (taken.length === MOST_LABELS) return;
      const node = data.nodes[number];
      const [x, y] = places[number];
      if (!isShown(node) || !matches(node[0]) || x < 0 || y < 0 || x > canvas.width || y > canvas.height) continue;
      const name = node[0].slice(0, 40);
      const gap = size(number) + 3 * dot();
      const width = pen.measureText(name).width;
      const left = x + gap + width > canvas.width ? x - gap - width : x + gap;
      const box = [left, y - high / 2, left + width, y + high / 2];
      if (taken.some((one) => one[0] < box[2] && box[0] < one[2] && one[1] < box[3] && box[1] < one[3])) continue;
      taken.push(box);
      pen.strokeText(name, left, y + 4 * dot());
      pen.fillText(name, left, y + 4 * dot());
    }
  }

  function redraw() {
    if (!asked) {
      asked = true;
      requestAnimationFrame(draw);
    }
  }

  function fit() {
    canvas.width = canvas.clientWidth * dot();
    canvas.height = canvas.clientHeight * dot();
    redraw();
  }

  function zoom(factor) {
    const scale = Math.max(0.2, Math.min(40, view.scale * factor));
    view.x *= scale / view.scale;
    view.y *= scale / view.scale;
    view.scale = scale;
    redraw();
  }

  function filter() {
    hidden = new Set(boxes.filter((box) => !box.checked).map((box) => box.dataset.kind));
    for (const row of document.querySelectorAll("[data-names]")) row.hidden = !matches(row.dataset.names);
    redraw();
  }

  const fingers = new Map();
  let moved = 0;
  canvas.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, event);
    canvas.setPointerCapture(event.pointerId);
    moved = 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    moved += Math.abs(event.clientX - before.clientX) + Math.abs(event.clientY - before.clientY);
    if (fingers.size === 2) {
      const [other] = [...fingers.values()].filter((one) => one.pointerId !== event.pointerId);
      const gap = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) || 1;
      zoom(gap(event) / gap(before));
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
    const edge = canvas.getBoundingClientRect();
    const [x, y] = [(event.clientX - edge.left) * dot(), (event.clientY - edge.top) * dot()];
    const near = data.nodes.findIndex((node, number) => {
      const [u, v] = place(node);
      return isShown(node) && Math.hypot(u - x, v - y) < size(number) + 5 * dot();
    });
    if (near < 0) return;
    const address = new URL(canvas.dataset.around, location.href);
    address.searchParams.set("q", data.nodes[near][0]);
    location.href = address;
  });
  canvas.addEventListener("pointercancel", (event) => fingers.delete(event.pointerId));
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15);
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
  fit();
}
