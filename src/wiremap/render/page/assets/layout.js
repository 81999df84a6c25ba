// Where everything stands: the visible part as ELK wants it, and ELK at work in a worker that is ended when it takes too long.

const PATIENCE_MS = 8000;
const WIDEST = 300; // of a text inside a box or beside an edge, in pixels
const MOST_CELLS = 5; // named beside one edge

function boxLines(at) {
  const lines = [{ text: shortened(titleOf(at), WIDEST, TITLE), style: TITLE }];
  const subtitle = subtitleOf(at);
  if (subtitle) lines.push({ text: shortened(subtitle, WIDEST, SMALL), style: SMALL });
  const badge = overlayBadge(at);
  if (badge) lines.push({ text: shortened(badge, WIDEST, SMALL), style: SMALL });
  return lines;
}

function boxSize(lines, opens) {
  const width = Math.max(...lines.map((line) => widthOf(line.text, line.style)));
  return { width: Math.max(width + 24 + (opens ? 20 : 0), 60), height: lines.reduce((sum, line) => sum + line.style.size + 6, 10) };
}

function edgeLines(edge) {
  if (!edge.cells) return edge.mark ? [{ text: edge.mark === "added" ? "+ held" : "\u2212 held", style: SMALL, tone: edge.mark }] : [];
  const cells = sortedCells(edge);
  const marked = cells.filter((cell) => cell.mark);
  // What packages hand one another is a mixture: its names say little, and the panel has them.
  if (cells.length > 1 && !marked.length && (isBundle(edge.from) || isBundle(edge.to))) {
    return [{ text: `${cells.length} cells`, style: SMALL, tone: "cell" }];
  }
  const ranked = [...marked, ...cells.filter((cell) => !cell.mark)];
  const shown = ranked.length > MOST_CELLS ? ranked.slice(0, Math.max(MOST_CELLS - 1, Math.min(marked.length, 12))) : ranked;
  const lines = shown.map((cell) => ({ text: shortened(cellText(cell), WIDEST, SMALL), style: SMALL, tone: cell.mark ?? "cell" }));
  if (shown.length < ranked.length) lines.push({ text: `${ranked.length - shown.length} more`, style: SMALL, tone: "cell" });
  return lines;
}

function elkGraph(part, open) {
  const build = (at) => {
    const inside = open.has(at) ? nodes[at].children.filter((child) => part.shown.has(child)) : [];
    if (!inside.length) return { id: `n${at}`, ...boxSize(boxLines(at), nodes[at].children.length > 0) };
    const children = inside.map(build);
    // A component with something inside is drawn inside its own box too: edges to itself end there.
    if (nodes[at].kind === "component") children.unshift({ id: `n${at}`, ...boxSize(boxLines(at), true) });
    const wide = widthOf(shortened(titleOf(at), WIDEST, TITLE), TITLE) + 48;
    return {
      id: `g${at}`,
      children,
      layoutOptions: {
        "elk.padding": "[top=34,left=14,bottom=14,right=14]",
        "elk.nodeSize.constraints": "MINIMUM_SIZE",
        "elk.nodeSize.minimum": `(${wide},40)`,
      },
    };
  };
  return {
    id: "root",
    layoutOptions: {
      "elk.algorithm": "layered",
      "elk.direction": "RIGHT",
      "elk.hierarchyHandling": "INCLUDE_CHILDREN",
      "elk.json.shapeCoords": "ROOT",
      "elk.json.edgeCoords": "ROOT",
      "elk.edgeRouting": "ORTHOGONAL",
      "elk.layered.spacing.nodeNodeBetweenLayers": "36",
      "elk.layered.spacing.edgeNodeBetweenLayers": "16",
      "elk.layered.spacing.edgeEdgeBetweenLayers": "12",
      "elk.spacing.nodeNode": "22",
      "elk.spacing.edgeNode": "16",
      "elk.spacing.edgeEdge": "12",
      "elk.spacing.edgeLabel": "4",
      "elk.layered.nodePlacement.strategy": "NETWORK_SIMPLEX",
      "elk.randomSeed": "1",
    },
    children: [...part.shown].filter((at) => nodes[at].parent === ROOT || !part.shown.has(nodes[at].parent)).map(build),
    edges: part.edges.map((edge, index) => {
      const lines = edgeLines(edge);
      const label = { text: " ", width: Math.max(0, ...lines.map((line) => widthOf(line.text, line.style))) + 8, height: lines.length * 15 + 2 };
      return {
        id: `e${index}`,
        sources: [`n${edge.from}`],
        targets: [`n${edge.to}`],
        labels: lines.length ? [label] : [],
      };
    }),
  };
}

let engine = null;

async function startEngine() {
  startEngine.script ??= URL.createObjectURL(new Blob([await unpacked("elk")], { type: "text/javascript" }));
  const worker = new Worker(startEngine.script);
  const waiting = new Map();
  let calls = 0;
  worker.onmessage = ({ data }) => {
    const [resolve, reject] = waiting.get(data.id) ?? [];
    waiting.delete(data.id);
    if (data.error) reject?.(new Error(data.error.message ?? String(data.error))); else resolve?.(data.data);
  };
  worker.onerror = (event) => { waiting.forEach(([, reject]) => reject(new Error(event.message))); waiting.clear(); };
  const call = (message) => new Promise((resolve, reject) => {
    calls += 1;
    waiting.set(calls, [resolve, reject]);
    worker.postMessage({ id: calls, ...message });
  });
  call({ cmd: "register", algorithms: ["layered"] }).catch(() => {});
  return { call, end: () => worker.terminate() };
}

// Rejects when no layout is found in time; the engine is then ended, and the next call starts another.
async function layOut(part, open) {
  engine ??= await startEngine();
  const mine = engine;
  let timer;
  const tooLong = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error("too large to lay out in time")), PATIENCE_MS); });
  try {
    return await Promise.race([mine.call({ cmd: "layout", graph: elkGraph(part, open), layoutOptions: {}, options: {} }), tooLong]);
  } catch (error) {
    mine.end();
    if (engine === mine) engine = null;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
