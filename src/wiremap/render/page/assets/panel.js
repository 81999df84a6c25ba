// Beside the picture: everything about the selected node, or all edges as a table. It calls `act` for what a click asks for.

const panel = document.getElementById("panel");

function html(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "onclick") made.addEventListener("click", value); else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

// Long names may break where their parts meet.
function breakable(text) {
  const parts = text.split(/(?<=[._/:])(?=\w)|(?<=[a-z])(?=[A-Z])/);
  return parts.flatMap((part, index) => (index ? [html("wbr"), part] : [part]));
}

function link(at, act) {
  return html("button", { class: "link", onclick: () => act.reveal(at) }, ...breakable(titleOf(at)));
}

function fillPanel(state, part, act) {
  panel.replaceChildren(...(state.selected === null ? edgeTable(part, act) : aboutNode(state.selected, state, act)));
  panel.scrollTop = 0;
}

function edgeTable(part, act) {
  const cells = part.edges.filter((edge) => edge.cells);
  const rows = cells.map((edge) => html("tr", {}, html("td", {}, link(edge.from, act)),
    html("td", { class: "cells" }, ...breakable(edgeLines(edge).map((line) => line.text).join(", "))), html("td", {}, link(edge.to, act))));
  const held = part.edges.filter((edge) => !edge.cells);
  return [
    html("h2", {}, "What is shown"),
    html("p", { class: "faint" }, `${part.shown.size} of ${nodes.length} nodes. Select one for its cells, consumers, source and tests.`),
    html("h3", {}, `Cells (${cells.length} edges)`),
    cells.length ? html("table", {}, html("thead", {}, html("tr", {}, ...["Provider", "Cells", "Consumer"].map((head) => html("th", { scope: "col" }, head)))), html("tbody", {}, ...rows))
      : html("p", { class: "faint" }, "None between these nodes."),
    ...(held.length ? [html("h3", {}, `Containment (${held.length} edges)`),
      html("ul", {}, ...held.map((edge) => html("li", {}, link(edge.from, act), " in ", link(edge.to, act))))] : []),
    html("h3", {}, "Keys"),
    html("p", {}, ...[["/", "search"], ["arrows", "next box that way"], ["Enter", "select"], ["Space", "open or close"], ["f", "focus, again: \u00b12"], ["Esc", "end focus, deselect"], ["+ - 0", "zoom, fit"]]
      .flatMap(([key, what]) => [html("kbd", {}, key), ` ${what}  `])),
  ];
}

function cellNames(edge) {
  return sortedCells(edge).map(cellText).join(", ");
}

function inside(at) {
  return [at, ...nodes[at].children.flatMap(inside)];
}

// Edges of everything that the node stands for, whether its ends are visible or not.
// Those that repeat one another are one entry, until somebody opens them.
function edgesOf(at, open) {
  const entry = (other) => (nodes[other].parent !== ROOT && nodes[nodes[other].parent].kind === "repeat" && !open.has(nodes[other].parent) ? nodes[other].parent : other);
  const own = new Set(nodes[at].kind === "component" ? [at] : inside(at));
  const incoming = new Map(), outgoing = new Map();
  for (const [provider, consumer, cells] of scene.cells) {
    if (own.has(provider) === own.has(consumer)) continue;
    const [side, end] = own.has(provider) ? [outgoing, consumer] : [incoming, provider];
    const other = entry(end);
    if (!side.has(other)) side.set(other, { cells: new Map() });
    for (const [name, kind, mark] of cells) side.get(other).cells.set(`${mark ?? ""}:${name}`, { name, kind, mark });
  }
  const holds = scene.containment.filter(([child, container]) => own.has(container) && !own.has(child)).map(([child]) => entry(child));
  const heldBy = scene.containment.filter(([child, container]) => own.has(child) && !own.has(container)).map(([, container]) => entry(container));
  return { incoming, outgoing, holds: [...new Set(holds)], heldBy: [...new Set(heldBy)] };
}

const MOST_ROWS = 200;

function section(title, rows) {
  if (!rows.length) return [];
  const left = rows.length - MOST_ROWS;
  return [html("h3", {}, rows.length > 1 ? `${title} (${rows.length})` : title),
    html("ul", {}, ...rows.slice(0, MOST_ROWS), ...(left > 0 ? [html("li", { class: "faint" }, `and ${left} more`)] : []))];
}

function aboutNode(at, state, act) {
  const node = nodes[at];
  const { incoming, outgoing, holds, heldBy } = edgesOf(at, state.open);
  const edges = (side, arrow) => [...side].map(([other, edge]) => html("li", {}, `${arrow} `, link(other, act), html("br"), html("span", { class: "cells" }, ...breakable(cellNames(edge)))));
  const nodeLinks = (some) => some.map((other) => html("li", {}, link(other, act)));
  const codes = (texts) => (texts ?? []).map((text) => html("li", {}, html("code", {}, text)));
  const tests = scene.tests ? [...testsOf(at)].sort((a, b) => a - b) : [];
  const buttons = [
    ...(node.children.length ? [html("button", { onclick: () => act.toggle(at) }, state.open.has(at) ? "Close" : "Open")] : []),
    html("button", { onclick: () => act.focus(at, 1), "aria-pressed": state.focus === at && state.depth === 1 }, "Focus \u00b11"),
    html("button", { onclick: () => act.focus(at, 2), "aria-pressed": state.focus === at && state.depth === 2 }, "\u00b12"),
    html("button", { onclick: () => act.select(null) }, "All edges"),
  ];
  return [
    html("h2", {}, ...breakable(node.path ?? titleOf(at))),
    ...(node.type ? [html("p", {}, html("code", {}, node.type))] : []),
    ...(isBundle(at) ? [html("p", { class: "faint" }, `${leafCount(at)} components`)] : []),
    ...(node.mark ? [html("p", { style: `color: var(--${node.mark === "edited" ? "accent" : node.mark})` }, MARK_WORDS[node.mark])] : []),
    ...(node.source ? [html("p", { class: "faint" }, html("code", {}, node.source))] : []),
    ...(node.tags ? [html("p", { class: "faint" }, `tags: ${node.tags.join(", ")}`)] : []),
    ...(node.extension ? [html("p", { class: "faint" }, `extension: ${node.extension}`)] : []),
    html("div", { class: "row" }, ...buttons),
    ...section("Hands over", edges(outgoing, "\u2192")),
    ...section("Is handed", edges(incoming, "\u2190")),
    ...section("Held by", nodeLinks(heldBy)),
    ...section("Holds", nodeLinks(holds)),
    ...section(node.kind === "component" ? "Inside" : "Stands for", nodeLinks(node.children)),
    ...section("Requires", codes(node.requires)),
    ...section("Parameters", codes(node.parameters)),
    ...(scene.tests ? (tests.length ? section("Tests that execute code of it", tests.map((test) => html("li", {}, html("button", { class: "link", onclick: () => act.show(`test:${test}`) }, ...breakable(scene.tests[test])))))
      : [html("h3", {}, "Tests"), html("p", { class: "faint" }, "No recorded test executes code of it.")]) : []),
  ];
}
