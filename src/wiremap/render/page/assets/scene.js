// What there is, and what of it is visible: plain functions of the scene and of what is open.

async function unpacked(id) {
  const packed = Uint8Array.from(atob(document.getElementById(id).textContent.trim()), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

const scene = JSON.parse(await unpacked("scene"));
const nodes = scene.nodes;
const ROOT = -1;

for (const node of nodes) node.children = [];
nodes.forEach((node, at) => { if (node.parent !== ROOT) nodes[node.parent].children.push(at); });
const roots = nodes.flatMap((node, at) => (node.parent === ROOT ? [at] : []));
const byKey = new Map(nodes.map((node, at) => [node.key, at]));

function leafCount(at) {
  const node = nodes[at];
  node.leaves ??= (node.kind === "component" ? 1 : 0) + node.children.reduce((sum, child) => sum + leafCount(child), 0);
  return node.leaves;
}

// A node that stands for components of several kinds.
function isBundle(at) { return nodes[at].kind === "package" || nodes[at].kind === "part"; }

function titleOf(at) {
  const node = nodes[at];
  return node.kind === "repeat" ? `${node.title} \u00d7${node.children.length}` : node.title;
}

function subtitleOf(at) {
  const node = nodes[at];
  if (isBundle(at)) return `${leafCount(at)} components`;
  return node.type ?? "";
}

function ancestors(at) {
  const found = [];
  for (let up = nodes[at].parent; up !== ROOT; up = nodes[up].parent) found.push(up);
  return found;
}

// The node that stands for another while not everything is open: its outermost closed ancestor, or itself.
function standInOf(at, open) {
  let standIn = at;
  for (const up of ancestors(at)) if (!open.has(up)) standIn = up;
  return standIn;
}

// Packages that open by themselves: from the outside in, as long as all that shows fits a screen.
function firstOpen(limit = 16) {
  const open = new Set();
  let shown = roots.length;
  const queue = roots.filter(isBundle);
  while (queue.length) {
    queue.sort((a, b) => nodes[a].children.length - nodes[b].children.length || a - b);
    const at = queue.shift();
    if (shown - 1 + nodes[at].children.length > limit) break;
    open.add(at);
    shown += nodes[at].children.length - 1;
    queue.push(...nodes[at].children.filter(isBundle));
  }
  return open;
}

// Edges between what is visible. Each is {from, to, cells} or, for containment, {from, to}.
function visibleEdges(open, withContainment) {
  const standIns = nodes.map((_, at) => standInOf(at, open));
  const merged = new Map();
  for (const [provider, consumer, cells] of scene.cells) {
    const from = standIns[provider], to = standIns[consumer];
    if (from === to && (provider !== consumer || from !== provider)) continue;
    const key = `${from}>${to}`;
    if (!merged.has(key)) merged.set(key, { from, to, cells: new Map() });
    for (const [name, kind, mark] of cells) merged.get(key).cells.set(`${mark ?? ""}:${name}`, { name, kind, mark });
  }
  const edges = [...merged.values()];
  if (withContainment) {
    const seen = new Set();
    for (const [child, container, mark] of scene.containment) {
      const from = standIns[child], to = standIns[container];
      const key = `${from}>${to}>${mark ?? ""}`;
      if (from === to || seen.has(key)) continue;
      // Beside the cells of a package, that it holds something of the other says no more.
      if (!mark && merged.has(`${from}>${to}`) && (isBundle(from) || isBundle(to))) continue;
      seen.add(key);
      edges.push({ from, to, cells: null, mark });
    }
  }
  return edges;
}

// What is on the screen: {shown: Set of nodes, edges}. A shown node that is open is drawn as a box around its children.
function visiblePart(state) {
  let edges = visibleEdges(state.open, state.containment);
  const shown = new Set();
  const add = (at) => { shown.add(at); if (state.open.has(at)) nodes[at].children.forEach(add); };
  roots.forEach(add);
  if (state.focus === null) return { shown, edges };
  const near = neighbourhood(standInOf(state.focus, state.open), state.depth, edges);
  for (const at of [...near]) {
    ancestors(at).forEach((up) => near.add(up));
    if (state.open.has(at)) (function all(inside) { near.add(inside); if (state.open.has(inside)) nodes[inside].children.forEach(all); })(at);
  }
  edges = edges.filter((edge) => near.has(edge.from) && near.has(edge.to));
  return { shown: new Set([...shown].filter((at) => near.has(at))), edges };
}

function neighbourhood(start, depth, edges) {
  const near = new Set([start]);
  let border = new Set([start]);
  for (let step = 0; step < depth; step++) {
    const next = new Set();
    for (const { from, to } of edges) {
      if (border.has(from) && !near.has(to)) next.add(to);
      if (border.has(to) && !near.has(from)) next.add(from);
    }
    next.forEach((at) => near.add(at));
    border = next;
  }
  return near;
}

// The name of a cell as people read it.
function cellText({ name, kind, mark }) {
  const sign = mark === "added" ? "+ " : mark === "removed" ? "\u2212 " : "";
  return `${sign}${name}${kind === "state" ? " (state)" : ""}`;
}

function sortedCells(edge) {
  return [...edge.cells.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

// Whether a node, or anything below it, is marked as changed, added, removed or edited.
function marksOf(at) {
  const node = nodes[at];
  node.marks ??= new Set([...(node.mark ? [node.mark] : []), ...node.children.flatMap((child) => [...marksOf(child)])]);
  return node.marks;
}
const isChange = scene.containment.some(([, , mark]) => mark) || scene.cells.some(([, , cells]) => cells.some(([, , mark]) => mark)) || nodes.some((node) => node.mark);

// Tests known to reach a component, or anything below a node.
function testsOf(at) {
  const node = nodes[at];
  node.tests ??= new Set([...(scene.reached?.[at] ?? []), ...node.children.flatMap((child) => [...testsOf(child)])]);
  return node.tests;
}
