// The laid-out graph as SVG elements. Texts get in as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

function element(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function write(text, x, y, style, attributes = {}) {
  return element("text", { x, y, "font-size": style.size, "font-weight": style.weight, fill: "var(--text)", style: "unicode-bidi: plaintext", ...attributes }, text);
}

function drawing(laidOut, part, state) {
  const boxes = element("g"), edges = element("g"), labels = element("g");
  const draw = (node) => {
    if (node.id !== "root") boxes.append(node.id.startsWith("g") ? drawGroup(node) : drawBox(node, state));
    (node.children ?? []).forEach(draw);
  };
  draw(laidOut);
  for (const edge of laidOut.edges ?? []) drawEdge(edge, part.edges[Number(edge.id.slice(1))], state, edges, labels);
  const layer = element("g", { id: "layer", "font-family": FONT });
  layer.append(markers(), boxes, edges, labels);
  // Groups lie below all edges, boxes above them: an edge must not cross a name.
  boxes.querySelectorAll(".box").forEach((box) => layer.append(box));
  return layer;
}

function markers() {
  const defs = element("defs");
  for (const name of ["cell", "containment", "added", "removed", "changed"]) {
    defs.append(element("marker", { id: `arrow-${name}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, markerUnits: "userSpaceOnUse", orient: "auto" },
      element("path", { d: "M0,0.5 L8,4 L0,7.5 z", fill: `var(--${name})` })));
  }
  return defs;
}

function describe(at, isOpen) {
  const node = nodes[at];
  const kind = { component: "component", package: "package", part: "recipe", repeat: "repeated component" }[node.kind];
  const state = node.children.length ? (isOpen ? ", open" : `, closed, holds ${leafCount(at) - (node.kind === "component" ? 1 : 0)}`) : "";
  const badge = overlayBadge(at);
  return `${titleOf(at)}${node.type ? `, ${node.type}` : ""}, ${kind}${state}${badge ? `, ${badge}` : ""}`;
}

function drawGroup(node) {
  const at = Number(node.id.slice(1));
  const group = element("g", { class: "group", "data-at": at, transform: `translate(${node.x},${node.y})` });
  group.append(element("rect", { width: node.width, height: node.height, rx: 10, fill: "var(--group)", stroke: "var(--line)" }));
  const title = nodes[at].kind === "component" ? `inside ${titleOf(at)}` : titleOf(at);
  group.append(write(shortened(title, node.width - 48, SMALL), 14, 21, { ...SMALL, weight: 600 }, { fill: "var(--faint)" }));
  group.append(toggle(at, true, node.width - 26, 8));
  return group;
}

function toggle(at, isOpen, x, y) {
  const sign = element("g", { class: "toggle", "data-toggle": at, transform: `translate(${x},${y})`, style: "cursor: pointer", role: "button",
    "aria-label": `${isOpen ? "Close" : "Open"} ${titleOf(at)}` });
  sign.append(element("title", {}, isOpen ? "Close" : "Open"));
  sign.append(element("rect", { width: 16, height: 16, rx: 4, fill: "var(--ground)", stroke: "var(--faint)" }));
  sign.append(element("path", { d: isOpen ? "M4,8 H12" : "M4,8 H12 M8,4 V12", stroke: "var(--text)", "stroke-width": 1.5 }));
  return sign;
}

function drawBox(node, state) {
  const at = Number(node.id.slice(1));
  const isOpen = state.open.has(at);
  const opens = nodes[at].children.length > 0 && !isOpen;
  const look = overlayLook(at);
  const box = element("g", { class: "box", "data-at": at, transform: `translate(${node.x},${node.y})`, tabindex: 0, role: "button",
    "aria-label": describe(at, isOpen), "aria-pressed": state.selected === at, opacity: look.faded ? 0.4 : 1, style: "cursor: pointer" });
  if (nodes[at].children.length) box.setAttribute("aria-expanded", isOpen);
  box.append(element("title", {}, titleOf(at)));
  if (opens) for (const shift of [6, 3]) {
    box.append(element("rect", { x: shift, y: shift, width: node.width - 2, height: node.height - 2, rx: 7, fill: "var(--box)", stroke: "var(--line)" }));
  }
  box.append(element("rect", { class: "edge-of-box", width: node.width, height: node.height, rx: 7, fill: look.fill ?? "var(--box)",
    stroke: state.selected === at ? "var(--accent)" : look.stroke ?? "var(--line)", "stroke-width": state.selected === at ? 2.5 : look.stroke ? 2 : 1.2,
    ...(look.dash ? { "stroke-dasharray": look.dash } : {}) }));
  let y = 5;
  for (const line of boxLines(at)) {
    y += line.style.size + 6;
    box.append(write(line.text, 12, y - 4, line.style, line.style === SMALL ? { fill: "var(--faint)" } : {}));
  }
  if (opens) box.append(toggle(at, false, node.width - 22, 6));
  return box;
}

function drawEdge(laidOut, edge, state, edges, labels) {
  const tone = toneOf(edge);
  const touches = state.selected !== null && (edge.from === state.selected || edge.to === state.selected);
  const faded = overlayLook(edge.from).faded || overlayLook(edge.to).faded;
  for (const section of laidOut.sections ?? []) {
    const points = [section.startPoint, ...(section.bendPoints ?? []), section.endPoint];
    edges.append(element("path", { class: "edge", d: rounded(points), fill: "none", stroke: `var(--${tone})`, "stroke-width": touches ? 2.6 : 1.4,
      "marker-end": `url(#arrow-${tone})`, opacity: faded ? 0.35 : 1, ...(tone === "removed" ? { "stroke-dasharray": "6 4" } : {}) }));
  }
  const lines = edgeLines(edge);
  for (const label of laidOut.labels ?? []) {
    lines.forEach((line, index) => labels.append(write(line.text, label.x + 4, label.y + 12 + index * 15, line.style,
      { class: "label", fill: `var(--${line.tone})`, opacity: faded ? 0.35 : 1, stroke: "var(--ground)", "stroke-width": 3, "paint-order": "stroke" })));
  }
}

// An edge is added or removed if all of it is.
function toneOf(edge) {
  if (!edge.cells) return edge.mark ?? "containment";
  const marks = new Set([...edge.cells.values()].map((cell) => cell.mark ?? "cell"));
  return marks.size === 1 ? [...marks][0] : "cell";
}

function rounded(points, radius = 6) {
  let path = `M${points[0].x},${points[0].y}`;
  for (let at = 1; at < points.length - 1; at++) {
    const [before, here, after] = [points[at - 1], points[at], points[at + 1]];
    const towards = (other) => {
      const length = Math.hypot(other.x - here.x, other.y - here.y) || 1;
      const part = Math.min(radius, length / 2) / length;
      return `${here.x + (other.x - here.x) * part},${here.y + (other.y - here.y) * part}`;
    };
    path += ` L${towards(before)} Q${here.x},${here.y} ${towards(after)}`;
  }
  const last = points[points.length - 1];
  return `${path} L${last.x},${last.y}`;
}
