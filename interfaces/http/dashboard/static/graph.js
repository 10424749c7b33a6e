// The drawing of the graph on a canvas: the server has laid it out, this moves, zooms and filters it.
"use strict";

const canvas = document.querySelector("#graph");
const data = canvas && JSON.parse(document.querySelector("#graph-data").textContent);

if (data) {
  const pen = canvas.getContext("2d");
  const view = { x: 0, y: 0, scale: 1 };
  const degree = data.nodes.map(() => 0);
  for (const [source, target] of data.edges) {
    degree[source] += 1;
    degree[target] += 1;
  }
  let wanted = "";
  let asked = false;

  const place = (node) => {
    const size = Math.min(canvas.width, canvas.height) * 0.46 * view.scale;
    return [canvas.width / 2 + view.x + node[2] * size, canvas.height / 2 + view.y + node[3] * size];
  };

  function draw() {
    asked = false;
    const style = getComputedStyle(document.body);
    const [ink, line, accent] = ["--ink", "--line", "--accent"].map((name) => style.getPropertyValue(name));
    const dot = window.devicePixelRatio || 1;
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.strokeStyle = line;
    pen.lineWidth = dot;
    pen.beginPath();
    for (const [source, target] of data.edges) {
      const [x, y] = place(data.nodes[source]);
      const [u, v] = place(data.nodes[target]);
      pen.moveTo(x, y);
      pen.lineTo(u, v);
    }
    pen.stroke();
    pen.font = `${12 * dot}px system-ui, sans-serif`;
    const labelled = data.nodes.length <= 60 || view.scale > 2;
    data.nodes.forEach((node, number) => {
      const [x, y] = place(node);
      if (x < 0 || y < 0 || x > canvas.width || y > canvas.height) return;
      const matches = wanted && node[0].toLowerCase().includes(wanted);
      pen.fillStyle = !wanted || matches ? accent : line;
      pen.beginPath();
      pen.arc(x, y, (3 + Math.min(6, Math.sqrt(degree[number]))) * dot, 0, 7);
      pen.fill();
      if (matches || (!wanted && (labelled || degree[number] > 8))) {
        pen.fillStyle = ink;
        pen.fillText(node[0].slice(0, 40), x + 8 * dot, y + 4 * dot);
      }
    });
  }

  function redraw() {
    if (!asked) {
      asked = true;
      requestAnimationFrame(draw);
    }
  }

  function fit() {
    const dot = window.devicePixelRatio || 1;
    canvas.width = canvas.clientWidth * dot;
    canvas.height = canvas.clientHeight * dot;
    redraw();
  }

  function zoom(factor) {
    view.scale = Math.max(0.2, Math.min(40, view.scale * factor));
    view.x *= factor;
    view.y *= factor;
    redraw();
  }

  const fingers = new Map();
  canvas.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, event);
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const dot = window.devicePixelRatio || 1;
    if (fingers.size === 2) {
      const [other] = [...fingers.values()].filter((one) => one.pointerId !== event.pointerId);
      const gap = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) || 1;
      zoom(gap(event) / gap(before));
    } else {
      view.x += (event.clientX - before.clientX) * dot;
      view.y += (event.clientY - before.clientY) * dot;
      redraw();
    }
    fingers.set(event.pointerId, event);
  });
  for (const name of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(name, (event) => fingers.delete(event.pointerId));
  }
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15);
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const step = { "+": 1.2, "-": 1 / 1.2 }[event.key];
    if (step) zoom(step);
  });
  document.querySelector("[data-filter]")?.addEventListener("input", (event) => {
    wanted = event.target.value.trim().toLowerCase();
    redraw();
  });
  addEventListener("resize", fit);
  fit();
}
