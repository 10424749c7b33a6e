// The drawing of the graph on a canvas: this lays it out, a few milliseconds a frame, moves, zooms and filters it.
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
  const rounds = 150;
  let round = 0;
  let wanted = "";
  let asked = false;

  const place = (node) => {
    const size = Math.min(canvas.width, canvas.height) * 0.46 * view.scale;
    return [canvas.width / 2 + view.x + node[2] * size, canvas.height / 2 + view.y + node[3] * size];
  };

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

  function live() {
    draw();
    if (round < rounds) requestAnimationFrame(live);
    else canvas.dataset.settled = "true";
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
  begin();
  fit();
  live();
}
